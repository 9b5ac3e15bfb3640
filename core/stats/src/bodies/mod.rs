//! Statistics of rigid bodies, from their positions, orientations and motion, and the flow around them.

mod filling;
pub mod order;
pub mod profile;
pub mod section;
mod view;

pub use view::{Body, bodies, symmetry_axis};

#[cfg(test)]
mod testing;
