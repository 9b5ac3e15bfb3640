//! RUN.json.

use std::path::PathBuf;

use hematite_config::{Fault, Result, check_file_name};
use hematite_dump::DumpRegion;
use hematite_engine::{Clock, End, TimeConfig};
use hematite_units::number::as_given;
use hematite_units::quantity::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cadence::{Cadence, StepsOrTime, Times};

/// A run of a case. The keys here say how long the run is, what it writes and when, and how ranks share the work. The
/// physics read the others.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunConfig {
    /// Path of the case file, relative to this config.
    pub case: PathBuf,
    /// The length of the run.
    #[serde(default)]
    pub time: TimeConfig,
    /// When surfaces of cells, or rigid bodies, are dumped; by default when the first of `dumps` is due, and at the
    /// start.
    #[serde(default)]
    pub cell_dumps: Option<Times>,
    /// How often the centroids of cells or bodies are recorded; by default 200 times in the run,
    /// and not more often than every 100 steps.
    #[serde(default)]
    pub tracks: Cadence,
    /// Field dumps; by default one of all fields at the end.
    #[serde(default)]
    pub dumps: Vec<DumpConfig>,
    /// How often the ledger records mass, largest speed, density deviation and, at each opening that is no wall, flow
    /// and backflow. Backflow is the share of an opening's nodes where the fluid flows against the prescribed
    /// direction, or if none is prescribed, against the flow through the opening. By default a hundred times in the
    /// run, at most every 100 steps.
    #[serde(default)]
    pub monitor: Cadence,
    /// When the state is saved: by default each half hour of wall-clock time and at the end.
    #[serde(default)]
    pub checkpoint: CheckpointConfig,
    /// Whether ranks that take longer than others give nodes to them; by default never.
    #[serde(default)]
    pub balance: BalanceConfig,
}

/// When checkpoints are written. Results do not depend on it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckpointConfig {
    /// Period, in time steps or time, e.g. 1000 or "1 ms"; none by default.
    #[serde(default)]
    pub every: Option<StepsOrTime>,
    /// Minutes of wall-clock time from one checkpoint to the next, including those of "every"; 0 or null for none.
    #[serde(default = "half_an_hour")]
    pub minutes: Option<f64>,
    /// Whether a run writes a checkpoint at its end, from which it can go on with more steps.
    #[serde(default = "yes")]
    pub at_end: bool,
}

impl Default for CheckpointConfig {
    fn default() -> Self {
        Self { every: None, minutes: half_an_hour(), at_end: yes() }
    }
}

impl CheckpointConfig {
    /// The period in time steps or time.
    pub fn cadence(self) -> Cadence {
        Cadence { every: self.every }
    }

    /// The period in wall-clock seconds, if any.
    pub fn seconds(self) -> Option<f64> {
        self.minutes.filter(|&minutes| minutes > 0.0).map(|minutes| 60.0 * minutes)
    }

    /// The step of the checkpoint at the end of a run with the last step `last`: the last multiple of `period`, at
    /// which the state can be saved. `None` if that is the start, or the config wants no checkpoint at the end.
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

/// Load balancing: new parts by the time that each rank has taken. Results stay the same to the bit.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BalanceConfig {
    /// Time steps or time between looks at the ranks, e.g. 10000 or "1 ms".
    #[serde(default)]
    pub every: Option<StepsOrTime>,
    /// Share of the mean time by which the slowest rank may exceed the mean before new parts are made.
    #[serde(default = "tolerance")]
    pub tolerance: f64,
}

impl Default for BalanceConfig {
    fn default() -> Self {
        Self { every: None, tolerance: tolerance() }
    }
}

impl BalanceConfig {
    /// The period of looks at the ranks.
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
    /// Period, in time steps or time, e.g. 100 or "0.1 ms"; not at the start.
    #[serde(default)]
    pub every: Option<StepsOrTime>,
    /// At these time steps or times, e.g. [0, "0.5 ms"].
    #[serde(default)]
    pub at: Vec<StepsOrTime>,
    /// Which fields, by name, such as "pressure" and "velocity"; by default all fields of the physics. Fields of the
    /// case, such as "elevation", and its regions (1 at their nodes, 0 elsewhere) are dumped only if named.
    #[serde(default)]
    pub fields: Option<Vec<String>>,
    /// Which nodes; by default all.
    #[serde(default)]
    pub region: DumpRegion,
}

/// Default number of ledger lines of a long run.
const LEDGER_LINES: u64 = 100;
/// Default number of frames of tracks.
const TRACKS: u64 = 200;
/// Fewest steps between ledger lines and between frames of tracks by default. A line costs about as much as a step; a
/// frame of many cells costs some hundred.
const LEAST_EVERY: u64 = 100;

/// Names of the dumps of members.
pub const MEMBERS: [&str; 3] = ["cells", "bodies", "polymers"];

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
    /// The period of ledger lines in a run with this `end`: `every` of the config, or the default.
    pub fn ledger_every(every: Option<StepsOrTime>, end: End) -> StepsOrTime {
        every.unwrap_or(match end {
            End::Step(steps) => StepsOrTime::Steps((steps / LEDGER_LINES).max(LEAST_EVERY)),
            End::Time(time) => StepsOrTime::Time(Time(time / LEDGER_LINES as f64)),
        })
    }

    /// The period of frames of tracks in a run with this `end`.
    pub fn tracks_every(&self, end: End) -> StepsOrTime {
        self.tracks.every.unwrap_or(match end {
            End::Step(steps) => StepsOrTime::Steps((steps / TRACKS).max(LEAST_EVERY)),
            End::Time(time) => StepsOrTime::Time(Time(time / TRACKS as f64)),
        })
    }

    /// When dumps of fields and of members are due, with their keys.
    fn all_times(&self) -> impl Iterator<Item = (String, Times)> {
        let fields = self.dumps.iter().enumerate().map(|(k, dump)| (format!("dumps[{k}]"), dump.times()));
        fields.chain(self.cell_dumps.iter().map(|times| ("cell_dumps".to_owned(), times.clone())))
    }

    /// By when the first dump of each period, and each single dump, is due, with their keys.
    pub fn moments(&self) -> Vec<(String, StepsOrTime)> {
        let of = |(key, times): (String, Times)| {
            let every = times.every.map(|every| (format!("{key}.every"), every));
            every.into_iter().chain(times.at.into_iter().map(move |at| (format!("{key}.at"), at)))
        };
        self.all_times().flat_map(of).collect()
    }

    /// Dumps after the end of a run, with their keys.
    pub fn beyond(&self, end: End, clock: &Clock) -> Vec<(String, StepsOrTime)> {
        let later = |times: &Times| times.at.iter().copied().find(|at| at.is_beyond(end, clock));
        self.all_times().filter_map(|(key, times)| Some((format!("{key}.at"), later(&times)?))).collect()
    }

    /// Dumps that a run with this `end` never writes since their period is longer, with their keys.
    pub fn never(&self, end: End, clock: &Clock) -> Vec<(String, StepsOrTime)> {
        let all = self.all_times().filter(|(_, times)| times.at.is_empty());
        all.filter_map(|(key, times)| Some((key, times.every.filter(|every| every.is_beyond(end, clock))?))).collect()
    }

    /// Checks what the types cannot, for a run with this `end` and the steps of `clock` in `dimension` dimensions. Adds
    /// the default dump at the end if none is configured. With `cut`, the command line sets the number of steps in
    /// place of the config, and dumps may lie beyond it. So they may where steps adapt (`adapts`) and it is not known which
    /// step has which time.
    ///
    /// # Errors
    /// A usage fault that names the key.
    pub fn check(&mut self, end: End, clock: &Clock, [cut, adapts]: [bool; 2], dimension: usize) -> Result<()> {
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
        let is_sure = |at: StepsOrTime| {
            !adapts || matches!((at, end), (StepsOrTime::Steps(_), End::Step(_)) | (StepsOrTime::Time(_), End::Time(_)))
        };
        if let Some((key, at)) = self.beyond(end, clock).into_iter().find(|(_, at)| !cut && is_sure(*at)) {
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

/// Refuses a period of 0.
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
        End::Time(time) => as_given(time, "s"),
    }
}
