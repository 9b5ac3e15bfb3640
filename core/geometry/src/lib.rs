//! Images, voxel volumes, surfaces and models of terrain to a labelled lattice.
//!
//! [`build()`] reads the `geometry` and `openings` of a case config and makes a [`Domain`]: every lattice site is
//! wall, fluid, or part of an opening; [`build_with_parts`] marks named parts of the wall besides. [`build_marked`]
//! gives a [`Marking`], too, which tells the nodes of named regions and the values of fields at nodes. Coordinates
//! count from the lower-left corner of the image, y up, and stay put under cropping, refinement and padding; those of
//! terrain are the map's.

mod axes;
mod behind;
mod border;
mod build;
mod components;
mod config;
mod connect;
mod distance;
mod domain;
mod doubts;
mod end;
mod even;
mod field;
mod fluid;
mod fronts;
mod gaps;
mod grey;
mod heights;
mod local_sums;
mod marking;
pub mod models;
mod opening;
mod pixels;
pub mod read;
mod refine;
mod region;
mod relief;
mod rules;
mod section;
mod smooth;
mod specks;
mod spot;
mod surface;
mod terrain;
mod thin;
mod tips;
mod unruled;
mod vessel;
pub mod volcano;
mod volume;
mod voxel_size;
mod wall_part;
mod write;

pub use axes::Axes;
pub use behind::Behind;
pub use build::{build, build_marked, build_with_parts, field_inputs, inputs};
pub use config::{ArrayOrder, Axis, Crop, GeometryConfig, Keep, Refine, Rule, VoxelConfig};
pub use domain::*;
pub use end::{End, EndsConfig, width_of};
pub use field::{FieldConfig, Interpolation};
pub use marking::{FieldValues, Marking, RegionNodes};
pub use opening::{BoxConfig, OpeningConfig, Plane, Side};
pub use region::{PlaceConfig, RegionConfig};
pub use section::Section;
pub use specks::SpecksConfig;
pub use spot::{DiscConfig, SegmentConfig};
pub use surface::{Cuts, Foot, Surface, SurfaceConfig};
pub use terrain::{ELEVATION, TerrainConfig};
pub use thin::{ThinWalls, thin_walls};
pub use volume::{Endian, MAX_PIXELS, MAX_VOXELS, ValueType, Values, Volume};
pub use wall_part::{WHOLE_WALL, WallPartConfig};
pub use write::{write_ascii_grid, write_meta_image, write_png};
