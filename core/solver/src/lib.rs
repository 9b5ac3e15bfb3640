//! Fluids and the time step; WGSL beside its host code.

mod columns;
pub mod config;
pub mod lattice_boltzmann;
mod plan;
mod precision;
mod profile;
pub mod waveform;

pub use plan::Plan;
pub use precision::Precision;
