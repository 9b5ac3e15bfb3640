//! What a run fixes for the fluid on the device.

use hematite_case::VelocitySet;
use hematite_engine::Precision;

use crate::boundary::Prescribed;
use crate::shaders::Immersed;
use crate::walls::Walls;

/// What a run fixes for the fluid.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// The velocity set.
    pub set: VelocitySet,
    /// Storage and arithmetic.
    pub precision: Precision,
    /// Relaxation rate of the even parts, 1 / tau.
    pub omega_plus: f64,
    /// Relaxation rate of the odd parts.
    pub omega_minus: f64,
    /// Whether a body force acts at any time.
    pub force: bool,
    /// What cells in it ask for, where there are any.
    pub immersed: Option<Immersed>,
    /// What is prescribed at each opening of the case.
    pub openings: Vec<Prescribed>,
    /// How walls send populations back.
    pub walls: Walls,
}

/// Factors of an opening in a row.
pub(crate) fn terms(openings: &[Prescribed]) -> usize {
    openings.iter().map(Prescribed::terms).fold(1, usize::max)
}
