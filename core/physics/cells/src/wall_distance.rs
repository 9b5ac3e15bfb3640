//! The distance from the wall at every site near a rank's own nodes, linear between sites.
//!
//! It is that of [`SiteMapBuilder::distances`](hematite_engine::sites::SiteMapBuilder::distances): zero half-way between fluid and wall sites.
//! Walls one site thin count as thicker by [`THICKENING`]. Openings are no wall.

use hematite_config::Result;
use hematite_engine::Support;
use hematite_engine::sites::SiteMap;
use hematite_gpu::{Buffer, Gpu};

use super::listing::MOST_SKIN;

/// `array<f32>`: distance from the wall of each site of a map, lattice units, negative in the wall.
#[derive(Clone, Debug)]
pub struct WallDistance(pub(super) Buffer);

/// Distance from the wall below which a vertex takes only a share of the fluid's velocity towards it or off it, see `wall_hold.wgsl`.
pub const SLOW: f64 = 0.5;

/// Distance from the wall below which a vertex takes only a share of the fluid's velocity along it.
pub const SLIP: f64 = 0.2;

/// Distance from the wall below which a vertex drifts off.
pub const LEAST: f64 = 0.25;

/// Walls one site thin, as specks and diagonal lines are, count as so much thicker on all sides, lattice units. The vertices of a
/// cell that hangs over one are then at least 2 apart across it (they stay about [`LEAST`] off), and no side of a membrane is that long:
/// otherwise the wall goes in between two vertices.
pub const THICKENING: f64 = 0.4;

/// What a vertex at the wall drifts off by in a move, over its distance from [`LEAST`].
pub(super) const RETURN: f64 = 0.05;

/// The largest component of the fluid's velocity that a vertex nearer than [`SLOW`] takes a share of, lattice spacings a move.
pub(super) const FASTEST_AT_WALL: f64 = 0.05;

/// Gradients of the distance that are smaller, as half-way between two walls, give no unit normal.
pub(super) const FLAT: f64 = 0.1;

impl WallDistance {
    /// `distance`, in the order of a map's sites.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn new(gpu: &Gpu, distance: &[f32]) -> Result<Self> {
        let buffer = gpu.buffer("distance from the wall", 4 * distance.len() as u64)?;
        gpu.upload(&buffer, 0, distance)?;
        Ok(Self(buffer))
    }

    /// The distances, for the host to look up.
    ///
    /// # Errors
    /// When the device is lost.
    pub(super) fn read<'a>(&self, gpu: &Gpu, map: &'a SiteMap) -> Result<Field<'a>> {
        Ok(Field { distance: gpu.download(&self.0, 0, (self.0.bytes() / 4) as usize)?, map })
    }

    /// How far distances must be known where contact begins at `range`, lattice units.
    pub fn reach(dimension: usize, support: Support, range: f64) -> f64 {
        hold_near(dimension, support).max(push_near(dimension, range)) + 0.01
    }
}

/// Distances as `wall_at.wgsl` has them.
pub(super) struct Field<'a> {
    distance: Vec<f32>,
    map: &'a SiteMap,
}

impl Field<'_> {
    /// Distance from the wall at `x`, lattice units, and its gradient.
    pub fn at(&self, x: [f64; 3]) -> (f64, [f64; 3]) {
        let (low, flat) = (x.map(f64::floor), self.map.dimension == 2);
        let (mut distance, mut gradient) = (0.0, [0.0; 3]);
        for corner in 0..if flat { 4 } else { 8 } {
            let bit = [0, 1, 2].map(|a| corner >> a & 1);
            let site = [0, 1, 2].map(|a| low[a] as i32 + bit[a]);
            // Number 0 stands for blocks that do not exist.
            let of_site = f64::from(self.distance[self.map.entry(site).unwrap_or(0)]);
            let weight = [0, 1, 2].map(|a| {
                let share = x[a] - low[a];
                if bit[a] == 1 { share } else { 1.0 - share }
            });
            distance += of_site * weight.iter().product::<f64>();
            for a in 0..self.map.dimension {
                let others: f64 = (0..3).filter(|&b| b != a).map(|b| weight[b]).product();
                gradient[a] += of_site * others * f64::from(2 * bit[a] - 1);
            }
        }
        (distance, gradient)
    }
}

/// Where the first site of a vertex's kernel is farther than this from the wall, the vertex is farther than [`SLOW`]:
/// distances of sites differ by at most the way between them.
pub(super) fn hold_near(dimension: usize, support: Support) -> f64 {
    let sites = if support == Support::Two { 1.0 } else { 2.0 };
    SLOW + 1.01 * sites * (dimension as f64).sqrt()
}

/// No vertex of a site farther than this from the wall comes within `range` of it while lists of neighbours hold.
pub(super) fn push_near(dimension: usize, range: f64) -> f64 {
    range + 1.01 * (1.0 + 0.5 * MOST_SKIN) * (dimension as f64).sqrt()
}
