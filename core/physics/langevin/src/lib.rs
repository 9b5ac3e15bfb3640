//! A solvent at rest without hydrodynamics: each point in it feels friction and thermal noise of its own (Langevin, C. R.
//! Acad. Sci. 146, 530, 1908).
//!
//! Polymers in it are Rouse's: no bead drags the fluid around another one. In a time step velocities relax and are stirred
//! exactly (an Ornstein-Uhlenbeck process), then whoever brought the points moves them by their own forces. Both steps keep the
//! distribution of the temperature, so that equilibrium does not depend on the time step.
//!
//! Random numbers are functions of point and step, and every rank works on all points: no message is needed, and results are
//! the same on any number of ranks.

mod config;
mod physics;
mod planned;
mod solvent;

pub use config::{LangevinConfig, LangevinSections};
pub use planned::{LangevinMethod, PlannedLangevin};
pub use solvent::{Parameters, Solvent};
