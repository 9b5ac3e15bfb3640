//! The force of the fluid on parts of the wall, taken down where it is asked for.

use hematite_case::Part;
use hematite_comm::{Comm, agree};
use hematite_config::Result;
use hematite_gpu::Recorder;

use super::Fluid;
use crate::moment::QUANTA;
use crate::shaders::Shader;
use crate::wall_forces::{Exchanged, LIMB, WallForce, WallLinks, sum};

impl Fluid {
    /// Asks for the force on parts of the wall, whose links of own nodes are given part by part; `part` holds the positions of nodes.
    ///
    /// # Errors
    /// When the device lacks room or a feature.
    pub fn weigh(&mut self, part: &Part, parts: &[WallLinks]) -> Result<()> {
        let positions = |links: &WallLinks| links.iter().map(|&[node, _]| part.position[node as usize]).collect();
        let exchanged = Exchanged { positions: parts.iter().map(positions).collect(), after: None };
        self.add_wall_forces(exchanged, &parts.concat())
    }

    /// Takes the forces down in the step after which `step` steps are done.
    pub fn weigh_after(&mut self, step: u64) {
        if let Some(exchanged) = self.exchanged_mut() {
            exchanged.after = Some(step);
        }
    }

    /// The force on each part in the last step, if that was to be taken down; the sum over all ranks. Before the first step there is
    /// none: all zero. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn wall_forces(&self, comm: &dyn Comm) -> Result<Vec<WallForce>> {
        let Some(exchanged) = self.exchanged() else { return Ok(Vec::new()) };
        if exchanged.after != Some(self.step()) {
            return Ok(vec![WallForce::default(); exchanged.positions.len()]);
        }
        let dimension = self.dimension();
        let entries: usize = exchanged.positions.iter().map(Vec::len).sum();
        let words = agree(comm, self.read_exchanged(2 * dimension * entries))?;
        let mut entries = words.chunks_exact(2 * dimension);
        let sums: Vec<[i128; 6]> =
            exchanged.positions.iter().map(|of_part| sum(of_part, entries.by_ref(), dimension)).collect();
        // Sums over ranks are of words.
        let limb = |sum: i128, k: u32| ((sum >> (k * LIMB)) & ((1 << LIMB) - 1)) as i64;
        let mut limbs: Vec<i64> = sums
            .as_flattened()
            .iter()
            .flat_map(|&sum| [limb(sum, 0), limb(sum, 1), (sum >> (2 * LIMB)) as i64])
            .collect();
        comm.sum(&mut limbs)?;
        let whole: Vec<f64> = limbs
            .as_chunks::<3>()
            .0
            .iter()
            .map(|limbs| {
                let sum: i128 = (0..3).map(|k| i128::from(limbs[k as usize]) << (k * LIMB)).sum();
                sum as f64 * QUANTA[1]
            })
            .collect();
        let of_part = |sums: &[f64; 6]| WallForce {
            force: std::array::from_fn(|axis| sums[axis]),
            torque: std::array::from_fn(|axis| sums[3 + axis]),
        };
        Ok(whole.as_chunks::<6>().0.iter().map(of_part).collect())
    }

    /// Adds up what populations give to the wall, as they stand; `mended` says whether walls and openings have mended them.
    pub(crate) fn record_exchanged(&self, recorder: &mut Recorder, mended: bool) {
        let due = |exchanged: &Exchanged| exchanged.after == Some(self.step() + 1);
        if self.exchanged().is_some_and(due) {
            self.record_entries(recorder, Shader::WallForces, false, u32::from(mended));
        }
    }
}
