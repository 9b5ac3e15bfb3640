//! Flow that leaves through a pressure opening with vortices in it.

use hematite_case::{Lattice, Part, Partition};
use hematite_comm::Solo;
use hematite_engine::Precision;
use hematite_geometry::{Opening, OpeningKind, Site};
use hematite_gpu::{Gpu, Needs};
use physics_lattice_boltzmann::equilibrium::State;
use physics_lattice_boltzmann::{Fluid, Parameters, Prescribed, Row, Walls};

use super::{domain, parameters};

#[test]
fn vortices_leave_through_a_pressure_opening() {
    let (length, height) = (80, 40);
    let mut made = domain([length + 2, height + 2, 1], [false; 3], |[x, y, _]| {
        x >= 1.0 && x <= length as f64 && y >= 1.0 && y <= height as f64
    });
    for y in 1..=height {
        made.sites[y * (length + 2)] = Site::opening(0);
        made.sites[y * (length + 2) + length + 1] = Site::opening(1);
    }
    let opening = |name: &str, kind| Opening { name: name.into(), kind, normal: None };
    made.openings = vec![opening("in", OpeningKind::Velocity), opening("out", OpeningKind::Pressure)];
    let lattice = Lattice::build(&made).expect("builds");
    let mut part = Part::of(&lattice, &Partition::make(&lattice, 1).expect("divides"), 0).expect("extracts");
    // The parabola, and a jet across it that goes up and down.
    let across = |n: u32| (f64::from(part.position[n as usize][1]) - 0.5) / height as f64;
    let shape = |of: &dyn Fn(f64) -> [f64; 3]| part.openings[0].iter().map(|at| of(across(at.node))).collect();
    let parabola = shape(&|y| [4.0 * y * (1.0 - y), 0.0, 0.0]);
    let jet = shape(&|y| [0.0, 4.0 * y * (1.0 - y), 0.0]);
    let tau = 0.53;
    let magic = 3.0 / 16.0;
    let parameters = Parameters {
        force: false,
        omega_plus: 1.0 / tau,
        omega_minus: 1.0 / (0.5 + magic / (tau - 0.5)),
        openings: vec![Prescribed::Terms(vec![parabola, jet]), Prescribed::Pressure],
        ..parameters(&lattice, Precision::F32, Walls::HalfWay)
    };
    let gpu = Gpu::open(0, Needs::default()).expect("a device");
    let mut fluid = Fluid::new(&gpu, &mut part, &parameters).expect("fits");
    fluid.initialise(|_| State { drho: 0.0, u: [0.0; 3] }).expect("starts");
    let speed = 0.1;
    let row = |t: u64| {
        let t = t as f64;
        let rise = (t / 2000.0).min(1.0);
        let swing = 0.6 * (t * std::f64::consts::TAU / 700.0).sin();
        Row { force: [0.0; 3], openings: vec![speed * rise, speed * rise * swing, 0.0, 0.0] }
    };
    for _ in 0..40 {
        fluid.advance(&Solo, 250, row).expect("stays within the method");
        let largest = fluid.monitor(&row(fluid.step())).expect("reads").speed;
        assert!(largest < 2.0 * speed, "step {}: {largest} for {speed}", fluid.step());
    }
}
