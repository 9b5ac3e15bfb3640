//! Chains of one kind and where their beads are.

/// Chains of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainPopulation {
    /// Its name.
    pub name: String,
    /// Number of beads of each chain.
    pub beads: usize,
    /// Whether the last bead is bonded to the first.
    pub ring: bool,
    /// Distance of neighbours along a chain at rest, m.
    pub bond: f64,
    /// Least distance of other beads, m; 0 where chains pass through each other.
    pub diameter: f64,
    /// Positions of all beads, m, in the coordinates of the domain, chain after chain. Chains are whole: beads may lie beyond
    /// periodic faces.
    pub positions: Vec<[f64; 3]>,
    /// What was asked and what came of it, JSON.
    pub report: serde_json::Value,
}

impl ChainPopulation {
    /// Number of chains.
    pub fn chains(&self) -> usize {
        self.positions.len() / self.beads.max(1)
    }
}
