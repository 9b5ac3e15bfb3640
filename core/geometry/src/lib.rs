//! Images and voxel volumes to a labelled lattice.
//!
//! [`build`] reads the `geometry` and `openings` of a case config and makes a [`Domain`]: every lattice site is wall,
//! fluid, or part of an opening; [`build_with_parts`] marks named parts of the wall besides. Coordinates count from the lower-left corner of the image, y up, and stay put under
//! cropping, refinement and padding.

mod build;
mod components;
mod config;
mod distance;
mod domain;
pub mod models;
mod opening;
pub mod read;
mod refine;
mod rules;
mod section;
mod smooth;
mod thin;
mod volume;
mod wall_part;
mod write;

pub use build::{build, build_with_parts, inputs};
pub use config::{Axis, Crop, GeometryConfig, Keep, Refine, Rule, VoxelConfig};
pub use domain::*;
pub use opening::{OpeningConfig, Plane, Region, Side};
pub use section::Section;
pub use thin::{ThinWalls, thin_walls};
pub use volume::{Endian, MAX_PIXELS, MAX_VOXELS, ValueType, Values, Volume};
pub use wall_part::{WHOLE_WALL, WallPartConfig};
pub use write::{write_meta_image, write_png};
