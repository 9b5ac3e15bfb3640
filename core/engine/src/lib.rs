//! What every physics stands on: the trait that it implements, the loop that drives all of a run in step, and what physics share,
//! namely nodes, sites, particles, messages between ranks, and openings through which bodies go.

mod alarm;
mod axis;
pub mod columns;
pub mod courier;
mod drive;
mod ground;
mod halo;
mod measured;
mod medium;
mod members;
mod method;
mod nodes;
pub mod particles;
pub mod passage;
mod physics;
mod planned;
mod precision;
pub mod sites;
mod space;
mod state;
mod support;
mod time;
mod trade;
pub mod waveform;

pub use alarm::Alarm;
pub use axis::Axis;
pub use courier::Phases;
pub use drive::{Drive, LONGEST_BATCH, longest_step};
pub use ground::Ground;
pub use halo::{BoundHalo, HaloExchange};
pub use hematite_dump::Clock;
pub use measured::{Mass, Measured};
pub use medium::{Medium, ShearRate};
pub use members::{Fed, Members, Records};
pub use method::{FluidNeeds, Method, Planning};
pub use nodes::{CONTRASTS, CameIn, DRIFT_SCALE, FORCE_SCALE, SharedNodes};
pub use physics::Physics;
pub use planned::{Planned, Table};
pub use precision::Precision;
pub use space::Space;
pub use state::{EachRecord, Keep, Saved, StateHeader};
pub use support::Support;
pub use time::{End, Span, TimeConfig};
pub use trade::Trade;
