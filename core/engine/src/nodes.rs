//! Data that a fluid and its suspended members share: arrays over the nodes of a part, and points on surfaces.

use hematite_comm::{Comm, agree};
use hematite_config::Result;
use hematite_gpu::{Buffer, Elements, Gpu};

use crate::{NodeForces, SharedSurface};

/// Fixed-point scale of vertex velocities: 2^31 for one lattice unit a step. Positions have 2^32 for a lattice unit, so
/// motion is exact.
pub const DRIFT_SCALE: f64 = 2_147_483_648.0;

/// Most viscosities inside the cells of a run beside that of the fluid.
pub const CONTRASTS: usize = 8;

/// Arrays over nodes that a fluid shares, and points of soft surfaces.
#[derive(Clone, Debug)]
pub struct SharedNodes {
    /// Force on each node.
    pub node_forces: NodeForces,
    /// Velocity of each node in the last step, an array of [`Precision::vector`](crate::Precision::vector), as readers
    /// need all components.
    pub node_velocity: Buffer,
    /// `array<u32>[nodes]`: bit k is set if the node is inside a cell with viscosity number k. `None` if viscosities do
    /// not differ.
    pub inside: Option<Buffer>,
    /// Distance between the components of a node in an array.
    pub stride: u32,
    /// Mass that came in; `None` without openings.
    pub came_in: Option<CameIn>,
    /// Points of soft surfaces that rigid bodies touch, from the physics that moves the surfaces.
    pub surface: Option<SharedSurface>,
}

/// The mass that came in through openings, counted on the device.
#[derive(Clone, Debug)]
pub struct CameIn {
    /// `array<i64>`: counts of what came in since step 0 at each own node of each opening, opening after opening.
    pub ledger: Buffer,
    /// Number of own nodes of each opening.
    pub nodes: Vec<usize>,
    /// Mass of a count of one, lattice units.
    pub quantum: f64,
}

impl CameIn {
    /// Counts of what came in through this part's nodes of each opening since step 0.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn read(&self, gpu: &Gpu) -> Result<Vec<i64>> {
        Ok(self.counts(&gpu.download_all(&[self.words()])?))
    }

    /// The ledger in words of 32 bits, to be read together with other buffers.
    pub fn words(&self) -> Elements<'_> {
        Elements { buffer: &self.ledger, at: 0, count: 2 * self.nodes.iter().sum::<usize>() }
    }

    /// As [`CameIn::read`], of [`CameIn::words`] as they were read.
    pub fn counts(&self, words: &[i32]) -> Vec<i64> {
        let mut counts = words.chunks_exact(2).map(|word| i64::from(word[1]) << 32 | i64::from(word[0] as u32));
        self.nodes.iter().map(|&nodes| counts.by_ref().take(nodes).sum()).collect()
    }

    /// Mass that came in through each opening on all ranks since step 0, lattice units. Over the area of the opening it
    /// is the distance that the fluid has come in at mean speed. As a count, it holds for any kind of opening and is
    /// kept over restarts. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn on_all_ranks(&self, comm: &dyn Comm, gpu: &Gpu) -> Result<Vec<f64>> {
        let counts = agree(comm, self.read(gpu))?;
        self.mass_of(comm, counts)
    }

    /// As [`CameIn::on_all_ranks`], of this rank's counts. Collective.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn mass_of(&self, comm: &dyn Comm, mut counts: Vec<i64>) -> Result<Vec<f64>> {
        comm.sum(&mut counts)?;
        Ok(counts.into_iter().map(|count| count as f64 * self.quantum).collect())
    }
}
