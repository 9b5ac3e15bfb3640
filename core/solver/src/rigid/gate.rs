//! Openings as bodies see them: where they leave.

use super::parameters::Parameters;

/// An opening through which bodies leave: those that come near it and move outward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    /// Unit normal into the fluid.
    pub normal: [f64; 3],
    /// Lowest site of its nodes along each axis.
    pub low: [i32; 3],
    /// Highest.
    pub high: [i32; 3],
}

impl Gate {
    /// The numbers of a `Gate` in WGSL, in its order: normal and position of the nodes along it, low end and the depth in which
    /// bodies leave, high end.
    pub(super) fn words(&self, parameters: &Parameters) -> Vec<f64> {
        let radius = parameters.kinds.iter().map(|kind| kind.radius()).fold(0.0, f64::max);
        let plane: f64 = (0..3).map(|a| 0.5 * self.normal[a] * f64::from(self.low[a] + self.high[a])).sum();
        let wide = |end: [i32; 3], by: f64| end.map(|x| f64::from(x) + by);
        let ([a, b, c], [d, e, f], [g, h, i]) =
            (self.normal, wide(self.low, -radius - 1.0), wide(self.high, radius + 1.0));
        vec![a, b, c, plane, d, e, f, radius + 1.0, g, h, i, 0.0]
    }
}
