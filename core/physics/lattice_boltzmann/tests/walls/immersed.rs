//! Immersed walls: accuracy in a tilted channel and in a pipe, beside the other kinds of walls; the same bits on any
//! number of ranks.

use std::f64::consts::PI;

use hematite_case::{Lattice, Layer, Part, Partition, WallPoint, wall_points, walls};
use hematite_comm::{Comm, Solo, threads};
use hematite_engine::{Precision, Support};
use hematite_gpu::{Gpu, Needs};
use physics_lattice_boltzmann::equilibrium::State;
use physics_lattice_boltzmann::{Around, Fluid, HeldPoints, Moment, Parameters, Prescribed, Row, Walls, cuts};

use super::{across, domain, obstacles, parameters};

const MAGIC: f64 = 3.0 / 16.0;
const NU: f64 = 0.4 / 3.0;

/// The points that act on a part of a lattice with its layer.
fn held(comm: &dyn Comm, joined: &Lattice, part: &Part, points: &[WallPoint], support: Support) -> Walls {
    let around = Around {
        dimension: joined.set.dimension(),
        extent: joined.extent,
        periodic: joined.periodic,
        support,
        magic: MAGIC,
    };
    let mut builder = HeldPoints::builder(around, points, &part.position[..part.own]);
    builder.add_nodes(&joined.position);
    Walls::Immersed(builder.build(comm).expect("alone"))
}

fn join(lattice: &Lattice) -> Lattice {
    Layer::around(lattice).expect("fits").expect("walls").join(lattice.clone())
}

fn whole(lattice: &Lattice) -> Part {
    Part::of(lattice, &Partition::make(lattice, 1).expect("divides"), 0).expect("extracts")
}

/// Velocity along `force` at the first `nodes` nodes, after `steps` steps from `start`.
fn settled(
    gpu: &Gpu,
    joined: &Lattice,
    walls: impl Fn(&Part) -> Walls,
    force: [f64; 3],
    start: &[f64],
    steps: u64,
) -> Vec<f64> {
    let mut part = whole(joined);
    let walls = walls(&part);
    let size = force.iter().map(|f| f * f).sum::<f64>().sqrt();
    let along = force.map(|f| f / size);
    let row = |_| Row { force, openings: Vec::new() };
    let mut fluid = Fluid::new(gpu, &mut part, &parameters(joined, Precision::F64, walls)).expect("fits");
    let speed = |n: usize| start.get(n).map_or(0.0, |u| u - 0.5 * size);
    fluid.initialise(|n| State { drho: 0.0, u: along.map(|a| a * speed(n)) }).expect("starts");
    fluid.advance(&Solo, steps, row).expect("runs");
    let u = fluid.whole_moment(Moment::Velocity, &row(0)).expect("reads");
    u.chunks(3).take(start.len()).map(|u| (0..3).map(|axis| along[axis] * u[axis]).sum()).collect()
}

/// Root of the mean square of a deviation over that of what is expected.
fn deviation(found: &[f64], expected: &[f64]) -> f64 {
    let squares = |of: &dyn Fn(usize) -> f64| (0..expected.len()).map(|n| of(n).powi(2)).sum::<f64>();
    (squares(&|n| found[n] - expected[n]) / squares(&|n| expected[n])).sqrt()
}

fn order(errors: [f64; 3]) -> f64 {
    (errors[0] / errors[2]).log2() / 2.0
}

/// Deviation from the parabola in a channel along x, `height` nodes wide.
fn straight(gpu: &Gpu, height: usize, support: Support) -> f64 {
    let h = height as f64;
    let made = domain([5, height + 2, 1], [true, false, false], |[_, y, _]| y > 0.5 && y < h + 0.5);
    let lattice = Lattice::build(&made).expect("builds");
    let points = wall_points(&lattice, 0.75).expect("makes");
    let force = 0.02 * 8.0 * NU / (h * h);
    let middle = 0.5 * (h + 1.0);
    let parabola = |at: &[i32; 3]| force / (2.0 * NU) * (h * h / 4.0 - (f64::from(at[1]) - middle).powi(2));
    let expected: Vec<f64> = lattice.position.iter().map(parabola).collect();
    let joined = join(&lattice);
    let walls = |part: &Part| held(&Solo, &joined, part, &points, support);
    let found = settled(gpu, &joined, walls, [force, 0.0, 0.0], &expected, (0.7 * h * h / NU) as u64);
    deviation(&found, &expected)
}

#[test]
fn a_straight_channel_is_of_second_order_with_every_kernel() {
    let gpu = Gpu::open(0, Needs { f64: true, ..Needs::default() }).expect("a device");
    for support in [Support::Two, Support::Three, Support::Four] {
        let errors = [8, 16, 32].map(|height| straight(&gpu, height, support));
        println!("{support:?}: {errors:?}, order {}", order(errors));
        assert!((order(errors) - 2.0).abs() < 0.15, "{support:?}: order {}: {errors:?}", order(errors));
        assert!(errors[1] < 0.02, "{support:?}: {errors:?}");
    }
}

/// Deviations from the parabola in a tilted channel of period `size` across, with points where its walls are: immersed
/// walls and half-way ones.
fn tilted(gpu: &Gpu, size: usize, support: Support) -> [f64; 2] {
    let size_f = size as f64;
    let half = size_f / 10_f64.sqrt();
    let made = domain([3 * size, size, 1], [true, true, false], |at| across(size_f, at).abs() < half);
    let lattice = Lattice::build(&made).expect("builds");
    let along = [3.0 / 10_f64.sqrt(), 1.0 / 10_f64.sqrt(), 0.0];
    let count = (size_f * 10_f64.sqrt() / 0.75).round() as usize;
    let length = size_f * 10_f64.sqrt() / count as f64;
    let point = |k: usize, side: f64| {
        let t = k as f64 * length;
        // Where `across` is half a width off the middle.
        let start = 1.5 * size_f - 0.37 + side * half * 10_f64.sqrt();
        let wrapped = |x: f64, period: f64| (x + 0.5).rem_euclid(period) - 0.5;
        WallPoint {
            position: [wrapped(start + t * along[0], 3.0 * size_f), wrapped(t * along[1], size_f), 0.0],
            normal: [-side * along[1], side * along[0], 0.0].map(|n| n as f32),
            area: length as f32,
        }
    };
    let points: Vec<WallPoint> = (0..count).flat_map(|k| [point(k, 1.0), point(k, -1.0)]).collect();
    let force = 0.02 * 2.0 * NU / (half * half);
    let parabola = |at: &[i32; 3]| force / (2.0 * NU) * (half * half - across(size_f, at.map(f64::from)).powi(2));
    let expected: Vec<f64> = lattice.position.iter().map(parabola).collect();
    let joined = join(&lattice);
    let steps = (2.5 * half * half / NU) as u64;
    let forces = along.map(|a| a * force);
    let immersed = settled(gpu, &joined, |part| held(&Solo, &joined, part, &points, support), forces, &expected, steps);
    let plain = settled(gpu, &lattice, |_| Walls::HalfWay, forces, &expected, steps);
    [deviation(&immersed, &expected), deviation(&plain, &expected)]
}

#[test]
#[ignore = "make test-full"]
fn a_tilted_channel_is_closer_than_with_staircases_and_falls_faster() {
    let gpu = Gpu::open(0, Needs { f64: true, ..Needs::default() }).expect("a device");
    for support in [Support::Two, Support::Four] {
        let found = [12, 24, 48].map(|size| tilted(&gpu, size, support));
        let [immersed, plain] = [0, 1].map(|kind| found.map(|errors| errors[kind]));
        println!(
            "{support:?}: immersed {immersed:?}, order {}; half-way {plain:?}, order {}",
            order(immersed),
            order(plain)
        );
        assert!(order(immersed) > 1.3 && order(plain) < 1.1, "{support:?}: order {}: {immersed:?}", order(immersed));
        assert!(immersed[2] < 0.3 * plain[2], "{support:?}: {immersed:?} and half-way {plain:?}");
    }
}

/// Deviations from Hagen and Poiseuille's parabola in a pipe, `diameter` nodes wide, of the radius that its nodes make:
/// half-way, interpolated and immersed walls, the latter two on the smoothed wall of the nodes.
fn pipe(gpu: &Gpu, diameter: usize) -> [f64; 3] {
    let middle = 0.5 * (diameter as f64 + 1.0);
    let square = |[_, y, z]: [f64; 3]| (y - middle).powi(2) + (z - middle).powi(2);
    let extent = [4, diameter + 2, diameter + 2];
    let made = domain(extent, [true, false, false], |at| square(at) < (0.5 * diameter as f64).powi(2));
    let lattice = Lattice::build(&made).expect("builds");
    let radius_2 = lattice.nodes() as f64 / (extent[0] as f64 * PI);
    let force = 0.02 * 4.0 * NU / radius_2;
    let parabola = |at: &[i32; 3]| force / (4.0 * NU) * (radius_2 - square(at.map(f64::from)));
    let expected: Vec<f64> = lattice.position.iter().map(parabola).collect();
    let points = wall_points(&lattice, 0.75).expect("makes");
    let joined = join(&lattice);
    let steps = (0.7 * radius_2 / NU) as u64;
    let run = |lattice: &Lattice, walls: &dyn Fn(&Part) -> Walls| {
        deviation(&settled(gpu, lattice, walls, [force, 0.0, 0.0], &expected, steps), &expected)
    };
    [
        run(&lattice, &|_| Walls::HalfWay),
        run(&lattice, &|part| Walls::Interpolated(cuts(lattice.set, part, &walls(&lattice)))),
        run(&joined, &|part| held(&Solo, &joined, part, &points, Support::Two)),
    ]
}

#[test]
#[ignore = "make test-full"]
fn a_pipe_is_round() {
    let gpu = Gpu::open(0, Needs { f64: true, ..Needs::default() }).expect("a device");
    let found = [10, 20, 40].map(|diameter| pipe(&gpu, diameter));
    let [half_way, interpolated, immersed] = [0, 1, 2].map(|kind| found.map(|errors| errors[kind]));
    println!("half-way {half_way:?}, interpolated {interpolated:?}, immersed {immersed:?}");
    println!("orders {:?}", [half_way, interpolated, immersed].map(order));
    assert!(immersed[2] < 0.6 * half_way[2], "immersed {immersed:?}, half-way {half_way:?}");
    assert!(order(immersed) > 1.5 && order(half_way) < 1.3, "order {}: {immersed:?}", order(immersed));
}

/// Bits of the velocity of this rank's nodes, by global number, after an odd number of steps.
fn velocities(comm: &dyn Comm, lattice: &Lattice, joined: &Lattice, partition: &Partition) -> Vec<(u64, [u64; 3])> {
    let gpu = Gpu::open(0, Needs::default()).and_then(Gpu::shared_by_ranks).expect("a device");
    let points = wall_points(lattice, 0.75).expect("makes");
    let mut part = Part::of(joined, partition, comm.rank()).expect("extracts");
    let shape = vec![[1.0, 0.0, 0.0]; part.openings[0].len()];
    let parameters = Parameters {
        openings: vec![Prescribed::Velocity(shape), Prescribed::Pressure],
        ..parameters(joined, Precision::F32, held(comm, joined, &part, &points, Support::Three))
    };
    let id: Vec<u64> = part.id.iter().map(|id| id.0).collect();
    let row = |t: u64| Row { force: [1e-5, 2e-5, 0.0], openings: vec![0.01 + 1e-4 * t as f64, 0.002] };
    let mut fluid = Fluid::new(&gpu, &mut part, &parameters).expect("fits");
    fluid
        .initialise(|n| State { drho: 0.01 * (id[n] as f64).sin(), u: [0.02, 0.01 * (id[n] as f64 * 0.7).cos(), 0.0] })
        .expect("starts");
    fluid.advance(comm, 30, row).expect("runs");
    fluid.advance(comm, 11, row).expect("runs");
    let u = fluid.whole_moment(Moment::Velocity, &row(41)).expect("reads");
    (0..fluid.own()).map(|n| (id[n], [u[3 * n], u[3 * n + 1], u[3 * n + 2]].map(f64::to_bits))).collect()
}

#[test]
fn any_number_of_ranks_gives_the_same_bits() {
    for dimension in [2, 3] {
        let lattice = obstacles(dimension);
        let joined = join(&lattice);
        let alone = Partition::make(&joined, 1).expect("divides");
        let mut solo = velocities(&Solo, &lattice, &joined, &alone);
        solo.sort_unstable();
        for parts in [2, 3, 5] {
            let partition = Partition::make(&joined, parts).expect("divides");
            let mut found: Vec<_> = std::thread::scope(|scope| {
                let run = |comm| {
                    let (lattice, joined, partition) = (&lattice, &joined, &partition);
                    scope.spawn(move || velocities(&comm, lattice, joined, partition))
                };
                let running: Vec<_> = threads(parts).into_iter().map(run).collect();
                running.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
            });
            found.sort_unstable();
            assert!(found == solo, "{dimension}-D, {parts} parts");
        }
    }
}
