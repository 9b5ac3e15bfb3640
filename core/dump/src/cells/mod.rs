//! Dumps of cells: `cells.vtkhdf`, as [`polydata`](crate::polydata) says.
//!
//! All populations in one file: a triangle mesh a cell in 3-D, a polygon of all its vertices in 2-D, in metres, with
//! velocity and force of each vertex, and number and population of each cell (`rows.rs`).

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

/// Writes `path` as an index over rank files of cells: see `write_index`.
///
/// # Errors
/// As that.
pub fn write_cell_index(path: &Path, rank_files: &[PathBuf]) -> Result<()> {
    write_index::<CellKind>(path, rank_files)
}
