//! What every physics stands on: the trait that it implements, the loop that drives all of a run in step, and what physics share,
//! namely nodes, sites, particles, messages between ranks, and openings through which bodies go.

mod axis;
pub mod columns;
pub mod courier;
mod drive;
mod medium;
mod nodes;
pub mod particles;
pub mod passage;
mod physics;
mod precision;
pub mod sites;
mod support;
mod trade;
pub mod vector;
pub mod waveform;

pub use axis::Axis;
pub use courier::Phases;
pub use drive::{Drive, LONGEST_BATCH};
pub use medium::{Medium, ShearRate};
pub use nodes::{CONTRASTS, CameIn, DRIFT_SCALE, FORCE_SCALE, SharedNodes};
pub use physics::Physics;
pub use precision::Precision;
pub use support::Support;
pub use trade::Trade;
