//! Polymers: chains of beads and springs, linear or ring, embedded in a fluid of particles.
//!
//! In each time step beads take part in the collisions of the fluid ([`EmbeddedPoints`](hematite_engine::EmbeddedPoints)),
//! then move by velocity Verlet in many shorter steps, under the forces of bonds, bends and other beads. Fluid and chains
//! exchange momentum by the collisions alone (Malevanets and Yeomans, Europhys. Lett. 52, 231, 2000).
//!
//! Every rank holds all beads and moves all of them, so that the sub-steps need no messages, and results are the same on
//! any number of ranks.

mod beads;
mod chains;
mod config;
mod energy;
mod parameters;
mod physics;
mod planned;
mod resolve;
mod shaders;
mod state;

pub use beads::Beads;
pub use chains::{Bead, Chains, NONE, at_start};
pub use config::{BondConfig, ChainConfig, PairConfig, PolymerSections, PolymersConfig};
pub use energy::{Conformation, Energy};
pub use parameters::{Kind, Parameters, repulsive};
pub use physics::Polymers;
pub use planned::PolymerMethod;
