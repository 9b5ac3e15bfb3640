//! F11: Couette flow and the oscillating plate (Stokes' second problem), by a moving wall.

use std::f64::consts::TAU;

use hematite_config::Result;
use hematite_geometry::{Domain, OpeningKind, Site};
use physics_lattice_boltzmann::Row;

use super::womersley::amplitudes;
use crate::order::order;
use crate::{Boundary, Context, Flow, FluidNumbers, Inside, Table, domain, exact};

const SPEED: f64 = 0.02;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("F11");
    let height = 12;
    for dimension in [2, 3] {
        let mut flow = Flow::new(context, &belt(dimension, height), &moving(0.8), |_| drive(1.0))?;
        flow.start_along_x(|_| 0.0)?;
        let change = flow.settle(500, 1e-14, 20_000)?;
        let exact = |y: f64| SPEED * (1.0 - y / height as f64);
        let errors = flow.velocity(0)?.into_iter().zip(&flow.centre).map(|(u, at)| (u - exact(at[1])).abs() / SPEED);
        let worst = errors.fold(0.0, f64::max);
        table.below(format!("{dimension}-D Couette H {height}: largest deviation / U"), worst, 1e-9);
        table.below(format!("{dimension}-D Couette H {height}: change over 500 steps"), change, 1e-12);
    }
    let mut errors = Vec::new();
    for (height, period) in [(12, 384), (24, 1536), (48, 6144)] {
        let (largest, phase) = plate(context, height, period, 0.8)?;
        let what = format!("oscillating plate H {height}, period {period}:");
        table.below(format!("{what} largest deviation of the amplitude / U"), largest, 1e-2);
        table.below(format!("{what} phase near the plate, steps"), phase, 0.1);
        errors.push((height as f64, largest));
    }
    table.absolute("oscillating plate: order over H 12, 24, 48", 2.0, order(&errors), 0.2);
    Ok(table)
}

/// A layer on a belt that moves along x at y = 0.
fn belt(dimension: usize, height: usize) -> (Inside, Domain) {
    let depth = if dimension == 2 { 1 } else { 3 };
    let inside = Inside { extent: [3, height, depth], periodic: [true, false, dimension == 3] };
    let made = domain(inside, &[("belt", OpeningKind::Wall)], |at| {
        if at[1] < 0.0 {
            Site::opening(0)
        } else if at[1] > height as f64 {
            Site::WALL
        } else {
            Site::FLUID
        }
    });
    (inside, made)
}

fn moving(tau: f64) -> FluidNumbers {
    FluidNumbers { boundaries: vec![Boundary::Wall([SPEED, 0.0, 0.0])], ..FluidNumbers::trt(tau) }
}

fn drive(factor: f64) -> Row {
    Row { force: [0.0; 3], openings: vec![factor] }
}

/// Largest deviation of the complex amplitude over the plate's speed, and the phase error of the node at the plate in
/// time steps.
fn plate(context: &Context, height: usize, period: u64, tau: f64) -> Result<(f64, f64)> {
    let numbers = moving(tau);
    let omega = TAU / period as f64;
    // Populations are at the wall in the middle of the step.
    let row = move |t: u64| drive((omega * (t as f64 + 0.5)).cos());
    let mut flow = Flow::new(context, &belt(2, height), &numbers, row)?;
    let exact = |y: f64| exact::plate(height as f64, numbers.nu(), omega, y);
    flow.start_along_x(|at| SPEED * exact(at[1]).re)?;
    let ours = amplitudes(&mut flow, period, 3)?;
    let expected: Vec<_> = flow.centre.iter().map(|at| SPEED * exact(at[1])).collect();
    let largest = ours.iter().zip(&expected).map(|(a, b)| (a - b).norm() / SPEED).fold(0.0, f64::max);
    Ok((largest, ((ours[0] / expected[0]).arg() / omega).abs()))
}
