//! Force and torque of the fluid on parts of the wall, by the momentum that populations give to it; see wall_forces.wgsl.
//!
//! Where along a link the wall is does not matter for the torque: `(x + q c_i) x c_i = x x c_i`. The torque of a closed obstacle is exact
//! therefore; that of a part cut out of a wall is right up to a lever of half a spacing, for want of its neighbours' slant links.

use hematite_case::{Part, VelocitySet};
use hematite_cells::vector::cross;
use hematite_comm::Comm;
use hematite_config::Result;

/// Fine quanta in a coarse one.
const FINE_IN_COARSE: i128 = 1 << 20;
/// Bits of a limb in which sums travel between ranks.
pub(crate) const LIMB: u32 = 40;

/// Links of own nodes into one part of the wall: local numbers of nodes, and for each a word whose bit i says that c_i leads into it.
pub type WallLinks = Vec<[u32; 2]>;

/// Force and torque on a part of the wall in one time step, lattice units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WallForce {
    /// Force of the fluid on the wall.
    pub force: [f64; 3],
    /// Torque of that about the place of site (0, 0, 0).
    pub torque: [f64; 3],
}

impl WallForce {
    /// The torque about `about`, lattice units: `T - about x F`.
    pub fn torque_about(&self, about: [f64; 3]) -> [f64; 3] {
        let turned = cross(about, self.force);
        [0, 1, 2].map(|axis| self.torque[axis] - turned[axis])
    }
}

/// What a fluid keeps of the parts of the wall whose force is asked for.
pub(crate) struct Exchanged {
    /// Positions of the nodes, part by part.
    pub positions: Vec<Vec<[i32; 3]>>,
    /// The time step after which the sums are those of the step done.
    pub after: Option<u64>,
}

/// The mean of the middles of links, from all ranks: the same on any partition, lattice units; none without a link. Collective.
///
/// # Errors
/// When a rank is lost.
pub fn centroid(comm: &dyn Comm, set: VelocitySet, part: &Part, links: &WallLinks) -> Result<Option<[f64; 3]>> {
    let c = set.velocities();
    // Twice the sum of the middles, and how many there are.
    let mut sums = [0_i64; 4];
    for &[node, links] in links {
        let at = part.position[node as usize];
        for c in (1..set.q()).filter(|i| links >> i & 1 == 1).map(|i| c[i]) {
            (0..3).for_each(|axis| sums[axis] += i64::from(2 * at[axis] + c[axis]));
            sums[3] += 1;
        }
    }
    comm.sum(&mut sums)?;
    let count = sums[3] as f64;
    Ok((sums[3] > 0).then(|| [0, 1, 2].map(|axis| 0.5 * sums[axis] as f64 / count)))
}

/// Force and torque of the entries of a part, in fine quanta: words a node, coarse and fine of each axis.
pub(crate) fn sum<'w>(positions: &[[i32; 3]], words: impl Iterator<Item = &'w [i32]>, dimension: usize) -> [i128; 6] {
    let mut sum = [0_i128; 6];
    for (at, words) in positions.iter().zip(words) {
        let mut force = [0_i128; 3];
        for (axis, force) in force.iter_mut().enumerate().take(dimension) {
            *force = i128::from(words[2 * axis]) * FINE_IN_COARSE + i128::from(words[2 * axis + 1]);
        }
        let at = at.map(i128::from);
        for axis in 0..3 {
            let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
            sum[axis] += force[axis];
            sum[3 + axis] += at[b] * force[c] - at[c] * force[b];
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moment::QUANTA;

    #[test]
    fn quanta_fit() {
        assert_eq!(QUANTA[0], FINE_IN_COARSE as f64 * QUANTA[1]);
    }

    #[test]
    fn sums_are_exact_with_their_torque() {
        // 1.5 along x and -0.25 along y at (3, -2), and a fine quantum more.
        let words = [[98_304, 1, -16_384, 0], [0, 0, 65_536, -1]];
        let sum = sum(&[[3, -2, 0], [-5, 7, 0]], words.iter().map(|words| &words[..]), 2);
        let unit = 1_i128 << 36;
        let (x, y) = (unit + unit / 2 + 1, -unit / 4);
        assert_eq!(sum, [x, y + unit - 1, 0, 0, 0, 3 * y + 2 * x - 5 * (unit - 1)]);
    }

    #[test]
    fn torques_move_with_their_point() {
        let force = WallForce { force: [2.0, -1.0, 0.5], torque: cross([3.0, 4.0, 5.0], [2.0, -1.0, 0.5]) };
        assert_eq!(force.torque_about([3.0, 4.0, 5.0]), [0.0; 3]);
        assert_eq!(force.torque_about([3.0, 4.0, 4.0]), cross([0.0, 0.0, 1.0], force.force));
    }
}
