//! `run.json`: the resolved run.

use std::path::{Path, PathBuf};

use hematite_config::{Fault, Provenance, Result, publish};
use hematite_units::LatticeUnits;
use serde::{Deserialize, Serialize};

use crate::Ledger;

/// The record of a run: its resolved config and how it ended. `post` learns from it what a run folder holds.
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
    /// Time step in seconds; the first one, where steps adapt to the state.
    pub dt: f64,
    /// Density of the fluid at rest, kg/m3.
    pub rho0: f64,
    /// Kinematic viscosity, m2/s.
    pub nu: f64,
    /// Relaxation time of the symmetric rate, lattice units.
    pub tau: f64,
    /// Storage and arithmetic, e.g. "f32", "f16", "f64".
    pub precision: String,
    /// Time steps asked for; none where steps adapt to the state and the config says how long the run goes on.
    pub steps: Option<u64>,
    /// Last step of the growth of cells that were seeded smaller; none where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grown: Option<u64>,
    /// Mean body force a volume that stands for a pressure drop, Pa/m (a pressure drop along +x is positive x);
    /// the pressure of a dump lacks the linear part `-drop . (x - origin)`.
    pub pressure_drop: [f64; 3],
    /// Openings of the case in its order.
    pub openings: Vec<OpeningRecord>,
    /// Names of the field dumps: each is a file `NAME.vtkhdf`.
    pub dumps: Vec<String>,
    /// Number of ranks.
    pub ranks: usize,
    /// The device of each rank.
    pub devices: Vec<String>,
    /// What the run warned of, each kind once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningRecord>,
    /// The restarts of the run: from which step, and what was changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restarts: Vec<RestartRecord>,
    /// How the run ended; none while it goes on, and where it was killed.
    #[serde(default)]
    pub end: Option<EndRecord>,
    /// Who wrote it.
    pub provenance: Provenance,
}

/// A warning of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WarningRecord {
    /// Its kind, and where it is about one the opening or population: e.g. "mach", "backflow:OPENING", "creases:POPULATION".
    pub kind: String,
    /// The step at which it was found.
    pub step: u64,
    /// What was said.
    pub text: String,
}

/// A restart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RestartRecord {
    /// The step of the checkpoint.
    pub step: u64,
    /// Ranks from there on.
    pub ranks: usize,
    /// Keys of the config that are no longer as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<ChangeRecord>,
}

/// A key of the config whose value changed; null where it was or is not there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeRecord {
    /// The key, its parts joined by dots.
    pub key: String,
    /// Its value before.
    pub before: serde_json::Value,
    /// Its value from then on.
    pub now: serde_json::Value,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndRecord {
    /// Whether the work was done.
    pub state: EndState,
    /// Time steps done.
    pub step: u64,
    /// The exit code.
    pub exit: u8,
    /// What went wrong, where something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Whether a run did its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndState {
    /// All steps.
    Done,
    /// It stopped early with a checkpoint.
    Stopped,
    /// It failed.
    Failed,
}

/// What readers of a run folder tell of its state, with the key "run_state" in JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunState {
    /// "done", "stopped", "failed", or "unfinished": it goes on, was killed, or is of a version that does not say.
    pub state: &'static str,
    /// The last step known of; none where nothing is.
    pub step: Option<u64>,
    /// The steps asked for; none where that is a time.
    pub steps: Option<u64>,
    /// What went wrong, where something did.
    pub reason: Option<String>,
    /// What the run warned of.
    pub warnings: Vec<WarningRecord>,
}

impl RunState {
    /// What there is to say, one sentence each: nothing of a run that is done and warned of nothing.
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
            _ => vec![format!("the run failed ({at}): {}", self.reason.as_deref().unwrap_or("nobody knows why"))],
        };
        sentences.extend(self.warnings.iter().map(|warning| format!("the run warned: {}", warning.text)));
        sentences
    }
}

impl RunRecord {
    /// The state of the run in a folder: where its record does not tell, the end of its ledger does.
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

    /// Writes it into a run folder.
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

    /// Whether a folder holds one, sound or damaged, or the last state of a run that does.
    pub fn is_in(run: &Path) -> bool {
        run.join(Self::FILE).is_file() || Self::failed_in(run).is_some()
    }

    /// Reads the record of a run folder. For the folder [`RunRecord::FAILED`] in one, gives the run's record with the one dump that is there.
    ///
    /// # Errors
    /// A usage fault when the folder holds none, or one of another version.
    pub fn read(run: &Path) -> Result<Self> {
        let path = run.join(Self::FILE);
        if !path.is_file() {
            if let Some(whole) = Self::failed_in(run) {
                return Ok(Self { dumps: vec![Self::FAILED_FIELDS.to_owned()], ..Self::read(&whole)? });
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

    /// The run folder of which `folder` holds the last state.
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
