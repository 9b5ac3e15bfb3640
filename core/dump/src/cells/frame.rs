//! The cells of one dump in memory.

/// A population as dumps know it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellKind {
    /// Its name.
    pub name: String,
    /// Vertices of each cell.
    pub vertices: usize,
    /// 3-D: corners of each triangle of a cell, by vertex of that cell. Empty in 2-D, where vertices form a closed ring in
    /// their order.
    pub triangles: Vec<[u32; 3]>,
}

/// Some cells at one time, ascending by number. Cells are whole: in periodic directions a cell's centroid lies in the
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
    /// Velocities in m/s of all vertices.
    pub velocity: Vec<[f32; 3]>,
    /// Forces in N on all vertices (in 2-D those of a sheet one lattice spacing deep).
    pub force: Vec<[f32; 3]>,
    /// How often each cell has crossed the periodic faces, along x, y, z: unwrapped = position + image * extent.
    pub image: Vec<[i32; 3]>,
}
