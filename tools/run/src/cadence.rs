//! Times at which something is due, in steps or in simulated time.

use std::fmt;

use hematite_engine::{Clock, End};
use hematite_units::number::as_given;
use hematite_units::quantity::Time;
use schemars::JsonSchema;
use serde::de::{Error, IntoDeserializer, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A number of time steps, e.g. 100, or a time, e.g. "0.1 ms".
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum StepsOrTime {
    /// Time steps.
    Steps(u64),
    /// Time, met by the first step that ends at or after it.
    Time(Time),
}

impl<'de> Deserialize<'de> for StepsOrTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl Visitor<'_> for Either {
            type Value = StepsOrTime;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of time steps, such as 100, or a time, such as \"0.1 ms\"")
            }

            fn visit_u64<E: Error>(self, steps: u64) -> Result<StepsOrTime, E> {
                Ok(StepsOrTime::Steps(steps))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<StepsOrTime, E> {
                Time::deserialize(text.into_deserializer()).map(StepsOrTime::Time)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl fmt::Display for StepsOrTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steps(steps) => write!(f, "{steps}"),
            Self::Time(time) => write!(f, "\"{}\"", as_given(time.si(), "s")),
        }
    }
}

impl StepsOrTime {
    /// The step or time in words.
    pub fn as_moment(self) -> String {
        match self {
            Self::Steps(step) => format!("step {step}"),
            Self::Time(_) => self.to_string(),
        }
    }

    /// Whether it is above 0, so that it can be a period.
    pub fn is_positive(self) -> bool {
        match self {
            Self::Steps(steps) => steps > 0,
            Self::Time(time) => time.si() > 0.0,
        }
    }

    /// Whether the step or time lies before the start of a run.
    pub fn is_negative(self) -> bool {
        matches!(self, Self::Time(time) if time.si() < 0.0)
    }

    /// Whether the step or time lies after the `end` of a run, if the length of steps in `clock` does not change.
    pub fn is_beyond(self, end: End, clock: &Clock) -> bool {
        match (self, end) {
            (Self::Steps(step), End::Step(last)) => step > last,
            (Self::Time(time), End::Step(last)) => !clock.has_reached(time.si(), last),
            (Self::Steps(_), End::Time(_)) => false,
            (Self::Time(time), End::Time(last)) => time.si() > last,
        }
    }

    /// Whether a period of this length ends with step `step`. The first period begins with the run.
    pub fn ends_at(self, clock: &Clock, step: u64) -> bool {
        step > 0
            && match self {
                Self::Steps(every) => step.is_multiple_of(every),
                Self::Time(every) => clock.periods(every.si(), step) > clock.periods(every.si(), step - 1),
            }
    }

    /// The first step after `step` with which a period ends, if the length of steps does not change.
    pub fn next_end(self, clock: &Clock, step: u64) -> u64 {
        match self {
            Self::Steps(every) => (step / every + 1).saturating_mul(every),
            Self::Time(every) => {
                let count = clock.periods(every.si(), step) + 1.0;
                let mut next = clock.first_at(count * every.si()).max(step + 1);
                // The product may round differently from the quotient.
                while clock.periods(every.si(), next) < count && next < u64::MAX {
                    next += 1;
                }
                next
            }
        }
    }

    /// Whether step `step` is this step, or the first that reaches this time.
    pub fn is_met_by(self, clock: &Clock, step: u64) -> bool {
        match self {
            Self::Steps(at) => step == at,
            Self::Time(at) => clock.has_reached(at.si(), step) && (step == 0 || !clock.has_reached(at.si(), step - 1)),
        }
    }

    /// The step after `step` that will be this step or reach this time, if the length of steps does not change; `None`
    /// if it is over.
    pub fn next_met(self, clock: &Clock, step: u64) -> Option<u64> {
        match self {
            Self::Steps(at) => Some(at),
            Self::Time(at) => (!clock.has_reached(at.si(), step)).then(|| clock.first_at(at.si())),
        }
        .filter(|&at| at > step)
    }
}

/// A period in time steps or in time.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cadence {
    /// Period, in time steps or time, e.g. 100 or "0.1 ms".
    #[serde(default)]
    pub every: Option<StepsOrTime>,
}

impl Cadence {
    /// Whether it is due after `step` steps; not at the start.
    pub fn due(&self, clock: &Clock, step: u64) -> bool {
        self.every.is_some_and(|every| every.ends_at(clock, step))
    }

    /// The first step after `step` at which it is due, if the length of steps does not change.
    pub fn next(&self, clock: &Clock, step: u64) -> Option<u64> {
        self.every.map(|every| every.next_end(clock, step))
    }
}

/// Times of a run at which something is due.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// Period, in time steps or time, from the start on, e.g. 100 or "0.1 ms".
    #[serde(default)]
    pub every: Option<StepsOrTime>,
    /// At these time steps or times, e.g. [0, "0.5 ms"].
    #[serde(default)]
    pub at: Vec<StepsOrTime>,
}

impl Times {
    /// Whether something is due after `step` steps. At the start it is if `from_start`.
    pub fn due(&self, clock: &Clock, step: u64, from_start: bool) -> bool {
        let regular = |every: StepsOrTime| if step == 0 { from_start } else { every.ends_at(clock, step) };
        self.every.is_some_and(regular) || self.at.iter().any(|at| at.is_met_by(clock, step))
    }

    /// The first step after `step` at which something is due, if the length of steps does not change.
    pub fn next(&self, clock: &Clock, step: u64) -> Option<u64> {
        let regular = self.every.map(|every| every.next_end(clock, step));
        self.at.iter().filter_map(|at| at.next_met(clock, step)).chain(regular).min()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    fn times(config: serde_json::Value) -> Times {
        from_value(config).expect("times")
    }

    #[test]
    fn steps_fall_due() {
        let (times, clock) = (times(json!({"every": 10, "at": [0, 13]})), Clock::new(1.0));
        let due = |from_start| (0..32).filter(|&step| times.due(&clock, step, from_start)).collect::<Vec<u64>>();
        assert_eq!(due(false), [0, 10, 13, 20, 30]);
        assert_eq!([0, 10, 12, 13].map(|step| times.next(&clock, step)), [Some(10), Some(13), Some(13), Some(20)]);
    }

    #[test]
    fn times_fall_due_in_the_first_step_at_or_after_them() {
        let of = times(json!({"every": "1 s", "at": ["0 s", "2.25 s"]}));
        let clock = Clock::new(0.3);
        let due: Vec<u64> = (0..14).filter(|&step| of.due(&clock, step, false)).collect();
        assert_eq!(due, [0, 4, 7, 8, 10]);
        for step in 0..10 {
            assert_eq!(of.next(&clock, step), due.iter().copied().find(|&at| at > step), "after {step}");
        }
    }

    #[test]
    fn times_fall_due_once_where_steps_change() {
        let of = times(json!({"every": "0.1 s", "at": ["0.35 s"]}));
        let (mut clock, mut seen) = (Clock::new(0.07), Vec::new());
        for step in 1..200 {
            if of.due(&clock, step, false) {
                seen.push(clock.at(step));
            }
            if step % 3 == 0 {
                clock.renew(step, 0.02 + 0.05 * (step % 7) as f64 / 7.0);
            }
            let next = of.next(&clock, step).expect("every");
            assert!((step + 1..next).all(|step| !of.due(&clock, step, false)) && of.due(&clock, next, false));
        }
        let end = clock.at(199);
        assert!(seen.windows(2).all(|pair| pair[1] > pair[0]));
        assert_eq!(seen.len(), (end / 0.1) as usize + 1, "to {end} s");
    }

    #[test]
    fn periods_far_shorter_than_a_step_end_with_each() {
        let (of, clock) = (times(json!({"every": "1e-30 s"})), Clock::new(1e-6));
        assert!((1..50).all(|step| of.due(&clock, step, false) && of.next(&clock, step) == Some(step + 1)));
    }

    #[test]
    fn what_is_neither_is_told() {
        for wrong in [json!(-1), json!(1.5), json!("1 m"), json!("one"), json!(true)] {
            let said = from_value::<Cadence>(json!({"every": wrong})).expect_err("neither").to_string();
            assert!(said.contains("time") || said.contains("does not start with a number"), "{said}");
        }
    }
}
