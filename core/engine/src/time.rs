//! How long a run goes on, and in which steps.

use hematite_config::{Fault, Result};
use hematite_units::quantity::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most time steps of a run, far beyond what any machine does.
const MOST_STEPS: f64 = 1e15;

/// How long the run goes on: one of `steps` and `duration`, e.g. {"duration": "20 ms"}.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeConfig {
    /// The time step, e.g. "0.1 us", where nothing in "fluid" fixes it.
    #[serde(default)]
    pub step: Option<Time>,
    /// Number of time steps.
    #[serde(default)]
    pub steps: Option<u64>,
    /// Simulated time, e.g. "20 ms".
    #[serde(default)]
    pub duration: Option<Time>,
}

impl TimeConfig {
    /// Time steps of `dt` seconds.
    ///
    /// # Errors
    /// A usage fault where not exactly one of `steps` and `duration` is there, or a duration has too many steps.
    pub fn steps(&self, dt: f64) -> Result<u64> {
        match (self.steps, self.duration) {
            (Some(steps), None) => Ok(steps),
            (None, Some(duration)) => {
                let steps = (duration.si() / dt).round();
                if (0.0..=MOST_STEPS).contains(&steps) {
                    return Ok(steps as u64);
                }
                Err(Fault::usage(format!(
                    "time.duration {duration} is {steps:.3e} steps of {dt:.3e} s: give 0 to {MOST_STEPS:.0e} steps"
                )))
            }
            _ => Err(Fault::usage("time: give one of \"steps\" and \"duration\"")),
        }
    }
}
