//! Flow that comes in through a velocity opening.

use hematite_case::{Lattice, Part, Partition};
use hematite_comm::Solo;
use hematite_engine::Precision;
use hematite_geometry::{Domain, Opening, OpeningKind, Site};
use hematite_gpu::{Gpu, Needs};
use physics_lattice_boltzmann::equilibrium::State;
use physics_lattice_boltzmann::{Fluid, MASS_QUANTUM, Moment, Parameters, Prescribed, Row, Walls};

use super::{domain, parameters};

/// A channel along x from a velocity opening to a pressure opening, where `open` says which sites are fluid.
fn channel(length: usize, height: usize, open: impl Fn(f64, f64) -> bool) -> Domain {
    let inside = |x: f64, y: f64| x >= 1.0 && x <= length as f64 && y >= 1.0 && y <= height as f64 && open(x, y);
    let mut made = domain([length + 2, height + 2, 1], [false; 3], |[x, y, _]| inside(x, y));
    for y in 1..=height {
        made.sites[y * (length + 2)] = Site::opening(0);
        made.sites[y * (length + 2) + length + 1] = Site::opening(1);
    }
    let opening = |name: &str, kind| Opening { name: name.into(), kind, normal: None };
    made.openings = vec![opening("in", OpeningKind::Velocity), opening("out", OpeningKind::Pressure)];
    made
}

/// The fluid of a domain, `tau` its relaxation time, with the developed profile times the row's factor at the inlet.
fn fluid(made: &Domain, tau: f64, precision: Precision, state: impl Fn(usize) -> State) -> Fluid {
    let lattice = Lattice::build(made).expect("builds");
    let mut part = Part::of(&lattice, &Partition::make(&lattice, 1).expect("divides"), 0).expect("extracts");
    let shape = part.openings[0].iter().map(|at| [f64::from(at.developed), 0.0, 0.0]).collect();
    let magic = 3.0 / 16.0;
    let parameters = Parameters {
        force: false,
        omega_plus: 1.0 / tau,
        omega_minus: 1.0 / (0.5 + magic / (tau - 0.5)),
        openings: vec![Prescribed::Velocity(shape), Prescribed::Pressure],
        ..parameters(&lattice, precision, Walls::HalfWay)
    };
    let gpu = Gpu::open(0, Needs { f64: precision == Precision::F64, ..Needs::default() }).expect("a device");
    let mut fluid = Fluid::new(&gpu, &mut part, &parameters).expect("fits");
    fluid.initialise(state).expect("starts");
    fluid
}

fn row(speed: f64) -> Row {
    Row { force: [0.0; 3], openings: vec![speed, 0.0] }
}

/// Nodes with the inlet on one side and a wall on the other would hand a velocity back and forth for ever, were it
/// half-way on both sides.
#[test]
fn flow_between_an_inlet_and_a_wall_behind_it_comes_to_rest() {
    let made = channel(30, 12, |x, y| x < 2.0 || y > 5.0);
    let disturbed = |n: usize| State { drho: 0.0, u: [0.02 * (n as f64 * 0.7).sin(), 0.01 * (n as f64).cos(), 0.0] };
    let mut fluid = fluid(&made, 0.8, Precision::F64, disturbed);
    let speed = 0.01;
    let mut velocities = |steps| {
        fluid.advance(&Solo, steps, |_| row(speed)).expect("runs");
        fluid.whole_moment(Moment::Velocity, &row(speed)).expect("reads")
    };
    let (even, odd) = (velocities(10_000), velocities(1));
    let change = even.iter().zip(&odd).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(change < 1e-8 * speed, "{change}");
}

/// A Reynolds number of a spacing of 18 at the middle, at which ripples grow along a half-way inlet.
#[test]
fn an_inlet_bears_fast_flow_and_lets_in_what_is_prescribed() {
    let (height, speed) = (40, 0.04);
    let made = channel(120, height, |_, _| true);
    let mut fluid = fluid(&made, 0.51, Precision::F32, |_| State { drho: 0.0, u: [0.0; 3] });
    let rise = |t: u64| row(speed * (t as f64 / 4000.0).min(1.0));
    let mut before = 0;
    for round in 1..=10_u64 {
        fluid.advance(&Solo, 2000, rise).expect("stays within the method");
        let largest = fluid.monitor(&rise(fluid.step())).expect("reads").speed;
        assert!(largest < 1.6 * speed, "step {}: {largest} for {speed}", fluid.step());
        let came_in: i64 = fluid.ledger().expect("reads")[0].iter().sum();
        if round > 2 {
            let rate = (came_in - before) as f64 * MASS_QUANTUM / 2000.0;
            let wanted = speed * height as f64;
            assert!((rate / wanted - 1.0).abs() < 1e-5, "{rate} for {wanted}");
        }
        before = came_in;
    }
}
