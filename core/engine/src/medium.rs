//! Properties of the fluid that members in it need.

use hematite_units::LatticeUnits;

use crate::Precision;

/// The scales and the viscosity of the fluid in a run.
#[derive(Clone, Copy, Debug)]
pub struct Medium {
    /// Scales between SI and the lattice.
    pub units: LatticeUnits,
    /// Kinematic viscosity, m2/s.
    pub nu: f64,
    /// Storage and arithmetic.
    pub precision: Precision,
    /// Magic number of the fluid's collision: the response to a force in a narrow region depends on it.
    pub magic: f64,
    /// The last step in which the driving of the fluid rises.
    pub rises_until: u64,
}

/// The expected shear rate at walls.
#[derive(Clone, Debug, PartialEq)]
pub struct ShearRate {
    /// The rate, 1 / time step.
    pub rate: f64,
    /// Where it comes from, as text to follow "the shear rate ... /s".
    pub from: String,
}
