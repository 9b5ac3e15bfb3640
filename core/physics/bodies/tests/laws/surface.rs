//! Contact with points of soft surfaces on the device, against the nearest point of each body as a search finds it.

use std::f64::consts::PI;

use hematite_cells::RigidShape;
use hematite_engine::{Precision, SurfaceContact, surface_push};
use hematite_gpu::Template;
use minijinja::context;
use physics_bodies::rotation::{Quaternion, axes_of};
use physics_bodies::surface;

use crate::lab::{Random, Vector, answers, cross, dot, length, minus, plus, times};

const CONTACT: SurfaceContact = SurfaceContact { range: 1.2, pressure: 0.01, fastest: 0.4, support: 2.0 };

/// A body and a point at `r` from its centre.
#[derive(Clone, Copy, Debug)]
struct Pair {
    r: Vector,
    q: Quaternion,
    axes: Vector,
    strength: f64,
}

impl Pair {
    /// The point in the frame of the body's axes.
    fn within(&self) -> Vector {
        axes_of(self.q).map(|e| dot(e, self.r))
    }

    /// The way from the nearest point of the body to the point, in the frame of its axes, and whether the point is outside: by angles
    /// over the whole surface, then ever finer ones around the best.
    fn nearest(&self) -> (Vector, bool) {
        let y = self.within();
        let at = |[polar, round]: [f64; 2]| {
            let unit = [polar.sin() * round.cos(), polar.sin() * round.sin(), polar.cos()];
            [0, 1, 2].map(|k| self.axes[k] * unit[k])
        };
        let apart = |angles: [f64; 2]| length(minus(y, at(angles)));
        let (mut best, mut wide) = ([0.0; 2], [0.5 * PI, PI]);
        let mut middle = [0.5 * PI, PI];
        let mut steps = 60_i32;
        while wide[1] > 1e-10 {
            let along = move |a: usize, k: i32| middle[a] + wide[a] * f64::from(k) / f64::from(steps);
            let tried = (-steps..=steps).flat_map(|i| (-steps..=steps).map(move |k| [along(0, i), along(1, k)]));
            best = tried.min_by(|a, b| apart(*a).total_cmp(&apart(*b))).unwrap_or(best);
            wide = wide.map(|width| 3.0 * width / f64::from(steps));
            (middle, steps) = (best, 6);
        }
        let inside: f64 = (0..3).map(|k| (y[k] / self.axes[k]).powi(2)).sum();
        (minus(y, at(best)), inside > 1.0)
    }

    /// Force on the point and distance, written down once more: along the way from the nearest point.
    fn expected(&self) -> (Vector, f64) {
        let (way, outside) = self.nearest();
        let (d, side) = (length(way), if outside { 1.0 } else { -1.0 });
        let a = (1.0 - side * d / CONTACT.range).max(0.0);
        let push = (self.strength * (a * a + 2.0 * a * a * a * a)).min(surface_push().largest);
        let n = times(side / d, way);
        let e = axes_of(self.q);
        let space = (0..3).fold([0.0; 3], |sum, k| plus(sum, times(n[k], e[k])));
        (times(push, space), side * d)
    }
}

fn on_device(precision: Precision, pairs: &[Pair]) -> Vec<(Vector, Vector)> {
    let words = |p: &Pair| [&p.r[..], &p.q, &p.axes.map(|a| a * a), &[p.strength]].concat();
    let template = Template { name: "bodies and points", text: include_str!("surface.wgsl") };
    let laws = context! { surface => surface::context(&CONTACT) };
    let numbers = pairs.iter().flat_map(words).collect();
    answers::<6>(precision, template, &laws, &[("pairs", "array<real>", numbers)], pairs.len())
        .into_iter()
        .map(|[x, y, z, a, b, c]| ([x, y, z], [a, b, c]))
        .collect()
}

/// Points that lie from `low` to `high` along the normal from the surface of bodies.
fn crowd(low: f64, high: f64, strength: f64) -> Vec<Pair> {
    let mut random = Random::new(5);
    let shapes = [[4.0, 4.0, 1.3], [1.0, 1.0, 3.0], [1.5; 3], [1.2, 2.0, 3.1], [2.5, 2.5, 0.6]];
    let mut one = |axes: Vector| {
        let q: Quaternion = random.direction();
        // Not in planes of symmetry, where the law keeps points a little off.
        let unit = loop {
            let unit: Vector = random.direction();
            if unit.iter().all(|x| x.abs() > 0.01) {
                break unit;
            }
        };
        let on = [0, 1, 2].map(|k| axes[k] * unit[k]);
        let normal = [0, 1, 2].map(|k| unit[k] / axes[k]);
        let y = plus(on, times(random.between(low, high) / length(normal), normal));
        let e = axes_of(q);
        let r = (0..3).fold([0.0; 3], |sum, k| plus(sum, times(y[k], e[k])));
        Pair { r, q, axes, strength }
    };
    shapes.into_iter().flat_map(|axes| [axes; 60]).map(&mut one).collect()
}

#[test]
fn points_are_pushed_off_the_nearest_point() {
    // Within, no farther than the sharpest edges are round: the nearest point is one alone.
    let pairs = crowd(-0.1, 1.5, 0.008);
    for (precision, tolerance) in [(Precision::F64, 1e-6), (Precision::F32, 1e-3)] {
        let (mut worst, mut turned, mut touched) = (0.0_f64, 0.0_f64, 0);
        for (pair, (force, torque)) in pairs.iter().zip(on_device(precision, &pairs)) {
            let (expected, d) = pair.expected();
            let full = 3.0 * pair.strength;
            worst = worst.max(length(minus(force, expected)) / full);
            turned = turned.max(length(plus(torque, cross(pair.r, force))) / full);
            touched += usize::from(length(force) > 0.0);
            let share = length(expected) / pair.strength;
            let shape = RigidShape { semi_axes: pair.axes };
            assert!((shape.distance(pair.within()) - d).abs() < 1e-7, "{pair:?}");
            assert!((surface::share(&CONTACT, d) - share).abs() < 1e-9, "{pair:?}");
        }
        println!("{precision:?}: forces {worst:.1e}, torques {turned:.1e}, {touched} of {}", pairs.len());
        assert!(worst < tolerance && turned < tolerance, "{worst:e} {turned:e}");
        assert!((150..290).contains(&touched), "{touched}");
    }
}

#[test]
fn points_in_planes_of_symmetry_and_deep_within_have_a_force_too() {
    let (axes, q) = ([2.5, 2.5, 0.6], [1.0, 0.0, 0.0, 0.0]);
    let at = |r: Vector| Pair { r, q, axes, strength: 0.01 };
    // On axes the nearest point is the end of the axis; from the middle it is the flat side.
    let on_axes = [([3.0, 0.0, 0.0], [1.0, 0.0, 0.0]), ([0.0, 0.0, -1.0], [0.0, 0.0, -1.0])];
    for precision in [Precision::F64, Precision::F32] {
        let pairs: Vec<Pair> = on_axes.iter().map(|(r, _)| at(*r)).collect();
        for ((force, _), (r, n)) in on_device(precision, &pairs).into_iter().zip(on_axes) {
            let push = length(force);
            assert!(push > 0.0 && dot(force, n) > 0.99999 * push, "{force:?} at {r:?}");
        }
        let within = [[0.0; 3], [0.3, 0.2, 0.0], [0.0, 0.0, 0.1], [2.0, 0.0, 0.0]];
        for (force, torque) in on_device(precision, &within.map(at)) {
            let push = length(force);
            assert!(push > 0.02 && push <= surface_push().largest * 1.000_01, "{force:?}");
            assert!(torque.iter().all(|t| t.is_finite()), "{torque:?}");
        }
    }
}

#[test]
fn forces_stay_at_the_largest() {
    let largest = surface_push().largest;
    for (force, _) in on_device(Precision::F32, &crowd(-0.3, 0.1, 10.0)) {
        assert!((length(force) / largest - 1.0).abs() < 1e-5, "{force:?}");
    }
    for answer in on_device(Precision::F32, &crowd(CONTACT.range + 1e-3, 4.0, 10.0)) {
        assert_eq!(answer, ([0.0; 3], [0.0; 3]));
    }
}
