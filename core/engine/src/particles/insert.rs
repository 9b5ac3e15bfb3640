//! Inserts particles during a run.

use hematite_config::Result;

use super::{POSITION, Particles, site};

impl Particles {
    /// Adds those of `particles` that are in this rank's tiles, as [`Particles::new`] does. Then there are no ghosts
    /// until [`Particles::rebuild`], which must be called next on all ranks.
    ///
    /// # Errors
    /// When the device is lost or has no room.
    pub fn insert(&mut self, particles: impl IntoIterator<Item = Vec<Vec<u32>>>) -> Result<()> {
        let at = self.declared.iter().position(|property| *property == POSITION).unwrap_or_default();
        let mine = |particle: &Vec<Vec<u32>>| self.tiles.holds(&self.map, self.variant.tiling, site(&particle[at]));
        let held: Vec<Vec<Vec<u32>>> = particles.into_iter().filter(mine).collect();
        self.ghosts = 0;
        if held.is_empty() {
            return Ok(());
        }
        let room = self.own + held.len() as u32;
        if room > self.arrays.properties.stride {
            self.enlarge(room, self.own)?;
        }
        self.arrays.put(&self.gpu, self.own, &held)?;
        self.own = room;
        Ok(())
    }
}
