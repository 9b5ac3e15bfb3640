//! RUN.json.

use std::path::PathBuf;

use hematite_config::{Fault, Result, check_file_name};
use hematite_dump::DumpRegion;
use hematite_engine::{Clock, End, TimeConfig};
use hematite_units::quantity::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cadence::{Cadence, StepsOrTime, Times};

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
    /// Time steps or time from one to the next, e.g. 1000 or "1 ms"; none by default.
    #[serde(default)]
    pub every: Option<StepsOrTime>,
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

    /// The step of the last one in a run whose last step is `last`, where they may be made at multiples of `period`: at the end, or as
    /// near before it as may be. None where that is the start.
    pub fn last(self, last: u64, period: u64) -> Option<u64> {
        Some(last - last % period).filter(|&step| self.at_end && step > 0)
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
    /// Time steps or time from one look to the next, e.g. 10000 or "1 ms".
    #[serde(default)]
    pub every: Option<StepsOrTime>,
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

/// One series of field dumps.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DumpConfig {
    /// Its file is NAME.vtkhdf.
    #[serde(default = "fields")]
    pub name: String,
    /// Every so many time steps, or so much time, e.g. 100 or "0.1 ms"; not at the start.
    #[serde(default)]
    pub every: Option<StepsOrTime>,
    /// At these time steps or times, e.g. [0, "0.5 ms"].
    #[serde(default)]
    pub at: Vec<StepsOrTime>,
    /// Which fields, by name, such as "pressure" and "velocity"; all that the physics have by default. Those of the case, such as
    /// "elevation", and its regions, 1 at their nodes and 0 elsewhere, are dumped where they are named.
    #[serde(default)]
    pub fields: Option<Vec<String>>,
    /// Which nodes; all by default.
    #[serde(default)]
    pub region: DumpRegion,
}

/// Ledger lines of a long run whose config does not say how many.
const LEDGER_LINES: u64 = 100;
/// Frames of tracks in a run whose config does not say how often.
const TRACKS: u64 = 200;
/// Fewest steps between ledger lines of such a run: a line costs about as much as a step.
const LEDGER_EVERY: u64 = 100;

/// Names of the files of members.
pub const MEMBERS: [&str; 2] = ["cells", "bodies"];

fn fields() -> String {
    "fields".to_owned()
}

impl DumpConfig {
    /// When dumps are due.
    pub fn times(&self) -> Times {
        Times { every: self.every, at: self.at.clone() }
    }
}

impl RunConfig {
    /// From one line of the ledger to the next, in a run with this `end` whose config says `every` or nothing.
    pub fn ledger_every(every: Option<StepsOrTime>, end: End) -> StepsOrTime {
        every.unwrap_or(match end {
            End::Step(steps) => StepsOrTime::Steps((steps / LEDGER_LINES).max(LEDGER_EVERY)),
            End::Time(time) => StepsOrTime::Time(Time(time / LEDGER_LINES as f64)),
        })
    }

    /// From one line of the tracks to the next, in a run with this `end`.
    pub fn tracks_every(&self, end: End) -> StepsOrTime {
        self.tracks.every.unwrap_or(match end {
            End::Step(steps) => StepsOrTime::Steps((steps / TRACKS).max(1)),
            End::Time(time) => StepsOrTime::Time(Time(time / TRACKS as f64)),
        })
    }

    /// Dumps after the end of a run, each with its key.
    pub fn beyond(&self, end: End, clock: &Clock) -> Vec<(String, StepsOrTime)> {
        let fields = self.dumps.iter().enumerate().map(|(k, dump)| (format!("dumps[{k}].at"), &dump.at));
        let cells = self.cell_dumps.iter().map(|times| ("cell_dumps.at".to_owned(), &times.at));
        let later = |at: &[StepsOrTime]| at.iter().copied().find(|at| at.is_beyond(end, clock));
        fields.chain(cells).filter_map(|(key, at)| later(at).map(|at| (key, at))).collect()
    }

    /// Checks what the types cannot, for a run of this `end` and the steps of `clock` of a case of `dimension` dimensions, and fills in
    /// the dump at the end where none is configured. Where `cut`, the command line sets the number of steps in place of the config, and
    /// dumps may lie beyond it.
    ///
    /// # Errors
    /// A usage fault that names the key.
    pub fn check(&mut self, end: End, clock: &Clock, cut: bool, dimension: usize) -> Result<()> {
        if self.dumps.is_empty() {
            let region = DumpRegion::default();
            let at = match end {
                End::Step(last) => StepsOrTime::Steps(last),
                End::Time(time) => StepsOrTime::Time(Time(time)),
            };
            self.dumps.push(DumpConfig { name: fields(), every: None, at: vec![at], fields: None, region });
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
            is_period(&format!("{key}.every"), dump.every)?;
            if let Some(before) = dump.at.iter().find(|at| at.is_negative()) {
                return Err(Fault::usage(format!("{key}.at: {before} is before the start")));
            }
            if dump.fields.as_ref().is_some_and(Vec::is_empty) {
                return Err(Fault::usage(format!("{key}.fields is empty")));
            }
            dump.region.check(dimension, &format!("{key}.region"))?;
        }
        if self.cell_dumps.is_none() {
            let mut at = self.dumps[0].at.clone();
            at.push(StepsOrTime::Steps(0));
            self.cell_dumps = Some(Times { every: self.dumps[0].every, at });
        }
        if let Some((key, at)) = self.beyond(end, clock).into_iter().find(|_| !cut) {
            return Err(Fault::usage(format!("{key}: {} is beyond the end of the run, {}", at.as_moment(), said(end))));
        }
        if let Some(times) = &self.cell_dumps {
            is_period("cell_dumps.every", times.every)?;
            if let Some(before) = times.at.iter().find(|at| at.is_negative()) {
                return Err(Fault::usage(format!("cell_dumps.at: {before} is before the start")));
            }
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
        cadences.into_iter().try_for_each(|(key, every)| is_period(&format!("{key}.every"), every))?;
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

/// Refuses a period of nothing.
fn is_period(key: &str, every: Option<StepsOrTime>) -> Result<()> {
    match every {
        Some(every) if !every.is_positive() => {
            Err(Fault::usage(format!("{key} {every} must be at least 1 step, or a time above 0")))
        }
        _ => Ok(()),
    }
}

/// The end of a run in words.
pub fn said(end: End) -> String {
    match end {
        End::Step(last) => format!("step {last}"),
        End::Time(time) => format!("{time:e} s"),
    }
}
