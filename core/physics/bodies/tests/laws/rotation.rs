//! Free rotation on the device.

use hematite_engine::Precision;
use hematite_gpu::Template;
use minijinja::context;
use physics_bodies::rotation::{Quaternion, axes_of, free_rotation};

use crate::lab::{Random, Vector, answers, cross, dot, length, minus, times};

#[derive(Clone, Copy, Debug)]
struct Body {
    q: Quaternion,
    l: Vector,
    inertia: Vector,
    dt: f64,
    steps: u32,
}

#[derive(Clone, Debug)]
struct Answer {
    q: Quaternion,
    l: Vector,
    axes: [Vector; 3],
    /// The largest departures of the energy, one a dispatch.
    energy: Vec<f64>,
    /// Those of |L| and |q|.
    momentum: f64,
    norm: f64,
}

/// Steps of a dispatch: software Vulkan ends loops after 65 535 turns.
const MOST: u32 = 50_000;

const ASYMMETRIC: Body =
    Body { q: [1.0, 0.0, 0.0, 0.0], l: [0.3, 1.1, 0.9], inertia: [1.0, 1.7, 2.4], dt: 0.1, steps: 1_000_000 };

fn on_device(precision: Precision, bodies: &[Body]) -> Vec<Answer> {
    let mut now: Vec<Answer> = bodies
        .iter()
        .map(|b| Answer { q: b.q, l: b.l, axes: axes_of(b.q), energy: Vec::new(), momentum: 0.0, norm: 0.0 })
        .collect();
    let most = bodies.iter().map(|body| body.steps).max().expect("a body");
    for done in (0..most).step_by(MOST as usize) {
        let numbers = |(b, now): (&Body, &Answer)| {
            let steps = b.steps.saturating_sub(done).min(MOST);
            let energy: f64 = (0..3).map(|k| 0.5 * b.l[k] * b.l[k] / b.inertia[k]).sum();
            [&now.q[..], &now.l, &b.inertia, &[b.dt, f64::from(steps), energy, length(b.l)]].concat()
        };
        let inputs = [("bodies", "array<real>", bodies.iter().zip(&now).flat_map(numbers).collect())];
        let template = Template { name: "free rotation", text: include_str!("rotation.wgsl") };
        let all = answers::<19>(precision, template, &context! {}, &inputs, bodies.len());
        for (now, a) in now.iter_mut().zip(all) {
            let three = |at: usize| [0, 1, 2].map(|k| a[at + k]);
            now.q = [a[0], a[1], a[2], a[3]];
            now.l = three(4);
            now.axes = [three(7), three(10), three(13)];
            now.energy.push(a[16]);
            now.momentum = now.momentum.max(a[17]);
            now.norm = now.norm.max(a[18]);
        }
    }
    now
}

fn in_space(e: [Vector; 3], l: Vector) -> Vector {
    [0, 1, 2].map(|i| (0..3).map(|k| l[k] * e[k][i]).sum())
}

#[test]
fn a_symmetric_top_precesses_and_spins() {
    let nutation = 30f64.to_radians();
    let l = [2.0 * nutation.sin(), 0.0, 2.0 * nutation.cos()];
    // I_3 on each of the axes in turn.
    let bodies = [0, 1, 2].map(|turn| {
        let (mut l, mut inertia) = (l, [1.5, 1.5, 0.5]);
        l.rotate_left(turn);
        inertia.rotate_left(turn);
        Body { q: [1.0, 0.0, 0.0, 0.0], l, inertia, dt: 1e-3, steps: 1000 }
    });
    for (turn, answer) in on_device(Precision::F64, &bodies).into_iter().enumerate() {
        let axis = 2 - turn;
        // How far the component of v across `about` has turned since u.
        let angle = |about: Vector, u: Vector, v: Vector| {
            let [u, v] = [u, v].map(|w| minus(w, times(dot(w, about), about)));
            dot(about, cross(u, v)).atan2(dot(u, v))
        };
        let start = std::array::from_fn(|k| f64::from(u8::from(k == axis)));
        let l = bodies[turn].l;
        let precession = angle(times(0.5, l), start, answer.axes[axis]);
        let spin = -angle(start, l, answer.l);
        println!("axis {axis}: precession {precession:.6}, spin {spin:.6}");
        assert!((precession - 4.0 / 3.0).abs() < 1e-5, "{precession}");
        assert!((spin - (1.0 / 0.5 - 1.0 / 1.5) * 3f64.sqrt()).abs() < 1e-5, "{spin}");
    }
}

#[test]
fn energy_is_bounded_over_a_million_steps() {
    for (precision, drift, momentum, norm) in [(Precision::F64, 1e-3, 1e-12, 1e-14), (Precision::F32, 0.2, 1e-4, 1e-6)]
    {
        let answer = on_device(precision, &[ASYMMETRIC])[0].clone();
        let (early, late) = answer.energy.split_at(answer.energy.len() / 2);
        let [early, late] = [early, late].map(|half| half.iter().copied().fold(0.0, f64::max));
        println!("{precision:?}: energy {early:.3e} {late:.3e}, |L| {:.1e}, |q| {:.1e}", answer.momentum, answer.norm);
        assert!((late / early - 1.0).abs() < drift, "{early} {late}");
        assert!(answer.momentum < momentum, "{}", answer.momentum);
        assert!(answer.norm < norm, "{}", answer.norm);
    }
}

#[test]
fn the_error_of_energy_is_of_second_order() {
    let bodies = [(0.1, 10_000), (0.05, 20_000), (0.025, 40_000)].map(|(dt, steps)| Body { dt, steps, ..ASYMMETRIC });
    let [a, b, c] = [0, 1, 2].map(|k| on_device(Precision::F64, &bodies)[k].energy[0]);
    println!("{a:.3e} {b:.3e} {c:.3e}: ratios {:.3} {:.3}", a / b, b / c);
    assert!((a / b - 4.0).abs() < 0.1 && (b / c - 4.0).abs() < 0.1);
}

#[test]
fn bodies_turn_as_on_the_host_and_back() {
    let mut random = Random::new(2);
    let inertias = [[1.0, 1.0, 1.0], [1.5, 1.5, 0.5], [0.6, 1.0, 1.0], [1.0, 1.7, 2.4]];
    let there: Vec<Body> = inertias
        .into_iter()
        .flat_map(|inertia| [inertia; 8])
        .map(|inertia| Body { q: random.direction(), l: random.direction(), inertia, dt: 0.1, steps: 300 })
        .collect();
    let answers = on_device(Precision::F64, &there);
    let back: Vec<Body> =
        there.iter().zip(&answers).map(|(body, a)| Body { q: a.q, l: a.l, dt: -body.dt, ..*body }).collect();
    let returned = on_device(Precision::F64, &back);
    for ((body, answer), returned) in there.iter().zip(&answers).zip(&returned) {
        let (mut q, mut l) = (body.q, body.l);
        for _ in 0..body.steps {
            free_rotation(&mut q, &mut l, body.inertia, body.dt);
        }
        let off = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off(&q, &answer.q).max(off(&l, &answer.l)) < 1e-12, "{body:?}");
        assert!(off(&body.q, &returned.q).max(off(&body.l, &returned.l)) < 1e-12, "{body:?}");
        let [before, after] = [in_space(axes_of(body.q), body.l), in_space(answer.axes, answer.l)];
        assert!(length(minus(before, after)) < 1e-12, "{before:?} {after:?}");
        assert!(off(&axes_of(answer.q).concat(), &answer.axes.concat()) < 1e-14);
    }
}
