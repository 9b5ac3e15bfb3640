//! Repulsion from walls on the device.

use hematite_engine::Precision;
use hematite_gpu::Template;
use minijinja::context;
use physics_bodies::rotation::{Quaternion, axes_of};
use physics_bodies::wall::Wall;
use physics_bodies::wca::CUT;

use crate::lab::{Random, Vector, answers, dot, length, minus, slope, times, turned};

#[derive(Clone, Copy, Debug)]
struct Body {
    d: f64,
    n: Vector,
    q: Quaternion,
    axes: Vector,
}

impl Body {
    /// The energy, written down once more: at the wall the gap is that of the nearest point, found from the support function.
    fn energy(&self, wall: &Wall, d: f64, e: &[Vector; 3]) -> f64 {
        let extent = (0..3).map(|k| (self.axes[k] * dot(self.n, e[k])).powi(2)).sum::<f64>().sqrt();
        let rho = (d - extent + wall.sigma) / wall.sigma;
        if rho < CUT { wall.epsilon * (4.0 * (rho.powi(-12) - rho.powi(-6)) + 1.0) } else { 0.0 }
    }
}

fn on_device(precision: Precision, wall: &Wall, bodies: &[Body]) -> Vec<(Vector, Vector, f64)> {
    let numbers = bodies.iter().flat_map(|b| [&[b.d], &b.n[..], &b.q, &b.axes.map(|a| a * a)].concat()).collect();
    let template = Template { name: "ellipsoid at a wall", text: include_str!("wall.wgsl") };
    let laws = context! { wall => wall.context() };
    answers::<7>(precision, template, &laws, &[("bodies", "array<real>", numbers)], bodies.len())
        .into_iter()
        .map(|[x, y, z, a, b, c, u]| ([x, y, z], [a, b, c], u))
        .collect()
}

/// Bodies whose rho is between `low` and `high`.
fn crowd(wall: &Wall, low: f64, high: f64) -> Vec<Body> {
    let mut random = Random::new(1);
    let shapes = [[4.0, 4.0, 1.3], [1.0, 1.0, 3.0], [1.5; 3], [1.2, 2.0, 3.1]];
    let mut one = |axes: Vector| {
        let (n, q): (Vector, Quaternion) = (random.direction(), random.direction());
        let extent = axes_of(q).into_iter().zip(axes).map(|(e, a)| (a * dot(n, e)).powi(2)).sum::<f64>().sqrt();
        Body { d: extent + (random.between(low, high) - 1.0) * wall.sigma, n, q, axes }
    };
    shapes.into_iter().flat_map(|axes| [axes; 100]).map(&mut one).collect()
}

#[test]
fn forces_and_torques_are_gradients() {
    let wall = Wall { epsilon: 0.7, sigma: 1.3, largest: 1e6 };
    let bodies = crowd(&wall, 0.85, CUT - 0.01);
    for (precision, tolerance) in [(Precision::F64, 1e-6), (Precision::F32, 1e-3)] {
        let mut worst: f64 = 0.0;
        let mut off: f64 = 0.0;
        for (body, (force, torque, energy)) in bodies.iter().zip(on_device(precision, &wall, &bodies)) {
            let e = axes_of(body.q);
            let f = -slope(|x| body.energy(&wall, body.d + x, &e), 1e-4);
            let t = [0, 1, 2].map(|a| -slope(|x| body.energy(&wall, body.d, &turned(&e, a, x)), 1e-4));
            worst = worst.max(length(minus(force, times(f, body.n))) / f).max(length(minus(torque, t)) / (f * 4.0));
            off = off.max((energy - body.energy(&wall, body.d, &e)).abs());
            assert!((wall.energy(body.d, body.n, &e, body.axes) - body.energy(&wall, body.d, &e)).abs() < 1e-12);
        }
        println!("{precision:?}: forces {worst:.1e}, energies {off:.1e}");
        assert!(worst < tolerance && off < tolerance, "{worst:e} {off:e}");
    }
}

#[test]
fn forces_stay_at_the_largest() {
    let wall = Wall { epsilon: 0.7, sigma: 1.3, largest: 2.0 };
    for precision in [Precision::F64, Precision::F32] {
        let near = crowd(&wall, -3.0, 0.5);
        for (body, (force, torque, energy)) in near.iter().zip(on_device(precision, &wall, &near)) {
            assert!((dot(force, body.n) - wall.largest).abs() < 1e-5, "{force:?}");
            assert!(torque.iter().all(|t| t.is_finite()) && energy > 0.0);
        }
        let far = crowd(&wall, CUT + 1e-5, 2.0);
        for answer in on_device(precision, &wall, &far) {
            assert_eq!(answer, ([0.0; 3], [0.0; 3], 0.0));
        }
    }
}
