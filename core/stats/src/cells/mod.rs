//! Statistics of deformable cells, from their surfaces and the flow around them.

pub mod bins;
pub mod blocks;
pub mod bluntness;
pub mod flow;
pub mod free_layer;
pub mod map;
pub mod occupancy;
pub mod rotation;
pub mod section;
pub mod shape;
pub mod straight;
pub mod tracks;
mod view;
pub mod wall_distance;

pub use view::{Cell, cells};

#[cfg(test)]
mod testing;
