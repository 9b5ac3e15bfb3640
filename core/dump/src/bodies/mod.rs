//! Dumps of rigid bodies: `bodies.vtkhdf`, with the layout of [`polydata`](crate::polydata).
//!
//! One file holds all rigid populations. Each body is a vertex at its centre, with number, population, orientation,
//! semi-axes, velocity, angular velocity, force and torque (`rows.rs`). ParaView shows bodies by the representation
//! "3D Glyphs" with a sphere of radius 1, orientation array `orientation` (mode Quaternion) and scale array `axes` (by
//! components, factor 1).

mod frame;
mod rows;

#[cfg(test)]
pub(crate) mod tests;

use std::path::{Path, PathBuf};

use hematite_config::Result;

use crate::polydata::{Reader, Writer, write_index};

pub use frame::{BodyFrame, BodyKind};

/// Adds dumps of bodies to one file.
pub type BodyWriter = Writer<BodyKind>;

/// The dumps of one `bodies.vtkhdf`.
pub type BodyReader = Reader<BodyKind>;

/// Writes `path` as an index over rank files of bodies, on one rank, when all ranks have ended the same dump.
///
/// # Errors
/// A usage fault when a rank file is missing or damaged or the files do not fit together; an I/O fault when the index
/// cannot be written.
pub fn write_body_index(path: &Path, rank_files: &[PathBuf]) -> Result<()> {
    write_index::<BodyKind>(path, rank_files)
}
