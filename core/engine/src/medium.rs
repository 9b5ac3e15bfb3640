//! What members have to know of the fluid around them.

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
    /// The last step of the rise of what drives the fluid.
    pub rises_until: u64,
}

/// The shear rate that is expected at a wall.
#[derive(Clone, Debug, PartialEq)]
pub struct ShearRate {
    /// The rate, 1 / time step.
    pub rate: f64,
    /// Where it comes from, to follow "the shear rate ... /s".
    pub from: String,
}
