//! The chains of one dump in memory.

use std::ops::Range;

use crate::polydata::consecutive;

/// A population in dumps of chains.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChainKind {
    /// Its name.
    pub name: String,
    /// Number of beads of each chain.
    pub beads: usize,
    /// Whether the last bead is bonded to the first.
    pub ring: bool,
}

/// Chains at one time, ascending by number. Chains are whole: along periodic axes, the mean of a chain's beads lies in the
/// domain, and beads may stick out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChainFrame {
    /// Time steps done.
    pub step: u64,
    /// Seconds since step 0.
    pub time: f64,
    /// Global number of each chain.
    pub id: Vec<u64>,
    /// Population of each chain: its index in the file's list of kinds.
    pub kind: Vec<u32>,
    /// Positions in metres of all beads, chain after chain.
    pub position: Vec<[f64; 3]>,
    /// Velocities in m/s of all beads.
    pub velocity: Vec<[f32; 3]>,
    /// How often each chain has crossed the periodic faces, along x, y, z: unwrapped = position + image * extent.
    pub image: Vec<[i32; 3]>,
}

impl ChainFrame {
    /// Bytes of `chains` chains with `beads` beads in all in a dump, before compression.
    pub fn bytes(chains: u64, beads: u64) -> u64 {
        // Positions in f64 and velocities in f32; numbers in two places, kinds, and images.
        (24 + 12) * beads + (16 + 4 + 12) * chains
    }

    /// The beads of each chain: its range in `position` and `velocity`.
    ///
    /// # Panics
    /// When a chain is of a kind that is not in the list.
    pub fn beads(&self, kinds: &[ChainKind]) -> Vec<Range<usize>> {
        consecutive(self.kind.iter().map(|&kind| kinds[kind as usize].beads))
    }

    /// The chains with the given indices, in that order.
    ///
    /// # Panics
    /// When an index or a kind is out of range.
    #[must_use]
    pub fn take(&self, kinds: &[ChainKind], indices: &[usize]) -> Self {
        let beads = self.beads(kinds);
        let rows = || indices.iter().flat_map(|&chain| beads[chain].clone());
        Self {
            step: self.step,
            time: self.time,
            id: indices.iter().map(|&chain| self.id[chain]).collect(),
            kind: indices.iter().map(|&chain| self.kind[chain]).collect(),
            position: rows().map(|row| self.position[row]).collect(),
            velocity: rows().map(|row| self.velocity[row]).collect(),
            image: indices.iter().map(|&chain| self.image[chain]).collect(),
        }
    }
}
