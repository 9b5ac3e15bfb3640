//! A model of terrain as read: heights on a grid, and where the grid lies on a map.

use crate::volume::Volume;

/// Heights, and what their file tells of them.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Heights as stored, one slice; the southern row is the first.
    pub volume: Volume,
    /// Where it lies, where the file tells it.
    pub place: Option<MapPlace>,
    /// The value that stands for none, where the file names one.
    pub missing: Option<f64>,
    /// Metres in 1 of a height, where the file tells it.
    pub height_unit: Option<f64>,
}

/// Where a grid lies on a map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapPlace {
    /// Easting and northing of the lower-left corner of its lower-left cell, in units of the map.
    pub corner: [f64; 2],
    /// The edge of a cell, in units of the map.
    pub cell: f64,
    /// Metres in a unit of the map, where the file tells it.
    pub unit: Option<f64>,
    /// The reference system of the map, e.g. "EPSG:32633", where the file names it.
    pub system: Option<String>,
}

/// Edges that differ by less than this share are the same.
const SAME: f64 = 1e-6;

/// Whether cells of these two edges are squares.
pub(super) fn is_square(along_x: f64, along_y: f64) -> bool {
    (along_x - along_y).abs() <= SAME * along_x.abs()
}

/// What to say of cells that are no squares.
pub(super) fn no_squares(along_x: f64, along_y: f64) -> String {
    format!(
        "its cells are {along_x} x {along_y}, and a lattice needs squares: resample it, e.g. by `gdalwarp -tr {0} {0} -r \
         bilinear IN OUT`",
        along_x.min(along_y)
    )
}
