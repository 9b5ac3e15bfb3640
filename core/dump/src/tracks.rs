//! `tracks.h5`: where each cell and rigid body is and how it lies, in H5MD 1.1.
//!
//! ```text
//! /h5md                              version, author, creator
//! /particles/trajectory/box          dimension, boundary; edges [time, 3]
//!                       position     value [time, row, 3]: mean of the vertices or centre, m; in the box, in 2-D with z = 0
//!                       image        value [time, row, 3]: unwrapped = position + image * edges
//!                       species      value [time, row]: index in /hematite/tracks/kind_name
//!                       id           value [time, row]: number of the cell, -1 where the row is empty
//!                       axis         value [time, row, 3]: unit vector along which it spreads least
//!                       area         value [time, row]: surface, m2; in 2-D perimeter, m
//!                       volume       value [time, row]: enclosed volume, m3; in 2-D area, m2
//! /hematite/tracks                   frames: how many of them count; dimension, kind_name
//! ```
//!
//! In Python: `MDAnalysis.Universe("tracks.h5", format="H5MD", topology_format="MINIMAL", n_atoms=ROWS,
//! convert_units=False)`. Where the number of cells varies, empty rows have no position.
//!
//! All elements share `step` and `time` by hard links. Rows of a frame ascend by cell number; there are as many as the
//! fullest frame needs. A frame fills chunks of its own, and `frames` is raised last.

mod file;
mod frame;

pub use file::{TrackBox, TrackReader, TrackWriter};
pub use frame::TrackFrame;

#[cfg(test)]
mod tests;
