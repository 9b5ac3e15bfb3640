//! Statistics of deformable cells, from their surfaces and the flow around them.

pub mod bluntness;
mod filling;
pub mod flow;
pub mod free_layer;
pub mod rotation;
pub mod shape;
mod view;

pub use crate::suspension::{bins, occupancy, straight};
pub use view::{Cell, cells};

#[cfg(test)]
pub(crate) mod testing;
