//! Gay and Berne's potential on the device.

use hematite_engine::Precision;
use hematite_gpu::Template;
use minijinja::context;
use physics_bodies::gay_berne::{GayBerne, Shape};
use physics_bodies::rotation::{Quaternion, axes_of};
use physics_bodies::wca::CUT;

use crate::lab::{Random, Vector, answers, cross, dot, length, minus, plus, slope, times, turned};

#[derive(Clone, Copy, Debug)]
struct Arrangement {
    r: Vector,
    q: [Quaternion; 2],
    shapes: [Shape; 2],
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    f: Vector,
    t: [Vector; 2],
    u: f64,
}

impl Arrangement {
    fn axes(&self) -> [[Vector; 3]; 2] {
        self.q.map(axes_of)
    }

    fn energy(&self, law: &GayBerne) -> f64 {
        let [e1, e2] = self.axes();
        law.energy(self.r, [&e1, &e2], [&self.shapes[0], &self.shapes[1]])
    }

    fn rho(&self, law: &GayBerne) -> f64 {
        let [e1, e2] = self.axes();
        law.well(self.r, [&e1, &e2], [&self.shapes[0], &self.shapes[1]]).rho
    }

    /// The bodies at distance `rho`.
    fn at(mut self, law: &GayBerne, rho: f64) -> Self {
        let by = (rho - self.rho(law)) * law.sigma;
        self.r = times(1.0 + by / length(self.r), self.r);
        self
    }

    /// Force and torques by differences of the energy.
    fn by_differences(&self, law: &GayBerne) -> Pair {
        let h = 1e-4 * law.sigma;
        let k = [&self.shapes[0], &self.shapes[1]];
        let [e1, e2] = self.axes();
        let axis = |a: usize| std::array::from_fn(|b| f64::from(u8::from(a == b)));
        Pair {
            f: [0, 1, 2].map(|a| -slope(|x| law.energy(plus(self.r, times(x, axis(a))), [&e1, &e2], k), h)),
            t: [
                [0, 1, 2].map(|a| -slope(|x| law.energy(self.r, [&turned(&e1, a, x), &e2], k), 1e-4)),
                [0, 1, 2].map(|a| -slope(|x| law.energy(self.r, [&e1, &turned(&e2, a, x)], k), 1e-4)),
            ],
            u: self.energy(law),
        }
    }

    fn swapped(self) -> Self {
        Self { r: times(-1.0, self.r), q: [self.q[1], self.q[0]], shapes: [self.shapes[1], self.shapes[0]] }
    }

    fn size(&self) -> f64 {
        self.shapes.iter().flat_map(|shape| shape.axes).fold(0.0, f64::max)
    }
}

/// What the device makes of them.
fn on_device(precision: Precision, law: &GayBerne, arrangements: &[Arrangement]) -> Vec<Pair> {
    let kinds: Vec<Shape> = arrangements.iter().flat_map(|a| a.shapes).collect();
    let pairs = arrangements.iter().flat_map(|a| [&a.r[..], &a.q[0], &a.q[1]].concat()).collect();
    let shapes = kinds.iter().flat_map(|kind| kind.words(law)).collect();
    let template = Template { name: "pair of ellipsoids", text: include_str!("gay_berne.wgsl") };
    let laws = context! { gay_berne => law.context(&kinds) };
    let inputs = [("pairs", "array<real>", pairs), ("shapes", "array<Shape>", shapes)];
    answers::<10>(precision, template, &laws, &inputs, arrangements.len())
        .into_iter()
        .map(|[x, y, z, a, b, c, d, e, f, u]| Pair { f: [x, y, z], t: [[a, b, c], [d, e, f]], u })
        .collect()
}

const LAW: GayBerne = GayBerne { epsilon: 0.7, sigma: 1.3, gamma: 1.0, mu: 2, upsilon: 1, largest: 1e6 };

/// Discs, needles, spheres, bodies with three axes, of one or several depths.
fn shapes() -> Vec<Shape> {
    let axes = [[4.0, 4.0, 1.3], [1.0, 1.0, 3.0], [1.5; 3], [1.2, 2.0, 3.1], [3.0, 1.1, 1.7]];
    let depths = [[1.0; 3], [1.0, 1.0, 0.2], [0.5, 1.0, 2.0]];
    axes.iter().flat_map(|&axes| depths.map(|depths| Shape { axes, depths })).collect()
}

/// All pairs of `shapes`, at random directions, with rho between `low` and `high`.
fn crowd(law: &GayBerne, shapes: &[Shape], low: f64, high: f64, seed: u64) -> Vec<Arrangement> {
    let mut random = Random::new(seed);
    let pairs = shapes.iter().flat_map(|&a| shapes.iter().map(move |&b| [a, b]));
    let mut one = |shapes| {
        let start =
            Arrangement { r: times(20.0, random.direction()), q: [random.direction(), random.direction()], shapes };
        start.at(law, random.between(low, high))
    };
    pairs.flat_map(|pair| [pair; 4]).map(&mut one).collect()
}

/// Forces over the largest force, torques over that times the largest axis.
fn departure(ours: &Pair, theirs: &Pair, size: f64) -> f64 {
    let force = length(theirs.f);
    let torques = (0..2).map(|b| length(minus(ours.t[b], theirs.t[b])) / (force * size));
    torques.fold(length(minus(ours.f, theirs.f)) / force, f64::max)
}

#[test]
fn energies_are_those_of_the_formula() {
    for (precision, tolerance) in [(Precision::F64, 1e-12), (Precision::F32, 3e-4)] {
        for (mu, upsilon, gamma) in [(2, 1, 1.0), (1, 3, 1.0), (3, 2, 0.9), (1, 0, 1.0)] {
            let law = GayBerne { mu, upsilon, gamma, ..LAW };
            let arrangements = crowd(&law, &shapes(), 0.9, 1.3, 3);
            let pairs = on_device(precision, &law, &arrangements);
            let mut worst: f64 = 0.0;
            for (arrangement, pair) in arrangements.iter().zip(&pairs) {
                let [e1, e2] = arrangement.axes();
                let [k1, k2] = &arrangement.shapes;
                let well = law.well(arrangement.r, [&e1, &e2], [k1, k2]);
                worst = worst.max((pair.u - arrangement.energy(&law)).abs() / well.epsilon);
                if well.rho > CUT + 1e-5 {
                    assert_eq!((pair.f, pair.t, pair.u), ([0.0; 3], [[0.0; 3]; 2], 0.0));
                }
            }
            println!("{precision:?}, mu {mu}, upsilon {upsilon}: {worst:.1e}");
            assert!(worst < tolerance, "{worst:e}");
        }
    }
}

#[test]
fn forces_and_torques_are_gradients() {
    for (precision, tolerance) in [(Precision::F64, 1e-6), (Precision::F32, 2e-3)] {
        for (mu, upsilon) in [(2, 1), (1, 2), (1, 0)] {
            let law = GayBerne { mu, upsilon, ..LAW };
            let arrangements = crowd(&law, &shapes(), 0.85, CUT - 0.01, 5);
            let pairs = on_device(precision, &law, &arrangements);
            let departures = arrangements.iter().zip(&pairs).map(|(a, pair)| {
                let theirs = a.by_differences(&law);
                departure(pair, &theirs, a.size())
            });
            let worst = departures.fold(0.0, f64::max);
            println!("{precision:?}, mu {mu}, upsilon {upsilon}, {} pairs: {worst:.1e}", pairs.len());
            assert!(worst < tolerance, "{worst:e}");
        }
    }
}

/// The formula for identical uniaxial bodies, cut off.
fn classic(r: Vector, u1: Vector, u2: Vector, (kappa, kappa_prime): (f64, f64), mu: i32, nu: i32) -> f64 {
    let distance = length(r);
    let [c1, c2] = [u1, u2].map(|u| dot(r, u) / distance);
    let c12 = dot(u1, u2);
    let chi = (kappa * kappa - 1.0) / (kappa * kappa + 1.0);
    let root = kappa_prime.powf(1.0 / f64::from(mu));
    let chi_prime = (root - 1.0) / (root + 1.0);
    let bracket =
        |chi: f64| 1.0 - 0.5 * chi * ((c1 + c2).powi(2) / (1.0 + chi * c12) + (c1 - c2).powi(2) / (1.0 - chi * c12));
    let sigma = bracket(chi).powf(-0.5);
    let epsilon = (1.0 - (chi * c12).powi(2)).powf(-0.5 * f64::from(nu)) * bracket(chi_prime).powi(mu);
    let rho = distance - sigma + 1.0;
    if rho < 2f64.powf(1.0 / 6.0) { epsilon * (4.0 * (rho.powi(-12) - rho.powi(-6)) + 1.0) } else { 0.0 }
}

#[test]
fn uniaxial_bodies_have_the_classic_energies() {
    for (kappa, kappa_prime, mu, nu) in [(3.0, 5.0, 2, 1), (3.0, 5.0, 1, 3), (1.3 / 4.0, 0.2, 1, 2), (0.345, 1.0, 2, 0)]
    {
        let (law, shape) = GayBerne::classic(kappa, kappa_prime, mu, nu, 1.0, 1.0, 1e6);
        let arrangements = crowd(&law, &[shape; 5], 0.85, 1.2, 7);
        let pairs = on_device(Precision::F64, &law, &arrangements);
        let mut worst: f64 = 0.0;
        for (arrangement, pair) in arrangements.iter().zip(&pairs) {
            let [[_, _, u1], [_, _, u2]] = arrangement.axes();
            let theirs = classic(arrangement.r, u1, u2, (kappa, kappa_prime), mu as i32, nu as i32);
            worst = worst.max((pair.u - theirs).abs() / theirs.max(1.0));
        }
        println!("kappa {kappa}, kappa' {kappa_prime}, mu {mu}, nu {nu}: {worst:.1e}");
        assert!(worst < 1e-12, "{worst:e}");
    }
}

#[test]
fn momenta_balance() {
    let arrangements = crowd(&LAW, &shapes(), 0.7, 1.1, 9);
    for (precision, tolerance) in [(Precision::F64, 1e-13), (Precision::F32, 1e-4)] {
        let pairs = on_device(precision, &LAW, &arrangements);
        let turned: Vec<Arrangement> = arrangements.iter().map(|a| a.swapped()).collect();
        let back = on_device(precision, &LAW, &turned);
        for ((arrangement, pair), back) in arrangements.iter().zip(&pairs).zip(&back) {
            let about = plus(cross(arrangement.r, pair.f), plus(pair.t[0], pair.t[1]));
            let scale = length(pair.f) * arrangement.size();
            assert!(length(about) < tolerance * scale, "{precision:?} {arrangement:?}: {about:?} {pair:?}");
            let there = Pair { f: times(-1.0, back.f), t: [back.t[1], back.t[0]], u: back.u };
            assert!(departure(pair, &there, arrangement.size()) < tolerance);
        }
    }
}

#[test]
fn forces_stay_below_the_largest() {
    let law = GayBerne { largest: 2.0, ..LAW };
    for precision in [Precision::F64, Precision::F32] {
        let mut random = Random::new(11);
        let mut arrangements = Vec::new();
        for start in crowd(&law, &shapes(), 1.0, 1.0, 13) {
            let shares = [0.0, 1e-30, 1e-9, 1e-5, 1e-3, random.between(0.01, 0.1), random.between(0.1, 1.0)];
            arrangements.extend(shares.map(|share| Arrangement { r: times(share, start.r), ..start }));
        }
        let pairs = on_device(precision, &law, &arrangements);
        let mut largest: f64 = 0.0;
        for (arrangement, pair) in arrangements.iter().zip(&pairs) {
            let all = [pair.f, pair.t[0], pair.t[1], [pair.u; 3]];
            assert!(all.iter().flatten().all(|x| x.is_finite()), "{precision:?} {arrangement:?}: {pair:?}");
            largest = largest.max(length(pair.f));
            assert!(pair.t.iter().all(|&t| length(t) < 2.0 * law.largest * arrangement.size()), "{pair:?}");
        }
        println!("{precision:?}: largest force {largest}");
        assert!(largest > 0.99 * law.largest && largest < 1.000_001 * law.largest, "{largest}");
    }
}

#[test]
fn forces_turn_into_the_largest_without_a_jump() {
    let law = GayBerne { largest: 2.0, ..LAW };
    for start in crowd(&law, &[Shape::new([4.0, 4.0, 1.3])], 1.0, 1.0, 15) {
        let [coarse, fine] = [1000, 4000].map(|count| {
            let at = |k| Arrangement { r: times(0.2 + f64::from(k) / f64::from(count), start.r), ..start };
            let pairs = on_device(Precision::F64, &law, &(0..count).map(at).collect::<Vec<_>>());
            pairs.windows(2).map(|w| length(minus(w[1].f, w[0].f))).fold(0.0, f64::max)
        });
        println!("largest change {coarse:.4} {fine:.4}");
        assert!(coarse / fine > 3.0);
    }
}
