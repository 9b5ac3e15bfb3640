//! `timing.json`: the time of a run, by phase and rank.

use std::collections::BTreeMap;
use std::path::Path;

use hematite_config::{Fault, Result, publish};
use serde::{Deserialize, Serialize};

/// Wall-clock seconds of one subsystem on one rank, by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseTimes {
    /// Kernels and the wait for them.
    pub compute: f64,
    /// Halo exchange between ranks.
    pub communication: f64,
    /// Copies of messages to and from the host.
    pub packing: f64,
    /// Dumps, ledger and checkpoints.
    pub output: f64,
}

impl PhaseTimes {
    /// The sum of all phases, in seconds.
    pub fn total(&self) -> f64 {
        self.compute + self.communication + self.packing + self.output
    }
}

/// The timing of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Number of ranks.
    pub ranks: usize,
    /// Fluid nodes in all.
    pub nodes: u64,
    /// Time steps done in this run.
    pub steps: u64,
    /// Wall-clock seconds of the time loop, output included.
    pub wall: f64,
    /// Million lattice-node updates a second, over `wall`.
    pub mlups: f64,
    /// Phase times by subsystem (`fluid`, later `cells`, ...), one entry a rank.
    pub subsystems: BTreeMap<String, Vec<PhaseTimes>>,
}

impl Timing {
    const FILE: &str = "timing.json";

    /// Writes the timing into a run folder.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn write(&self, run: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(|error| Fault::io(format!("timing.json: {error}")))?;
        publish(&run.join(Self::FILE), |path| {
            std::fs::write(path, text + "\n")
                .map_err(|error| Fault::io(format!("cannot write {}: {error}", path.display())))
        })
    }

    /// Reads the timing of a run folder.
    ///
    /// # Errors
    /// A usage fault when the file is missing or damaged.
    pub fn read(run: &Path) -> Result<Self> {
        hematite_config::read(&run.join(Self::FILE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timing_survives() {
        let run = tempfile::tempdir().expect("a folder");
        let phases = PhaseTimes { compute: 0.1, communication: 1.0 / 3.0, packing: 1e-9, output: 2.0 };
        let subsystems = BTreeMap::from([("fluid".to_owned(), vec![phases; 2])]);
        let timing = Timing { ranks: 2, nodes: 5, steps: 7, wall: 2.5, mlups: 1.4e-5, subsystems };
        timing.write(run.path()).expect("writes");
        assert_eq!(Timing::read(run.path()), Ok(timing));
        assert!(Timing::read(&run.path().join("none")).is_err());
    }
}
