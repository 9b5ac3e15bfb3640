//! Synthetic bodies for tests.

use hematite_dump::{BodyFrame, BodyKind};

/// Rotation about z by `angle` radians, as a quaternion.
pub fn about_z(angle: f64) -> [f64; 4] {
    let (s, c) = (0.5 * angle).sin_cos();
    [c, 0.0, 0.0, s]
}

/// The shortest rotation from z to the unit vector `n`, as a quaternion.
pub fn z_to(n: [f64; 3]) -> [f64; 4] {
    let w = 1.0 + n[2];
    if w < 1e-12 {
        return [0.0, 1.0, 0.0, 0.0];
    }
    let q = [w, -n[1], n[0], 0.0];
    let size = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / size)
}

/// Evenly spread unit vectors, by a spiral from pole to pole.
pub fn spiral(count: usize) -> Vec<[f64; 3]> {
    (0..count)
        .map(|k| {
            let z = (2.0 * k as f64 + 1.0) / count as f64 - 1.0;
            let (s, c) = (k as f64 * 2.399_963_229_728_653).sin_cos();
            let r = (1.0 - z * z).sqrt();
            [r * c, r * s, z]
        })
        .collect()
}

/// A frame of one population at rest; `bodies` holds centres and orientations.
pub fn frame(semi_axes: [f64; 3], bodies: &[([f64; 3], [f64; 4])]) -> (Vec<BodyKind>, BodyFrame) {
    let number = bodies.len();
    let frame = BodyFrame {
        step: 0,
        time: 0.0,
        id: (0..number as u64).collect(),
        kind: vec![0; number],
        image: vec![[0; 3]; number],
        position: bodies.iter().map(|body| body.0).collect(),
        orientation: bodies.iter().map(|body| body.1.map(|x| x as f32)).collect(),
        velocity: vec![[0.0; 3]; number],
        angular_velocity: vec![[0.0; 3]; number],
        force: vec![[0.0; 3]; number],
        torque: vec![[0.0; 3]; number],
    };
    (vec![BodyKind { name: "red".into(), semi_axes }], frame)
}
