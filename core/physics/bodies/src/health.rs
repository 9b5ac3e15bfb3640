//! Bodies that broke, or are where no fluid is.

use hematite_comm::{Comm, agree, gather_all};
use hematite_config::{Fault, Result};

use super::Damage;
use super::rigid_bodies::RigidBodies;
use super::shaders::contact_numbers;

impl RigidBodies {
    /// Refuses to go on with a broken body. Collective.
    ///
    /// # Errors
    /// A numerical failure that names the body, its place and the step; when the device or a rank is lost.
    pub fn check_sound(&self, comm: &dyn Comm) -> Result<()> {
        let word = agree(comm, self.gpu.download::<u32>(&self.broken, 0, 1))?;
        // A body that broke may be another rank's by now.
        let broken = comm.any(word[0] > 0)?;
        let mine = agree(comm, self.first_broken(broken))?;
        // By step, then by number.
        let key = |broken: &Option<([u32; 2], String)>| broken.as_ref().map_or([u32::MAX; 2], |(key, _)| *key);
        let all = gather_all(comm, bytemuck::cast_slice(&key(&mine)))?;
        let first = all.iter().map(|bytes| bytemuck::pod_collect_to_vec::<u8, u32>(bytes)).min();
        match mine {
            Some((key, message)) if first.is_some_and(|first| first == key) => {
                agree(comm, Err(Fault::numerical(message)))
            }
            _ => agree(comm, Ok(())),
        }
    }

    /// Step and number of the first of the own bodies that broke, where any rank's did, and what to say of it; those that are where no fluid is
    /// come last.
    fn first_broken(&self, broken: bool) -> Result<Option<([u32; 2], String)>> {
        if broken {
            let left = "a body broke and left the domain since. Take a shorter time step or a slower flow";
            let unknown = ([u32::MAX - 1, 0], left.to_owned());
            return Ok(Some(self.first_damaged()?.unwrap_or(unknown)));
        }
        Ok(self.particles.lost()?.map(|lost| {
            let message = format!(
                "body {} is near {}, where no fluid is: it went through a wall. Take a shorter time \
                 step, a slower flow, or a stronger repulsion from walls",
                lost.id,
                self.parameters.place(lost.site.map(f64::from))
            );
            ([u32::MAX, lost.id], message)
        }))
    }

    fn first_damaged(&self) -> Result<Option<([u32; 2], String)>> {
        let [damage, id, kind] = self.particles.words(["damage", "id", "kind"])?;
        let broken = |i: usize| Damage::read(damage[i]).map(|(step, why)| (step, id[i], i, why));
        let Some((step, id, i, why)) = (0..damage.len()).filter_map(broken).min_by_key(|&(step, id, ..)| (step, id))
        else {
            return Ok(None);
        };
        let [position, sums] = self.particles.words(["position", "contact"])?;
        let at = [0, 1, 2].map(|a| f64::from(position[2 * (a * damage.len() + i)] as i32));
        let length = |numbers: &[f64], first: usize| {
            (first..first + 3).map(|a| numbers[a * damage.len() + i].powi(2)).sum::<f64>().sqrt()
        };
        let size = |words: Vec<u32>| length(&self.parameters.precision.unpack_real(bytemuck::cast_slice(&words)), 0);
        let [speed, force, torque] = self.particles.words(["velocity", "force", "torque"])?.map(size);
        let quantum = 1.0 / contact_numbers(&self.parameters).scale;
        let sums: Vec<f64> = sums.into_iter().map(|sum| quantum * f64::from(sum as i32)).collect();
        let (contact, turn) = (length(&sums, 0), length(&sums, 3));
        let message = format!(
            "body {id} of population \"{}\" broke at step {step} near {}: {why}. A little later it has, in lattice units, \
             speed {speed:.1e}, force {force:.1e} ({contact:.1e} of it contact) and torque {torque:.1e} ({turn:.1e}). Take a shorter time \
             step, a slower flow, or other contact",
            self.parameters.kinds[kind[i] as usize].name,
            self.parameters.place(at)
        );
        Ok(Some(([step, id], message)))
    }
}
