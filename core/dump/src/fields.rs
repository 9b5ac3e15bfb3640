//! Dumps of fields: `NAME.vtkhdf`, a temporal VTKHDF UnstructuredGrid that opens in ParaView as it is.
//!
//! One voxel (pixel in 2-D) a lattice node, corners shared, in metres; the geometry is written once and every dump adds
//! cell arrays in SI. A group `/hematite` beside `/VTKHDF` holds data without a place in VTK: the global number and the
//! lattice position of each node, and the time step of each dump. With several ranks, each writes its own file
//! ([`rank_file`]), and `NAME.vtkhdf` is an index over them by virtual datasets; rank files and index have the same layout.
//!
//! Rows of one dump fill whole chunks, so that adding a dump touches no chunk of an earlier one, and the number of
//! dumps is raised last: a run that is killed while it writes leaves a file that holds its whole dumps.

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
pub(crate) use pieces::rank_files;
pub use reader::FieldReader;
pub use writer::FieldWriter;
