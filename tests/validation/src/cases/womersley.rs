//! Womersley flow: a force `G cos(omega t)` in a channel, a round pipe and a duct, amplitude and phase against the
//! exact solutions.

use std::f64::consts::{PI, TAU};

use hematite_config::Result;
use hematite_geometry::Domain;
use num_complex::Complex64;
use physics_lattice_boltzmann::Row;

use crate::domain::{duct, periodic_channel, pipe};
use crate::order::order;
use crate::{Context, Flow, FluidNumbers, Inside, Table, exact};

/// Samples of a period.
const SAMPLES: u64 = 32;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("womersley");
    let mut errors = Vec::new();
    for (height, period) in [(10, 96), (20, 384), (40, 1536)] {
        let numbers = FluidNumbers::trt(0.8);
        let (h, nu, omega) = (height as f64, numbers.nu(), TAU / period as f64);
        let exact = move |at: [f64; 3]| exact::channel(h, nu, omega, at[1]);
        let found = oscillate(context, &periodic_channel(2, height), &numbers, period, exact)?;
        let alpha = h / 2.0 * (omega / nu).sqrt();
        let what = format!("channel H {height}, alpha {alpha:.2}, period {period}:");
        found.report(&mut table, &what, 2e-3 * (20.0 / h).powi(2));
        errors.push((h, found.largest));
    }
    table.absolute("channel: order over H 10, 20, 40 of the largest deviation", 2.0, order(&errors), 0.2);

    for tau in [0.6, 1.1, 2.0] {
        let numbers = FluidNumbers::trt(tau);
        let (h, nu) = (20.0, numbers.nu());
        let period = (TAU * h * h / (64.0 * nu) / SAMPLES as f64).round() as u64 * SAMPLES;
        let omega = TAU / period as f64;
        let exact = move |at: [f64; 3]| exact::channel(h, nu, omega, at[1]);
        let found = oscillate(context, &periodic_channel(2, 20), &numbers, period, exact)?;
        let what = format!("channel H 20, alpha 4, tau {tau}, period {period}:");
        found.report(&mut table, &what, 0.5 * omega);
    }

    let numbers = FluidNumbers::trt(0.8);
    let (nu, period) = (numbers.nu(), 384);
    let omega = TAU / period as f64;
    let exact = move |at: [f64; 3]| exact::duct(20.0, 20.0, nu, omega, at[1], at[2]);
    let found = oscillate(context, &duct(20, 20), &numbers, period, exact)?;
    found.report(&mut table, "duct 20 x 20, alpha 4:", 2e-3);
    if !context.quick {
        let exact = move |at: [f64; 3]| exact::duct(20.0, 40.0, nu, omega, at[1], at[2]);
        let found = oscillate(context, &duct(20, 40), &numbers, period, exact)?;
        found.report(&mut table, "duct 20 x 40, alpha 4:", 2e-3);
    }

    for (diameter, period) in [(20, 384), (40, 1536)] {
        let omega = TAU / period as f64;
        let made = pipe(diameter);
        let nodes = made.1.report.fluid as f64;
        let radius = (nodes / PI).sqrt();
        let middle = diameter as f64 / 2.0;
        let exact = move |at: [f64; 3]| {
            let r = (at[1] - middle).hypot(at[2] - middle);
            if r < radius { exact::pipe(radius, nu, omega, r) } else { Complex64::ZERO }
        };
        let found = oscillate(context, &made, &numbers, period, exact)?;
        let what = format!("pipe D {diameter}, alpha {:.2}:", radius * (omega / nu).sqrt());
        found.report(&mut table, &what, 0.6 / diameter as f64);
    }
    Ok(table)
}

/// What an oscillating force of unit amplitude makes.
struct Found {
    /// Complex amplitude of the flow rate over the exact one.
    ratio: Complex64,
    /// Largest deviation from the exact amplitude over its largest value.
    largest: f64,
    /// The same, root of the mean square.
    typical: f64,
    omega: f64,
}

impl Found {
    fn report(&self, table: &mut Table, what: &str, tolerance: f64) {
        let ratio = self.ratio;
        table.absolute(format!("{what} flow rate, amplitude ratio"), 1.0, ratio.norm(), tolerance);
        table.below(format!("{what} flow rate, phase (rad)"), ratio.arg().abs(), tolerance);
        table.note(format!("{what} flow rate, phase in steps"), 0.0, ratio.arg() / self.omega);
        table.below(format!("{what} profile, rms deviation / largest"), self.typical, tolerance);
        table.note(format!("{what} profile, largest deviation / largest"), 0.0, self.largest);
    }
}

fn oscillate(
    context: &Context,
    made: &(Inside, Domain),
    numbers: &FluidNumbers,
    period: u64,
    exact: impl Fn([f64; 3]) -> Complex64,
) -> Result<Found> {
    let omega = TAU / period as f64;
    let force = 0.02 * omega;
    let row = move |t: u64| Row { force: [force * (omega * t as f64).cos(), 0.0, 0.0], openings: Vec::new() };
    let mut flow = Flow::new(context, made, numbers, row)?;
    flow.start_along_x(|at| force * exact(at).re)?;
    let ours = amplitudes(&mut flow, period, 4)?;
    let expected: Vec<Complex64> = flow.centre.iter().map(|&at| force * exact(at)).collect();
    let scale = expected.iter().map(|u| u.norm()).fold(0.0, f64::max);
    let deviations: Vec<f64> = ours.iter().zip(&expected).map(|(a, b)| (a - b).norm() / scale).collect();
    let squares: f64 = deviations.iter().map(|d| d * d).sum();
    Ok(Found {
        ratio: ours.iter().sum::<Complex64>() / expected.iter().sum::<Complex64>(),
        largest: deviations.iter().copied().fold(0.0, f64::max),
        typical: (squares / deviations.len() as f64).sqrt(),
        omega,
    })
}

/// Complex amplitude of the velocity along x at all nodes, of `cos(omega t)`, in the last of `periods` periods.
pub(super) fn amplitudes(flow: &mut Flow, period: u64, periods: u64) -> Result<Vec<Complex64>> {
    flow.advance(period * (periods - 1))?;
    amplitudes_of(flow, period, |flow| flow.velocity(0))
}

/// Complex amplitude of what `take` gives at all nodes, of `cos(omega t)`, in the next period.
pub(super) fn amplitudes_of(
    flow: &mut Flow,
    period: u64,
    take: impl Fn(&mut Flow) -> Result<Vec<f64>>,
) -> Result<Vec<Complex64>> {
    let mut sums = vec![Complex64::ZERO; flow.centre.len()];
    for sample in 0..SAMPLES {
        let turn = Complex64::from_polar(2.0 / SAMPLES as f64, -TAU * sample as f64 / SAMPLES as f64);
        for (sum, value) in sums.iter_mut().zip(take(flow)?) {
            *sum += turn * value;
        }
        flow.advance(period / SAMPLES)?;
    }
    Ok(sums)
}
