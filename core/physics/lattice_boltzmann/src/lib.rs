//! The lattice Boltzmann fluid on a sparse lattice: one part of it on one device.
//!
//! Populations are shifted (`f - w` is stored) and the density at rest is 1, after He and Luo's quasi-incompressible
//! model: `rho = 1 + drho` enters the pressure, momentum is `rho_0 u = u`. Streaming is in place by the AA pattern:
//! on even steps a node finds its populations in its own slots, on odd steps one link upstream.

mod alarms;
mod boundary;
mod buffers;
mod checks;
mod conditions;
pub mod config;
mod directions;
pub mod equilibrium;
mod exchange;
mod expected;
mod figures;
mod filling;
mod fluid;
mod halo;
mod immersed_walls;
mod kernels;
mod ledger;
mod limits;
pub mod links;
mod moment;
mod outlets;
mod parameters;
mod physics;
mod plan;
mod planned;
mod profile;
mod refill;
mod scene;
mod schedule;
pub mod shaders;
mod wall_forces;
mod wall_parts;
mod wall_points;
mod walls;
mod womersley;
mod worst;

pub use boundary::{Prescribed, Shape};
pub use buffers::least_bytes;
pub use checks::{CHECK_EVERY, Extremes, LARGEST_DEVIATION, LARGEST_SPEED};
pub use config::WallMethod;
pub use expected::{Domain, Expected};
pub use fluid::Fluid;
pub use moment::{MASS_QUANTUM, Moment, Monitor, Passing};
pub use outlets::{OutletReading, OutletState, Outlets};
pub use parameters::Parameters;
pub use physics::LatticeBoltzmann;
pub use plan::{Plan, WALLS};
pub use planned::{FlowMethod, FlowSections, PlannedFlow};
pub use schedule::Row;
pub use shaders::{Immersed, Tuning};
pub use wall_forces::{WallForce, WallLinks, centroid};
pub use wall_points::{Around, ELSEWHERE, HeldPoints, HeldPointsBuilder};
pub use walls::{Cut, Walls, cuts};
