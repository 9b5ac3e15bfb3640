//! What is suspended in a fluid asks of it.

/// What members need of the fluid around them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FluidNeeds {
    /// Ratios of viscosities inside them to the fluid's, each once and without 1: bit k of
    /// [`SharedNodes::inside`](crate::SharedNodes::inside) stands for ratio k.
    pub contrasts: Vec<f64>,
    /// Steps from one marking of the nodes inside to the next.
    pub mark_every: u64,
    /// The last step at which they grow.
    pub grown: Option<u64>,
}

impl FluidNeeds {
    /// The needs of both.
    pub fn and(self, others: Self) -> Self {
        Self {
            contrasts: [self.contrasts, others.contrasts].concat(),
            mark_every: self.mark_every.max(others.mark_every),
            grown: self.grown.max(others.grown),
        }
    }
}
