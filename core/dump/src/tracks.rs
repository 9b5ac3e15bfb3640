//! `tracks.h5`: position and orientation of each cell and rigid body over time, in H5MD 1.1.
//!
//! ```text
//! /h5md                              version, author, creator
//! /particles/trajectory/box          dimension, boundary; edges [time, 3]
//!                       position     value [time, row, 3]: mean of the vertices or centre, m; in the box; z = 0 in 2-D
//!                       image        value [time, row, 3]: unwrapped = position + image * edges
//!                       species      value [time, row]: index in /hematite/tracks/kind_name
//!                       id           value [time, row]: number of the cell, -1 where the row is empty
//!                       axis         value [time, row, 3]: unit vector along which the vertices spread least
//!                       area         value [time, row]: surface, m2; in 2-D perimeter, m
//!                       volume       value [time, row]: enclosed volume, m3; in 2-D area, m2
//! /hematite/tracks                   frames: number of valid frames; dimension, kind_name
//! ```
//!
//! In Python: `MDAnalysis.Universe("tracks.h5", format="H5MD", topology_format="MINIMAL", n_atoms=ROWS,
//! convert_units=False)`. Where the number of cells varies, empty rows have no position.
//!
//! All elements share `step` and `time` by hard links. Rows of a frame ascend by cell number. Every frame has as many
//! rows as the one with the most cells needs. A frame fills chunks of its own, and `frames` is raised last.

mod file;
mod frame;

pub use file::{TrackBox, TrackReader, TrackWriter};
pub use frame::TrackFrame;

#[cfg(test)]
mod tests;
