//! Statistics of polymers: how chains are shaped, how fast they forget it, how they move.
//!
//! [`Snapshot`] reduces a chain at one time; [`correlation`] and [`modes`] compare times; [`Summary`] puts together what is
//! known of a population.

pub mod correlation;
pub mod modes;
mod profile;
mod snapshot;
mod summary;

pub use correlation::Relaxation;
pub use profile::{Layers, layers};
pub use snapshot::{Bonds, Snapshot, bond_lengths};
pub use summary::{Diffusion, History, Summary};
