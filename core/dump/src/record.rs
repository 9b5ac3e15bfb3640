//! `run.json`: the resolved run.

use std::path::Path;

use hematite_config::{Fault, Provenance, Result, publish};
use hematite_units::LatticeUnits;
use serde::{Deserialize, Serialize};

/// What `run` made of its config; `post` reads it to know what a run folder holds.
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
    /// Time step in seconds.
    pub dt: f64,
    /// Density of the fluid at rest, kg/m3.
    pub rho0: f64,
    /// Kinematic viscosity, m2/s.
    pub nu: f64,
    /// Relaxation time of the symmetric rate, lattice units.
    pub tau: f64,
    /// Storage and arithmetic, e.g. "f32", "f16", "f64".
    pub precision: String,
    /// Time steps asked for.
    pub steps: u64,
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
    /// Who wrote it.
    pub provenance: Provenance,
}

impl RunRecord {
    /// The version of the layout written here.
    pub const SCHEMA: u32 = 1;
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

    /// Reads that of a run folder.
    ///
    /// # Errors
    /// A usage fault when the folder holds none, or one of another version.
    pub fn read(run: &Path) -> Result<Self> {
        let path = run.join(Self::FILE);
        if !path.is_file() {
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
            steps: 10,
            pressure_drop: [1.0, 0.0, 0.0],
            openings: vec![OpeningRecord { name: "in".into(), kind: "velocity".into() }],
            dumps: vec!["fields".into()],
            ranks: 1,
            devices: vec!["llvmpipe".into()],
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
        RunRecord { schema: 99, ..record() }.write(run.path()).expect("writes");
        let other = RunRecord::read(run.path()).expect_err("another version");
        assert!(other.message.contains("\"schema\" is 99, this version reads 1"), "{other}");
    }
}
