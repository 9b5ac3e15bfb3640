//! Openings as bodies see them: where they leave, and where new ones come in from a feeder.
//!
//! A body leaves when its centre comes to the opening's nodes and would be beyond them before bodies leave again. What touches
//! the opening and is pushed about there stays, so that bodies beside an inlet go on with the flow.

use super::feeder::Feeder;
use super::parameters::{LEAVE, Parameters};

/// An opening through which bodies leave.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// Number of the opening in the case.
    pub opening: usize,
    /// Unit normal into the fluid.
    pub normal: [f64; 3],
    /// Lowest site of its nodes along each axis.
    pub low: [i32; 3],
    /// Highest.
    pub high: [i32; 3],
    /// What comes in there.
    pub feeder: Option<Feeder>,
}

impl Gate {
    /// The numbers of a `Gate` in WGSL, in its order: normal and position of the nodes along it, low end and the steps until
    /// bodies leave again, `ahead`, high end.
    pub(super) fn words(&self, parameters: &Parameters) -> Vec<f64> {
        let radius = parameters.radius();
        let wide =
            |end: [i32; 3], by: f64| [0, 1, 2].map(|k| f64::from(end[k]) + by * (1.0 + self.normal[k].abs() * radius));
        let ([a, b, c], [d, e, f], [g, h, i]) = (self.normal, wide(self.low, -1.0), wide(self.high, 1.0));
        vec![a, b, c, self.plane(), d, e, f, LEAVE as f64, g, h, i, 0.0]
    }

    /// Position of the opening's nodes along its normal.
    pub(super) fn plane(&self) -> f64 {
        (0..3).map(|a| 0.5 * self.normal[a] * f64::from(self.low[a] + self.high[a])).sum()
    }
}
