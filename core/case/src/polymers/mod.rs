//! Populations of polymers: what the case file keeps of them, and how their chains are grown.
//!
//! [`grow_polymers`] reads as the whole: `plan` checks what is asked, `open` and `ring` grow one chain after the other into
//! what is left of the fluid, where `room` knows walls and beads.

mod config;
mod grow;
mod open;
mod plan;
mod population;
mod ring;
mod room;
#[cfg(test)]
mod tests;

pub use config::PolymerConfig;
pub use grow::grow_polymers;
pub use plan::{ChainPlan, plan_polymers};
pub use population::ChainPopulation;
