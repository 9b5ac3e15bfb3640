//! Milliseconds a step, on request: `cargo test --release -p hematite-membrane --test membrane -- --ignored
//! --nocapture`.

use std::time::Instant;

use hematite_cells::{Bending, InPlane, Mechanics, Rest, Surface};
use hematite_engine::Precision;
use hematite_gpu::{Gpu, Needs, Recorder};

use crate::lab::{Cell, Lab};
use crate::shapes::{discocyte, ring};

/// Processor time of this process in seconds, on Linux. On a busy machine it is the time that counts for software
/// devices.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    stat.split(' ').skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn time(name: &str, surface: &Surface, mechanics: &Mechanics, count: usize) {
    let gpu = Gpu::open(0, Needs::default()).expect("a device");
    let mut lab = Lab::new(gpu, Precision::F32, surface, mechanics, count as u32, 0);
    lab.put(&vec![Cell::still(surface.vertices.clone(), 1.0); count]);
    let steps = 10;
    let rounds = 4;
    let mut best = f64::INFINITY;
    let before = processor_time();
    for _ in 0..rounds {
        let mut recorder = Recorder::new(&lab.gpu);
        for step in 0..steps {
            lab.membrane.record(&mut recorder, &lab.range, step);
        }
        let start = Instant::now();
        recorder.submit();
        lab.gpu.wait().expect("a device");
        best = best.min(start.elapsed().as_secs_f64() / f64::from(steps));
    }
    let processor = (processor_time() - before) / f64::from(rounds * steps);
    let vertices = count * surface.vertices.len();
    println!(
        "{name}: {vertices} vertices, {:.2} ms ({:.2} ms of processors), {:.1} ns a vertex on {}",
        1e3 * best,
        1e3 * processor,
        1e9 * best / vertices as f64,
        lab.gpu.info().name
    );
}

#[test]
#[ignore = "a measurement"]
fn measured_times_of_a_step() {
    let base = Mechanics { global_area: 1e-3, volume: 1e-3, volume_share: 1.0, contrast: 1.0, ..Mechanics::default() };
    let ring_cell = Mechanics {
        in_plane: Some(InPlane::Hardening { k: 1e-3, limit: 2.0 }),
        bending: Some(Bending::Ring { kappa: 1e-3, rest: Rest::Shape }),
        ..base.clone()
    };
    time("rings", &ring(19, 4.0), &ring_cell, 31_800);
    let springs = Some(InPlane::WlcPower { mu: 1e-3, x0: 1.0 / 2.2, power: 2.0 });
    let skalak = Some(InPlane::Skalak { g: 1e-3, c: 10.0 });
    let angles = Some(Bending::KantorNelson { kappa: 1e-4, rest: Rest::Shape });
    let helfrich = Some(Bending::GompperKroll { kappa: 1e-4 });
    let meshes = [
        ("springs, angles", Mechanics { in_plane: springs, bending: angles, ..base.clone() }),
        (
            "springs, angles, local area",
            Mechanics { in_plane: springs, bending: angles, local_area: 1e-3, ..base.clone() },
        ),
        (
            "springs, angles, viscosity",
            Mechanics { in_plane: springs, bending: angles, viscosity: 1e-2, ..base.clone() },
        ),
        ("Skalak, Gompper-Kroll", Mechanics { in_plane: skalak, bending: helfrich, ..base.clone() }),
        ("springs", Mechanics { in_plane: springs, ..base.clone() }),
        ("areas and volumes", base),
    ];
    for (name, mechanics) in meshes {
        time(name, &discocyte(3, 8.0), &mechanics, 1296);
    }
}
