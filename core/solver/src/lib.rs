//! Fluids and the time step; WGSL beside its host code.

mod bodies;
mod capillary;
mod columns;
mod conditions;
pub mod config;
mod courier;
mod expected;
pub mod lattice_boltzmann;
pub mod membrane;
pub mod particles;

mod fluid_sites;
mod immersion;
mod inflow;
mod opening_plane;
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
pub use fluid_sites::FluidSites;
pub use immersion::Immersion;
pub use inflow::{CellEntrances, Pack};
pub use outlets::{OutletReading, OutletState, Outlets};
pub use plan::{Plan, WALLS};
pub use precision::Precision;
pub use turn::Turn;
