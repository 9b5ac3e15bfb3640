//! Dumps of fields: `NAME.vtkhdf`, a temporal VTKHDF UnstructuredGrid that opens in ParaView as it is.
//!
//! Each lattice node is a voxel (2-D: pixel) in metres that shares its corners with neighbours. The geometry is written
//! once; every dump adds cell arrays in SI. A group `/hematite` beside `/VTKHDF` holds data without a place in VTK: the
//! global number and the lattice position of each node, and the time step of each dump. With several ranks, each writes
//! its own file ([`rank_file`]), and `NAME.vtkhdf` is an index over them by virtual datasets. Rank files and index have
//! the same layout.
//!
//! Rows of one dump fill whole chunks, so adding a dump touches no chunk of an earlier one. The number of dumps is
//! raised last. So a run that is killed while it writes leaves a file with all complete dumps.

mod carry;
mod header;
mod index;
mod pieces;
mod reader;
mod voxels;
mod writer;

#[cfg(test)]
pub(crate) mod tests;

pub use carry::{clear_other_ranks, cut_back, dump_file, rank_file};
pub use index::write_index;
pub(crate) use pieces::{Pieces, rank_files};
pub use reader::FieldReader;
pub use writer::FieldWriter;
