//! Outlets whose pressure follows from the flow through them: resistance, Windkessel.
//!
//! Every [`Outlets::every`] steps the ledger tells how much has gone out on all ranks, as integers; the law of what
//! lies behind the outlet gives the pressure at the end of the next interval, and the pressure goes there linearly.
//! All of it depends on absolute steps and on sums of integers: the same bits on any number of ranks, and after a
//! restart.
//!
//! **Stability.** A pressure that follows the flow with a delay can feed sound in the vessel. What comes along the
//! vessel towards its end is w = p + Z Q, with the impedance of the lattice's fluid Z = rho_0 c_s / A; what p is, goes
//! back. Where p = R Q, p = w R / (R + Z), below w for any R. So it is w that is measured, and p follows from w and
//! the law together, implicitly: the answer of the flow to p, which makes an explicit p = R Q unstable as soon as R >
//! Z, is not delayed. What is delayed is sound that has gone to the other end and back, by 3/2 intervals from the
//! middle of the measurement to the end of the next one. Such sound would be sent back stronger than it came; w is
//! smoothed over a time S much longer than the delay T, so that this is at most by 2 T / S R / (R + Z), which the
//! viscosity of the fluid and its walls damp. Stiff outlets have the shorter intervals. What smoothing and delay hold
//! back of slow flow is made up for by the trend of w over a yet longer time; where R is several times Z the trend is
//! left out, and the pressure lags by some R / Z (S + T), as much as by the compressibility of the fluid in a vessel
//! some 40 spacings long.

mod law;
pub(crate) mod record;

use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};
use hematite_units::{LatticeUnits, groups};

pub(crate) use law::{Law, Storage};

use crate::limits::DENSITY_LIMIT;
use crate::{Fluid, MASS_QUANTUM, Row};
use hematite_engine::waveform::Waveform;

/// Steps from one measurement of the flow to the next.
const EVERY: u64 = 8;
/// The same where the gain of some outlet is more than [`STIFF`] times its impedance.
const EVERY_STIFF: u64 = 2;
const STIFF: f64 = 0.2;
/// Gain over impedance up to which outlets are stable (`validation`, case "outlets").
const STIFFEST: f64 = 100.0;
/// From the middle of a measurement to the end of the next interval, in intervals.
const AHEAD: f64 = 1.5;
/// Steps over which w is smoothed.
const SMOOTHING: f64 = 64.0;
/// Steps over which the trend of w is smoothed.
const MEMORY: f64 = 256.0;
/// Gain over impedance at which half the trend counts; stiffer outlets, which send back nearly all sound, go without.
const TRENDLESS: f64 = 2.0;

/// An outlet as the plan has it.
#[derive(Clone, Debug)]
pub(crate) struct Outlet {
    /// Its name.
    pub name: String,
    /// Its number among the openings.
    pub opening: usize,
    /// What lies behind it.
    pub law: Law,
    /// Its area, lattice units.
    pub area: f64,
    /// By what the pressure is multiplied, as it rises from 0.
    pub ramp: Waveform,
}

impl Outlet {
    /// The rise of the pressure with the flow rate over an interval of so many steps, over the impedance.
    fn stiffness(&self, every: u64) -> f64 {
        self.law.gain(every as f64) / self.impedance()
    }

    /// Refuses resistances beyond what is stable.
    ///
    /// # Errors
    /// A usage fault.
    pub fn check(&self, units: &LatticeUnits) -> Result<()> {
        let stiffness = self.stiffness(EVERY);
        if stiffness <= STIFFEST {
            return Ok(());
        }
        Err(Fault::usage(format!(
            "its resistance to what changes within {EVERY} steps is {stiffness:.3e} times the impedance of the lattice's fluid, \
             density times lattice speed of sound over area; the limit is {STIFFEST}: take smaller resistances, a larger compliance, or \
             a time step of at most {:.3e} s (now {:.3e} s)",
            units.dt * STIFFEST / stiffness,
            units.dt,
        )))
    }

    /// rho_0 c_s / A: what the pressure of a wave into the vessel is to the flow rate in it.
    fn impedance(&self) -> f64 {
        groups::CS2.sqrt() / self.area
    }
}

/// What changes of an outlet, lattice units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OutletState {
    /// Mass that had come in at the last measurement, in units of [`MASS_QUANTUM`].
    pub came_in: i64,
    /// Flow rate out of the domain over the interval before it.
    pub flow: f64,
    /// Pressure in the compliance then.
    pub stored: f64,
    /// Pressures at the outlet then and at the end of the next interval.
    pub pressure: [f64; 2],
    /// w = p + Z Q over the interval before it, smoothed, and its change a step.
    pub wave: [f64; 2],
}

impl OutletState {
    fn begin(outlet: &Outlet, every: u64, dt: f64) -> Self {
        let stored = outlet.law.initial();
        let pressure = [0, every].map(|step| stored * outlet.ramp.at(step as f64 * dt));
        Self { stored, pressure, wave: [pressure[0], 0.0], ..Self::default() }
    }

    /// The state at `step`, an interval of `every` steps on, when `came_in` has come in since step 0.
    fn next(&self, outlet: &Outlet, every: u64, step: u64, came_in: i64, dt: f64) -> Self {
        let (law, z, interval) = (&outlet.law, outlet.impedance(), every as f64);
        let flow = -(came_in.wrapping_sub(self.came_in) as f64) * MASS_QUANTUM / interval;
        let stored = law.after(self.stored, flow, interval);

        let mean = 0.5 * (self.pressure[0] + self.pressure[1]);
        let wave = mean + z * flow;
        let smooth = self.wave[0] + (wave - self.wave[0]) * interval / (interval + SMOOTHING);
        let slope = (smooth - self.wave[0]) / interval;
        let trend = self.wave[1] + (slope - self.wave[1]) * interval / (interval + MEMORY);
        let trusted = 1.0 / (1.0 + (outlet.stiffness(EVERY) / TRENDLESS).powi(2));
        let arriving = smooth + (AHEAD * interval + SMOOTHING) * trusted * trend;

        // p = G Q + p_c without Q, where Q = (w - r p) / Z and the ramp r p is at the outlet.
        let gain = law.gain(interval);
        let ramp = outlet.ramp.at((step + every) as f64 * dt);
        let p = (law.after(stored, 0.0, interval) + gain * arriving / z) / (1.0 + ramp * gain / z);
        Self { came_in, flow, stored, pressure: [self.pressure[1], ramp * p], wave: [smooth, trend] }
    }

    /// The pressure at that share of the interval after the last measurement.
    fn at(&self, share: f64) -> f64 {
        let share = share.min(1.0);
        self.pressure[0] + (self.pressure[1] - self.pressure[0]) * share
    }
}

/// What an outlet is like at a step, SI; in 2-D flow rates are those of a metre of depth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OutletReading {
    /// Pressure at the outlet, Pa.
    pub pressure: f64,
    /// Flow rate out of the domain over the last whole interval, m3/s (m2/s).
    pub flow: f64,
    /// Pressure in the compliance at its end, Pa.
    pub stored: f64,
}

/// The outlets of a run whose pressure follows from the flow, in the order of the openings.
#[derive(Clone, Debug)]
pub struct Outlets {
    list: Vec<(Outlet, OutletState)>,
    every: u64,
    /// Factors of each opening in a row.
    terms: usize,
    units: LatticeUnits,
    dimension: usize,
}

impl Outlets {
    pub(crate) fn new(
        outlets: impl Iterator<Item = Outlet>,
        terms: usize,
        units: LatticeUnits,
        dimension: usize,
    ) -> Self {
        let outlets: Vec<Outlet> = outlets.collect();
        let every = if outlets.iter().any(|outlet| outlet.stiffness(EVERY) > STIFF) { EVERY_STIFF } else { EVERY };
        let begin = |outlet: Outlet| {
            let state = OutletState::begin(&outlet, every, units.dt);
            (outlet, state)
        };
        Self { list: outlets.into_iter().map(begin).collect(), every, terms, units, dimension }
    }

    /// Steps from one measurement of the flow to the next.
    pub fn every(&self) -> u64 {
        self.every
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|(outlet, _)| outlet.name.as_str())
    }

    /// Their states, in this order.
    pub fn states(&self) -> impl Iterator<Item = &OutletState> {
        self.list.iter().map(|(_, state)| state)
    }

    /// What they are like at `step`.
    pub fn readings(&self, step: u64) -> impl Iterator<Item = OutletReading> {
        let stress = self.units.stress();
        self.list.iter().map(move |(_, state)| OutletReading {
            pressure: state.at((step % self.every) as f64 / self.every as f64) * stress,
            flow: state.flow * self.units.flow_rate(self.dimension),
            stored: state.stored * stress,
        })
    }

    /// Steps from `step` to the next measurement.
    pub(crate) fn until_measured(&self, step: u64) -> u64 {
        if self.list.is_empty() { u64::MAX } else { self.every - step % self.every }
    }

    /// `row`, which is prescribed in step `t`, with the density deviations at the outlets; `first` is a step of the same interval.
    pub(crate) fn fill(&self, first: u64, t: u64, mut row: Row) -> Row {
        let measured = first - first % self.every;
        // Populations are at the opening in the middle of a step.
        let share = ((t - measured) as f64 + 0.5) / self.every as f64;
        for (outlet, state) in &self.list {
            row.openings[outlet.opening * self.terms] = state.at(share) / groups::CS2;
        }
        row
    }

    /// Takes the flow of the interval that ends now and finds the pressures at the end of the next. Collective.
    pub(crate) fn measure(&mut self, comm: &dyn Comm, fluid: &Fluid) -> Result<()> {
        let of_openings = agree(comm, fluid.ledger())?;
        let of_outlet = |(outlet, _): &(Outlet, _)| of_openings[outlet.opening].iter().sum::<i64>();
        let mut came_in: Vec<i64> = self.list.iter().map(of_outlet).collect();
        comm.sum(&mut came_in)?;
        let step = fluid.step();
        for ((outlet, state), came_in) in self.list.iter_mut().zip(came_in) {
            *state = state.next(outlet, self.every, step, came_in, self.units.dt);
            let pressure = state.pressure[1];
            if !(pressure / groups::CS2).abs().is_finite() || (pressure / groups::CS2).abs() >= DENSITY_LIMIT {
                return Err(Fault::numerical(format!(
                    "openings.{}: at step {step} the flow rate {:.4e} {} asks for a pressure of {:.4e} Pa, which changes the \
                     lattice density by {:.3}, the limit is {DENSITY_LIMIT}: take smaller resistances, a larger compliance, a \
                     slower inflow, or a shorter time step",
                    outlet.name,
                    state.flow * self.units.flow_rate(self.dimension),
                    if self.dimension == 2 { "m2/s" } else { "m3/s" },
                    pressure * self.units.stress(),
                    pressure / groups::CS2,
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::path::Path;

    use super::*;
    use hematite_engine::waveform::WaveformConfig;

    fn outlet(law: Law) -> Outlet {
        let ramp = Waveform::new(Path::new("."), &WaveformConfig::Constant, None).expect("valid");
        Outlet { name: "out".into(), opening: 0, law, area: 12.0, ramp }
    }

    /// Pressures and flow rates at the end of a tube, which sound crosses and comes back through in `round` steps, a
    /// share of it lost, under an inflow `q(t)` at its other end.
    fn at_a_tube(law: &Law, round: usize, steps: u64, q: impl Fn(u64) -> f64) -> Vec<[f64; 2]> {
        let outlet = outlet(law.clone());
        let z = outlet.impedance();
        let every = if outlet.stiffness(EVERY) > STIFF { EVERY_STIFF } else { EVERY };
        let mut state = OutletState::begin(&outlet, every, 1.0);
        let (mut back, mut came_in, mut found) = (VecDeque::from(vec![0.0; round]), 0_i64, Vec::new());
        for t in 0..steps {
            let p = state.at(((t % every) as f64 + 0.5) / every as f64);
            let arriving = 0.8 * back.pop_front().unwrap_or(0.0) + z * q(t);
            back.push_back(p - arriving);
            let flow = (2.0 * arriving - p) / z;
            came_in -= (flow / MASS_QUANTUM).round() as i64;
            found.push([p, flow]);
            if (t + 1) % every == 0 {
                state = state.next(&outlet, every, t + 1, came_in, 1.0);
            }
        }
        found
    }

    #[test]
    fn soft_and_stiff_resistances_settle_where_the_pressure_is_that_of_the_flow() {
        for stiffness in [0.02, 0.19, 0.21, 1.0, 5.0, 20.0, 100.0] {
            let mut law = Law { proximal: 1.0, storage: None, distal_pressure: 0.003 };
            law.proximal = stiffness * outlet(law.clone()).impedance();
            let found = at_a_tube(&law, 200, 40_000, |_| 0.01);
            let [p, flow] = found[found.len() - 1];
            assert!((p - 0.003 - law.proximal * flow).abs() < 1e-6 * p, "stiffness {stiffness}: {p} {flow}");
            let swing = found[30_000..].iter().map(|now| (now[0] - p).abs()).fold(0.0, f64::max);
            assert!(swing < 1e-6 * p, "stiffness {stiffness}: {swing}");
        }
    }

    #[test]
    fn a_windkessel_follows_its_equation() {
        let storage = Storage { distal: 0.25, compliance: 6000.0, initial: 0.0 };
        let law = Law { proximal: 0.02, storage: Some(storage), distal_pressure: 0.0 };
        let omega = std::f64::consts::TAU / 8000.0;
        let found = at_a_tube(&law, 100, 64_000, |t| 0.01 * (1.0 + 0.5 * (omega * t as f64).sin()));
        let mut p_c = 0.0;
        let mut worst: f64 = 0.0;
        for (t, [p, flow]) in found.into_iter().enumerate() {
            p_c += (flow - p_c / storage.distal) / storage.compliance;
            if t > 32_000 {
                worst = worst.max((p - law.proximal * flow - p_c).abs() / p);
            }
        }
        assert!(worst < 5e-3, "{worst}");
    }
}
