//! Openings through which bodies leave and come in, and how many came in.

use hematite_engine::passage::Numbering;

use super::gate::Gate;

/// The openings of a run and what has come in.
pub(super) struct Passage {
    pub gates: Vec<Gate>,
    /// Bodies that came in, by population, on all ranks.
    pub inserted: Vec<u64>,
    /// Numbers of bodies that come in.
    pub numbering: Numbering,
    /// Whether a restart knew of other feeders: those of now begin where the flow is.
    pub anew: bool,
}

impl Passage {
    /// `seeded` bodies by population are there before.
    pub fn new(gates: Vec<Gate>, seeded: &[u64]) -> Self {
        Self { gates, inserted: vec![0; seeded.len()], numbering: Numbering::after(seeded.iter().sum()), anew: false }
    }

    /// Whether bodies come in somewhere.
    pub fn feeds(&self) -> bool {
        self.gates.iter().any(|gate| gate.feeder.is_some())
    }
}
