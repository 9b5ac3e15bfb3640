//! The fluid's kernels against an independent lattice Boltzmann code in plain f64, on random domains.

mod domain;
mod reference;

use domain::Sample;
use hematite_case::{Link, OpeningNode, Target, VelocitySet};
use hematite_comm::Solo;
use hematite_engine::{FORCE_SCALE, Precision};
use hematite_gpu::{Gpu, Needs};
use physics_lattice_boltzmann::equilibrium::State;
use physics_lattice_boltzmann::{
    CHECK_EVERY, Fluid, Immersed, MASS_QUANTUM, Moment, Parameters, Passing, Prescribed, Row, Tuning, Walls,
};
use reference::Reference;

/// What a comparison varies.
#[derive(Clone, Copy, Debug)]
struct Setting {
    set: VelocitySet,
    precision: Precision,
    force: bool,
    immersed: Option<Immersed>,
    interpolated: bool,
    steps: u64,
}

/// Largest deviation over the largest value, of all moments after some steps on a random domain, of all ways to do them.
fn deviation(setting: Setting) -> f64 {
    let ways = [(false, false), (false, true), (true, true)].map(|(apart, backwards)| Tuning {
        apart,
        backwards,
        wide: apart != backwards,
        packs: apart || backwards,
        joined: !apart && !backwards && setting.precision == Precision::F32,
    });
    ways.map(|tuning| deviation_of(setting, tuning)).into_iter().fold(0.0, f64::max)
}

fn deviation_of(Setting { set, precision, force, immersed, interpolated, steps }: Setting, tuning: Tuning) -> f64 {
    let gpu = Gpu::open(0, Needs { f16: precision == Precision::F16, f64: precision == Precision::F64, checks: true })
        .expect("a device");
    let sample = Sample::random(set, 7 + steps);
    let row = |t: u64| Row {
        force: if force {
            [1e-4, -5e-5 * t as f64 / 10.0, if set == VelocitySet::D2Q9 { 0.0 } else { 3e-5 }]
        } else {
            [0.0; 3]
        },
        openings: vec![0.02 + 0.001 * t as f64, -0.003],
    };
    let shape: Vec<[f64; 3]> = (0..sample.part.openings[0].len()).map(|k| [1.0, 0.1 * (k % 5) as f64, 0.0]).collect();
    let parameters = Parameters {
        set,
        precision,
        omega_plus: 1.0 / 0.7,
        omega_minus: 0.9,
        force,
        immersed,
        walls: if interpolated { Walls::Interpolated(sample.cuts()) } else { Walls::HalfWay },
        openings: vec![Prescribed::Velocity(shape), Prescribed::Pressure],
    };
    let state = |n: usize| State {
        drho: 0.01 * (n as f64 * 0.37).sin(),
        u: [
            0.03 * (n as f64 * 0.11).cos(),
            0.02 * (n as f64 * 0.23).sin(),
            if set == VelocitySet::D2Q9 { 0.0 } else { 0.01 },
        ],
    };
    let mut reference = Reference::new(&sample.part, &parameters, state);
    let mut part = sample.part.clone();
    let links = sample.links_out();
    let mut fluid = Fluid::tuned(&gpu, &mut part, &parameters, tuning).expect("fits");
    fluid.weigh(&part, &links).expect("fits");
    fluid.weigh_after(steps);
    fluid.initialise(state).expect("starts");
    if immersed.is_some() {
        immerse(&gpu, &fluid, &mut reference, set);
    }
    for done in 0..steps {
        reference.advance(&row(done));
    }
    fluid.advance(&Solo, steps, row).expect("runs");

    let mut worst: f64 = 0.0;
    for moment in [Moment::Density, Moment::Velocity, Moment::Stress] {
        let ours = fluid.whole_moment(moment, &row(steps)).expect("reads");
        let theirs = reference.moment(moment, &row(steps));
        assert_eq!(ours.len(), theirs.len());
        let scale = theirs.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let error = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        worst = worst.max(error / scale);
    }
    for (ours, theirs) in fluid.wall_forces(&Solo).expect("reads").iter().zip(&reference.given) {
        let scale = theirs.iter().fold(0.1f64, |m, v| m.max(v.abs()));
        for (ours, theirs) in ours.force.iter().zip(theirs) {
            // Each entry rounds to 2^-36.
            let rounding = sample.part.own as f64 / (1u64 << 36) as f64;
            worst = worst.max(((ours - theirs).abs() - rounding).max(0.0) / scale);
        }
    }
    let mut ledger = fluid.ledger().expect("reads");
    ledger.push(fluid.wall_ledger().expect("reads"));
    assert_eq!(ledger[2].is_empty(), !interpolated);
    for (nodes, theirs) in ledger.iter().zip(reference.came_in.iter().chain([&reference.came_in_at_walls])) {
        let ours = nodes.iter().sum::<i64>() as f64 * MASS_QUANTUM;
        // Each entry rounds to 2^-30 each step, beside the populations' own error.
        let rounding = (sample.part.own as u64 * steps) as f64 / f64::from(1u32 << 31);
        worst = worst.max(((ours - theirs).abs() - rounding).max(0.0) / theirs.abs().max(0.1));
    }
    let velocity = reference.moment(Moment::Velocity, &row(steps));
    let passing = fluid.passing(&row(steps)).expect("reads");
    let c = set.velocities();
    for (passing, nodes) in passing.iter().zip(&sample.part.openings) {
        let into = |node: &OpeningNode| {
            let u = &velocity[3 * node.node as usize..][..3];
            let out = (1..set.q()).filter(|i| node.links >> i & 1 == 1);
            out.map(|i| -6.0 * set.weight(i) * (0..3).map(|a| f64::from(c[i][a]) * u[a]).sum::<f64>()).sum::<f64>()
        };
        let into: Vec<f64> = nodes.iter().map(into).collect();
        let nodes = into.len() as f64;
        let flow = into.iter().sum::<f64>();
        worst = worst.max(((passing.flow() - flow).abs() - nodes * Passing::QUANTUM).max(0.0) / (0.03 * nodes));
        if precision == Precision::F64 {
            let share = into.iter().filter(|&&into| into < -1e-6).count() as f64 / into.len() as f64;
            assert_eq!(passing.backflow(Some(true)), share);
        }
    }
    let monitor = fluid.monitor(&row(steps)).expect("reads");
    let mass: f64 = reference.moment(Moment::Density, &row(steps)).iter().sum();
    let counted = monitor.mass_deviation();
    let rounding = sample.part.own as f64 / (1u64 << 37) as f64;
    worst = worst.max(((mass - counted).abs() - rounding).max(0.0) / mass.abs().max(1.0));
    assert_eq!(monitor.broken, 0);
    let largest = |moment, width| {
        let theirs = reference.moment(moment, &row(steps));
        theirs.chunks(width).map(|v| v.iter().map(|c| c * c).sum::<f64>().sqrt()).fold(0.0, f64::max)
    };
    // They travel as f32.
    for (ours, theirs) in
        [(monitor.speed, largest(Moment::Velocity, 3)), (monitor.deviation, largest(Moment::Density, 1))]
    {
        worst = worst.max(((ours - theirs).abs() / theirs - 1e-7).max(0.0));
    }
    worst
}

#[test]
fn an_opening_may_have_several_shapes() {
    let gpu = Gpu::open(0, Needs { f64: true, checks: true, ..Needs::default() }).expect("a device");
    let sample = Sample::random(VelocitySet::D2Q9, 11);
    let nodes = sample.part.openings[0].len();
    let shape = |term: usize| {
        (0..nodes).map(|k| [1.0, 0.2 * term as f64, 0.0].map(|u| u * (1.0 + ((k + term) as f64).sin()))).collect()
    };
    let parameters = Parameters {
        set: VelocitySet::D2Q9,
        precision: Precision::F64,
        omega_plus: 1.0 / 0.7,
        omega_minus: 0.9,
        force: false,
        immersed: None,
        walls: Walls::HalfWay,
        openings: vec![Prescribed::Terms((0..3).map(shape).collect()), Prescribed::Pressure],
    };
    let row = |t: u64| Row { openings: vec![0.02, 0.001 * t as f64, -0.01, -0.003, 0.0, 0.0], ..Row::default() };
    let state = |n: usize| State { drho: 0.0, u: [0.03 * (n as f64 * 0.11).cos(), 0.0, 0.0] };
    let mut reference = Reference::new(&sample.part, &parameters, state);
    let mut fluid = Fluid::new(&gpu, &mut sample.part.clone(), &parameters).expect("fits");
    fluid.initialise(state).expect("starts");
    (0..7).for_each(|t| reference.advance(&row(t)));
    fluid.advance(&Solo, 7, row).expect("runs");
    let ours = fluid.whole_moment(Moment::Velocity, &row(7)).expect("reads");
    let theirs = reference.moment(Moment::Velocity, &row(7));
    assert!(ours.iter().zip(&theirs).all(|(a, b)| (a - b).abs() < 1e-12));
    assert!(theirs.iter().any(|u| u.abs() > 0.01));
}

/// Gives every node a force of cells, and puts every third inside one.
fn immerse(gpu: &Gpu, fluid: &Fluid, reference: &mut Reference, set: VelocitySet) {
    let shared = fluid.shared();
    let nodes = fluid.own();
    let along = |n: usize, axis: usize| (1e-4 * (n as f64 * 0.7 + axis as f64).sin() * FORCE_SCALE) as i32;
    let forces: Vec<[i32; 3]> = (0..nodes).map(|n| [0, 1, 2].map(|axis| along(n, axis))).collect();
    shared.node_forces.write(gpu, shared.stride as usize, &forces);
    for (cells, force) in reference.cells.iter_mut().zip(forces) {
        (0..set.dimension()).for_each(|axis| cells[axis] = f64::from(force[axis]) / FORCE_SCALE);
    }
    if let Some(inside) = &shared.inside {
        let kinds = reference.kinds_inside() as u32;
        // Some nodes have several bits.
        let words: Vec<u32> =
            (0..nodes as u32).map(|n| if n % 3 == 0 { 1 + n % ((1 << kinds) - 1) } else { 0 }).collect();
        gpu.write(inside, 0, &words);
        reference.inside = words;
    }
}

#[test]
fn cells_force_the_fluid_and_change_its_viscosity() {
    for set in [VelocitySet::D2Q9, VelocitySet::D3Q19] {
        for immersed in [Immersed::default(), Immersed::with(&[[0.8, 1.1]]), Immersed::with(&[[0.8, 1.1], [0.6, 1.3]])]
        {
            for force in [false, true] {
                let immersed = Some(immersed);
                let interpolated = false;
                let setting = Setting { set, precision: Precision::F64, force, immersed, interpolated, steps: 11 };
                let worst = deviation(setting);
                assert!(worst < 1e-12, "{setting:?}: {worst:e}");
            }
        }
    }
}

#[test]
fn the_velocity_left_for_cells_is_that_before_the_step() {
    let gpu = Gpu::open(0, Needs { f64: true, ..Needs::default() }).expect("a device");
    for set in [VelocitySet::D2Q9, VelocitySet::D3Q19] {
        let mut part = Sample::random(set, 5).part;
        let parameters = Parameters {
            set,
            precision: Precision::F64,
            omega_plus: 1.2,
            omega_minus: 0.9,
            force: false,
            immersed: Some(Immersed::default()),
            walls: Walls::HalfWay,
            openings: vec![Prescribed::Pressure; part.openings.len()],
        };
        let row = Row { force: [0.0; 3], openings: vec![0.01; part.openings.len()] };
        let mut fluid = Fluid::new(&gpu, &mut part, &parameters).expect("fits");
        fluid.initialise(|n| State { drho: 0.0, u: [0.01 * (n as f64).sin(), 0.0, 0.0] }).expect("starts");
        let wanted = fluid.whole_moment(Moment::Velocity, &row).expect("reads");
        fluid.advance(&Solo, 1, |_| row.clone()).expect("runs");
        let shared = fluid.shared();
        let length = if set.dimension() == 3 { 4 } else { 2 };
        let got: Vec<f64> = gpu.download(&shared.node_velocity, 0, length * fluid.own()).expect("reads");
        for (n, u) in got.chunks(length).enumerate() {
            for axis in 0..set.dimension() {
                assert!((u[axis] - wanted[3 * n + axis]).abs() < 1e-15, "{set:?} node {n} axis {axis}");
            }
        }
    }
}

/// Compares kernels of all precisions with the reference after several numbers of steps.
fn agree_with_the_reference(set: VelocitySet) {
    let is_full = std::env::var_os("HEMATITE_FULL").is_some();
    for (precision, tolerance) in [(Precision::F64, 1e-12), (Precision::F32, 3e-5), (Precision::F16, 2e-2)] {
        for force in [false, true] {
            // In the short suite each number of steps meets each kind of wall with a force or without.
            let all = [(10, force), (11, !force), (1, true), (1, false), (10, !force), (11, force)];
            for &(steps, interpolated) in if is_full { &all[..] } else { &all[..2] } {
                let setting = Setting { set, precision, force, immersed: None, interpolated, steps };
                let worst = deviation(setting);
                println!("{setting:?}: {worst:.2e}");
                assert!(worst < tolerance, "{setting:?}: {worst:e}");
            }
        }
    }
}

#[test]
fn kernels_agree_with_the_reference_in_2d() {
    agree_with_the_reference(VelocitySet::D2Q9);
}

#[test]
fn kernels_agree_with_the_reference_in_3d() {
    agree_with_the_reference(VelocitySet::D3Q19);
}

#[test]
fn checks_in_the_midst_of_steps_find_what_is_largest() {
    for (set, precision) in [(VelocitySet::D2Q9, Precision::F32), (VelocitySet::D3Q19, Precision::F64)] {
        let gpu = Gpu::open(0, Needs { f64: precision == Precision::F64, ..Needs::default() }).expect("a device");
        let sample = Sample::random(set, 7);
        let shape = vec![[1.0, 0.0, 0.0]; sample.part.openings[0].len()];
        let parameters = Parameters {
            set,
            precision,
            omega_plus: 1.0 / 0.7,
            omega_minus: 0.9,
            force: true,
            immersed: None,
            walls: Walls::HalfWay,
            openings: vec![Prescribed::Velocity(shape), Prescribed::Pressure],
        };
        let row = |t: u64| Row { force: [1e-5, 1e-7 * t as f64, 0.0], openings: vec![0.02, -0.003] };
        let begin = |drho: fn(usize) -> f64| {
            let mut fluid = Fluid::new(&gpu, &mut sample.part.clone(), &parameters).expect("fits");
            fluid.initialise(|n| State { drho: drho(n), u: [0.01, 0.0, 0.0] }).expect("starts");
            fluid
        };
        let sound = |n: usize| 0.01 * (n as f64 * 0.37).sin();
        let mut fluid = begin(sound);
        fluid.advance(&Solo, 2 * CHECK_EVERY + 7, row).expect("runs");
        let checks = fluid.take_checks();
        assert_eq!(checks.iter().map(|check| check.step).collect::<Vec<_>>(), [CHECK_EVERY, 2 * CHECK_EVERY]);
        assert!(fluid.take_checks().is_empty());
        let mut other = begin(sound);
        for check in checks {
            other.advance(&Solo, CHECK_EVERY, row).expect("runs");
            let now = row(check.step);
            let mut largest = |moment, width| {
                let numbers = other.whole_moment(moment, &now).expect("reads");
                numbers.chunks(width).map(|v| v.iter().map(|c| c * c).sum::<f64>().sqrt()).fold(0.0, f64::max)
            };
            let [speed, deviation] = [largest(Moment::Velocity, 3), largest(Moment::Density, 1)];
            assert!((check.speed / speed - 1.0).abs() < 1e-6, "{check:?}, not {speed}");
            assert!((check.deviation / deviation - 1.0).abs() < 1e-6, "{check:?}, not {deviation}");
        }
        let no_number = |n: usize| if n == 17 { f64::NAN } else { 0.0 };
        let fault = begin(no_number).advance(&Solo, 10 * CHECK_EVERY, row).expect_err("no number");
        assert!(fault.message.contains(&format!("at step {CHECK_EVERY} ")), "{fault}");
        // The inlet is faster than the method bears from the step before the third check.
        let too_fast =
            |t: u64| Row { openings: vec![if t >= 3 * CHECK_EVERY - 1 { 1.5 } else { 0.02 }, -0.003], ..row(t) };
        let fault = begin(sound).advance(&Solo, 10 * CHECK_EVERY, too_fast).expect_err("too fast");
        assert!(fault.message.contains(&format!("at step {} ", 3 * CHECK_EVERY)), "{fault}");
    }
}

/// Mass that a closed domain gains or loses a node and step, relative to the density deviation it starts with.
fn drift(set: VelocitySet, steps: u64) -> f64 {
    let gpu = Gpu::open(0, Needs::default()).expect("a device");
    let mut part = Sample::random(set, 3).part;
    part.openings.clear();
    for links in &mut part.links {
        for link in links.iter_mut().filter(|link| matches!(link.target(), Target::Opening(_))) {
            *link = Link::WALL;
        }
    }
    let parameters = Parameters {
        set,
        precision: Precision::F32,
        omega_plus: 1.25,
        omega_minus: 0.9,
        force: false,
        immersed: None,
        walls: Walls::HalfWay,
        openings: Vec::new(),
    };
    let mut fluid = Fluid::new(&gpu, &mut part, &parameters).expect("fits");
    let drho = |n: usize| 0.02 + 0.005 * (n as f64 * 0.37).sin();
    fluid.initialise(|n| State { drho: drho(n), u: [0.0; 3] }).expect("starts");
    let row = Row::default();
    let before = fluid.monitor(&row).expect("reads").mass_deviation();
    fluid.advance(&Solo, steps, |_| Row::default()).expect("runs");
    let after = fluid.monitor(&row).expect("reads").mass_deviation();
    (after - before) / before / steps as f64
}

#[test]
fn a_closed_domain_keeps_its_mass() {
    for set in [VelocitySet::D2Q9, VelocitySet::D3Q19] {
        let drift = drift(set, 4000);
        println!("{set:?}: {drift:.1e} a step");
        assert!(drift.abs() < 1e-10, "{set:?}: {drift:e} of the deviation a step");
    }
}
