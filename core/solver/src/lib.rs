//! Fluids and the time step; WGSL beside its host code.

mod bodies;
mod capillary;
mod clearing;
mod columns;
mod conditions;
pub mod config;
mod courier;
mod expected;
pub mod lattice_boltzmann;
pub mod membrane;
pub mod particles;

mod immersion;
mod inflow;
mod outlets;
mod plan;
mod precision;
mod profile;
pub mod rigid;
pub mod sites;
pub mod suspension;
mod turn;
pub mod waveform;
mod womersley;

pub use bodies::{Bodies, Nothing};
pub use config::WallMethod;

pub use capillary::ShearRate;
pub use expected::{Domain, Expected};
pub use immersion::Immersion;
pub use outlets::{OutletReading, OutletState, Outlets};
pub use plan::{Plan, WALLS};
pub use precision::Precision;
pub use turn::Turn;
