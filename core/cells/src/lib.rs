//! Kinds of cell as data: the shape of a cell as a mesh, and what its membrane is made of.

pub mod mechanics;
mod surface;

pub use mechanics::{Bending, InPlane, Mechanics, MechanicsConfig, Rest};
pub use surface::Surface;
