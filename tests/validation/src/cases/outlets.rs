//! Outlets whose pressure follows from the flow through them, and one that lets out a share of what comes in.

use std::f64::consts::TAU;

use hematite_config::Result;
use hematite_geometry::{Domain, OpeningKind};
use num_complex::Complex64;
use physics_lattice_boltzmann::{OutletReading, Outlets};
use serde_json::{Value, json};

use crate::domain::{forked_channel, open_channel};
use crate::planned::planned;
use crate::{Context, Flow, Inside, Table, exact};

/// Lattice spacing and time step in metres and seconds, pascals for one lattice unit of pressure: `config`'s.
const DX: f64 = 1e-5;
const DT: f64 = 1e-5;
const STRESS: f64 = 1000.0;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("outlets");
    let stiffness: &[f64] = if context.quick { &[0.3, 10.0] } else { &[0.1, 0.3, 1.0, 3.0, 10.0, 30.0] };
    for &stiffness in stiffness {
        resistance(context, &mut table, stiffness)?;
    }
    windkessel(context, &mut table, "two elements", 0.0, 4000)?;
    windkessel(context, &mut table, "three elements", 0.02, 8000)?;
    if !context.quick {
        windkessel(context, &mut table, "three elements, stiff", 0.05, 16000)?;
    }
    fork(context, &mut table)?;
    share(context, &mut table)?;
    Ok(table)
}

/// Water on a lattice of 10 um: tau 0.8 makes the time step 10 us, nu 0.1 and a velocity of 1 a metre a second.
fn start(context: &Context, made: &(Inside, Domain), openings: &Value) -> Result<(Flow, Outlets)> {
    let config = json!({
        "fluid": { "lattice_boltzmann": { "density": "1000 kg/m3", "viscosity": "1 mPa s", "precision": "f64", "tau": 0.8 } },
        "time": { "steps": 1 },
        "openings": openings,
    });
    let (mut flow, plan) = planned(context, made, &config, &[])?;
    flow.start_along_x(|_| 0.0)?;
    Ok((flow, plan.outlets()))
}

/// A resistance in lattice units as a config has it.
fn in_si(resistance: f64) -> String {
    format!("{} Pa s/m2", resistance * STRESS * DT / (DX * DX))
}

fn velocity(speed: f64) -> String {
    format!("{} m/s", speed * DX / DT)
}

/// What the outlets are like after each interval of so many steps.
fn readings(flow: &mut Flow, outlets: &mut Outlets, steps: u64) -> Result<Vec<Vec<OutletReading>>> {
    let mut readings = Vec::new();
    for _ in 0..steps / outlets.every() {
        flow.advance_with_outlets(outlets, outlets.every())?;
        readings.push(outlets.readings(flow.step()).collect());
    }
    Ok(readings)
}

/// Steady flow through a resistance, `stiffness` times the impedance rho_0 c_s / A of the outlet; beyond 1, a pressure
/// that followed the last flow measured would grow from side to side.
fn resistance(context: &Context, table: &mut Table, stiffness: f64) -> Result<()> {
    let (length, height) = (40, 12);
    let r = stiffness / 3.0_f64.sqrt() / height as f64;
    // A pressure of 0.005, and no more than a speed of 0.01.
    let speed = (0.005 / (r * height as f64)).min(0.01);
    let made = open_channel(length, height, [OpeningKind::Velocity, OpeningKind::Pressure]);
    let openings = json!({
        "in": { "velocity": velocity(speed), "ramp": "2 ms" },
        "out": { "resistance": in_si(r), "distal_pressure": "2 Pa" },
    });
    let (mut flow, mut outlets) = start(context, &made, &openings)?;
    // Several times R C, where the fluid's own compliance is V / c_s^2, and what the outlet's smoothing adds.
    let settling = r * (length * height) as f64 * 3.0 + 70.0 * stiffness;
    flow.advance_with_outlets(&mut outlets, 2000 + (12.0 * settling) as u64)?;
    let last = readings(&mut flow, &mut outlets, 400)?;
    let what = format!("resistance {stiffness} rho c / A:");
    let rate = speed * height as f64 * DX * DX / DT;
    let end = last[last.len() - 1][0];
    table.relative(format!("{what} flow rate out (m2/s)"), rate, end.flow, 1e-4);
    let law = |reading: &OutletReading| 2.0 + r * STRESS * DT / (DX * DX) * reading.flow;
    table.relative(format!("{what} pressure (Pa)"), law(&end), end.pressure, 1e-4);
    let swing = last.iter().map(|now| (now[0].pressure - end.pressure).abs()).fold(0.0, f64::max);
    table.below(format!("{what} pressure, swing over 400 steps / pressure"), swing / end.pressure, 1e-4);
    Ok(())
}

/// An inflow that oscillates around a mean: pressure over flow rate at the outlet is R_1 + R_2 / (1 + i omega R_2 C).
fn windkessel(context: &Context, table: &mut Table, what: &str, proximal: f64, period: u64) -> Result<()> {
    let (length, height, speed) = (32, 10, 0.004);
    let (distal, compliance) = (0.25, 1200.0 * period as f64 / 2000.0);
    let made = open_channel(length, height, [OpeningKind::Velocity, OpeningKind::Pressure]);
    let frequency = format!("{} Hz", 1.0 / (period as f64 * DT));
    let openings = json!({
        "in": { "velocity": velocity(speed), "waveform": { "sine": { "frequency": frequency, "mean": 1.0, "amplitude": 0.8 } } },
        "out": { "windkessel": {
            "proximal": in_si(proximal), "distal": in_si(distal), "initial": format!("{} Pa", 0.009 * STRESS),
            "compliance": format!("{} m2/Pa", compliance * DX * DX / STRESS), "distal_pressure": "1 Pa",
        } },
    });
    let (mut flow, mut outlets) = start(context, &made, &openings)?;
    flow.advance_with_outlets(&mut outlets, 2 * period)?;
    let beat = readings(&mut flow, &mut outlets, period)?;
    let pressure: Vec<f64> = beat.iter().map(|now| (now[0].pressure - 1.0) / STRESS).collect();
    let rate: Vec<f64> = beat.iter().map(|now| now[0].flow * DT / (DX * DX)).collect();
    let what = format!("Windkessel of {what}, period {period}:");
    let inflow = speed * height as f64;
    table.relative(format!("{what} mean flow rate out"), inflow, exact::harmonic(&rate, 0).re, 1e-3);
    let mean = exact::harmonic(&pressure, 0).re;
    table.relative(format!("{what} mean pressure"), (proximal + distal) * inflow, mean, 1e-2);
    let omega = TAU / period as f64;
    let law = proximal + distal / Complex64::new(1.0, omega * distal * compliance);
    // The flow rate is that over the interval before the pressure.
    let lag = Complex64::from_polar(1.0, omega * outlets.every() as f64 / 2.0);
    let ours = exact::harmonic(&pressure, 1) / (exact::harmonic(&rate, 1) * lag);
    table.relative(format!("{what} pressure over flow rate, amplitude"), law.norm(), ours.norm(), 1e-2);
    table.below(format!("{what} pressure over flow rate, phase (rad)"), (ours / law).arg().abs(), 1e-2);
    Ok(())
}

/// Two resistances at the ends of a forked channel share the flow with the branches' own.
fn fork(context: &Context, table: &mut Table) -> Result<()> {
    let made = forked_channel([48, 22], [10, 2], [OpeningKind::Pressure; 2]);
    // Branches of the same size: the shares follow from R and the branches' own resistance, from the fork to the end.
    let openings = json!({
        "in": { "velocity": velocity(0.004), "ramp": "2 ms" },
        "low": { "resistance": in_si(0.4) },
        "high": { "resistance": in_si(0.1) },
    });
    let (mut flow, mut outlets) = start(context, &made, &openings)?;
    flow.advance_with_outlets(&mut outlets, 12000)?;
    let now: Vec<OutletReading> = outlets.readings(flow.step()).collect();
    let unit = STRESS * DT / (DX * DX);
    for (reading, (name, r)) in now.iter().zip([("low", 0.4), ("high", 0.1)]) {
        table.relative(
            format!("fork, {name}: pressure / (R Q)"),
            1.0,
            reading.pressure / (r * unit * reading.flow),
            1e-3,
        );
    }
    let rate = 0.004 * 22.0 * DX * DX / DT;
    table.relative("fork: sum of flow rates out", rate, now[0].flow + now[1].flow, 1e-3);
    // 12 mu L / h^3 of a branch, L from about the fork's edge on.
    let branch = |length: f64| 12.0 * 0.1 * length / 1000.0;
    let expected = (0.1 + branch(24.0)) / (0.5 + 2.0 * branch(24.0));
    table.note("fork: share of the larger resistance", expected, now[0].flow / rate);
    Ok(())
}

/// A share of an oscillating inflow that is prescribed, the rest through a pressure opening.
fn share(context: &Context, table: &mut Table) -> Result<()> {
    let made = forked_channel([48, 22], [10, 2], [OpeningKind::Velocity, OpeningKind::Pressure]);
    let period = 2000;
    let frequency = format!("{} Hz", 1.0 / (period as f64 * DT));
    let openings = json!({
        "in": { "velocity": velocity(0.004), "waveform": { "sine": { "frequency": frequency, "mean": 1.0, "amplitude": 0.5 } } },
        "low": { "split": 0.3 },
        "high": { "pressure": "0 Pa" },
    });
    let (mut flow, mut outlets) = start(context, &made, &openings)?;
    flow.advance_with_outlets(&mut outlets, 3 * period)?;
    let before = flow.came_in()?;
    flow.advance_with_outlets(&mut outlets, period / 4)?;
    let quarter = flow.came_in()?;
    flow.advance_with_outlets(&mut outlets, 3 * period / 4)?;
    let after = flow.came_in()?;
    let out = |from: &[f64], to: &[f64], k: usize| -(to[k] - from[k]) / (to[0] - from[0]);
    table.relative("share of 0.3: of what comes in over a period", 0.3, out(&before, &after, 1), 1e-2);
    table.relative("share of 0.3: of what comes in over a quarter", 0.3, out(&before, &quarter, 1), 1e-2);
    table.relative("share of 0.3: the rest over a period", 0.7, out(&before, &after, 2), 1e-2);
    Ok(())
}
