//! The times of a run's steps.

use serde::{Deserialize, Serialize};

use crate::DumpStep;

/// Share of a time step by which a time may be early, for rounding.
const SLACK: f64 = 1e-6;

/// When each time step of a run ends. Steps have the same length from one renewal to the next. Time 0 is the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    /// Steps done at the last renewal.
    since: u64,
    /// Time at the last renewal, s.
    time_s: f64,
    /// Length of each step since the last renewal, s.
    dt_s: f64,
    /// The longest step that the state at the last renewal allowed, s, for the next renewal.
    #[serde(default)]
    allowed_s: Option<f64>,
}

impl Clock {
    /// A clock with steps of `dt` seconds.
    pub fn new(dt: f64) -> Self {
        Self { since: 0, time_s: 0.0, dt_s: dt, allowed_s: None }
    }

    /// The time after `step` steps, s. `step` must not be before the last renewal.
    pub fn at(&self, step: u64) -> f64 {
        self.time_s + (step - self.since) as f64 * self.dt_s
    }

    /// Length of a step, s.
    pub fn dt(&self) -> f64 {
        self.dt_s
    }

    /// Makes the steps after step `step` `dt` seconds long.
    pub fn renew(&mut self, step: u64, dt: f64) {
        *self = Self { since: step, time_s: self.at(step), dt_s: dt, allowed_s: None };
    }

    /// The longest step that the state at the last renewal allowed, s, if it is known.
    pub fn allowed(&self) -> Option<f64> {
        self.allowed_s
    }

    /// Sets the longest step, s, that the state at the last renewal allowed.
    pub fn allow(&mut self, longest: f64) {
        self.allowed_s = Some(longest);
    }

    /// Step and time after `step` steps.
    pub fn moment(&self, step: u64) -> DumpStep {
        DumpStep { step, time: self.at(step) }
    }

    /// Whether `time`, s, is reached after `step` steps.
    pub fn has_reached(&self, time: f64, step: u64) -> bool {
        self.at(step) + SLACK * self.dt_s >= time
    }

    /// The first step since the last renewal after which `time`, s, is reached, if the length of steps does not change.
    pub fn first_at(&self, time: f64) -> u64 {
        // The rounding error of the quotient is less than a step.
        let mut step = self.since.saturating_add(((time - self.time_s) / self.dt_s).floor() as u64);
        while step > self.since && self.has_reached(time, step - 1) {
            step -= 1;
        }
        while !self.has_reached(time, step) && step < u64::MAX {
            step += 1;
        }
        step
    }

    /// How many whole periods of `period` seconds have passed after `step` steps.
    pub fn periods(&self, period: f64, step: u64) -> f64 {
        ((self.at(step) + SLACK * self.dt_s) / period).floor()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_follow_the_steps() {
        let mut clock = Clock::new(0.5);
        assert_eq!((clock.at(0), clock.at(7)), (0.0, 3.5));
        clock.renew(7, 0.25);
        clock.renew(9, 1.0);
        assert_eq!((clock.at(9), clock.at(11), clock.dt()), (4.0, 6.0, 1.0));
    }

    #[test]
    fn moments_are_met_in_the_first_step_at_or_after_them() {
        for dt in [1e-7, 0.1, 1.0 / 3.0, 0.7] {
            let mut clock = Clock::new(dt);
            for k in 0..2000 {
                assert_eq!(clock.first_at(k as f64 * dt), k, "dt {dt}");
                assert_eq!(clock.periods(7.0 * dt, k), (k / 7) as f64, "dt {dt}");
            }
            clock.renew(1000, 0.3 * dt);
            let time = clock.at(1000) + dt;
            let step = clock.first_at(time);
            assert_eq!(step, 1004, "dt {dt}");
            assert!(clock.has_reached(time, step) && !clock.has_reached(time, step - 1), "dt {dt}");
        }
    }

    #[test]
    fn moments_far_off_are_never_met() {
        let mut clock = Clock::new(1e-300);
        assert_eq!(clock.first_at(1e300), u64::MAX);
        clock.renew(7, 1e-300);
        assert_eq!(clock.first_at(1e300), u64::MAX);
    }
}
