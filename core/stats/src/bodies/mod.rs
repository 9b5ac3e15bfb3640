//! Statistics of rigid bodies, from their places, turns and motion and the flow around them.

pub mod map;
pub mod occupancy;
pub mod order;
pub mod profile;
mod view;

pub use view::{Body, bodies, symmetry_axis};

#[cfg(test)]
mod testing;
