//! The `geometry` object of a case config.

use std::path::PathBuf;

use hematite_config::{Fault, Result};
use hematite_units::quantity::Length;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::read::raw::Layout;
use crate::volume::{Endian, ValueType};

/// Where the lattice comes from: exactly one of `image` and `voxels`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", default)]
pub struct GeometryConfig {
    /// A 2-D bitmap (.ppm .pgm .pbm .png .tif). Its lower-left corner is the origin: x points right, y up.
    pub image: Option<PathBuf>,
    /// A voxel volume. Row j of slice k lies at y = j, z = k: nothing is flipped. One slice makes a 2-D domain.
    pub voxels: Option<VoxelConfig>,
    /// Lattice spacing of one pixel or voxel, before refinement.
    pub spacing: Option<Length>,
    /// Which values become what; the first rule that matches decides. Default: everything but zero (black) is fluid.
    pub rules: Option<Vec<Rule>>,
    /// The part that is used, in pixels or voxels before refinement, counted from the origin (y up).
    pub crop: Option<Crop>,
    /// Divides every pixel or voxel.
    pub refine: Option<Refine>,
    /// Directions in which the lattice wraps.
    pub periodic: Vec<Axis>,
    /// Which connected components of the fluid stay. Default: those that touch an opening, or all where there is none.
    pub keep: Option<Keep>,
}

/// A file of voxels.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct VoxelConfig {
    /// The file (.raw .bin .nrrd .nhdr .mha .mhd .vti .tif .tiff .nii .nii.gz), or a folder of slices, which are read
    /// in the order of their names.
    pub file: PathBuf,
    /// Raw files: voxels along x, y, z; x fastest.
    #[serde(default)]
    pub shape: Option<[u64; 3]>,
    /// Raw files: the type of a value.
    #[serde(default, rename = "type")]
    pub value_type: Option<ValueType>,
    /// Raw files: the byte order; default little.
    #[serde(default)]
    pub endian: Option<Endian>,
    /// Raw files: bytes before the first value; default 0.
    #[serde(default)]
    pub offset: Option<u64>,
    /// VTI files: the name of the array; default the active scalars, or else the first array.
    #[serde(default)]
    pub array: Option<String>,
    /// What 1 in the header's spacing means, e.g. "1 mm"; takes the place of `spacing`.
    #[serde(default)]
    pub header_unit: Option<Length>,
}

impl VoxelConfig {
    /// The layout of a raw file.
    pub(crate) fn layout(&self) -> Result<Layout> {
        let missing = |key: &str, example: &str| {
            Fault::usage(format!("a raw file needs \"{key}\" in \"voxels\", e.g. {example}"))
        };
        Ok(Layout {
            shape: self.shape.ok_or_else(|| missing("shape", "[64, 64, 32] (x, y, z)"))?,
            kind: self.value_type.ok_or_else(|| missing("type", "\"u8\""))?,
            endian: self.endian.unwrap_or_default(),
            offset: self.offset.unwrap_or(0),
        })
    }

    /// Refuses the keys of raw files.
    pub(crate) fn refuse_raw_keys(&self) -> Result<()> {
        let given = [
            ("shape", self.shape.is_some()),
            ("type", self.value_type.is_some()),
            ("endian", self.endian.is_some()),
            ("offset", self.offset.is_some()),
        ];
        match given.into_iter().find(|&(_, given)| given) {
            Some((key, _)) => {
                Err(Fault::usage(format!("\"{key}\" is for raw files; this format's header tells it, take it out")))
            }
            None => Ok(()),
        }
    }
}

/// One rule: exactly one condition, and what a value that meets it is. Colours are compared by their luma (Rec. 709)
/// in all conditions but `colour`. A value that is not a number meets only `any`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct Rule {
    /// This colour, "#rrggbb"; images only.
    #[serde(default)]
    pub colour: Option<String>,
    /// Values < this.
    #[serde(default)]
    pub below: Option<f64>,
    /// Values >= this, so that `below` and `above` of one number cover all.
    #[serde(default)]
    pub above: Option<f64>,
    /// Values equal to this.
    #[serde(default)]
    pub equals: Option<f64>,
    /// Values from the first to the second number, both included.
    #[serde(default)]
    pub between: Option<[f64; 2]>,
    /// Every value; write true.
    #[serde(default)]
    pub any: Option<bool>,
    /// "fluid", "wall", or the label of an opening.
    pub is: String,
}

/// A box of pixels or voxels; two numbers each in 2-D, three in 3-D.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct Crop {
    /// The first pixel along x, y(, z).
    pub min: Vec<usize>,
    /// One past the last pixel along x, y(, z).
    pub max: Vec<usize>,
}

/// Division of pixels or voxels.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct Refine {
    /// Lattice sites along the edge of one pixel: 1 to 256.
    pub factor: usize,
    /// Whether the steps of the bitmap are smoothed; straight walls along an axis stay where they are.
    #[serde(default)]
    pub smooth: bool,
}

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Along x.
    X,
    /// Along y.
    Y,
    /// Along z.
    Z,
}

impl Axis {
    /// 0, 1 or 2.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Which connected components of the fluid stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// The one of most sites.
    Largest,
    /// Those with a link into an opening.
    TouchingOpenings,
    /// Every one.
    All,
}
