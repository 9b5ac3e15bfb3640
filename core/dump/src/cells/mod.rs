//! Dumps of cells: `cells.vtkhdf`, with the layout of [`polydata`](crate::polydata).
//!
//! One file holds all populations. Each cell is a triangle mesh in 3-D, a polygon of all its vertices in 2-D, in
//! metres, with velocity and force of each vertex, and number and population of each cell (`rows.rs`).

mod frame;
mod rows;

#[cfg(test)]
pub(crate) mod tests;

use std::path::{Path, PathBuf};

use hematite_config::Result;

use crate::polydata::{Reader, Writer, write_index};

pub use frame::{CellFrame, CellKind};

/// Adds dumps of cells to one file.
pub type CellWriter = Writer<CellKind>;

/// The dumps of one `cells.vtkhdf`.
pub type CellReader = Reader<CellKind>;

/// Writes `path` as an index over rank files of cells, on one rank, when all ranks have ended the same dump.
///
/// # Errors
/// A usage fault when a rank file is missing or damaged or the files do not fit together; an I/O fault when the index
/// cannot be written.
pub fn write_cell_index(path: &Path, rank_files: &[PathBuf]) -> Result<()> {
    write_index::<CellKind>(path, rank_files)
}
