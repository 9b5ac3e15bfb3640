//! Lava that flows over terrain, by the cellular automaton of MAGFLOW.
//!
//! Each node of a 2-D case is a cell of a map with the elevation of its ground, fluid lava at a temperature, and solid lava.
//! Between a cell and its eight neighbours lava flows as a steady sheet of a Bingham fluid ([`Parameters::flow`]), takes its
//! heat along, radiates heat, and becomes solid below a temperature (Vicari, Herault, Del Negro, Coltelli, Marsella and
//! Proietti, Environ. Model. Softw. 22, 1465, 2007). Time steps follow the fastest flow.
//!
//! A step is one kernel over the blocks of cells in which something may flow (step.wgsl). What flows is whole numbers: what
//! one cell gives the other one gets, on any number of ranks, so that volume and heat are exact.

mod amount;
mod arrays;
mod automaton;
mod config;
mod effusion;
mod parameters;
mod physics;
mod planned;
mod rheology;
mod shaders;
mod state;
mod vents;

pub use amount::{PER_ONE, amount, number};
pub use automaton::{Automaton, Bounds, Found};
pub use config::{LavaConfig, LavaSections, Neighbours};
pub use parameters::Parameters;
pub use planned::{LavaMethod, PlannedLava};
pub use rheology::Rheology;
pub use shaders::{DRAINING, LEVELLING};
pub use state::State;
pub use vents::VentCells;
