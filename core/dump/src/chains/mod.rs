//! Dumps of the chains of polymers: `polymers.vtkhdf`, with the layout of [`polydata`](crate::polydata).
//!
//! One file holds all populations. Each chain is a line through its beads, in metres, that comes back to the first bead of a
//! ring, with the velocity of each bead, and number and population of each chain (`rows.rs`). ParaView shows chains by the
//! filter "Tube".

mod frame;
mod rows;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use hematite_config::Result;

use crate::polydata::{Reader, Writer, write_index};

pub use frame::{ChainFrame, ChainKind};

/// Adds dumps of chains to one file.
pub type ChainWriter = Writer<ChainKind>;

/// The dumps of one `polymers.vtkhdf`.
pub type ChainReader = Reader<ChainKind>;

/// Writes `path` as an index over rank files of chains, on one rank, when all ranks have ended the same dump.
///
/// # Errors
/// A usage fault when a rank file is missing or damaged or the files do not fit together; an I/O fault when the index
/// cannot be written.
pub fn write_chain_index(path: &Path, rank_files: &[PathBuf]) -> Result<()> {
    write_index::<ChainKind>(path, rank_files)
}
