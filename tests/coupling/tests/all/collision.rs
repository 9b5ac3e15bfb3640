//! A rigid body that runs into a cell: momentum is handed over and none is lost, neither enters the other, and the bits are the same
//! on any number of ranks.

use std::path::Path;
use std::thread;

use hematite_case::{Lattice, Part, Partition, VelocitySet};
use hematite_cells::{Bending, InPlane, Mechanics, Rest, ShapeConfig, Surface};
use hematite_comm::{Comm, threads};
use hematite_config::Result;
use hematite_engine::sites::{Coordinate, SiteMap};
use hematite_engine::{FORCE_SCALE, Physics, Precision, SharedNodes, Support, SurfaceContact};
use hematite_geometry::{Domain, Report, Site};
use hematite_gpu::{Gpu, Needs};
use physics_bodies::gay_berne::{GayBerne, Shape};
use physics_bodies::rotation::axes_of;
use physics_bodies::{Kind, RigidBodies, State};
use physics_cells::{ContactParameters, KindParameters, Record, Suspension, THICKENING};
use physics_lattice_boltzmann::equilibrium::State as FluidState;
use physics_lattice_boltzmann::{Fluid, Immersed, Moment, Parameters as FluidParameters, Row, Walls};

const EXTENT: [usize; 3] = [48, 24, 24];
const AXES: [f64; 3] = [2.5, 2.5, 1.2];
const PERIODIC: [bool; 3] = [true; 3];
const CONTACT: ContactParameters =
    ContactParameters { range: 1.0, strength: 0.02, wall_strength: 0.0, morse: None, alike: false };
const SPEED: f64 = 0.03;
const STEPS: u64 = 480;
const EVERY: u64 = 16;

/// What there is after some steps, on all ranks together.
#[derive(Clone, Debug, PartialEq)]
struct Scene {
    body: State,
    /// Vertices of the cell.
    vertices: Vec<[f64; 3]>,
    /// Momentum of the fluid and what it is yet to be given, of this rank or of all.
    fluid: [f64; 3],
}

fn lattice() -> Lattice {
    let fluid = EXTENT.iter().product();
    let domain = Domain {
        dimension: 3,
        extent: EXTENT,
        spacing: 1.0,
        origin: [0.0; 3],
        periodic: PERIODIC,
        sites: vec![Site::FLUID; fluid],
        openings: Vec::new(),
        wall_parts: Vec::new(),
        surface: None,
        report: Report { fluid, ..Report::default() },
    };
    Lattice::build(&domain).expect("a lattice")
}

/// A ball as a mesh.
fn ball() -> Surface {
    let config = serde_json::json!({"kind": "sphere", "radius": "4 m", "vertices": 162});
    let shape: ShapeConfig = serde_json::from_value(config).expect("a shape");
    shape.surface(Path::new(""), 3, 1.0).expect("a surface")
}

fn body() -> (Kind, State) {
    let [a, b, c] = AXES;
    let mass = 4.0 / 3.0 * std::f64::consts::PI * a * b * c;
    let square = AXES.map(|a| a * a);
    let kind = Kind {
        name: "platelet".into(),
        shape: Shape::new(AXES),
        half_widths: AXES.map(|a| 2.0 * a),
        // No drag: all that it loses goes to the cell.
        gamma_t: [0.0; 3],
        gamma_r: [0.0; 3],
        mass,
        inertia: [square[1] + square[2], square[2] + square[0], square[0] + square[1]].map(|s| 0.2 * mass * s),
        lambda: [0.0; 3],
        force: [0.0; 3],
        torque: [0.0; 3],
        seeded: 1,
    };
    let mut state = State::at_rest(7, 0, [25.0, 12.9, 12.3].map(Coordinate::of), [0.8, 0.0, 0.6, 0.0]);
    state.velocity = [-SPEED, 0.0, 0.0];
    (kind, state)
}

fn cells(gpu: &Gpu, comm: &dyn Comm, own: &[[i32; 3]], all: &[[i32; 3]], shared: &SharedNodes) -> Result<Suspension> {
    let surface = ball();
    let mechanics = Mechanics {
        in_plane: Some(InPlane::Skalak { g: 5e-3, c: 1.0 }),
        bending: Some(Bending::KantorNelson { kappa: 5e-3, rest: Rest::Shape }),
        global_area: 0.02,
        volume: 0.02,
        volume_share: 1.0,
        contrast: 1.0,
        ..Mechanics::default()
    };
    let centre = [14.0, 12.0, 12.0];
    let along = |a: usize| surface.vertices.iter().map(move |v| Coordinate::of(centre[a] + v[a])).collect::<Vec<_>>();
    let position: Vec<Coordinate> = (0..3).flat_map(along).collect();
    let record = Record { seeded_scale: 1.0, carried: None, drift: vec![0; position.len()], position };
    let parameters = physics_cells::Parameters {
        dimension: 3,
        precision: Precision::F64,
        support: Support::Two,
        every: 1,
        move_every: 1,
        growth: 0,
        growth_cap: 0.0,
        contact: Some(CONTACT),
        mark_every: None,
        kinds: vec![KindParameters { name: "ball".into(), surface: surface.clone(), mechanics, seeded: 1 }],
        pulls: Vec::new(),
        pushed_within: Some(20.0),
        spacing: 1.0,
        origin: [0.0; 3],
        extent: EXTENT,
        periodic: PERIODIC,
    };
    let mut builder = SiteMap::builder(3, own, parameters.map_margin(), EXTENT, PERIODIC);
    builder.add_fluid(all);
    let wall_distance = builder.distances(parameters.wall_reach(), THICKENING, |_| true, |_| false);
    let map = builder.build(gpu)?;
    let around = physics_cells::Surroundings { own: own.to_vec(), map, wall_distance, gates: Vec::new() };
    Suspension::new(gpu, comm, parameters, shared.clone(), around, 0, [(0, 3, record)])
}

fn bodies(gpu: &Gpu, comm: &dyn Comm, own: &[[i32; 3]], all: &[[i32; 3]], shared: &SharedNodes) -> Result<RigidBodies> {
    let (kind, state) = body();
    let touch = SurfaceContact { range: CONTACT.range, pressure: CONTACT.strength, fastest: 0.44, support: 1.0 };
    let parameters = physics_bodies::Parameters {
        precision: Precision::F64,
        in_fluid: true,
        sharing: None,
        kinds: vec![kind],
        pairs: GayBerne { epsilon: 1e-3, sigma: 0.4, gamma: 1.0, mu: 0, upsilon: 0, largest: 0.2 },
        wall: None,
        surface: Some(touch),
        extent: EXTENT,
        periodic: PERIODIC,
        spacing: 1.0,
        origin: [0.0; 3],
    };
    let mut builder = SiteMap::builder(3, own, parameters.map_margin(), EXTENT, PERIODIC);
    builder.add_fluid(all);
    let map = builder.build(gpu)?;
    let around = physics_bodies::Surroundings { own: own.to_vec(), map, wall_distance: None, gates: Vec::new() };
    RigidBodies::new(gpu, comm, parameters, Some(shared.clone()), around, 0, [state])
}

/// What a rank finds at each look.
type Found = Vec<(Option<State>, Option<Vec<[f64; 3]>>, [f64; 3])>;

fn on_rank(comm: &dyn Comm, lattice: &Lattice, partition: &Partition) -> Result<Found> {
    let needs = Needs { f64: true, checks: true, ..Needs::default() };
    let gpu = Gpu::open(0, needs)?.shared_by_ranks()?;
    let mut part = Part::of(lattice, partition, comm.rank())?;
    let own = part.position[..part.own].to_vec();
    let parameters = FluidParameters {
        set: VelocitySet::D3Q19,
        precision: Precision::F64,
        omega_plus: 1.0,
        omega_minus: 1.0 / (0.5 + 3.0 / 16.0 / 0.5),
        force: false,
        immersed: Some(Immersed::default()),
        openings: Vec::new(),
        walls: Walls::HalfWay,
    };
    let mut fluid = Fluid::new(&gpu, &mut part, &parameters)?;
    fluid.initialise(|_| FluidState { drho: 0.0, u: [0.0; 3] })?;
    let mut shared = fluid.shared();
    let mut cells = cells(&gpu, comm, &own, &lattice.position, &shared)?;
    shared.surface = cells.surface();
    let mut bodies = bodies(&gpu, comm, &own, &lattice.position, &shared)?;
    bodies.settle(comm, 0)?;
    cells.settle(comm, 0)?;
    let row = |_| Row { force: [0.0; 3], openings: Vec::new() };
    let mut found = Found::new();
    for done in (0..=STEPS).step_by(EVERY as usize) {
        let velocity = fluid.whole_moment(Moment::Velocity, &row(done))?;
        let node_forces = shared.node_forces.read(&gpu, shared.stride as usize)?;
        let momentum = [0, 1, 2].map(|a| {
            let forces = node_forces[..own.len()].iter().map(|force| i64::from(force[a])).sum::<i64>();
            velocity[a..].iter().step_by(3).sum::<f64>() + 0.5 * forces as f64 / FORCE_SCALE
        });
        let snapshot = cells.snapshot(done)?;
        let vertices = (!snapshot.id.is_empty()).then_some(snapshot.position);
        found.push((bodies.states()?.pop(), vertices, momentum));
        if done < STEPS {
            fluid.advance_with(comm, &mut [&mut cells, &mut bodies], EVERY, row)?;
            cells.check_sound(comm)?;
            bodies.check_sound(comm)?;
        }
    }
    Ok(found)
}

fn run(ranks: usize) -> Vec<Scene> {
    let lattice = lattice();
    let partition = Partition::make(&lattice, ranks).expect("a partition");
    let parts: Vec<Found> = thread::scope(|scope| {
        let (lattice, partition) = (&lattice, &partition);
        let rank = move |comm| on_rank(&comm, lattice, partition).unwrap_or_else(|fault| panic!("{fault}"));
        let handles: Vec<_> = threads(ranks).into_iter().map(|comm| scope.spawn(move || rank(comm))).collect();
        handles.into_iter().map(|handle| handle.join().expect("no panic")).collect()
    });
    (0..parts[0].len())
        .map(|k| Scene {
            body: parts.iter().find_map(|part| part[k].0.clone()).expect("a body"),
            vertices: parts.iter().find_map(|part| part[k].1.clone()).expect("a cell"),
            fluid: [0, 1, 2].map(|a| parts.iter().map(|part| part[k].2[a]).sum()),
        })
        .collect()
}

/// The least of the vertices' places in the body, over its semi-axes: 1 is on its surface.
fn least(at: &Scene) -> f64 {
    let e = axes_of(at.body.orientation);
    let scaled = |v: &[f64; 3]| -> f64 {
        let r = [0, 1, 2].map(|a| v[a] - at.body.position[a].value());
        (0..3).map(|k| ((0..3).map(|a| e[k][a] * r[a]).sum::<f64>() / AXES[k]).powi(2)).sum::<f64>().sqrt()
    };
    at.vertices.iter().map(scaled).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_body_that_hits_a_cell_hands_its_momentum_over() {
    let solo = run(1);
    let (kind, _) = body();
    let total = |at: &Scene| [0, 1, 2].map(|a| at.fluid[a] + kind.mass * at.body.velocity[a]);
    let start = total(&solo[0]);
    assert!((start[0] + SPEED * kind.mass).abs() < 1e-6, "{start:?}");
    let mut nearest = f64::INFINITY;
    for (k, at) in solo.iter().enumerate() {
        let off = [0, 1, 2].map(|a| (total(at)[a] - start[a]).abs()).into_iter().fold(0.0, f64::max);
        assert!(off < 2e-6, "after {k} looks {off:e} of {start:?} is lost");
        nearest = nearest.min(least(at));
        assert!(least(at) > 1.0, "after {k} looks a vertex is within the body: {}", least(at));
    }
    let (first, last) = (&solo[0], &solo[solo.len() - 1]);
    let slowed = last.body.velocity[0] - first.body.velocity[0];
    println!("nearest {nearest:.3}, slowed by {slowed:.4}, spin {:?}", last.body.spin);
    assert!(nearest < 1.5 && slowed > 0.5 * SPEED, "they met: {nearest}, {slowed}");
    assert!(last.body.spin.iter().any(|spin| spin.abs() > 1e-3), "it was hit off its middle: {:?}", last.body.spin);
    for ranks in if std::env::var_os("HEMATITE_FULL").is_some() { &[2, 3][..] } else { &[3] } {
        for (k, (one, other)) in solo.iter().zip(run(*ranks)).enumerate() {
            assert_eq!(one.body, other.body, "{ranks} ranks, after {k} looks");
            assert!(one.vertices == other.vertices, "{ranks} ranks, after {k} looks");
        }
    }
}
