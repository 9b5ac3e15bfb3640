//! Cells in the fluid: their vertices on the device, coupling, contact, and which ranks hold which cells.

mod bounds;
mod contact;
mod coupling;
mod gate;
mod health;
mod holders;
mod inside;
mod kind;
mod map;
mod migration;
mod parameters;
mod passage;
mod pull;
mod record;
mod shaders;
mod slots;
mod snapshot;
mod tiling;
mod time_step;
mod trade;
mod vertices;

pub use bounds::BoundingBoxes;
pub use contact::{Contact, ContactParameters, Morse, WallPoint};
pub use coupling::{Coupling, FASTEST, LARGEST_FORCE, LEAST_WEIGHT, Support};
pub use gate::{DEPTH, Feeder, Gate, Waiting};
pub use holders::{Bounds, Holders};
pub use inside::Inside;
pub use map::{FLUID, SOLID, SiteMap, SiteMapBuilder};
pub use parameters::{KindParameters, LOOK, Parameters, Surroundings};
pub use pull::Pull;
pub use record::{Coordinate, Record};
pub use snapshot::{Snapshot, Tally};
pub use time_step::{CellPhases, Suspension};
pub use vertices::{DRIFT_SCALE, FORCE_SCALE, NONE, Range, Vertices};
