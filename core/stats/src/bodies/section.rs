//! Where a plane cuts a body.

use std::f64::consts::TAU;

use super::Body;

/// Points of a section's outline.
const POINTS: usize = 24;

/// The ellipse in which the plane at `at` (m) on axis `axis` cuts the surface of a body, as points in m; `None` where
/// the plane misses the body.
pub fn section(body: &Body, axis: usize, at: f64) -> Option<Vec<[f64; 3]>> {
    let form = body.form();
    let [i, j] = crate::map::shown(axis);
    // In the plane, d A d + 2 s g d + s^2 form[axis][axis] = 1 for d from the centre.
    let s = at - body.position[axis];
    let (a, b, c) = (form[i][i], form[i][j], form[j][j]);
    let g = [form[i][axis], form[j][axis]];
    let determinant = a * c - b * b;
    let solved = [(c * g[0] - b * g[1]) / determinant, (a * g[1] - b * g[0]) / determinant];
    let square = 1.0 - s * s * (form[axis][axis] - g[0] * solved[0] - g[1] * solved[1]);
    if square <= 0.0 {
        return None;
    }
    // A = L L^T: d = centre + r L^-T u for u on the unit circle.
    let (l11, r) = (a.sqrt(), square.sqrt());
    let (l21, l22) = (b / l11, (determinant / a).sqrt());
    let point = |k: usize| {
        let (sine, cosine) = (TAU * k as f64 / POINTS as f64).sin_cos();
        let second = r * sine / l22;
        let first = (r * cosine - l21 * second) / l11;
        let mut p = [0.0; 3];
        p[axis] = at;
        p[i] = body.position[i] - s * solved[0] + first;
        p[j] = body.position[j] - s * solved[1] + second;
        p
    };
    Some((0..POINTS).map(point).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::bodies;
    use crate::bodies::testing::{frame, spiral, z_to};
    use crate::lookup::Nodes;
    use crate::map::View;
    use crate::plane::Plane;
    use crate::suspension::map::{outlines, typical_size};
    use crate::testing::duct;

    #[test]
    fn sections_lie_on_the_surface_and_in_the_plane() {
        for n in spiral(11) {
            let (kinds, f) = frame([3.0, 2.0, 0.8], &[([5.0, 6.0, 7.0], z_to(n))]);
            let body = bodies(&kinds, &f).expect("sound")[0];
            let form = body.form();
            for axis in 0..3 {
                let half = body.half_box()[axis];
                for share in [-0.9, 0.0, 0.6] {
                    let at = body.position[axis] + share * half;
                    let points = section(&body, axis, at).expect("cut");
                    for p in &points {
                        let d: [f64; 3] = std::array::from_fn(|k| p[k] - body.position[k]);
                        let on: f64 = (0..3).map(|i| (0..3).map(|j| d[i] * form[i][j] * d[j]).sum::<f64>()).sum();
                        assert!((on - 1.0).abs() < 1e-9 && p[axis] == at, "{n:?} {axis} {share}: {on}");
                    }
                }
                assert_eq!(section(&body, axis, body.position[axis] + 1.001 * half), None);
            }
        }
    }

    #[test]
    fn a_ball_comes_back_across_a_periodic_face() {
        let grid = duct(20, 20, 20, 1.0);
        let nodes = Nodes::new(&grid).expect("nodes").wrapped([22, 22, 22], [true, false, true]);
        let (kinds, f) = frame([5.0; 3], &[([0.5, 9.0, 0.0], [1.0, 0.0, 0.0, 0.0])]);
        let all = bodies(&kinds, &f).expect("sound");
        for (at, radius) in [(3.0, 4.0), (18.0, 3.0)] {
            let plane = Plane { name: "p".into(), axis: 2, at };
            let view = View::whole(&nodes, Some(&plane)).expect("hits");
            let found = outlines(&nodes, &view, &all);
            assert_eq!((found.len(), found[0].population), (2, 0));
            assert!((typical_size(&found) - 2.0 * radius).abs() < 1e-6, "{at}");
        }
        let plane = Plane { name: "p".into(), axis: 2, at: 10.0 };
        assert!(outlines(&nodes, &View::whole(&nodes, Some(&plane)).expect("hits"), &all).is_empty());
    }
}
