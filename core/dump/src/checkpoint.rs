//! `checkpoint/step-NNN/`: the state of the fluid after a time step, to go on from on any number of ranks.
//!
//! Each rank writes `rank-0000.h5` and so on, rank 0 also `checkpoint.json` and the sums of all files, `SHA256SUMS`, into a
//! folder whose name ends in `.partial`; renaming the folder makes the checkpoint.

mod reader;
mod sums;
mod writer;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::CellCount;

pub use reader::{CellRecords, Checkpoint, Located};
pub use writer::CheckpointWriter;

/// How populations are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Storage {
    /// IEEE half precision.
    F16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
}

/// Stored populations of one direction, as raw bits, node after node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bits {
    /// Of [`Storage::F16`].
    F16(Vec<u16>),
    /// Of [`Storage::F32`].
    F32(Vec<u32>),
    /// Of [`Storage::F64`].
    F64(Vec<u64>),
}

impl Bits {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::F16(bits) => bits.len(),
            Self::F32(bits) => bits.len(),
            Self::F64(bits) => bits.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What they are the bits of.
    pub fn storage(&self) -> Storage {
        match self {
            Self::F16(_) => Storage::F16,
            Self::F32(_) => Storage::F32,
            Self::F64(_) => Storage::F64,
        }
    }
}

/// What a checkpoint says of itself, the same on every rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointMeta {
    /// Version of the layout.
    pub schema: u32,
    /// Time steps done.
    pub step: u64,
    /// Ranks that wrote it.
    pub ranks: usize,
    /// How populations are stored.
    pub storage: Storage,
    /// Directions of the velocity set.
    pub q: usize,
    /// Fluid nodes in all.
    pub nodes: u64,
    /// SHA-256 of the case file.
    pub case_sha256: String,
    /// The populations of cells; none in a run without cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub populations: Vec<PopulationState>,
    /// How far the feeders at openings have come: words of the columns of cells, or how often each rigid body has come in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entered: Vec<u64>,
    /// The outlets whose pressure follows from the flow; none in a run without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outlets: Vec<OutletRecord>,
    /// What a lattice unit of the state is; none in checkpoints of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// The config of its run; none in checkpoints of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<serde_json::Value>,
}

/// What the state's lattice units are, with the lattice spacing of the case.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// Time step, s.
    pub time_step_s: f64,
    /// Density of the fluid at rest, kg/m3.
    pub density_kg_per_m3: f64,
    /// Relaxation time of the symmetric rate, lattice units.
    pub tau: f64,
}

impl Scale {
    /// Whether both are the same but for the rounding of text.
    pub fn is(&self, other: &Self) -> bool {
        let numbers = |of: &Self| [of.time_step_s, of.density_kg_per_m3, of.tau];
        numbers(self).iter().zip(numbers(other)).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs())
    }
}

/// The state of an outlet whose pressure follows from the flow, lattice units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutletRecord {
    /// Its name.
    pub name: String,
    /// Steps from one measurement of its flow to the next.
    pub every: u64,
    /// What had come in when its flow was measured last, as the ledger on the device counts.
    pub came_in: i64,
    /// Flow rate then.
    pub flow: f64,
    /// Pressure in its compliance then.
    pub stored: f64,
    /// Pressures at the outlet then and when the flow is measured next.
    pub pressure: [f64; 2],
    /// Pressure and flow as a wave along the vessel then, and its trend.
    pub wave: [f64; 2],
}

/// What a restart needs to know of a population of cells besides the cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PopulationState {
    /// Its name, also that of its records: see [`CheckpointWriter::cells`].
    pub name: String,
    /// Its cells up to now; as many records are in the shares as `inside` says.
    pub count: CellCount,
}

impl CheckpointMeta {
    /// The version of the layout written here.
    pub const SCHEMA: u32 = 2;
    const FILE: &str = "checkpoint.json";
}

fn folder(run: &Path, step: u64) -> PathBuf {
    run.join("checkpoint").join(format!("step-{step:012}"))
}

fn partial(run: &Path, step: u64) -> PathBuf {
    folder(run, step).with_extension("partial")
}

/// The time step of a checkpoint folder's name; none for other names and unfinished ones.
fn step_of(path: &Path) -> Option<u64> {
    let digits = path.file_name()?.to_str()?.strip_prefix("step-")?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// The finished checkpoints of a run, oldest first.
fn finished(run: &Path) -> Vec<(u64, PathBuf)> {
    let entries = std::fs::read_dir(run.join("checkpoint")).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<_> = entries.filter_map(|path| Some((step_of(&path)?, path))).collect();
    found.sort();
    found
}

/// The group of a population's records. A name may hold what HDF5 takes for a path.
fn cells_group(population: &str) -> String {
    format!("cells/{}", population.replace('%', "%25").replace('/', "%2F").replace('.', "%2E"))
}

fn rank_file(folder: &Path, rank: usize) -> PathBuf {
    folder.join(format!("rank-{rank:04}.h5"))
}

#[cfg(test)]
mod tests;
