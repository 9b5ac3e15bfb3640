//! `run.json`: the resolved run.

use std::path::{Path, PathBuf};

use hematite_config::{Fault, Provenance, Result, publish};
use hematite_units::LatticeUnits;
use serde::{Deserialize, Serialize};

use crate::Ledger;

/// The record of a run: its resolved config and how it ended. It tells `post` what a run folder holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRecord {
    /// Version of this file's layout.
    pub schema: u32,
    /// The config as read.
    pub config: serde_json::Value,
    /// The case file, absolute.
    pub case: String,
    /// SHA-256 of the case file.
    pub case_sha256: String,
    /// "D2Q9" or "D3Q19".
    pub velocity_set: String,
    /// Fluid nodes in all.
    pub nodes: u64,
    /// Lattice spacing in metres.
    pub dx: f64,
    /// Time step in seconds; the first one if steps adapt to the state.
    pub dt: f64,
    /// Density of the fluid at rest, kg/m3.
    pub rho0: f64,
    /// Kinematic viscosity, m2/s.
    pub nu: f64,
    /// Relaxation time of the symmetric rate, lattice units.
    pub tau: f64,
    /// Storage and arithmetic, e.g. "f32", "f16", "f64".
    pub precision: String,
    /// Time steps asked for; `None` if steps adapt to the state and the config gives a duration.
    pub steps: Option<u64>,
    /// Last step of the growth of cells that were seeded smaller; `None` without such cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grown: Option<u64>,
    /// Mean body force per volume in place of a pressure drop, Pa/m (a pressure drop along +x is positive x). The
    /// pressure in dumps lacks the linear part `-drop . (x - origin)`.
    pub pressure_drop: [f64; 3],
    /// Openings of the case in its order.
    pub openings: Vec<OpeningRecord>,
    /// Names of the field dumps: each is a file `NAME.vtkhdf`.
    pub dumps: Vec<String>,
    /// Number of ranks.
    pub ranks: usize,
    /// The device of each rank.
    pub devices: Vec<String>,
    /// Warnings of the run, each kind once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningRecord>,
    /// Restarts of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restarts: Vec<RestartRecord>,
    /// How the run ended; `None` while it goes on, or if it was killed.
    #[serde(default)]
    pub end: Option<EndRecord>,
    /// The program that wrote the file, and its inputs.
    pub provenance: Provenance,
}

/// A warning of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WarningRecord {
    /// Kind, with the opening or population if it is about one: e.g. "mach", "backflow:OPENING", "creases:POPULATION",
    /// "inflow:cells:OPENING".
    pub kind: String,
    /// The step of the warning.
    pub step: u64,
    /// Text of the warning.
    pub text: String,
}

/// A restart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RestartRecord {
    /// The step of the checkpoint.
    pub step: u64,
    /// Number of ranks after the restart.
    pub ranks: usize,
    /// Keys of the config whose values changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<ChangeRecord>,
}

/// A key of the config whose value changed; the value of an absent key is null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeRecord {
    /// The key, its parts joined by dots.
    pub key: String,
    /// Its value before.
    pub before: serde_json::Value,
    /// Its value after the restart.
    pub now: serde_json::Value,
}

/// Keys that are no physics: the case, which is compared by its hash, what is written and when, which ranks have which nodes,
/// and the length of the run.
const FREE: [&str; 10] = [
    "case",
    "time.steps",
    "time.duration",
    "dumps",
    "cell_dumps",
    "tracks",
    "monitor",
    "forces",
    "checkpoint",
    "balance",
];

impl ChangeRecord {
    /// Whether the change is one of the physics.
    pub fn is_of_physics(&self) -> bool {
        !FREE
            .iter()
            .any(|free| self.key.strip_prefix(free).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndRecord {
    /// State of the run.
    pub state: EndState,
    /// Time steps done.
    pub step: u64,
    /// The exit code.
    pub exit: u8,
    /// What went wrong, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// State of a run that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndState {
    /// All steps are done.
    Done,
    /// It stopped early with a checkpoint.
    Stopped,
    /// It failed.
    Failed,
}

/// The state of a run, which readers of a run folder report with the key "run_state" in JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunState {
    /// "done", "stopped", "failed", or "unfinished": the run goes on, was killed, or is of a version without this
    /// record.
    pub state: &'static str,
    /// The last known step, if any.
    pub step: Option<u64>,
    /// The steps asked for; `None` if the config gives a duration.
    pub steps: Option<u64>,
    /// What went wrong, if anything.
    pub reason: Option<String>,
    /// Warnings of the run.
    pub warnings: Vec<WarningRecord>,
}

impl RunState {
    /// The state and the warnings as sentences; empty for a run that is done without warnings.
    pub fn sentences(&self) -> Vec<String> {
        let Self { state, step, steps, .. } = self;
        let at = match (step, steps) {
            (None, None) => "nothing is known of its steps".to_owned(),
            (None, Some(steps)) => format!("{steps} steps were asked for"),
            (Some(step), None) => format!("step {step}"),
            (Some(step), Some(steps)) => format!("step {step} of {steps}"),
        };
        let mut sentences = match *state {
            "done" => Vec::new(),
            "unfinished" => vec![format!("the run is unfinished ({at}): it goes on, or was killed")],
            "stopped" => vec![format!("the run stopped early ({at}): go on by run --restart")],
            _ => vec![format!("the run failed ({at}): {}", self.reason.as_deref().unwrap_or("the reason is unknown"))],
        };
        sentences.extend(self.warnings.iter().map(|warning| format!("the run warned: {}", warning.text)));
        sentences
    }
}

impl RunRecord {
    /// The state of the run in a folder, from the record or else from the last line of the ledger.
    pub fn state(&self, run: &Path) -> RunState {
        let last = || Ledger::read(run).ok().and_then(|ledger| ledger.rows.last().map(|row| row.step));
        let (state, step, reason) = match &self.end {
            None => ("unfinished", last(), None),
            Some(end) => {
                let state = match end.state {
                    EndState::Done => "done",
                    EndState::Stopped => "stopped",
                    EndState::Failed => "failed",
                };
                (state, Some(end.step), end.reason.clone())
            }
        };
        RunState { state, step, steps: self.steps, reason, warnings: self.warnings.clone() }
    }

    /// The version of the layout written here.
    pub const SCHEMA: u32 = 2;
    const FILE: &str = "run.json";

    /// Writes the record into a run folder.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn write(&self, run: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(|error| Fault::io(format!("run.json: {error}")))?;
        publish(&run.join(Self::FILE), |path| {
            std::fs::write(path, text + "\n")
                .map_err(|error| Fault::io(format!("cannot write {}: {error}", path.display())))
        })
    }

    /// The folder in a run folder that holds the last state of a run that failed.
    pub const FAILED: &str = "failed";
    /// The dump of fields in it.
    pub const FAILED_FIELDS: &str = "fields";

    /// The record's file in a run folder.
    pub fn path(run: &Path) -> PathBuf {
        run.join(Self::FILE)
    }

    /// Whether a folder holds a record, sound or damaged, or is the folder [`RunRecord::FAILED`] of a run that has one.
    pub fn is_in(run: &Path) -> bool {
        run.join(Self::FILE).is_file() || Self::failed_in(run).is_some()
    }

    /// Reads the record of a run folder. For the folder [`RunRecord::FAILED`] in a run folder, returns the record of
    /// the run with the dump of fields in [`RunRecord::FAILED`], if there is one.
    ///
    /// # Errors
    /// A usage fault when the folder holds no record, or one of another version.
    pub fn read(run: &Path) -> Result<Self> {
        let path = run.join(Self::FILE);
        if !path.is_file() {
            if let Some(whole) = Self::failed_in(run) {
                let fields = run.join(format!("{}.vtkhdf", Self::FAILED_FIELDS)).is_file();
                let dumps = if fields { vec![Self::FAILED_FIELDS.to_owned()] } else { Vec::new() };
                return Ok(Self { dumps, ..Self::read(&whole)? });
            }
            let (run, file) = (run.display(), Self::FILE);
            return Err(Fault::usage(format!("{run} holds no {file}: is it the folder of a run?")));
        }
        let json: serde_json::Value = hematite_config::read(&path)?;
        if json["schema"] != Self::SCHEMA {
            return Err(Fault::usage(format!(
                "{}: key \"schema\" is {}, this version reads {}: use the version that wrote it",
                path.display(),
                json["schema"],
                Self::SCHEMA
            )));
        }
        hematite_config::from_value(&path.display().to_string(), json)
    }

    /// The run folder whose last state is in `folder`.
    fn failed_in(folder: &Path) -> Option<PathBuf> {
        let folder = folder.canonicalize().ok()?;
        let run = folder.parent().filter(|run| run.join(Self::FILE).is_file())?;
        folder.ends_with(Self::FAILED).then(|| run.to_owned())
    }

    /// Scales between lattice units and SI.
    pub fn units(&self) -> LatticeUnits {
        LatticeUnits { dx: self.dx, dt: self.dt, rho0: self.rho0 }
    }
}

/// An opening as the run used it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningRecord {
    /// Its name.
    pub name: String,
    /// "velocity", "pressure" or "wall".
    pub kind: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> RunRecord {
        RunRecord {
            schema: RunRecord::SCHEMA,
            config: serde_json::json!({"steps": 10}),
            case: "/cases/pipe.h5".into(),
            case_sha256: "00".into(),
            velocity_set: "D3Q19".into(),
            nodes: 7,
            dx: 1e-6,
            dt: 1.0 / 3.0,
            rho0: 1025.0,
            nu: 1.1e-6,
            tau: 0.8,
            precision: "f32".into(),
            steps: Some(10),
            grown: None,
            pressure_drop: [1.0, 0.0, 0.0],
            openings: vec![OpeningRecord { name: "in".into(), kind: "velocity".into() }],
            dumps: vec!["fields".into()],
            ranks: 1,
            devices: vec!["llvmpipe".into()],
            warnings: Vec::new(),
            restarts: Vec::new(),
            end: None,
            provenance: Provenance::default(),
        }
    }

    #[test]
    fn a_record_survives_and_its_faults_help() {
        let run = tempfile::tempdir().expect("a folder");
        let none = RunRecord::read(run.path()).expect_err("an empty folder");
        assert!(none.message.contains("is it the folder of a run?"), "{none}");
        record().write(run.path()).expect("writes");
        let read = RunRecord::read(run.path()).expect("reads");
        assert_eq!(serde_json::to_string(&read).expect("json"), serde_json::to_string(&record()).expect("json"));
        let warning = WarningRecord { kind: "mach".into(), step: 3, text: "too fast".into() };
        let end = EndRecord { state: EndState::Failed, step: 7, exit: 4, reason: Some("it burst".into()) };
        for (end, sentences) in [
            (None, &["the run is unfinished (10 steps were asked for)", "the run warned: too fast"][..]),
            (Some(end.clone()), &["the run failed (step 7 of 10): it burst", "the run warned: too fast"]),
            (Some(EndRecord { state: EndState::Stopped, ..end.clone() }), &["stopped early (step 7 of 10)", "warned"]),
            (Some(EndRecord { state: EndState::Done, step: 10, exit: 0, reason: None }), &["warned"]),
        ] {
            RunRecord { end, warnings: vec![warning.clone()], ..record() }.write(run.path()).expect("writes");
            let said = RunRecord::read(run.path()).expect("reads").state(run.path()).sentences();
            assert_eq!(said.len(), sentences.len(), "{said:?}");
            assert!(said.iter().zip(sentences).all(|(said, piece)| said.contains(piece)), "{said:?}");
        }
        RunRecord { schema: 99, ..record() }.write(run.path()).expect("writes");
        let other = RunRecord::read(run.path()).expect_err("another version");
        assert!(other.message.contains("\"schema\" is 99, this version reads 2"), "{other}");
    }
}
