//! RUN.json.

use std::path::PathBuf;

use hematite_config::{Fault, Result, check_file_name};
use hematite_dump::DumpRegion;
use hematite_engine::TimeConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run of a case. The keys here say what is written, when, and by whom; the physics read the others.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunConfig {
    /// Path of the case file, relative to this config.
    pub case: PathBuf,
    /// How long the run goes on.
    #[serde(default)]
    pub time: TimeConfig,
    /// When the cells' surfaces, or rigid bodies, are dumped; by default whenever the first of `dumps` is due, and at the start.
    #[serde(default)]
    pub cell_dumps: Option<Times>,
    /// How often the centroids of cells or bodies are taken down; 200 times in the run by default.
    #[serde(default)]
    pub tracks: Cadence,
    /// Field dumps; without any, all fields once at the end.
    #[serde(default)]
    pub dumps: Vec<DumpConfig>,
    /// How often the ledger takes down mass, largest speed, density deviation and, at each opening that is no wall, flow and
    /// backflow: the share of its nodes where the fluid flows against the direction that is prescribed, or else against that of
    /// the flow through the opening. A hundred times in the run by default, at most every 100 steps.
    #[serde(default)]
    pub monitor: Cadence,
    /// When the state is saved: each half hour of wall-clock time and at the end by default.
    #[serde(default)]
    pub checkpoint: CheckpointConfig,
    /// Whether ranks that take longer than others hand nodes over; never by default.
    #[serde(default)]
    pub balance: BalanceConfig,
}

/// When checkpoints are written. Results do not depend on it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckpointConfig {
    /// Time steps from one to the next; none by default.
    #[serde(default)]
    pub every: Option<u64>,
    /// Minutes of wall-clock time from one to the next, those of "every" included; 0 or null for none.
    #[serde(default = "half_an_hour")]
    pub minutes: Option<f64>,
    /// Whether a run that comes to its end leaves one, from which it can go on with more steps.
    #[serde(default = "yes")]
    pub at_end: bool,
}

impl Default for CheckpointConfig {
    fn default() -> Self {
        Self { every: None, minutes: half_an_hour(), at_end: yes() }
    }
}

impl CheckpointConfig {
    /// After how many time steps they are due.
    pub fn cadence(self) -> Cadence {
        Cadence { every: self.every }
    }

    /// Seconds from one to the next, where the clock decides.
    pub fn seconds(self) -> Option<f64> {
        self.minutes.filter(|&minutes| minutes > 0.0).map(|minutes| 60.0 * minutes)
    }

    /// The step of the last one in a run of `steps` steps, where they may be made at multiples of `period`: at the end, or as near
    /// before it as may be. None where that is the start.
    pub fn last(self, steps: u64, period: u64) -> Option<u64> {
        Some(steps - steps % period).filter(|&step| self.at_end && step > 0)
    }
}

fn half_an_hour() -> Option<f64> {
    Some(30.0)
}

fn yes() -> bool {
    true
}

/// Parts made anew by what each rank has taken. Results stay the same to the bit.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BalanceConfig {
    /// Time steps from one look to the next.
    #[serde(default)]
    pub every: Option<u64>,
    /// By how much the slowest rank may be over the mean of all, as a share of it, before parts are made anew.
    #[serde(default = "tolerance")]
    pub tolerance: f64,
}

impl Default for BalanceConfig {
    fn default() -> Self {
        Self { every: None, tolerance: tolerance() }
    }
}

impl BalanceConfig {
    /// How often ranks are looked at.
    pub fn cadence(self) -> Cadence {
        Cadence { every: self.every }
    }
}

fn tolerance() -> f64 {
    0.05
}

/// Every so many time steps.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cadence {
    /// Time steps from one to the next.
    #[serde(default)]
    pub every: Option<u64>,
}

impl Cadence {
    /// Whether it is due at `step`, where it waits for the next multiple of `period` steps.
    pub fn due(&self, step: u64, period: u64) -> bool {
        self.every.is_some_and(|every| step > 0 && (step / every * every).next_multiple_of(period) == step)
    }

    /// The first step after `step` at which it is due.
    pub fn next(&self, step: u64, period: u64) -> Option<u64> {
        let every = self.every?;
        let from = |step: u64| step.checked_next_multiple_of(period);
        let waiting = from(step / every * every)?;
        if waiting > step { Some(waiting) } else { from((step / every + 1).checked_mul(every)?) }
    }
}

/// Some time steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// Every so many time steps, from step 0 on.
    #[serde(default)]
    pub every: Option<u64>,
    /// At these time steps.
    #[serde(default)]
    pub at: Vec<u64>,
}

impl Times {
    /// Whether something is due at `step`.
    pub fn due(&self, step: u64) -> bool {
        self.every.is_some_and(|every| step.is_multiple_of(every)) || self.at.contains(&step)
    }

    /// The first step after `step` at which something is due.
    pub fn next(&self, step: u64) -> Option<u64> {
        let regular = self.every.and_then(|every| (step / every + 1).checked_mul(every));
        self.at.iter().copied().filter(|&at| at > step).chain(regular).min()
    }
}

/// One series of field dumps.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DumpConfig {
    /// Its file is NAME.vtkhdf.
    #[serde(default = "fields")]
    pub name: String,
    /// Every so many time steps.
    #[serde(default)]
    pub every: Option<u64>,
    /// At these time steps.
    #[serde(default)]
    pub at: Vec<u64>,
    /// Which fields, by name, such as "pressure" and "velocity"; all that the physics have by default.
    #[serde(default)]
    pub fields: Option<Vec<String>>,
    /// Which nodes; all by default.
    #[serde(default)]
    pub region: DumpRegion,
}

/// Ledger lines of a long run whose config does not say how many.
const LEDGER_LINES: u64 = 100;
/// Fewest steps between ledger lines of such a run: a line costs about as much as a step.
const LEDGER_EVERY: u64 = 100;

/// Names of the files of members.
pub const MEMBERS: [&str; 2] = ["cells", "bodies"];

fn fields() -> String {
    "fields".to_owned()
}

impl DumpConfig {
    /// Whether a dump is due at `step`.
    pub fn due(&self, step: u64) -> bool {
        self.every.is_some_and(|every| step > 0 && step.is_multiple_of(every)) || self.at.contains(&step)
    }

    /// The first step after `step` at which a dump is due.
    pub fn next(&self, step: u64) -> Option<u64> {
        let regular = self.every.and_then(|every| (step / every + 1).checked_mul(every));
        self.at.iter().copied().filter(|&at| at > step).chain(regular).min()
    }
}

impl RunConfig {
    /// Time steps from one line of the ledger to the next, in a run of `steps` steps whose config says `every` or nothing.
    pub fn ledger_every(every: Option<u64>, steps: u64) -> u64 {
        every.unwrap_or((steps / LEDGER_LINES).max(LEDGER_EVERY))
    }

    /// Steps of dumps after the last of `steps`, each with its key.
    pub fn beyond(&self, steps: u64) -> Vec<(String, u64)> {
        let fields = self.dumps.iter().enumerate().map(|(k, dump)| (format!("dumps[{k}].at"), &dump.at));
        let cells = self.cell_dumps.iter().map(|times| ("cell_dumps.at".to_owned(), &times.at));
        let later = |at: &[u64]| at.iter().copied().find(|&at| at > steps);
        fields.chain(cells).filter_map(|(key, at)| later(at).map(|at| (key, at))).collect()
    }

    /// Checks what the types cannot, for a run of `steps` steps of a case of `dimension` dimensions, and fills in the
    /// dump at the end where none is configured. Where `cut`, the command line sets the number of steps in place of the config, and
    /// dumps may lie beyond it.
    ///
    /// # Errors
    /// A usage fault that names the key.
    pub fn check(&mut self, steps: u64, cut: bool, dimension: usize) -> Result<()> {
        if self.dumps.is_empty() {
            let region = DumpRegion::default();
            self.dumps.push(DumpConfig { name: fields(), every: None, at: vec![steps], fields: None, region });
        }
        for (k, dump) in self.dumps.iter().enumerate() {
            let key = format!("dumps[{k}]");
            check_file_name(&dump.name).map_err(|fault| fault.within(format!("{key}.name")))?;
            if self.dumps[..k].iter().any(|other| other.name == dump.name) {
                return Err(Fault::usage(format!("{key}.name \"{}\" is taken: name each dump", dump.name)));
            }
            if dump.every.is_none() && dump.at.is_empty() {
                return Err(Fault::usage(format!("{key}: say when, by \"every\" or \"at\"")));
            }
            if dump.every == Some(0) {
                return Err(Fault::usage(format!("{key}.every must be at least 1")));
            }
            if dump.fields.as_ref().is_some_and(Vec::is_empty) {
                return Err(Fault::usage(format!("{key}.fields is empty")));
            }
            dump.region.check(dimension, &format!("{key}.region"))?;
        }
        if self.cell_dumps.is_none() {
            let mut at = self.dumps[0].at.clone();
            at.push(0);
            self.cell_dumps = Some(Times { every: self.dumps[0].every, at });
        }
        if let Some((key, at)) = self.beyond(steps).into_iter().find(|_| !cut) {
            return Err(Fault::usage(format!("{key}: {at} is beyond the {steps} steps of the run")));
        }
        if self.cell_dumps.as_ref().is_some_and(|times| times.every == Some(0)) {
            return Err(Fault::usage("cell_dumps.every must be at least 1"));
        }
        for name in MEMBERS {
            if self.dumps.iter().any(|dump| dump.name == name) {
                return Err(Fault::usage(format!("dumps: the name \"{name}\" is that of the {name}' own file")));
            }
        }
        let cadences = [
            ("monitor", self.monitor.every),
            ("checkpoint", self.checkpoint.every),
            ("tracks", self.tracks.every),
            ("balance", self.balance.every),
        ];
        if let Some((key, _)) = cadences.iter().find(|(_, every)| *every == Some(0)) {
            return Err(Fault::usage(format!("{key}.every must be at least 1")));
        }
        if let Some(minutes) = self.checkpoint.minutes.filter(|minutes| !(0.0..=f64::MAX).contains(minutes)) {
            return Err(Fault::usage(format!(
                "checkpoint.minutes {minutes} must be above 0, or 0 for no checkpoints by the clock"
            )));
        }
        if !(0.0..=f64::MAX).contains(&self.balance.tolerance) {
            return Err(Fault::usage(format!(
                "balance.tolerance {} must be a share from 0 on, such as 0.05",
                self.balance.tolerance
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumps_fall_due() {
        let dump = DumpConfig {
            name: fields(),
            every: Some(10),
            at: vec![0, 13],
            fields: None,
            region: DumpRegion::default(),
        };
        let due: Vec<u64> = (0..32).filter(|&step| dump.due(step)).collect();
        assert_eq!(due, [0, 10, 13, 20, 30]);
        assert_eq!([0, 10, 12, 13].map(|step| dump.next(step)), [Some(10), Some(13), Some(13), Some(20)]);
    }

    #[test]
    fn what_must_wait_for_a_period_falls_due_once() {
        for (every, period) in [(10, 1), (10, 4), (3, 8), (7, 2), (1, 2), (40, 40)] {
            let cadence = Cadence { every: Some(every) };
            let due: Vec<u64> = (0..200).filter(|&step| cadence.due(step, period)).collect();
            let wanted: std::collections::BTreeSet<u64> =
                (1..200 / every + 1).map(|k| (k * every).next_multiple_of(period)).filter(|&step| step < 200).collect();
            assert_eq!(due, wanted.into_iter().collect::<Vec<_>>(), "every {every}, period {period}");
            for step in 0..due.last().copied().unwrap_or(0) {
                assert_eq!(cadence.next(step, period), due.iter().copied().find(|&at| at > step), "after {step}");
            }
        }
        assert_eq!((Cadence::default().due(10, 1), Cadence::default().next(10, 1)), (false, None));
    }
}
