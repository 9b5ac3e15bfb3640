//! Dumps of rigid bodies: `bodies.vtkhdf`, as [`polydata`](crate::polydata) says.
//!
//! All rigid populations in one file: a vertex a body at its centre, with its number, population, orientation, semi-axes,
//! velocity, angular velocity, force and torque (`rows.rs`). In ParaView the representation "3D Glyphs" with a sphere of
//! radius 1, orientation array `orientation` (mode Quaternion) and scale array `axes` (by components, factor 1) shows them.

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

/// Writes `path` as an index over rank files of bodies: see `write_index`.
///
/// # Errors
/// As that.
pub fn write_body_index(path: &Path, rank_files: &[PathBuf]) -> Result<()> {
    write_index::<BodyKind>(path, rank_files)
}
