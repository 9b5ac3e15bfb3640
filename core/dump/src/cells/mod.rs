//! Dumps of cells: `cells.vtkhdf` (surfaces) and `tracks.h5` (centroids).

mod frame;

pub use frame::{CellFrame, CellKind};
