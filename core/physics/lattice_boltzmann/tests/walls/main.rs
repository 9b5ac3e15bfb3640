//! Interpolated bounce-back: accuracy in a tilted channel, the same bits on any number of ranks, mass. And immersed
//! walls.

mod forces;
mod immersed;
mod inlet;
mod outlet;

use hematite_case::{Lattice, Part, Partition, Target, walls};
use hematite_comm::{Comm, Solo, threads};
use hematite_engine::Precision;
use hematite_geometry::{Domain, Opening, OpeningKind, Report, Site};
use hematite_gpu::{Gpu, Needs};
use physics_lattice_boltzmann::equilibrium::State;
use physics_lattice_boltzmann::{Cut, Fluid, MASS_QUANTUM, Moment, Parameters, Prescribed, Row, Walls, cuts};

/// A domain without openings whose sites `fluid` says.
fn domain(extent: [usize; 3], periodic: [bool; 3], fluid: impl Fn([f64; 3]) -> bool) -> Domain {
    let mut sites = Vec::new();
    for z in 0..extent[2] {
        for y in 0..extent[1] {
            for x in 0..extent[0] {
                sites.push(if fluid([x, y, z].map(|i| i as f64)) { Site::FLUID } else { Site::WALL });
            }
        }
    }
    let dimension = if extent[2] == 1 { 2 } else { 3 };
    Domain {
        dimension,
        extent,
        spacing: 1e-6,
        origin: [0.0; 3],
        periodic,
        sites,
        openings: Vec::new(),
        wall_parts: Vec::new(),
        surface: None,
        report: Report::default(),
    }
}

fn parameters(lattice: &Lattice, precision: Precision, walls: Walls) -> Parameters {
    Parameters {
        set: lattice.set,
        precision,
        omega_plus: 1.0 / 0.9,
        omega_minus: 1.0 / (0.5 + 3.0 / 16.0 / 0.4),
        force: true,
        immersed: None,
        walls,
        openings: Vec::new(),
    }
}

/// A channel along (3, 1) with walls on both sides, periodic; the distance of a site from its middle.
fn across(height: f64, [x, y, _]: [f64; 3]) -> f64 {
    let period = 3.0 * height;
    // The middle passes off any node.
    let s = (x - 3.0 * y + 0.37).rem_euclid(period) - period / 2.0;
    s / 10_f64.sqrt()
}

/// A tilted channel of period `size` across, of which the walls take a third, and where they cut its links.
fn tilted_channel(size: usize) -> (Lattice, Part, Vec<Cut>, f64) {
    let size = size as f64;
    let half = size / 10_f64.sqrt();
    let extent = [3 * size as usize, size as usize, 1];
    let made = domain(extent, [true, true, false], |at| across(size, at).abs() < half);
    let lattice = Lattice::build(&made).expect("builds");
    let part = Part::of(&lattice, &Partition::make(&lattice, 1).expect("divides"), 0).expect("extracts");
    let mut exact = Vec::new();
    for (links, direction) in part.links.iter().zip(1_u8..) {
        let c = lattice.set.velocities()[usize::from(direction)].map(f64::from);
        let slope = (c[0] - 3.0 * c[1]) / 10_f64.sqrt();
        for (link, node) in links.iter().zip(0_u32..) {
            if link.target() == Target::Wall {
                let at = across(size, part.position[node as usize].map(f64::from));
                exact.push(Cut { node, direction, fraction: (half - at * slope.signum()) / slope.abs() });
            }
        }
    }
    assert!(exact.iter().all(|cut| cut.fraction > 0.0 && cut.fraction <= 1.0));
    (lattice, part, exact, half)
}

/// Root of the mean square deviation from the parabola, over its own, in a tilted channel of period `size` across.
fn tilted(gpu: &Gpu, size: usize, interpolated: bool) -> f64 {
    let (lattice, mut part, exact, half) = tilted_channel(size);
    let size = size as f64;
    let walls = if interpolated { Walls::Interpolated(exact) } else { Walls::HalfWay };
    let nu = 0.4 / 3.0;
    let force = 0.02 * 2.0 * nu / (half * half);
    let along = [3.0 / 10_f64.sqrt(), 1.0 / 10_f64.sqrt(), 0.0];
    let row = |_| Row { force: along.map(|a| a * force), openings: Vec::new() };
    let expected: Vec<f64> = part.position[..part.own]
        .iter()
        .map(|at| force / (2.0 * nu) * (half * half - across(size, at.map(f64::from)).powi(2)))
        .collect();
    let mut fluid = Fluid::new(gpu, &mut part, &parameters(&lattice, Precision::F64, walls)).expect("fits");
    fluid.initialise(|n| State { drho: 0.0, u: along.map(|a| a * (expected[n] - 0.5 * force)) }).expect("starts");
    fluid.advance(&Solo, (2.5 * half * half / nu) as u64, row).expect("runs");
    let u = fluid.whole_moment(Moment::Velocity, &row(0)).expect("reads");
    let squares = |difference: &dyn Fn(usize, usize) -> f64| -> f64 {
        (0..expected.len()).flat_map(|n| [0, 1].map(|axis| difference(n, axis).powi(2))).sum()
    };
    let errors = squares(&|n, axis| u[3 * n + axis] - along[axis] * expected[n]);
    (errors / squares(&|n, axis| along[axis] * expected[n])).sqrt()
}

#[test]
fn fluid_that_a_force_presses_against_walls_stays_at_rest() {
    let gpu = Gpu::open(0, Needs { f64: true, ..Needs::default() }).expect("a device");
    let size = 24;
    let (lattice, mut part, exact, _) = tilted_channel(size);
    let (push, normal) = (1e-5, [1.0 / 10_f64.sqrt(), -3.0 / 10_f64.sqrt(), 0.0]);
    let force = normal.map(|n| push * n);
    // The pressure c_s^2 rho balances the force.
    let expected: Vec<f64> =
        part.position[..part.own].iter().map(|at| 3.0 * push * across(size as f64, at.map(f64::from))).collect();
    let parameters = parameters(&lattice, Precision::F64, Walls::Interpolated(exact));
    let mut fluid = Fluid::new(&gpu, &mut part, &parameters).expect("fits");
    fluid.initialise(|n| State { drho: expected[n], u: force.map(|f| -0.5 * f) }).expect("starts");
    let row = |_| Row { force, openings: Vec::new() };
    fluid.advance(&Solo, 1000, row).expect("runs");
    let u = fluid.whole_moment(Moment::Velocity, &row(0)).expect("reads");
    let drho = fluid.whole_moment(Moment::Density, &row(0)).expect("reads");
    let fastest = u.iter().fold(0.0_f64, |most, u| most.max(u.abs()));
    let off = drho.iter().zip(&expected).fold(0.0_f64, |most, (found, wanted)| most.max((found - wanted).abs()));
    println!("fastest {fastest:.1e}, density off by {off:.1e}");
    assert!(fastest < 1e-3 * push && off < 1e-3 * push, "{fastest:e} {off:e}");
    // What walls gave and took in 1000 steps, a node.
    let mass: i64 = fluid.wall_ledger().expect("reads").iter().map(|mass| mass.abs()).sum();
    let mass = mass as f64 * MASS_QUANTUM / expected.len() as f64;
    assert!(mass < 1e-2 * push, "{mass:e}");
}

#[test]
fn a_tilted_channel_is_of_second_order() {
    let gpu = Gpu::open(0, Needs { f64: true, ..Needs::default() }).expect("a device");
    let errors = [12, 24, 48].map(|size| tilted(&gpu, size, true));
    let plain = tilted(&gpu, 24, false);
    println!("interpolated {errors:?}, half-way {plain:.2e}");
    let order = (errors[0] / errors[2]).log2() / 2.0;
    assert!((order - 2.0).abs() < 0.2, "order {order}: {errors:?}");
    assert!(errors[1] < 0.1 * plain, "{} and half-way {plain}", errors[1]);
}

/// Obstacles in a box, with a velocity opening at the low end of x and a pressure opening at the high one.
fn obstacles(dimension: usize) -> Lattice {
    let extent: [usize; 3] = if dimension == 2 { [44, 27, 1] } else { [18, 14, 13] };
    let centre = |axis: usize, share: f64| extent[axis] as f64 * share;
    let mut made = domain(extent, [false, true, false], |at| {
        let inside = (0..dimension).all(|axis| axis == 1 || (at[axis] >= 1.0 && at[axis] < extent[axis] as f64 - 1.0));
        let apart = |share: [f64; 3]| {
            (0..dimension).map(|axis| (at[axis] - centre(axis, share[axis])).powi(2)).sum::<f64>().sqrt()
        };
        inside && apart([0.3, 0.31, 0.4]) > 4.3 && apart([0.62, 0.7, 0.63]) > 3.1
    });
    for (k, site) in made.sites.iter_mut().enumerate() {
        let x = k % extent[0];
        let z = k / (extent[0] * extent[1]);
        let beside = dimension == 2 || (z > 0 && z + 1 < extent[2]);
        if beside && (x == 0 || x + 1 == extent[0]) {
            *site = Site::opening(usize::from(x > 0));
        }
    }
    made.openings = [("in", OpeningKind::Velocity), ("out", OpeningKind::Pressure)]
        .map(|(name, kind)| Opening { name: name.into(), kind, normal: None })
        .into();
    Lattice::build(&made).expect("builds")
}

/// Density and velocity, the mass that came in from the wall, both by global number; mass inside and what came in.
struct Outcome {
    moments: Vec<(u64, [u64; 4])>,
    wall: Vec<(u64, i64)>,
    inside: f64,
    came_in: i64,
}

fn outcome(lattice: &Lattice, partition: &Partition, comm: &dyn Comm, steps: u64) -> Outcome {
    let gpu = Gpu::open(0, Needs::default()).and_then(Gpu::shared_by_ranks).expect("a device");
    let mut part = Part::of(lattice, partition, comm.rank()).expect("extracts");
    let id: Vec<u64> = part.id.iter().map(|id| id.0).collect();
    let cut = cuts(lattice.set, &part, &walls(lattice));
    let shape = vec![[1.0, 0.0, 0.0]; part.openings[0].len()];
    let parameters = Parameters {
        openings: vec![Prescribed::Velocity(shape), Prescribed::Pressure],
        ..parameters(lattice, Precision::F32, Walls::Interpolated(cut))
    };
    let row = |t: u64| Row { force: [1e-5, 2e-5, 0.0], openings: vec![0.01 + 1e-4 * t as f64, 0.002] };
    let mut fluid = Fluid::new(&gpu, &mut part, &parameters).expect("fits");
    fluid
        .initialise(|n| State { drho: 0.01 * (id[n] as f64).sin(), u: [0.02, 0.01 * (id[n] as f64 * 0.7).cos(), 0.0] })
        .expect("starts");
    let before = fluid.monitor(&row(0)).expect("reads").mass_deviation();
    fluid.advance(comm, steps, row).expect("runs");
    let density = fluid.whole_moment(Moment::Density, &row(steps)).expect("reads");
    let velocity = fluid.whole_moment(Moment::Velocity, &row(steps)).expect("reads");
    let bits = |n: usize| [density[n], velocity[3 * n], velocity[3 * n + 1], velocity[3 * n + 2]].map(f64::to_bits);
    let ledger = fluid.wall_ledger().expect("reads");
    assert!(!ledger.is_empty() || comm.size() > 1);
    let openings: i64 = fluid.ledger().expect("reads").iter().flatten().sum();
    Outcome {
        moments: (0..fluid.own()).map(|n| (id[n], bits(n))).collect(),
        came_in: openings + ledger.iter().sum::<i64>(),
        wall: fluid.wall_nodes().iter().map(|&n| id[n as usize]).zip(ledger).collect(),
        inside: fluid.monitor(&row(steps)).expect("reads").mass_deviation() - before,
    }
}

#[test]
fn any_number_of_ranks_gives_the_same_bits() {
    for (dimension, steps) in [(2, 41), (2, 60), (3, 20), (3, 21)] {
        let lattice = obstacles(dimension);
        let whole = Partition::make(&lattice, 1).expect("divides");
        let solo = outcome(&lattice, &whole, &Solo, steps);
        for parts in [2, 3, 5] {
            let partition = Partition::make(&lattice, parts).expect("divides");
            let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
                let run = |comm| {
                    let (lattice, partition) = (&lattice, &partition);
                    scope.spawn(move || outcome(lattice, partition, &comm, steps))
                };
                let running: Vec<_> = threads(parts).into_iter().map(run).collect();
                running.into_iter().map(|thread| thread.join().expect("no panic")).collect()
            });
            let mut moments: Vec<_> = outcomes.iter().flat_map(|outcome| outcome.moments.clone()).collect();
            let mut wall: Vec<_> = outcomes.iter().flat_map(|outcome| outcome.wall.clone()).collect();
            moments.sort_unstable();
            wall.sort_unstable();
            assert!(moments == solo.moments, "{dimension}-D, {parts} parts, {steps} steps: moments differ");
            assert!(wall == solo.wall, "{dimension}-D, {parts} parts, {steps} steps: ledgers differ");
        }
    }
}

#[test]
fn the_ledger_balances() {
    for dimension in [2, 3] {
        let lattice = obstacles(dimension);
        let whole = Partition::make(&lattice, 1).expect("divides");
        let found = outcome(&lattice, &whole, &Solo, 400);
        let came_in = found.came_in as f64 * MASS_QUANTUM;
        let walls = found.wall.iter().map(|&(_, mass)| mass).sum::<i64>() as f64 * MASS_QUANTUM;
        println!("{dimension}-D: {} more inside, {came_in} came in, {walls} from walls", found.inside);
        let rounding = 1e-6 * lattice.nodes() as f64;
        assert!((found.inside - came_in).abs() < rounding, "{} inside, {came_in} came in", found.inside);
        assert!(walls.abs() > 10.0 * rounding, "walls gave {walls}: nothing to count");
    }
}

#[test]
fn a_flat_wall_is_half_way_and_costs_nothing() {
    let gpu = Gpu::open(0, Needs::default()).expect("a device");
    let made = domain([5, 9, 1], [true, false, false], |at| at[1] > 0.5 && at[1] < 7.5);
    let lattice = Lattice::build(&made).expect("builds");
    let mut part = Part::of(&lattice, &Partition::make(&lattice, 1).expect("divides"), 0).expect("extracts");
    let cut = cuts(lattice.set, &part, &walls(&lattice));
    assert!(!cut.is_empty() && cut.iter().all(|cut| cut.fraction == 0.5));
    let fluid = Fluid::new(&gpu, &mut part, &parameters(&lattice, Precision::F32, Walls::Interpolated(cut)));
    assert!(fluid.expect("fits").wall_nodes().is_empty());
}
