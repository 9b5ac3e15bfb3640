//! Quantities with units in, lattice numbers out.
//!
//! Configs carry quantities as text (`"1.2 mPa s"`, `"8 um"`). [`parse()`] reads such text into SI; the types of
//! [`quantity`] also check its dimension. [`LatticeUnits`] takes SI to lattice units and back; [`groups`] holds the
//! dimensionless groups that decide whether a run is sound, [`number`] writes numbers as people read them.

mod dimension;
pub mod groups;
pub mod hydraulic;
mod lattice;
pub mod number;
mod parse;
pub mod quantity;

pub use dimension::Dimension;
pub use lattice::LatticeUnits;
pub use parse::{UnitError, parse};

/// Boltzmann's constant, J/K.
pub const BOLTZMANN: f64 = 1.380_649e-23;

/// Stefan-Boltzmann constant, W/(m2 K4).
pub const STEFAN_BOLTZMANN: f64 = 5.670_374_419e-8;
