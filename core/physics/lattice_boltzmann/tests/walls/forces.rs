//! The force of the fluid on walls: balances of momentum, exact flows, torques, and the same bits on any number of ranks.

use hematite_case::{Lattice, Part, Partition, Target, walls};
use hematite_comm::{Comm, Solo, threads};
use hematite_engine::Precision;
use hematite_geometry::{Opening, OpeningKind, Site};
use hematite_gpu::{Gpu, Needs};
use physics_lattice_boltzmann::equilibrium::State;
use physics_lattice_boltzmann::{Fluid, Parameters, Prescribed, Row, WallForce, WallLinks, Walls, centroid, cuts};

use super::{domain, obstacles, parameters};

const NU: f64 = 0.4 / 3.0;

fn gpu(f64: bool) -> Gpu {
    Gpu::open(0, Needs { f64, ..Needs::default() }).expect("a device")
}

/// Links of own nodes that lead to what `wanted` says, where their nodes are `of`.
fn links(part: &Part, wanted: Target, of: impl Fn([i32; 3]) -> bool) -> WallLinks {
    chosen(part, |node, i| part.links[i - 1][node].target() == wanted && of(part.position[node]))
}

/// Links of own nodes that lead into walls, where the site in the wall is `of`.
fn links_into(lattice: &Lattice, part: &Part, of: impl Fn([i32; 3]) -> bool) -> WallLinks {
    let c = lattice.set.velocities();
    let site = |node: usize, i: usize| std::array::from_fn(|axis| part.position[node][axis] + c[i][axis]);
    chosen(part, |node, i| part.links[i - 1][node].target() == Target::Wall && of(site(node, i)))
}

/// The links of own nodes in directions that are `wanted`.
fn chosen(part: &Part, wanted: impl Fn(usize, usize) -> bool) -> WallLinks {
    let directions = 1..=part.links.len();
    let bits = |node: usize| directions.clone().filter(|&i| wanted(node, i)).fold(0, |bits, i| bits | 1 << i);
    (0..part.own).map(|node| [node as u32, bits(node)]).filter(|[_, bits]| *bits != 0).collect()
}

/// The forces on `parts` after `steps` steps from rest.
fn forces(mut part: Part, parameters: &Parameters, parts: &[WallLinks], steps: u64, row: &Row) -> Vec<WallForce> {
    let gpu = gpu(parameters.precision == Precision::F64);
    let mut fluid = Fluid::new(&gpu, &mut part, parameters).expect("fits");
    fluid.weigh(&part, parts).expect("fits");
    fluid.initialise(|_| State { drho: 0.0, u: [0.0; 3] }).expect("starts");
    assert_eq!(fluid.wall_forces(&Solo).expect("reads"), vec![WallForce::default(); parts.len()]);
    fluid.weigh_after(steps);
    fluid.advance(&Solo, steps, |_| row.clone()).expect("runs");
    fluid.wall_forces(&Solo).expect("reads")
}

fn whole(lattice: &Lattice) -> Part {
    Part::of(lattice, &Partition::make(lattice, 1).expect("divides"), 0).expect("extracts")
}

#[test]
fn obstacles_in_a_periodic_box_hold_the_body_force() {
    for (extent, steps) in [([24, 20, 1], 6000), ([12, 11, 10], 2500)] {
        let middle = extent.map(|n: usize| 0.5 * n as f64 - 0.3);
        let flat = extent[2] == 1;
        let made = domain(extent, [true, true, !flat], |at| {
            (0..if flat { 2 } else { 3 }).map(|a| (at[a] - middle[a]).powi(2)).sum::<f64>().sqrt() > 3.4
        });
        let lattice = Lattice::build(&made).expect("builds");
        let part = whole(&lattice);
        let body = [2e-6, 1e-6, if flat { 0.0 } else { -5e-7 }];
        for walls in [Walls::HalfWay, Walls::Interpolated(cuts(lattice.set, &part, &walls(&lattice)))] {
            let parameters = parameters(&lattice, Precision::F64, walls);
            let all = links(&part, Target::Wall, |_| true);
            let row = Row { force: body, openings: Vec::new() };
            let found = forces(part.clone(), &parameters, &[all], steps, &row)[0].force;
            for axis in 0..3 {
                let wanted = body[axis] * lattice.nodes() as f64;
                let error = (found[axis] - wanted).abs() / (body[0] * lattice.nodes() as f64);
                assert!(error < 1e-4, "{extent:?}, axis {axis}: {} and {wanted}, off by {error:e}", found[axis]);
            }
        }
    }
}

#[test]
fn walls_of_a_channel_hold_its_pressure_drop() {
    let (length, height) = (30, 12);
    let mut made = domain([length + 2, height + 2, 1], [false; 3], |[x, y, _]| {
        x >= 1.0 && x <= length as f64 && y >= 1.0 && y <= height as f64
    });
    for y in 1..=height {
        made.sites[y * (length + 2)] = Site::opening(0);
        made.sites[y * (length + 2) + length + 1] = Site::opening(1);
    }
    let pressure = |name: &str| Opening { name: name.into(), kind: OpeningKind::Pressure, normal: None };
    made.openings = vec![pressure("in"), pressure("out")];
    let lattice = Lattice::build(&made).expect("builds");
    let part = whole(&lattice);
    let parameters = Parameters {
        force: false,
        openings: vec![Prescribed::Pressure; 2],
        ..parameters(&lattice, Precision::F64, Walls::HalfWay)
    };
    // Without the links of the openings' rims, which lead out past the first and the last row.
    let inside = |[x, ..]: [i32; 3]| (1..=length as i32).contains(&x);
    let below = links_into(&lattice, &part, |site| site[1] == 0 && inside(site));
    let above = links_into(&lattice, &part, |site| site[1] == height as i32 + 1 && inside(site));
    let middle = links(&part, Target::Wall, |[x, ..]| (6..26).contains(&x));
    let drop = 3e-4;
    let row = Row { force: [0.0; 3], openings: vec![drop, -drop] };
    let found = forces(part, &parameters, &[below, above, middle], 6000, &row);
    // p = drho / 3, and the mean pressure is that at rest. Momentum passes openings at their nodes, half a spacing inside.
    let gradient = 2.0 * drop / 3.0 / length as f64;
    let wanted = gradient * (length - 1) as f64 * height as f64;
    let shear = found[0].force[0] + found[1].force[0];
    assert!((shear / wanted - 1.0).abs() < 1e-3, "{shear:e} and {wanted:e}");
    // Links of nodes, not of the wall's sites: at both ends a slant link more leads out than in, which takes the pressure on a
    // sixth of a spacing at each wall.
    let wanted_there = gradient * 20.0 * (height as f64 - 1.0 / 3.0);
    assert!((found[2].force[0] / wanted_there - 1.0).abs() < 1e-3, "{} and {wanted_there}", found[2].force[0]);
    assert!((found[0].force[0] / found[1].force[0] - 1.0).abs() < 1e-6);
    // The pressure pushes both walls apart by as much as it is above that at rest, which here is nothing on the whole.
    assert!((found[0].force[1] + found[1].force[1]).abs() < 1e-6 * wanted, "{found:?}");
}

#[test]
fn a_moving_wall_is_held_back_by_the_shear_of_couette_flow() {
    let (length, height) = (6, 10);
    let mut made = domain([length, height + 2, 1], [true, false, false], |[_, y, _]| y >= 1.0 && y <= height as f64);
    for x in 0..length {
        made.sites[(height + 1) * length + x] = Site::opening(0);
    }
    made.openings = vec![Opening { name: "belt".into(), kind: OpeningKind::Wall, normal: None }];
    let lattice = Lattice::build(&made).expect("builds");
    let part = whole(&lattice);
    let speed = 0.02;
    let parameters = Parameters {
        force: false,
        openings: vec![Prescribed::Wall(vec![[1.0, 0.0, 0.0]; part.openings[0].len()])],
        ..parameters(&lattice, Precision::F64, Walls::HalfWay)
    };
    let belt: WallLinks = part.openings[0].iter().map(|site| [site.node, site.links]).collect();
    let floor = links(&part, Target::Wall, |_| true);
    let middle = centroid(&Solo, lattice.set, &part, &belt).expect("solo").expect("links");
    assert_eq!(middle, [0.5 * (length - 1) as f64, height as f64 + 0.5, 0.0]);
    let row = Row { force: [0.0; 3], openings: vec![speed] };
    let found = forces(part, &parameters, &[belt, floor], 8000, &row);
    let wanted = NU * speed / height as f64 * length as f64;
    assert!((found[0].force[0] / -wanted - 1.0).abs() < 1e-4, "{} and {}", found[0].force[0], -wanted);
    assert!((found[1].force[0] / wanted - 1.0).abs() < 1e-4, "{} and {wanted}", found[1].force[0]);
    // The shear turns about a point above the belt; at the ends of a part of a flat wall its lever is that of the nodes.
    let about = [middle[0], height as f64 + 2.0, 0.0];
    let torque = found[0].torque_about(about)[2];
    assert!((torque / -(2.0 * wanted) - 1.0).abs() < 1e-3, "{torque} and {}", -2.0 * wanted);
}

#[test]
fn a_fluid_at_rest_pushes_nothing() {
    let lattice = obstacles(2);
    let part = whole(&lattice);
    let walls = Walls::Interpolated(cuts(lattice.set, &part, &walls(&lattice)));
    let openings = vec![Prescribed::Pressure; 2];
    let parameters = Parameters { force: false, openings, ..parameters(&lattice, Precision::F32, walls) };
    let all = links(&part, Target::Wall, |_| true);
    let row = Row { force: [0.0; 3], openings: vec![0.0; 2] };
    assert_eq!(forces(part, &parameters, &[all], 8, &row), [WallForce::default()]);
}

/// Force and torque on the obstacles after so many steps, as bits, and the middle of their links.
fn on_rank(lattice: &Lattice, partition: &Partition, comm: &dyn Comm, interpolated: bool, steps: u64) -> [Vec<u64>; 2] {
    let gpu = Gpu::open(0, Needs::default()).and_then(Gpu::shared_by_ranks).expect("a device");
    let mut part = Part::of(lattice, partition, comm.rank()).expect("extracts");
    let cut = cuts(lattice.set, &part, &walls(lattice));
    let shape = vec![[1.0, 0.0, 0.0]; part.openings[0].len()];
    let parameters = Parameters {
        openings: vec![Prescribed::Velocity(shape), Prescribed::Pressure],
        ..parameters(lattice, Precision::F32, if interpolated { Walls::Interpolated(cut) } else { Walls::HalfWay })
    };
    let all = links(&part, Target::Wall, |_| true);
    let first = links(&part, Target::Wall, |[x, ..]| x < lattice.extent[0] as i32 / 2);
    let middle = centroid(comm, lattice.set, &part, &first).expect("together").expect("links");
    let mut fluid = Fluid::new(&gpu, &mut part, &parameters).expect("fits");
    fluid.weigh(&part, &[all, first]).expect("fits");
    fluid.initialise(|_| State { drho: 0.0, u: [0.01, 0.0, 0.0] }).expect("starts");
    fluid.weigh_after(steps);
    let row = |t: u64| Row { force: [1e-5, 2e-5, 0.0], openings: vec![0.02 + 1e-4 * t as f64, 0.001] };
    fluid.advance(comm, steps, row).expect("runs");
    let forces = fluid.wall_forces(comm).expect("reads");
    let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    assert!(forces.iter().all(|force| force.force[0] != 0.0 && force.torque[2] != 0.0), "{forces:?}");
    [bits(&forces.iter().flat_map(|force| [force.force, force.torque].concat()).collect::<Vec<_>>()), bits(&middle)]
}

#[test]
fn forces_are_the_same_on_any_number_of_ranks() {
    for (dimension, interpolated) in [(2, true), (2, false), (3, true)] {
        let lattice = obstacles(dimension);
        for steps in [40, 41] {
            let solo = Partition::make(&lattice, 1).expect("divides");
            let alone = on_rank(&lattice, &solo, &Solo, interpolated, steps);
            let partition = Partition::make(&lattice, 3).expect("divides");
            let together = std::thread::scope(|scope| {
                let rank = |comm| {
                    let (lattice, partition) = (&lattice, &partition);
                    scope.spawn(move || on_rank(lattice, partition, &comm, interpolated, steps))
                };
                let ranks: Vec<_> = threads(3).into_iter().map(rank).collect();
                ranks.into_iter().map(|rank| rank.join().expect("runs")).collect::<Vec<_>>()
            });
            assert!(together.iter().all(|found| *found == alone), "{dimension}-D, {steps} steps");
        }
    }
}
