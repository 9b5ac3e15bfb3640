//! Fluids and the time step; WGSL beside its host code.


pub mod lattice_boltzmann;
mod columns;
pub mod config;
mod plan;
mod precision;
mod profile;
pub mod waveform;


pub use plan::Plan;
pub use precision::Precision;
