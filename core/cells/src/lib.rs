//! Kinds of cell as data: the shape of a cell as a mesh, and what its membrane is made of. Neither GPU nor MPI.
//!
//! Begin with [`ShapeConfig`], the shapes that a case can name. Its method `surface` makes a [`Surface`] about its
//! centroid: a closed ring in 2-D, a closed triangle mesh in 3-D. [`MechanicsConfig`] holds what a case or a run gives
//! of the membrane. Its method `resolve` completes it by a [`Preset`] to [`Mechanics`]: checked numbers in SI, which
//! can be taken to lattice units. A rigid body is a [`RigidShape`], an ellipsoid by its semi-axes. Meshes from files
//! pass through `read` (formats) and `check` (whether a mesh is a cell).

mod check;
mod discocyte;
mod icosphere;
mod mechanics;
mod read;
mod rigid;
mod ring;
mod roughness;
mod section;
mod shape;
mod surface;
pub mod vector;

pub use mechanics::{Bending, BendingConfig, InPlane, InPlaneConfig, Mechanics, MechanicsConfig, Preset, Rest};
pub use rigid::RigidShape;
pub use roughness::{ROUGH, jumps, mean_side, roughness};
pub use section::section;
pub use shape::{RING_SIDE, ShapeConfig};
pub use surface::Surface;
