//! Rigid ellipsoids: their laws, one a file. A law is the WGSL with the formula and the force, and the Rust with its parameters and
//! its energy in f64.

pub mod gay_berne;
mod laws;
pub mod rotation;
pub mod wall;
pub mod wca;

pub use laws::LAWS;
