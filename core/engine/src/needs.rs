//! What members need of the fluid around them.

use crate::PointNeeds;

/// What members need of the fluid around them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FluidNeeds {
    /// Ratios of viscosities inside members to that of the fluid, each once and without 1. Bit k of
    /// [`SharedNodes::inside`](crate::SharedNodes::inside) marks nodes inside members with ratio k.
    pub contrasts: Vec<f64>,
    /// Steps between markings of the nodes inside members.
    pub mark_every: u64,
    /// The last step in which members grow; `None` if none grow.
    pub grown: Option<u64>,
    /// The points that it is to carry.
    pub points: Option<PointNeeds>,
}

impl FluidNeeds {
    /// Joins the needs of two physics.
    pub fn and(self, others: Self) -> Self {
        Self {
            contrasts: [self.contrasts, others.contrasts].concat(),
            mark_every: self.mark_every.max(others.mark_every),
            grown: self.grown.max(others.grown),
            points: match (self.points, others.points) {
                (Some(a), Some(b)) => Some(a.and(b)),
                (a, b) => a.or(b),
            },
        }
    }
}
