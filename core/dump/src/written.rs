//! What the output files of a run held at a checkpoint, by which a restart notices what they have lost since.

use std::path::Path;

use hematite_config::{Result, hash_bytes};
use serde::{Deserialize, Serialize};

use crate::fields::{Pieces, dump_file};
use crate::polydata::Kind;
use crate::{BodyKind, CellKind, ChainKind, DumpStep, Ledger, Reader, TrackReader};

/// What an output file of a run held at a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// Number of its dumps, frames or lines.
    pub count: u64,
    /// Time step of the last one.
    pub last: u64,
    /// Hash of the lines of a ledger; `None` for other files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl Written {
    /// These dumps or frames; `None` for none.
    pub fn of(steps: &[DumpStep]) -> Option<Self> {
        let last = steps.last()?.step;
        Some(Self { count: steps.len() as u64, last, sha256: None })
    }

    /// With the next line of a ledger, of time step `step`.
    pub(crate) fn with_line(before: Option<&Self>, step: u64, line: &[u8]) -> Self {
        let hash = before.and_then(|before| before.sha256.as_deref()).unwrap_or_default();
        let sha256 = Some(hash_bytes(&[hash.as_bytes(), line].concat()));
        Self { count: before.map_or(0, |before| before.count) + 1, last: step, sha256 }
    }

    /// Tells what the `file` of a run folder has lost of this, if anything.
    ///
    /// # Errors
    /// A usage fault when the file is damaged.
    pub fn lost(&self, run: &Path, file: &str) -> Result<Option<String>> {
        let (path, Self { count, last, .. }) = (run.join(file), self);
        let what = match file {
            Ledger::FILE => "lines",
            TrackReader::FILE => "frames",
            _ => "dumps",
        };
        let (is_there, path) = (path.is_file(), path.display());
        if !is_there {
            return Ok(Some(format!(
                "{path} is missing: of {what} up to step {last}, the run had written {count} there"
            )));
        }
        let found = self.found(run, file)?;
        Ok(match found.as_ref().map_or(0, |found| found.count) {
            held if held != *count => {
                Some(format!("{path}: of {what} up to step {last} it holds {held}, and the run had written {count}"))
            }
            _ if found.as_ref() == Some(self) => None,
            _ => Some(format!("{path}: its {what} up to step {last} are not those that the run had written")),
        })
    }

    /// What the file holds up to the same step.
    fn found(&self, run: &Path, file: &str) -> Result<Option<Self>> {
        let until = |steps: &[DumpStep]| Self::of(&steps[..steps.partition_point(|step| step.step <= self.last)]);
        let name = file.strip_suffix(".vtkhdf").unwrap_or(file);
        Ok(match name {
            Ledger::FILE => Ledger::read(run)?.written(self.last)?,
            TrackReader::FILE => until(TrackReader::open(run)?.steps()),
            "cells" => self.members::<CellKind>(run)?,
            "bodies" => self.members::<BodyKind>(run)?,
            "polymers" => self.members::<ChainKind>(run)?,
            _ => Self::of(&Pieces::open(&dump_file(run, name), self.last)?.header.steps),
        })
    }

    /// The dumps of members up to the same step.
    fn members<K: Kind>(&self, run: &Path) -> Result<Option<Self>> {
        Reader::<K>::through(&dump_file(run, K::FORM.what), self.last).map(|dumps| Self::of(dumps.steps()))
    }
}
