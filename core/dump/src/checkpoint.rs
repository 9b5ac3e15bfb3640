//! `checkpoint/step-NNN/`: the state of a run after a time step. A run can restart from it on any number of ranks.
//!
//! Each rank writes its share `rank-NNNN.h5` into a folder whose name ends in `.partial`, rank 0 also `checkpoint.json`
//! and `SHA256SUMS`, the hashes of all files. Renaming the folder completes the checkpoint.

mod reader;
mod sums;
mod writer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{CellCount, Clock, Written};

pub use reader::{CellRecords, Checkpoint, Located};
pub use writer::CheckpointWriter;

/// Numbers at nodes as raw bits, node after node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bits {
    /// IEEE half precision.
    F16(Vec<u16>),
    /// IEEE single precision.
    F32(Vec<u32>),
    /// IEEE double precision.
    F64(Vec<u64>),
    /// Whole numbers.
    U32(Vec<u32>),
}

/// Items at nodes, any number of them at each: `width` whole numbers an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    /// Whole numbers of an item.
    pub width: usize,
    /// Number of items at each node.
    pub counts: Vec<u32>,
    /// The numbers, node after node, item after item.
    pub values: Vec<i64>,
}

impl Lists {
    /// The numbers of each node in turn.
    pub fn by_node(&self) -> impl Iterator<Item = &[i64]> {
        let mut rest = &self.values[..];
        self.counts.iter().map(move |&count| {
            let (mine, others) = rest.split_at((count as usize * self.width).min(rest.len()));
            rest = others;
            mine
        })
    }
}

impl Bits {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::F16(bits) => bits.len(),
            Self::F32(bits) => bits.len(),
            Self::F64(bits) => bits.len(),
            Self::U32(bits) => bits.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of one value.
    pub fn width(&self) -> usize {
        match self {
            Self::F16(_) => 2,
            Self::F32(_) | Self::U32(_) => 4,
            Self::F64(_) => 8,
        }
    }

    /// Code of the type in files.
    fn kind(&self) -> u32 {
        match self {
            Self::F16(_) => 16,
            Self::F32(_) => 32,
            Self::F64(_) => 64,
            Self::U32(_) => 0,
        }
    }

    /// The bytes of all values.
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Self::F16(bits) => bits.iter().flat_map(|bits| bits.to_ne_bytes()).collect(),
            Self::F32(bits) | Self::U32(bits) => bits.iter().flat_map(|bits| bits.to_ne_bytes()).collect(),
            Self::F64(bits) => bits.iter().flat_map(|bits| bits.to_ne_bytes()).collect(),
        }
    }

    /// Values of the same type as `self`, from their bytes.
    pub fn like(&self, bytes: &[u8]) -> Self {
        let single = || bytes.as_chunks().0.iter().map(|&bytes| u32::from_ne_bytes(bytes)).collect();
        match self {
            Self::F16(_) => Self::F16(bytes.as_chunks().0.iter().map(|&bytes| u16::from_ne_bytes(bytes)).collect()),
            Self::F32(_) => Self::F32(single()),
            Self::U32(_) => Self::U32(single()),
            Self::F64(_) => Self::F64(bytes.as_chunks().0.iter().map(|&bytes| u64::from_ne_bytes(bytes)).collect()),
        }
    }
}

/// The header of a checkpoint, the same on every rank but for [`outputs`](Self::outputs).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointMeta {
    /// Version of the layout.
    pub schema: u32,
    /// Time steps done.
    pub step: u64,
    /// The times of the run's steps.
    pub clock: Clock,
    /// Ranks that wrote it.
    pub ranks: usize,
    /// Nodes in all.
    pub nodes: u64,
    /// SHA-256 of the case file.
    pub case_sha256: String,
    /// The populations of cells; empty in a run without cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub populations: Vec<PopulationState>,
    /// What each physics stores beside its arrays, by name of the physics.
    #[serde(default)]
    pub physics: BTreeMap<String, serde_json::Value>,
    /// The config of the run; `None` in checkpoints of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<serde_json::Value>,
    /// What the output files of the run hold, by name of the file, in the header that rank 0 writes. A file without
    /// dumps, frames or lines is left out; so are all in checkpoints of earlier versions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, Written>,
}

/// What a restart needs about a population of cells besides the cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PopulationState {
    /// Name of the population and of its records ([`CheckpointWriter::cells`]).
    pub name: String,
    /// Count of its cells so far; the shares hold `inside` records.
    pub count: CellCount,
}

impl CheckpointMeta {
    /// The version of the layout written here.
    pub const SCHEMA: u32 = 4;
    const FILE: &str = "checkpoint.json";
}

fn folder(run: &Path, step: u64) -> PathBuf {
    run.join("checkpoint").join(format!("step-{step:012}"))
}

fn partial(run: &Path, step: u64) -> PathBuf {
    folder(run, step).with_extension("partial")
}

/// The time step in the name of a finished checkpoint's folder; `None` for other names.
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

/// The group of a population's records. The name is encoded, since HDF5 would take some names for paths.
fn cells_group(population: &str) -> String {
    format!("cells/{}", population.replace('%', "%25").replace('/', "%2F").replace('.', "%2E"))
}

fn rank_file(folder: &Path, rank: usize) -> PathBuf {
    folder.join(format!("rank-{rank:04}.h5"))
}

#[cfg(test)]
mod tests;
