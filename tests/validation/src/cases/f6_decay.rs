//! F6: viscosity from the decay of Taylor-Green vortices and of shear waves in a background flow.

use std::f64::consts::TAU;

use hematite_config::Result;
use hematite_geometry::Site;
use physics_lattice_boltzmann::Row;
use physics_lattice_boltzmann::equilibrium::State;

use crate::order::order;
use crate::{Context, Flow, FluidNumbers, Inside, Table, domain};

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("F6");
    for (tau, tolerance) in [(0.6, 1e-3), (0.8, 1e-3), (1.2, 3e-3)] {
        let mut errors = Vec::new();
        for n in [16, 32, 64] {
            let numbers = FluidNumbers::trt(tau);
            let measured = taylor_green(context, n, &numbers)?;
            if n == 64 {
                table.relative(format!("Taylor-Green tau {tau} N 64: nu"), numbers.nu(), measured, tolerance);
            } else {
                table.note(format!("Taylor-Green tau {tau} N {n}: nu"), numbers.nu(), measured);
            }
            errors.push((n as f64, measured / numbers.nu() - 1.0));
        }
        let what = format!("Taylor-Green tau {tau}: order over N 16, 32, 64");
        // Near tau 0.8 the second-order error changes its sign, so that the fourth-order one shows.
        if tau == 0.8 {
            table.note(what, 2.0, order(&errors));
        } else {
            table.absolute(what, 2.0, order(&errors), 0.1);
        }
    }
    for background in [0.0, 0.05, 0.1] {
        let numbers = FluidNumbers::trt(0.8);
        let measured = shear_wave(context, 64, &numbers, background)?;
        table.note(format!("shear wave N 64, background {background} across: nu"), numbers.nu(), measured);
    }
    Ok(table)
}

fn periodic(n: usize) -> Inside {
    Inside { extent: [n, n, 1], periodic: [true, true, false] }
}

fn still(_: u64) -> Row {
    Row::default()
}

/// Viscosity between a quarter and a half of the time in which the energy falls by e^2.
fn taylor_green(context: &Context, n: usize, numbers: &FluidNumbers) -> Result<f64> {
    let inside = periodic(n);
    let mut flow = Flow::new(context, &(inside, domain(inside, &[], |_| Site::FLUID)), numbers, still)?;
    let k = TAU / n as f64;
    let speed = 0.01 * 16.0 / n as f64;
    flow.start(|[x, y, _]| State {
        drho: -0.75 * speed * speed * ((2.0 * k * x).cos() + (2.0 * k * y).cos()),
        u: [-speed * (k * x).cos() * (k * y).sin(), speed * (k * x).sin() * (k * y).cos(), 0.0],
    })?;
    let time = (1.0 / (4.0 * numbers.nu() * k * k)) as u64;
    flow.advance(time)?;
    let before = energy(&mut flow)?;
    flow.advance(time)?;
    let after = energy(&mut flow)?;
    Ok((before / after).ln() / (4.0 * k * k * time as f64))
}

fn energy(flow: &mut Flow) -> Result<f64> {
    let u = [flow.velocity(0)?, flow.velocity(1)?];
    Ok(u.iter().flatten().map(|u| u * u).sum())
}

/// Viscosity from a wave of u along y, in a background flow along y.
fn shear_wave(context: &Context, n: usize, numbers: &FluidNumbers, background: f64) -> Result<f64> {
    let inside = Inside { extent: [3, n, 1], periodic: [true, true, false] };
    let mut flow = Flow::new(context, &(inside, domain(inside, &[], |_| Site::FLUID)), numbers, still)?;
    let k = TAU / n as f64;
    flow.start(|at| State { drho: 0.0, u: [0.01 * (k * at[1]).sin(), background, 0.0] })?;
    let time = (0.5 / (numbers.nu() * k * k)) as u64;
    let mut squares = [0.0; 2];
    for square in &mut squares {
        flow.advance(time)?;
        *square = flow.velocity(0)?.iter().map(|u| u * u).sum();
    }
    Ok((squares[0] / squares[1]).ln() / (2.0 * k * k * time as f64))
}
