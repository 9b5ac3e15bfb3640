//! Waveforms as a run's config prescribes them: of a force in channel, duct and pipe, of a velocity opening, and of
//! pressure openings.

use std::f64::consts::{PI, TAU};

use hematite_config::Result;
use hematite_geometry::{Domain, OpeningKind};
use num_complex::Complex64;
use physics_lattice_boltzmann::Moment;
use physics_lattice_boltzmann::equilibrium::State;
use serde_json::{Value, json};

use super::womersley::{amplitudes, amplitudes_of};
use crate::domain::{duct, open_channel, periodic_channel, pipe};
use crate::planned::planned;
use crate::{Context, Flow, Inside, Table, exact};

/// A beat, at equal times; straight lines between.
const PULSE: [f64; 20] = [
    0.30, 0.34, 0.62, 1.00, 0.96, 0.80, 0.66, 0.50, 0.30, 0.22, 0.34, 0.40, 0.38, 0.36, 0.34, 0.32, 0.31, 0.30, 0.30,
    0.30,
];
/// Harmonics of it that references hold.
const HARMONICS: usize = 24;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("pulsatile");
    let (nu, omega) = (0.1, TAU / 640.0);
    let channel = |k: f64, at: [f64; 3]| exact::channel(20.0, nu, k * omega, at[1]);
    force(context, &mut table, "channel H 20", &periodic_channel(2, 20), channel, 2e-3)?;
    let rectangle = |k: f64, at: [f64; 3]| exact::duct(16.0, 16.0, nu, k * omega, at[1], at[2]);
    force(context, &mut table, "duct 16 x 16", &duct(16, 16), rectangle, 4e-3)?;
    let made = pipe(20);
    let radius = (made.1.report.fluid as f64 / PI).sqrt();
    let round =
        |k: f64, at: [f64; 3]| exact::pipe(radius, nu, k * omega, (at[1] - 10.0).hypot(at[2] - 10.0).min(radius));
    if !context.quick {
        force(context, &mut table, "pipe D 20", &made, round, 3e-2)?;
    }

    velocity_opening(context, &mut table)?;
    pressure_openings(context, &mut table)?;
    Ok(table)
}

fn pulse(phase: f64) -> f64 {
    let at = phase.rem_euclid(1.0) * PULSE.len() as f64;
    let (row, share) = (at as usize % PULSE.len(), at.fract());
    PULSE[row] * (1.0 - share) + PULSE[(row + 1) % PULSE.len()] * share
}

/// The beat as a table of a period in microseconds.
fn pulse_table(period: f64) -> (&'static str, String) {
    let rows =
        PULSE.iter().enumerate().map(|(k, factor)| format!("{},{factor}\n", k as f64 * period / PULSE.len() as f64));
    ("pulse.csv", format!("time [us],factor\n{}", rows.collect::<String>()))
}

fn waveform(period: f64) -> Value {
    json!({ "table": { "file": "pulse.csv", "period": format!("{period} us") } })
}

/// Water on a lattice of 10 um: tau 0.8 makes the time step 10 us, nu 0.1 and a velocity of 1 a metre a second.
fn config(tau: f64, rest: &[(&str, Value)]) -> Value {
    let mut config = json!({
        "fluid": { "lattice_boltzmann": { "density": "1000 kg/m3", "viscosity": "1 mPa s", "precision": "f64", "tau": tau } },
        "time": { "steps": 1 },
    });
    for (key, value) in rest {
        config[*key] = value.clone();
    }
    config
}

/// A force along x with the beat, 640 steps long.
fn force(
    context: &Context,
    table: &mut Table,
    what: &str,
    made: &(Inside, Domain),
    exact: impl Fn(f64, [f64; 3]) -> Complex64,
    tolerance: f64,
) -> Result<()> {
    let (strength, period) = (4e-5, 640);
    let mut components = vec!["4000 Pa/m", "0 Pa/m", "0 Pa/m"];
    components.truncate(made.0.dimension());
    let drive = json!({ "force": components, "waveform": waveform(6400.0) });
    let (mut flow, _) = planned(context, made, &config(0.8, &[("drive", drive)]), &[pulse_table(6400.0)])?;
    let factors = exact::harmonics_of(pulse, HARMONICS);
    flow.start_along_x(|at| {
        let harmonics = factors.iter().take(8).enumerate();
        harmonics.map(|(k, c)| (strength * c * exact(k as f64, at)).re).sum()
    })?;
    flow.advance(4 * period)?;
    let mean = |k: f64| flow.centre.iter().map(|&at| exact(k, at)).sum::<Complex64>() / flow.centre.len() as f64;
    let rate: Vec<Complex64> = factors.iter().enumerate().map(|(k, c)| strength * c * mean(k as f64)).collect();
    let reference = |phase: f64| -> f64 {
        rate.iter().enumerate().map(|(k, q)| (q * Complex64::from_polar(1.0, TAU * k as f64 * phase)).re).sum()
    };
    let samples = sample(&mut flow, period, 64, |u, _| Some(u))?;
    report(table, &format!("force, {what}: mean velocity"), &samples, reference, tolerance);
    Ok(())
}

/// Mean of `take(u along x, centre)` over nodes, at `count` equal times of a period.
fn sample(flow: &mut Flow, period: u64, count: u64, take: impl Fn(f64, [f64; 3]) -> Option<f64>) -> Result<Vec<f64>> {
    let mut samples = Vec::new();
    for _ in 0..count {
        let u = flow.velocity(0)?;
        let taken: Vec<f64> = u.iter().zip(&flow.centre).filter_map(|(u, at)| take(*u, *at)).collect();
        samples.push(taken.iter().sum::<f64>() / taken.len() as f64);
        flow.advance(period / count)?;
    }
    Ok(samples)
}

fn report(table: &mut Table, what: &str, samples: &[f64], reference: impl Fn(f64) -> f64, tolerance: f64) {
    let expected: Vec<f64> = (0..samples.len()).map(|j| reference(j as f64 / samples.len() as f64)).collect();
    let largest = expected.iter().fold(0.0, |most: f64, q| most.max(q.abs()));
    let worst = samples.iter().zip(&expected).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
    table.below(format!("{what} at all times, largest deviation / largest"), worst / largest, tolerance);
    for k in 0..4 {
        let (ours, exact) = (exact::harmonic(samples, k), exact::harmonic(&expected, k));
        table.note(format!("{what}, harmonic {k}: amplitude ratio"), 1.0, ours.norm() / exact.norm());
        if k > 0 {
            table.note(format!("{what}, harmonic {k}: phase (rad)"), 0.0, (ours / exact).arg());
        }
    }
}

/// A velocity opening with the beat, 8192 steps long. Sound crosses the channel in 42 steps, and the kinks of the beat make
/// some; the slow pressure stores mass, which delays the flow half-way by `3 (3/8) (12 nu / H^2) L^2`, 3 steps.
fn velocity_opening(context: &Context, table: &mut Table) -> Result<()> {
    let (length, height, period, speed) = (24, 16, 8192, 0.02);
    let kinds = [OpeningKind::Velocity, OpeningKind::Pressure];
    let duration = period as f64 * 10.0;
    let openings = json!({
        "in": { "velocity": "20 mm/s", "waveform": waveform(duration) },
        "out": { "pressure": "0 Pa" },
    });
    let made = open_channel(length, height, kinds);
    let (mut flow, _) = planned(context, &made, &config(0.8, &[("openings", openings)]), &[pulse_table(duration)])?;
    let h = height as f64;
    let parabola = |y: f64| 6.0 * speed * PULSE[0] * y * (h - y) / (h * h);
    let slope = 12.0 * 0.1 * speed * PULSE[0] / (h * h);
    let l = length as f64;
    flow.start(|at| State { drho: 3.0 * slope * (l - at[0]), u: [parabola(at[1]), 0.0, 0.0] })?;
    flow.advance(period)?;
    let before = flow.came_in()?[0];
    let middle = |u: f64, at: [f64; 3]| (at[0] == l / 2.0 + 0.5).then_some(u);
    let samples = sample(&mut flow, period, 128, middle)?;
    let reference = |phase: f64| speed * pulse(phase);
    report(table, "velocity opening: flow rate half-way", &samples, reference, 4e-2);
    for k in 1..4 {
        let expected: Vec<f64> = (0..128).map(|j| reference(j as f64 / 128.0)).collect();
        let ratio = exact::harmonic(&samples, k) / exact::harmonic(&expected, k);
        table.below(
            format!("velocity opening: flow rate half-way, harmonic {k}, |ratio - 1|"),
            (ratio - 1.0).norm(),
            1e-2,
        );
    }
    let total = speed * h * period as f64 * exact::harmonics_of(pulse, 1)[0].re;
    table.relative("velocity opening: mass in over a period", total, flow.came_in()?[0] - before, 1e-4);

    // The profile half-way is that of oscillating flow at the given flow rate.
    let ours = amplitudes(&mut flow, period, 1)?;
    let omega = TAU / period as f64;
    let rate = speed * exact::harmonics_of(pulse, 2)[1];
    let amplitude = |y: f64| rate * exact::channel(h, 0.1, omega, y) / exact::channel_mean(h, 0.1, omega);
    let nodes = ours.iter().zip(&flow.centre).filter(|(_, at)| at[0] == l / 2.0 + 0.5);
    let worst = nodes.map(|(u, at)| (u - amplitude(at[1])).norm() / amplitude(h / 2.0).norm()).fold(0.0, f64::max);
    table.below("velocity opening: profile half-way, harmonic 1, largest deviation / largest", worst, 2e-2);
    Ok(())
}

/// A pressure that oscillates at one end: Womersley flow under the pressure difference over the `L` nodes along the
/// channel. What is left is sound, which crosses the channel in `sqrt(3) L` steps, and grows with `L` and the frequency.
fn pressure_openings(context: &Context, table: &mut Table) -> Result<()> {
    const PERIOD: u64 = 4096;
    let omega = TAU / PERIOD as f64;
    let all = [(32, 16, 1.0), (64, 16, 2.0), (32, 32, 8.0), (32, 16, 2.0), (16, 32, 4.0), (32, 32, 4.0), (64, 32, 4.0)];
    for &(length, height, alpha) in if context.quick { &all[..3] } else { &all } {
        let (l, h) = (length as f64, height as f64);
        let nu = omega * (h / 2.0 / alpha).powi(2);
        let tau = 0.5 + 3.0 * nu;
        // One lattice unit of stress is 1000 kg/m3 (dx / dt)^2.
        let dt = nu * 1e-10 / 1e-6;
        let stress = 1000.0 * (1e-10 / (dt * dt));
        let gradient = 0.02 * omega;
        let frequency = format!("{} Hz", 1.0 / (PERIOD as f64 * dt));
        let openings = json!({
            "in": {
                "pressure": format!("{} Pa", gradient * l * stress),
                "waveform": { "sine": { "frequency": frequency, "mean": 0.0, "phase": 90.0 } },
            },
            "out": { "pressure": "0 Pa" },
        });
        let made = open_channel(length, height, [OpeningKind::Pressure; 2]);
        let (mut flow, _) = planned(context, &made, &config(tau, &[("openings", openings)]), &[])?;
        let exact = |y: f64| gradient * exact::channel(h, nu, omega, y);
        flow.start(|at| State { drho: 3.0 * gradient * (l - at[0]), u: [exact(at[1]).re, 0.0, 0.0] })?;
        let ours = amplitudes(&mut flow, PERIOD, 4)?;
        let nodes: Vec<_> = ours.iter().zip(&flow.centre).filter(|(_, at)| at[0] == l / 2.0 + 0.5).collect();
        let mean = nodes.iter().map(|(u, _)| **u).sum::<Complex64>() / h;
        let ratio = mean / (gradient * exact::channel_mean(h, nu, omega));
        let largest = exact(h / 2.0).norm();
        let worst = nodes.iter().map(|(u, at)| (**u - exact(at[1])).norm() / largest).fold(0.0, f64::max);
        let what = format!("pressure openings L {length}, H {height}, alpha {alpha}:");
        table.absolute(format!("{what} flow rate, amplitude ratio"), 1.0, ratio.norm(), 5e-3);
        table.below(format!("{what} flow rate, phase (rad)"), ratio.arg().abs(), 5e-3);
        table.below(format!("{what} profile half-way, largest deviation / largest"), worst, 1e-2);
        let drhos = amplitudes_of(&mut flow, PERIOD, |flow| flow.moment(Moment::Density))?;
        let off = drhos.iter().zip(&flow.centre).map(|(drho, at)| (drho - 3.0 * gradient * (l - at[0])).norm());
        let off = off.fold(0.0, f64::max) / (3.0 * gradient * l);
        table.below(format!("{what} p(x) off the line at any node / dp"), off, 5e-3);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beat_passes_through_its_table_and_its_harmonics_make_it_up() {
        assert_eq!(pulse(3.0 / 20.0), 1.0);
        assert!((pulse(1.0 + 0.025) - 0.32).abs() < 1e-12);
        let harmonics = exact::harmonics_of(pulse, 200);
        let sum: f64 =
            harmonics.iter().enumerate().map(|(k, c)| (c * Complex64::from_polar(1.0, TAU * k as f64 * 0.3)).re).sum();
        assert!((sum - pulse(0.3)).abs() < 2e-3, "{sum}");
    }
}
