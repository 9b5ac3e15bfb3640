//! The `geometry` object of a case config.

use std::path::PathBuf;

use hematite_config::{Fault, Result};
use hematite_units::quantity::Length;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::end::EndsConfig;
use crate::read::raw::Layout;
use crate::specks::SpecksConfig;
use crate::surface::SurfaceConfig;
use crate::terrain::TerrainConfig;
use crate::volume::{Endian, ValueType};

/// Where the lattice comes from: exactly one of `image`, `voxels`, `surface` and `terrain`, with a `spacing`, e.g.
/// {"image": "vessel.png", "spacing": "4 um"}.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", default)]
pub struct GeometryConfig {
    /// A 2-D bitmap, e.g. "vessel.png" (.ppm .pgm .pbm .pnm .png .tif .tiff). Its lower-left corner is the origin: x
    /// points right, y up. Rules see values from 0 (black) to 255 (white), or to 65535 in images of more than 8 bits;
    /// PNM files with another maximum (P2 with 15, say) and bitmaps are scaled to that range, as image viewers do. The
    /// values of a TIFF file are those stored. Pixels must be opaque.
    pub image: Option<PathBuf>,
    /// A voxel volume, e.g. {"file": "vessel.nii.gz"}. Voxel i of row j of slice k lies at x = i, y = j, z = k. Where
    /// the header says how these run through the patient, x, y and z are the patient's: to the left, to the back, to
    /// the head. The origin is the corner of the volume where they are least. One slice makes a 2-D domain.
    pub voxels: Option<VoxelConfig>,
    /// The surface of a vessel, e.g. {"file": "aorta.stl", "unit": "1 mm"}: the fluid is within it. Coordinates of
    /// openings are those of the file, times its unit. `rules`, `crop`, `refine`, `specks`, `ends` and `periodic` are
    /// not for surfaces.
    pub surface: Option<SurfaceConfig>,
    /// A model of terrain, e.g. {"file": "etna.tif", "unit": "1 m"}: every cell with a height is a fluid node of a 2-D
    /// lattice, and the case has the field "elevation". `rules`, `specks`, `ends`, `periodic` and openings are not for
    /// terrain.
    pub terrain: Option<TerrainConfig>,
    /// The spacing of the lattice, e.g. "4 um": the edge of one pixel, or of one voxel where nothing else tells that.
    /// With `refine` the lattice is finer by that factor. Voxels of another known edge (by their header and its unit,
    /// or by `voxels.edges`) are resampled to this spacing, along smoothed walls. So are cells of terrain of another
    /// edge: heights are interpolated to a finer spacing, to a coarser one they are the means over its sites. Default:
    /// the known edge of voxels that are cubes, and of cells.
    pub spacing: Option<Length>,
    /// Which values become what; the first rule that matches decides, and every value must meet one, e.g.
    /// [{"below": 128, "is": "wall"}, {"any": true, "is": "fluid"}]. Default: zero (black) is wall, all else fluid.
    pub rules: Option<Vec<Rule>>,
    /// The part that is used, in pixels or voxels as read, counted from the origin (y up), e.g.
    /// {"min": [10, 0], "max": [110, 64]}. Coordinates of openings still count from the whole image's origin.
    pub crop: Option<Crop>,
    /// Divides every pixel or voxel into smaller sites, e.g. {"factor": 4, "smooth": true}.
    pub refine: Option<Refine>,
    /// Removes specks, small pieces of fluid or wall that are noise, before anything else is made of the labels, e.g.
    /// {"fluid": 20, "wall": 20} pixels or voxels.
    pub specks: Option<SpecksConfig>,
    /// Makes openings where the border of a picture or a volume cuts vessels, e.g. {"largest": "velocity", "others":
    /// "pressure"}: "end-0", "end-1" and so on, the largest first, as `mkcase --check` lists them. Each connected
    /// patch of fluid at the border is an end; the opening is cut across the vessel inside it. Default: only those
    /// that `openings` name by `end`. Surfaces have a key of this name of their own. Not together with `periodic`.
    pub ends: Option<EndsConfig>,
    /// Directions in which the lattice wraps, e.g. ["x", "y"]; what leaves through one face enters by the opposite
    /// one. Other faces are closed by wall, but for openings.
    pub periodic: Vec<Axis>,
    /// Which connected components of the fluid stay, e.g. "largest"; the others become wall. Default:
    /// "touching_openings", or "all" where there is no opening.
    pub keep: Option<Keep>,
}

/// A file of voxels, e.g. {"file": "rock.raw", "shape": [64, 64, 32], "type": "u8"}; only raw files need more than
/// `file`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct VoxelConfig {
    /// The file (.nii .nii.gz .nrrd .nhdr .mha .mhd .vti .npy .tif .tiff .raw .bin), or a folder of slices: images,
    /// read in the order of the one number in which their names differ, the first at z = 0, their first row at y = 0.
    /// Rules see values as stored, those of slices as of `image`.
    pub file: PathBuf,
    /// Raw files: voxels along x, y, z, e.g. [64, 64, 32]; x is stored fastest.
    #[serde(default)]
    pub shape: Option<[u64; 3]>,
    /// Raw files: the type of a value, e.g. "u8".
    #[serde(default, rename = "type")]
    pub value_type: Option<ValueType>,
    /// Raw files: the byte order, "little" (default) or "big".
    #[serde(default)]
    pub endian: Option<Endian>,
    /// Raw files: bytes before the first value, e.g. 512; default 0.
    #[serde(default)]
    pub offset: Option<u64>,
    /// VTI files: the name of the array, e.g. "density"; default the active scalars, or else the first array.
    #[serde(default)]
    pub array: Option<String>,
    /// .npy files: which indices an array has, "zyx" (default), as image libraries have them, or "xyz"; without z in 2-D.
    #[serde(default)]
    pub order: Option<ArrayOrder>,
    /// What 1 in the header's spacing means: with "1 mm" a header spacing of 0.02 is 20 um. In place of the header's
    /// own unit; needed where it has none (MetaImage and VTI files) and the edges of voxels are to follow from it.
    #[serde(default)]
    pub header_unit: Option<Length>,
    /// The edges of a voxel along x, y, z, in place of those of the header, e.g. ["0.4 mm", "0.4 mm", "0.7 mm"].
    #[serde(default)]
    pub edges: Option<[Length; 3]>,
}

/// Which index of an array is along which axis, the slowest first in C's order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArrayOrder {
    /// array[z, y, x], or array[y, x].
    #[default]
    Zyx,
    /// array[x, y, z], or array[x, y].
    Xyz,
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

/// One rule: exactly one condition (`colour`, `below`, `above`, `equals`, `between`, `any`), and what a value that
/// meets it is, e.g. {"colour": "#ff0000", "is": "inlet"}. Numbers are those of the file (see `image` for the range of
/// images); a coloured pixel is compared with them by its luma, 0.2126 R + 0.7152 G + 0.0722 B. NaN meets only `any`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct Rule {
    /// Pixels of exactly this colour, "#rrggbb" with 00 to ff each of red, green and blue, e.g. "#ff0000"; images
    /// only.
    #[serde(default)]
    pub colour: Option<String>,
    /// Values < this, e.g. 128.
    #[serde(default)]
    pub below: Option<f64>,
    /// Values >= this, e.g. 128, so that `below` and `above` of one number cover all.
    #[serde(default)]
    pub above: Option<f64>,
    /// Values equal to this, e.g. 2.
    #[serde(default)]
    pub equals: Option<f64>,
    /// Values from the first to the second number, both included, e.g. [100, 150].
    #[serde(default)]
    pub between: Option<[f64; 2]>,
    /// Every value; write true. For the last rule.
    #[serde(default)]
    pub any: Option<bool>,
    /// "fluid", "wall", or the `label` of an opening, a part of the wall or a region, e.g. "inlet".
    pub is: String,
}

/// A box of pixels or voxels; two whole numbers each in 2-D, three in 3-D, e.g. {"min": [10, 0], "max": [110, 64]},
/// which is 100 pixels wide and 64 high.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct Crop {
    /// The first pixel along x, y(, z), counted from 0 at the origin.
    pub min: Vec<usize>,
    /// One past the last pixel along x, y(, z).
    pub max: Vec<usize>,
}

/// Division of pixels or voxels, in 3-D as in 2-D, e.g. {"factor": 4, "smooth": true}.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct Refine {
    /// Lattice sites along the edge of one pixel or voxel, 1 to 256. 4 makes 16 sites of a pixel, 64 of a voxel, and
    /// divides the spacing by 4.
    pub factor: usize,
    /// Whether walls run smoothly between the steps of the bitmap (true), or keep the steps (false, the default).
    /// Straight walls along an axis stay where they are, no centre of a pixel or voxel changes sides, openings keep
    /// their labels; the longer the steps, the less they are smoothed: up to about ten pixels in 2-D, fewer in 3-D.
    /// Without effect at factor 1.
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
    /// The one of most sites; every opening must touch it.
    Largest,
    /// Those with a link into an opening.
    TouchingOpenings,
    /// Every one.
    All,
}
