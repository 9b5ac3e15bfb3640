//! Velocity openings: across vessels of any direction, and with the profile of oscillating flow.

use std::f64::consts::{PI, TAU};

use hematite_case::Lattice;
use hematite_config::Result;
use hematite_geometry::{Domain, OpeningKind, Site};
use num_complex::Complex64;
use physics_lattice_boltzmann::equilibrium::State;
use serde_json::{Value, json};

use super::womersley::amplitudes;
use crate::domain::{domain, open_channel};
use crate::planned::planned;
use crate::{Context, Inside, Table, exact};

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("inlets");
    let angles: &[f64] =
        if context.quick { &[0.0, 30.0, 45.0, 75.0] } else { &[0.0, 15.0, 30.0, 45.0, 60.0, 70.0, 75.0] };
    for &degrees in angles {
        vessel(context, &mut table, 2, degrees)?;
    }
    let angles: &[f64] = if context.quick { &[30.0] } else { &[0.0, 30.0, 45.0, 60.0] };
    for &degrees in angles {
        vessel(context, &mut table, 3, degrees)?;
    }
    for (period, tau) in if context.quick { &[(4000, 0.56)][..] } else { &[(4000, 0.53), (4000, 0.56), (4000, 0.7)] } {
        womersley(context, &mut table, *period, *tau)?;
    }
    Ok(table)
}

/// Water on a lattice of 10 um, in lattice units of velocity `dx / dt`.
fn config(tau: f64, openings: &Value) -> Value {
    json!({
        "fluid": { "lattice_boltzmann": { "density": "1000 kg/m3", "viscosity": "1 mPa s", "precision": "f64", "tau": tau } },
        "time": { "steps": 1 },
        "openings": openings,
    })
}

/// A straight vessel of `width` along `normal`, cut across itself at both ends.
fn straight(width: f64, length: f64, normal: [f64; 3], dimension: usize) -> (Inside, Domain) {
    let span = |n: f64| (length * n.abs() + width * (1.0 - n * n).max(0.0).sqrt()).ceil() as usize + 6;
    let extent = [0, 1, 2].map(|axis| if axis < dimension { span(normal[axis]) } else { 1 });
    let inside = Inside { extent, periodic: [false; 3] };
    // Off the lattice's symmetries.
    let middle =
        [0, 1, 2].map(|axis| extent[axis] as f64 / 2.0 + [0.23, -0.31, 0.12][axis] * f64::from(axis < dimension));
    let along = move |at: [f64; 3]| (0..dimension).map(|axis| normal[axis] * (at[axis] - middle[axis])).sum::<f64>();
    let away = move |at: [f64; 3]| {
        let square: f64 = (0..dimension).map(|axis| (at[axis] - middle[axis]).powi(2)).sum();
        (square - along(at).powi(2)).max(0.0).sqrt()
    };
    let paint = |at: [f64; 3]| {
        if away(at) >= width / 2.0 || along(at).abs() > length / 2.0 + 2.0 {
            Site::WALL
        } else if along(at) < -length / 2.0 {
            Site::opening(0)
        } else if along(at) > length / 2.0 {
            Site::opening(1)
        } else {
            Site::FLUID
        }
    };
    let mut made = domain(inside, &[("in", OpeningKind::Velocity), ("out", OpeningKind::Velocity)], paint);
    made.openings[0].normal = Some(normal);
    made.openings[1].normal = Some(normal.map(|n| -n));
    (inside, made)
}

/// Steady flow through a straight vessel, `degrees` from the x axis (in 3-D out of the plane too).
fn vessel(context: &Context, table: &mut Table, dimension: usize, degrees: f64) -> Result<()> {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (width, length, normal, peak, tolerance) = match dimension {
        2 => (20.0, 50.0, [cos, sin, 0.0], 1.5, 0.04),
        _ => (14.0, 28.0, [cos, 0.8 * sin, 0.6 * sin], 2.0, 0.06),
    };
    let speed = 0.01;
    let made = straight(width, length, normal, dimension);
    let lattice = Lattice::build(&made.1)?;
    let [into, out] = [0, 1].map(|k| lattice.openings[k].area);
    let velocity = |u: f64| format!("{} m/s", u);
    let openings = json!({
        "in": { "velocity": velocity(speed), "ramp": "1 ms" },
        "out": { "velocity": velocity(-speed * into / out), "ramp": "1 ms" },
    });
    let (mut flow, _) = planned(context, &made, &config(0.8, &openings), &[])?;
    flow.start_along_x(|_| 0.0)?;
    flow.advance(3000)?;
    let before = flow.came_in()?[0];
    flow.advance(100)?;
    let what = format!("{dimension}-D, {degrees} degrees:");
    let section = if dimension == 2 { width } else { PI * width * width / 4.0 };
    table.relative(format!("{what} area of the section"), section, into, tolerance);
    table.relative(format!("{what} flow rate in"), speed * into, (flow.came_in()?[0] - before) / 100.0, 1e-5);
    let velocities = [0, 1, 2].map(|axis| flow.velocity(axis));
    let [ux, uy, uz] = velocities;
    let (ux, uy, uz) = (ux?, uy?, uz?);
    let middle = [0, 1, 2].map(|axis| made.0.extent[axis] as f64 / 2.0);
    let from = |at: [f64; 3]| (0..dimension).map(|axis| normal[axis] * (at[axis] - middle[axis])).sum::<f64>();
    let most = (0..ux.len())
        .filter(|&n| from(flow.centre[n]).abs() < 3.0)
        .map(|n| ux[n] * normal[0] + uy[n] * normal[1] + uz[n] * normal[2])
        .fold(0.0, f64::max);
    table.relative(format!("{what} peak half-way"), peak * speed * into / section, most, tolerance);
    Ok(())
}

/// An oscillating inflow: a few spacings from the inlet, the profile is that of developed oscillating flow already.
fn womersley(context: &Context, table: &mut Table, period: u64, tau: f64) -> Result<()> {
    let (length, height, speed) = (24, 32, 0.01);
    let (h, nu, omega) = (height as f64, (tau - 0.5) / 3.0, TAU / period as f64);
    // 10 um, 1e-6 m2/s.
    let dt = nu * 1e-4;
    let frequency = format!("{} Hz", 1.0 / (period as f64 * dt));
    let openings = json!({
        "in": {
            "velocity": format!("{} m/s", speed * 1e-5 / dt), "profile": "womersley",
            "waveform": { "sine": { "frequency": frequency, "mean": 0.0, "phase": 90.0 } },
        },
        "out": { "pressure": "0 Pa" },
    });
    let made = open_channel(length, height, [OpeningKind::Velocity, OpeningKind::Pressure]);
    let (mut flow, _) = planned(context, &made, &config(tau, &openings), &[])?;
    let amplitude = |y: f64| speed * exact::channel(h, nu, omega, y) / exact::channel_mean(h, nu, omega);
    let gradient = speed / exact::channel_mean(h, nu, omega);
    flow.start(|at| State { drho: 3.0 * gradient.re * (length as f64 - at[0]), u: [amplitude(at[1]).re, 0.0, 0.0] })?;
    flow.advance(period)?;
    let ours = amplitudes(&mut flow, period, 2)?;
    let largest = (0..height).map(|y| amplitude(y as f64 + 0.5).norm()).fold(0.0, f64::max);
    let alpha = h / 2.0 * (omega / nu).sqrt();
    for x in [0.5, 4.5, 8.5] {
        let nodes: Vec<_> = ours.iter().zip(&flow.centre).filter(|(_, at)| at[0] == x).collect();
        let worst = nodes.iter().map(|(u, at)| (**u - amplitude(at[1])).norm() / largest).fold(0.0, f64::max);
        let what = format!("oscillating inflow, alpha {alpha:.2}, {x} spacings from the inlet:");
        let row = format!("{what} profile, largest deviation / largest");
        // Next to the inlet, its diagonal links take the velocity of their nodes, half a spacing beside themselves.
        if x < 4.0 {
            table.note(row, 0.0, worst);
        } else {
            table.below(row, worst, 2e-2);
        }
        let mean = nodes.iter().map(|(u, _)| **u).sum::<Complex64>() / h;
        table.below(format!("{what} flow rate, |ratio - 1|"), (mean / speed - 1.0).norm(), 1e-2);
    }
    Ok(())
}
