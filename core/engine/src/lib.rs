//! The common base of all physics: the trait [`Physics`], the loop that advances all physics of a run together, and
//! what they share: nodes, sites, particles, messages between ranks, and openings through which members come in and
//! leave.

mod alarm;
mod axis;
pub mod columns;
mod drive;
mod driving;
mod embedded;
mod figure;
mod ground;
mod halo;
mod measured;
mod medium;
mod members;
mod method;
mod moving_walls;
mod needs;
mod node_forces;
mod nodes;
pub mod particles;
pub mod passage;
mod physics;
mod planned;
mod precision;
mod random;
pub mod rank_channel;
mod shared;
pub mod sites;
mod space;
mod state;
mod sum_exchange;
mod support;
mod surface_points;
mod time;
pub mod waveform;

pub use alarm::Alarm;
pub use axis::Axis;
pub use drive::{Drive, LONGEST_BATCH};
pub use driving::{DriveConfig, InitialConfig, PressureDrop, moves_along_itself};
pub use embedded::{Bath, EmbeddedPoints, PointNeeds, bits_of_fraction};
pub use figure::Figure;
pub use ground::Ground;
pub use halo::{BoundHalo, HaloExchange};
pub use hematite_dump::Clock;
pub use measured::{Mass, Measured};
pub use medium::{Medium, ShearRate};
pub use members::{Fed, Members, Records};
pub use method::{Method, Planning};
pub use moving_walls::moving_wall_sites;
pub use needs::FluidNeeds;
pub use node_forces::{ADD_FORCE, FORCE_SCALE, NodeForces};
pub use nodes::{CONTRASTS, CameIn, DRIFT_SCALE, SharedNodes};
pub use physics::Physics;
pub use planned::{Planned, Table};
pub use precision::{LEAST_CONVERTED, Precision};
pub use random::{RANDOM, normals, philox, random_context, uniform};
pub use rank_channel::Phases;
pub use shared::SharedData;
pub use space::Space;
pub use state::{EachRecord, Keep, Saved, StateHeader};
pub use sum_exchange::SumExchange;
pub use support::Support;
pub use surface_points::{
    SURFACE_ACTIONS, SharedSurface, Solid, Solids, SurfaceContact, SurfacePoints, entry_gap, surface_push,
};
pub use time::{End, Span, TimeConfig};
