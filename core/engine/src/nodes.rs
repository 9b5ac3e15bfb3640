//! What a fluid and what is suspended in it share: arrays over the nodes of a part, and points on surfaces.

use hematite_comm::{Comm, agree};
use hematite_config::Result;
use hematite_gpu::{Buffer, Gpu};

use crate::SharedSurface;

/// Fixed point of a node's force: 2^30 for one lattice unit, so that a node holds twice the largest force that is
/// allowed.
pub const FORCE_SCALE: f64 = 1_073_741_824.0;

/// Fixed point of a vertex's velocity: 2^31 for one lattice unit a step. Positions have 2^32 for a lattice unit, so
/// motion is exact.
pub const DRIFT_SCALE: f64 = 2_147_483_648.0;

/// How many viscosities there can be inside the cells of a run beside that of the fluid.
pub const CONTRASTS: usize = 8;

/// Arrays over nodes that a fluid shares, and points that others touch.
#[derive(Clone, Debug)]
pub struct SharedNodes {
    /// Force on each node, `array<i32>` in 1 / [`FORCE_SCALE`]; axis a of node n stands at `a * stride + n`.
    pub node_force: Buffer,
    /// Velocity of each node in the last step, an array of [`Precision::vector`](crate::Precision::vector): whoever
    /// reads one axis reads all.
    pub node_velocity: Buffer,
    /// `array<u32>[nodes]`, where viscosities differ: bit k says whether the node is inside a cell with viscosity
    /// number k.
    pub inside: Option<Buffer>,
    /// Distance between the axes of an array.
    pub stride: u32,
    /// Mass that came in, where there are openings.
    pub came_in: Option<CameIn>,
    /// Points of soft surfaces, where rigid bodies touch them: left here by the physics that moves them.
    pub surface: Option<SharedSurface>,
}

/// The mass that came in through openings, as the device counts it.
#[derive(Clone, Debug)]
pub struct CameIn {
    /// `array<i64>`: what came in at each own node of each opening since step 0, opening after opening.
    pub ledger: Buffer,
    /// Own nodes of each opening.
    pub nodes: Vec<usize>,
    /// Mass of one count, lattice units.
    pub quantum: f64,
}

impl CameIn {
    /// Counts of what has come in through this part's nodes of each opening since step 0.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn read(&self, gpu: &Gpu) -> Result<Vec<i64>> {
        let mut counts = gpu.download::<i64>(&self.ledger, 0, self.nodes.iter().sum())?.into_iter();
        Ok(self.nodes.iter().map(|&nodes| counts.by_ref().take(nodes).sum()).collect())
    }

    /// Mass that has come in through each opening on all ranks since step 0, lattice units; over the opening's area it
    /// is how far the fluid has come in at mean speed. It is counted, so that it holds for any kind of opening and goes
    /// on after a restart. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn on_all_ranks(&self, comm: &dyn Comm, gpu: &Gpu) -> Result<Vec<f64>> {
        let mut counts = agree(comm, self.read(gpu))?;
        comm.sum(&mut counts)?;
        Ok(counts.into_iter().map(|count| count as f64 * self.quantum).collect())
    }
}
