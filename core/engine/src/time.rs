//! The length of a run and its time steps.

use hematite_config::{Fault, Result};
use hematite_dump::Clock;
use hematite_units::quantity::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most time steps of a run, far beyond what any machine can do.
const MOST_STEPS: f64 = 1e15;

/// How long the run goes on: one of `steps` and `duration`, e.g. {"duration": "20 ms"}.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeConfig {
    /// The time step, e.g. "0.1 us", if nothing in "fluid" fixes it. For methods whose step adapts to the state, the
    /// longest.
    #[serde(default)]
    pub step: Option<Time>,
    /// Number of time steps.
    #[serde(default)]
    pub steps: Option<u64>,
    /// Simulated time, e.g. "20 ms": the run ends with the first step at or after it.
    #[serde(default)]
    pub duration: Option<Time>,
}

impl TimeConfig {
    /// The number of time steps of `dt` seconds.
    ///
    /// # Errors
    /// A usage fault unless exactly one of `steps` and `duration` is given, or where a duration has too many steps.
    pub fn steps(&self, dt: f64) -> Result<u64> {
        match (self.steps, self.duration) {
            (Some(steps), None) => Ok(steps),
            (None, Some(duration)) => {
                let steps = duration.si() / dt;
                if (0.0..=MOST_STEPS).contains(&steps) {
                    // As dumps that are due at this time, so that none is due after the end.
                    return Ok(Clock::new(dt).first_at(duration.si()));
                }
                Err(Fault::usage(format!(
                    "time.duration {duration} is {steps:.3e} steps of {dt:.3e} s: give 0 to {MOST_STEPS:.0e} steps"
                )))
            }
            _ => Err(Fault::usage(NOT_ONE)),
        }
    }

    /// Steps and end of a run in steps of `dt` seconds.
    ///
    /// # Errors
    /// Those of [`TimeConfig::steps`].
    pub fn fixed(&self, dt: f64) -> Result<Span> {
        Ok(Span { clock: Clock::new(dt), longest: None, end: End::Step(self.steps(dt)?) })
    }

    /// Steps and end of a run in steps that adapt to the state, the first of `dt` seconds.
    ///
    /// # Errors
    /// A usage fault unless exactly one of `steps` and `duration` is given, or where a time is out of range.
    pub fn adaptive(&self, dt: f64) -> Result<Span> {
        let end = match (self.steps, self.duration) {
            (Some(steps), None) => End::Step(steps),
            (None, Some(duration)) if duration.si() >= 0.0 => End::Time(duration.si()),
            (None, Some(duration)) => return Err(Fault::usage(format!("time.duration {duration} must be 0 or more"))),
            _ => return Err(Fault::usage(NOT_ONE)),
        };
        let longest = self.step.map_or(f64::INFINITY, Time::si);
        if longest <= 0.0 {
            return Err(Fault::usage(format!("time.step {longest:e} s must be above 0")));
        }
        Ok(Span { clock: Clock::new(dt.min(longest)), longest: Some(longest), end })
    }
}

const NOT_ONE: &str = "time: give one of \"steps\" and \"duration\"";

/// The steps and the end of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The times of steps, for steps that adapt to the state up to their first change.
    pub clock: Clock,
    /// The longest step, s, if steps adapt to the state; `None` if they have one length.
    pub longest: Option<f64>,
    /// The end.
    pub end: End,
}

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// After this number of time steps.
    Step(u64),
    /// With the first step at or after this time, s, at which the state can be saved.
    Time(f64),
}

impl End {
    /// The last step, if it is known.
    pub fn step(self) -> Option<u64> {
        match self {
            Self::Step(last) => Some(last),
            Self::Time(_) => None,
        }
    }

    /// The expected last step of a run that has done `step` steps, if the length of steps does not change. A run of
    /// given duration ends where the state can be saved, at a multiple of `period` steps. At the end it is `step`.
    pub fn expected(self, clock: &Clock, step: u64, period: u64) -> u64 {
        match self {
            Self::Step(last) => last,
            Self::Time(time) if clock.has_reached(time, step) && step.is_multiple_of(period) => step,
            Self::Time(time) => clock.first_at(time).max(step).checked_next_multiple_of(period).unwrap_or(u64::MAX),
        }
    }

    /// The share of the run that is done after `step` steps, 1 at its end.
    pub fn share(self, clock: &Clock, step: u64) -> f64 {
        match self {
            Self::Step(last) => step as f64 / last.max(1) as f64,
            Self::Time(time) if clock.has_reached(time, step) => 1.0,
            Self::Time(time) => clock.at(step) / time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_ends_with_the_first_step_at_or_after_it() {
        let steps = |duration: &str| {
            let time: TimeConfig = serde_json::from_value(serde_json::json!({ "duration": duration })).expect("parses");
            time.steps(1e-3)
        };
        for (duration, wanted) in [("0 s", 0), ("1 s", 1000), ("1000.4 ms", 1001), ("1000.6 ms", 1001), ("0.3 s", 300)]
        {
            assert_eq!(steps(duration).expect("steps"), wanted, "{duration}");
        }
        assert!(steps("-1 ms").expect_err("before the start").message.contains("time.duration"));
        assert!(steps("1e30 s").expect_err("too long").message.contains("time.duration"));
    }
}
