//! Whether openings that all prescribe velocities fill or empty the vessel: nothing holds its density then.

use crate::conditions::{Condition, Value};

/// Above this share of the density at rest, a change is told.
const CHANGE: f64 = 0.01;
/// Moments at which flow rates are added up.
const MOMENTS: usize = 1024;

/// What to say where more goes in than out, or less, of `volume` during a run of `steps` time steps of `dt` s.
pub fn advice(conditions: &[Condition], steps: u64, dt: f64, volume: f64) -> Option<String> {
    let [into, out] = exchanged(conditions, steps, dt)?;
    let change = (into - out) / volume;
    let how = if change > 0.0 { "rises" } else { "falls" };
    (change.abs() > CHANGE).then(|| {
        format!(
            "all openings prescribe velocities, and together they let in {into:.3e} and out {out:.3e} lattice volumes until the \
             end of the run: the density {how} by {:.1} %; make one of kind \"pressure\" in the case, or the flow rates equal",
            100.0 * change.abs()
        )
    })
}

/// The volumes that openings let in and out, cubic spacings (2-D: square spacings); `None` unless each prescribes a
/// flow rate.
fn exchanged(conditions: &[Condition], steps: u64, dt: f64) -> Option<[f64; 2]> {
    let has_rate = |c: &Condition| matches!(c.value, Value::Developed(_) | Value::Uniform(_) | Value::Womersley(_));
    if !conditions.iter().all(has_rate) {
        return None;
    }
    let each = steps as f64 / MOMENTS as f64;
    let mut volumes = [0.0, 0.0];
    for moment in (0..MOMENTS).map(|k| (k as f64 + 0.5) * each * dt) {
        for condition in conditions {
            let rate = condition.inflow * condition.waveform.at(moment);
            volumes[usize::from(rate < 0.0)] += rate.abs() * each;
        }
    }
    Some(volumes)
}
