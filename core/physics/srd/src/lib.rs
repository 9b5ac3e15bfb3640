//! A fluid of particles by stochastic rotation dynamics (SRD), also called multi-particle collision dynamics.
//!
//! Particles fly freely for a time step, then those of each collision cell exchange momentum: their velocities about the
//! mean of the cell turn by a fixed angle about a random axis (Malevanets and Kapral, J. Chem. Phys. 110, 8605, 1999).
//! The cells, as large as the lattice spacing, are shifted at random in each step (Ihle and Kroll, Phys. Rev. E 63, 020201,
//! 2001). The result is a fluid with thermal fluctuations, whose viscosity follows from angle, mean free path and number
//! of particles in a cell ([`theory`]).
//!
//! A step is two kernels: collide.wgsl finds what happens in each cell, step.wgsl moves each particle and adds it to the
//! sums of its next cell. These sums are whole numbers, and random numbers are functions of cell, particle and step, so
//! that results are the same on any number of ranks.

mod arrays;
mod cells;
mod config;
mod exchange;
mod expected;
mod fluid;
mod health;
mod parameters;
mod particles;
mod physics;
mod planned;
mod points;
mod shaders;
mod solvent;
mod state;
pub mod theory;

pub use cells::Cells;
pub use config::{Collision, FluidSection, MovingWall, SrdConfig, SrdSections, Walls};
pub use fluid::{NAME, TEMPERATURE};
pub use parameters::Parameters;
pub use particles::{Particle, at_start};
pub use physics::Srd;
pub use planned::{PlannedSrd, SrdMethod};
pub use solvent::{LOOK, Solvent, Totals};
