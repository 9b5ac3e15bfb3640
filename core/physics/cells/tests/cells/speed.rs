//! Seconds of each kernel at the size of the benchmarks: run with `--ignored --nocapture`.

use std::time::Instant;

use hematite_engine::{Precision, Support};
use hematite_gpu::{Gpu, Needs, Recorder};
use hematite_membrane::Which;
use physics_cells::{Contact, ContactParameters, Coupling, CouplingVariant};

use crate::sample::{Cloud, Domain, Random, fixed, shared};

/// Milliseconds that this process has kept processors busy, for each of them: a measure that other programs disturb less.
fn busy() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let ticks: f64 = stat.split(' ').skip(13).take(2).map(|t| t.parse::<f64>().expect("a number")).sum();
    10.0 * ticks / std::thread::available_parallelism().expect("known").get() as f64
}

/// Milliseconds of the quickest of some runs, or kept busy by each of them, what is less.
fn time(gpu: &Gpu, record: impl Fn(&mut Recorder)) -> f64 {
    let once = || {
        let start = Instant::now();
        let mut recorder = Recorder::new(gpu);
        record(&mut recorder);
        recorder.submit();
        gpu.wait().expect("runs");
        1e3 * start.elapsed().as_secs_f64()
    };
    once();
    let start = busy();
    let quickest = (0..10).map(|_| once()).fold(f64::INFINITY, f64::min);
    quickest.min((busy() - start) / 10.0)
}

/// Cells of `of` vertices, ellipses or ellipsoids, packed on a grid with some disorder.
fn report(dimension: usize, extent: [usize; 3], of: usize, radii: [f64; 3], vertices: usize) {
    let gpu = Gpu::open(0, Needs::default()).expect("a device");
    let wall = |s: [i32; 3]| s[1] == 0 || s[1] as usize == extent[1] - 1;
    let domain = Domain::new(dimension, extent, [true, false, dimension == 3], |s| !wall(s));
    let (map, wall, own) = domain.map(&gpu, 8, |_| true);
    let shared = shared(&gpu, dimension, Precision::F32, own.len());
    let mut random = Random::new(1);
    let (mut points, mut slots) = (Vec::new(), Vec::new());
    let step = radii.map(|r| 2.0 * r + 0.7);
    let count = |a: usize| if a < dimension { ((extent[a] as f64 - 3.0) / step[a]) as usize } else { 1 };
    let [nx, ny, nz] = [0, 1, 2].map(count);
    for cell in 0..(vertices / of).min(nx * ny * nz) {
        let grid = [cell % nx, cell / nx % ny, cell / nx / ny];
        let shift = [0; 3].map(|_| random.between(-0.3, 0.3));
        for k in 0..of {
            let direction = if dimension == 2 {
                let angle = std::f64::consts::TAU * k as f64 / of as f64;
                [angle.cos(), angle.sin(), 0.0]
            } else {
                let z: f64 = 1.0 - (2.0 * k as f64 + 1.0) / of as f64;
                let (r, angle) = ((1.0 - z * z).sqrt(), 2.399_963 * k as f64);
                [r * angle.cos(), r * angle.sin(), z]
            };
            points.push(
                [0, 1, 2].map(|a| fixed(1.5 + (grid[a] as f64 + 0.5) * step[a] + shift[a] + radii[a] * direction[a])),
            );
            slots.push(cell as u32);
        }
    }
    let cloud = Cloud::new(&gpu, dimension, Precision::F32, points, slots);
    let variant = CouplingVariant::new(&gpu, Precision::F32, Support::Two);
    let coupling = Coupling::new(&gpu, variant, &map, &wall, &cloud.vertices, &shared).expect("compiles");
    let parameters = ContactParameters { range: 1.0, strength: 1e-2, wall_strength: 1e-2, morse: None, alike: false };
    let contact = Contact::new(&gpu, Precision::F32, &parameters, 1, &map, &cloud.vertices, &wall).expect("compiles");
    println!(
        "{dimension}-D: {} nodes, {} vertices\n  interpolate {:.1} ms\n  advance {:.1} ms\n  clear {:.1} ms\n  spread {:.1} ms\n  contact with bins {:.1} ms",
        own.len(),
        cloud.at.len(),
        time(&gpu, |recorder| coupling.record_interpolate(recorder, 0, 1)),
        time(&gpu, |recorder| coupling.record_advance(recorder, Which::All, 0, 0)),
        time(&gpu, |recorder| coupling.record_clear(recorder, true)),
        time(&gpu, |recorder| coupling.record_spread(recorder, 0)),
        time(&gpu, |recorder| contact.record(recorder, 0)),
    );
}

#[test]
#[ignore = "a measurement"]
fn measured_times_of_kernels() {
    report(2, [1650, 502, 1], 19, [3.4, 1.6, 0.0], 604_000);
    report(3, [200, 102, 100], 642, [7.8, 7.8, 2.4], 832_000);
}
