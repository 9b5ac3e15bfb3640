//! Dumps of cells: `cells.vtkhdf`, a temporal VTKHDF PolyData that opens in ParaView as it is.
//!
//! All populations in one file: a triangle mesh a cell in 3-D, a polygon of all its vertices in 2-D, in metres, with
//! velocity and force of each vertex, and number and population of each cell. A group `/hematite/cells` beside `/VTKHDF`
//! holds what VTK has no place for: the populations, and for each dump its time step, where its rows stand, and number,
//! population and image of each cell. With several ranks each writes its own file ([`rank_file`](crate::rank_file)), every
//! cell into one of them, and `cells.vtkhdf` is an index over them by virtual datasets; rank files and index have the same
//! layout (`layout.rs`). Cells stand ordered by population, then number; while that list stays the same from one dump to the
//! next, polygons are not written again.
//!
//! Each dump begins with a chunk of its own in every array, so that adding a dump touches no chunk of an earlier one, and
//! the number of dumps is raised last: a run that is killed while it writes leaves a file that holds its whole dumps.

mod carry;
mod frame;
mod header;
mod index;
mod layout;
mod reader;
mod writer;

#[cfg(test)]
pub(crate) mod tests;

pub use frame::{CellFrame, CellKind};
pub use index::write_cell_index;
pub use reader::CellReader;
pub use writer::CellWriter;
