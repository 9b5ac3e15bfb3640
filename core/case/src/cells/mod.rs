//! Populations of cells: what the case file keeps of them, and how they are seeded.

mod population;

pub use population::{Placed, Population};
