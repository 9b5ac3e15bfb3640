//! The `terrain` object of a case config: a model of terrain as the source of the geometry.

use std::path::PathBuf;

use hematite_units::quantity::Length;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::opening::BoxConfig;

/// The name of the field of heights that a terrain makes; its unit is the metre.
pub const ELEVATION: &str = "elevation";

/// A model of terrain, e.g. {"file": "etna.tif", "unit": "1 m"}. Every cell with a height becomes a fluid node of a
/// 2-D lattice, cells without data become wall, and the case has the field "elevation", the heights in metres.
/// Coordinates are those of the map: x easting, y northing. Without a place on a map the lower-left corner is the
/// origin.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct TerrainConfig {
    /// The file: a GeoTIFF (.tif .tiff), an ESRI ASCII grid (.asc), or a grey image (.png .pgm), the north at its top.
    pub file: PathBuf,
    /// What 1 of a height in the file means, e.g. "1 m", or "0.1 m" for tenths of a metre. Default: the unit that a
    /// GeoTIFF names for heights.
    #[serde(default)]
    pub unit: Option<Length>,
    /// What a height of 0 in the file means, e.g. "-100 m"; 0 by default.
    #[serde(default)]
    pub offset: Option<Length>,
    /// The height in the file that stands for none, e.g. -9999, beside that which the file names and NaN.
    #[serde(default)]
    pub missing: Option<f64>,
    /// What 1 of the coordinates and the size of a cell in the file means, e.g. "1 m". Needed where the file does not
    /// tell it: ESRI ASCII grids never do.
    #[serde(default)]
    pub cell_unit: Option<Length>,
    /// The part that is used, in coordinates of the map, e.g. {"min": ["495 km", "4170 km"], "max": ["510 km", "4185
    /// km"]}: cells with their centres in it. In place of `crop`, which counts cells.
    #[serde(default)]
    pub within: Option<BoxConfig>,
}
