//! Fluid without walls under `G cos(omega t)`: `u = G / omega sin(omega t)`. What is found beside it is the error in
//! time alone: the trapezoidal rule's `1 - (omega dt)^2 / 12`, and no phase.

use std::f64::consts::TAU;

use hematite_config::Result;
use hematite_geometry::Site;
use physics_lattice_boltzmann::Row;

use super::womersley::amplitudes;
use crate::order::order;
use crate::{Context, Flow, FluidNumbers, Inside, Table, domain};

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("time");
    let inside = Inside { extent: [3, 3, 1], periodic: [true, true, false] };
    let mut errors = Vec::new();
    for period in [32, 64, 128] {
        let omega = TAU / period as f64;
        let force = 0.02 * omega;
        let row = move |t: u64| Row { force: [force * (omega * t as f64).cos(), 0.0, 0.0], openings: Vec::new() };
        let made = (inside, domain(inside, &[], |_| Site::FLUID));
        let mut flow = Flow::new(context, &made, &FluidNumbers::trt(0.8), row)?;
        flow.start_along_x(|_| 0.0)?;
        // -i: a sine.
        let ours = amplitudes(&mut flow, period, 2)?[0] * num_complex::Complex64::i() / 0.02;
        table.absolute(format!("period {period}: amplitude"), 1.0, ours.norm(), 0.1 * omega * omega);
        table.below(format!("period {period}: phase, steps"), (ours.arg() / omega).abs(), 1e-6);
        errors.push((period as f64, ours.norm() - 1.0));
    }
    table.absolute("order in time", 2.0, order(&errors), 0.05);
    Ok(table)
}
