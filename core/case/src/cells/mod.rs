//! Populations of cells: what the case file keeps of them, and how they are seeded.
//!
//! [`Seeding`] reads as the whole: `start` puts small cells into the lumen, `relaxation` grows them and moves them apart,
//! step by step as `packing` says, by the tables of `distance` (from a cell's surface) and `lumen` (from the wall), and
//! between rigid bodies by `ellipsoids`. [`Column`] packs cells likewise in a straight stretch, for runs in which they come in.

mod column;
mod config;
mod distance;
mod element;
mod ellipsoids;
mod kind;
mod limits;
mod lumen;
mod neighbours;
mod packing;
mod plan;
mod population;
mod positions;
mod random;
mod relaxation;
mod report;
mod seeding;
mod start;
#[cfg(test)]
mod tests;
mod turn;
mod view;

pub use column::Column;
pub use config::{Growth, PopulationConfig, SeedingConfig};
pub use ellipsoids::Ellipsoid;
pub use population::{Placed, Population};
pub(crate) use random::Draws;
pub use report::{PopulationReport, Refusal};
pub use seeding::{Seeding, seed};
