//! Membranes: forces of a population's cells on their vertices, one law a file.
//!
//! A law is a pair of files with one name: WGSL with the formula and the force, Rust with the energy in f64.
//! `ring.wgsl` (2-D) and `mesh.wgsl` (3-D) combine the laws; [`Model`] combines the energies.

mod damage;
mod diagnosis;
mod fairing;
mod gompper_kroll;
mod hardening;
mod kantor_nelson;
mod linear;
mod links;
mod local_area;
mod model;
mod neo_hookean;
mod population;
mod quadratic;
mod reference;
mod ring_bending;
mod shaders;
mod skalak;
mod stability;
mod triangle;
mod vertices;
mod viscosity;
mod wlc_power;
mod workgroups;

pub use damage::{CAPPED_LIMIT, Damage, FASTEST, LARGEST_FORCE, LARGEST_NODE_FORCE, LEAST_WEIGHT};
pub use diagnosis::diagnosis;
pub use model::{Energy, Model};
pub use population::{FORCE_LIMIT, Membrane};
pub use stability::{largest_penalties, largest_step, mobility};
pub use vertices::{NONE, Range, Vertices};
pub use workgroups::{HeldCell, NOWHERE, WHICH, Which, Workgroups};
