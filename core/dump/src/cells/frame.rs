//! The cells of one dump in memory.

use std::ops::Range;

use crate::polydata::consecutive;

/// A population in dumps of cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellKind {
    /// Its name.
    pub name: String,
    /// Number of vertices of each cell.
    pub vertices: usize,
    /// 3-D: corners of each triangle, as indices of the cell's vertices. Empty in 2-D, where the vertices in their
    /// order form a closed ring.
    pub triangles: Vec<[u32; 3]>,
}

/// Cells at one time, ascending by number. Cells are whole: along periodic axes, the centroid of a cell lies in the
/// domain and its vertices may stick out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellFrame {
    /// Time steps done.
    pub step: u64,
    /// Seconds since step 0.
    pub time: f64,
    /// Global number of each cell.
    pub id: Vec<u64>,
    /// Population of each cell: its index in the file's list of kinds.
    pub kind: Vec<u32>,
    /// Positions in metres of all vertices, cell after cell.
    pub position: Vec<[f64; 3]>,
    /// Velocities in m/s of all vertices. Empty, as are the forces, in a frame for tracks alone.
    pub velocity: Vec<[f32; 3]>,
    /// Forces of the membranes in N on all vertices (in 2-D those of a sheet one lattice spacing deep).
    pub force: Vec<[f32; 3]>,
    /// How often each cell has crossed the periodic faces, along x, y, z: unwrapped = position + image * extent.
    pub image: Vec<[i32; 3]>,
}

impl CellFrame {
    /// The vertices of each cell: its range in `position`, `velocity` and `force`.
    ///
    /// # Panics
    /// When a cell is of a kind that is not in the list.
    pub fn vertices(&self, kinds: &[CellKind]) -> Vec<Range<usize>> {
        consecutive(self.kind.iter().map(|&kind| kinds[kind as usize].vertices))
    }

    /// The cells with the given indices, in that order.
    ///
    /// # Panics
    /// When an index or a kind is out of range.
    #[must_use]
    pub fn take(&self, kinds: &[CellKind], indices: &[usize]) -> Self {
        let vertices = self.vertices(kinds);
        let rows = || indices.iter().flat_map(|&cell| vertices[cell].clone());
        Self {
            step: self.step,
            time: self.time,
            id: indices.iter().map(|&cell| self.id[cell]).collect(),
            kind: indices.iter().map(|&cell| self.kind[cell]).collect(),
            position: rows().map(|row| self.position[row]).collect(),
            velocity: rows().map(|row| self.velocity[row]).collect(),
            force: rows().map(|row| self.force[row]).collect(),
            image: indices.iter().map(|&cell| self.image[cell]).collect(),
        }
    }
}
