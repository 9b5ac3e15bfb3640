//! F1: plane Poiseuille flow under a force. With half-way bounce-back the profile is the parabola and a constant slip,
//! `slip / Umax = (16 magic - 3) / (3 H^2)`, exactly (Ginzburg and d'Humieres, Phys. Rev. E 68 (2003) 066614).

use hematite_config::Result;
use hematite_engine::Precision;
use physics_lattice_boltzmann::Row;

use crate::domain::periodic_channel;
use crate::{Context, Flow, FluidNumbers, Table};

const LARGEST: f64 = 0.02;

/// Height, relaxation time, magic number and its name.
const RUNS: [(usize, f64, f64, &str); 6] = [
    (10, 0.8, 3.0 / 16.0, "TRT 3/16"),
    (10, 0.8, 0.25, "TRT 1/4"),
    (10, 1.2, 0.49, "BGK"),
    (10, 0.6, 0.01, "BGK"),
    (8, 2.0, 2.25, "BGK"),
    (20, 1.0, 0.25, "BGK"),
];

/// In f32, what accumulated rounding leaves: populations are held to 2^-24 of their largest deviation.
const SINGLE: f64 = 1e-4;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("F1");
    for dimension in [2, 3] {
        for (precision, tolerance) in [(Precision::F64, 1e-9), (Precision::F32, SINGLE)] {
            for (height, tau, magic, name) in RUNS {
                let numbers = FluidNumbers { tau, magic, precision, boundaries: Vec::new() };
                let found = slip(context, dimension, height, &numbers)?;
                let law = (16.0 * magic - 3.0) / (3.0 * (height * height) as f64);
                let what = format!("{dimension}-D {} {name} tau {tau} H {height}:", precision.name());
                table.absolute(format!("{what} slip/Umax"), law, found.slip, tolerance);
                table.below(format!("{what} variation over y"), found.variation, tolerance);
                if precision == Precision::F64 {
                    table.below(format!("{what} change over 200 steps"), found.change, 1e-12);
                }
            }
        }
    }
    Ok(table)
}

struct Found {
    slip: f64,
    variation: f64,
    change: f64,
}

fn slip(context: &Context, dimension: usize, height: usize, numbers: &FluidNumbers) -> Result<Found> {
    let h = height as f64;
    let force = 8.0 * numbers.nu() * LARGEST / (h * h);
    let exact = move |y: f64| force / (2.0 * numbers.nu()) * y * (h - y);
    let row = move |_| Row { force: [force, 0.0, 0.0], openings: Vec::new() };
    let mut flow = Flow::new(context, &periodic_channel(dimension, height), numbers, row)?;
    flow.start_along_x(|at| exact(at[1]))?;
    let least = if numbers.precision == Precision::F64 { 1e-13 } else { 0.0 };
    // By then the slowest mode has decayed by exp(-40).
    let most = (40.0 * h * h / (9.87 * numbers.nu())) as u64;
    let change = flow.settle(200, least, most)?;
    let slips: Vec<f64> =
        flow.velocity(0)?.iter().zip(&flow.centre).map(|(u, at)| (u - exact(at[1])) / LARGEST).collect();
    let slip = slips.iter().sum::<f64>() / slips.len() as f64;
    let variation = slips.iter().fold(0.0, |largest: f64, s| largest.max((s - slip).abs()));
    Ok(Found { slip, variation, change })
}
