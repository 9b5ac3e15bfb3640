//! What a kind of body in the fluid offers to the time step.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_gpu::Recorder;

/// Bodies in a fluid. A step of the fluid takes their forces from the nodes and leaves its velocities there; then the
/// bodies move and leave their new forces.
pub trait Bodies {
    /// Whether this rank's bodies need no other rank.
    fn alone(&self) -> bool;

    /// Time steps from `step` to the next [`Bodies::look`] that does something; the same on every rank.
    fn until_look(&self, step: u64) -> u64;

    /// Moves the bodies after the fluid's step number `step`, where they are alone, after what `recorder` holds; what follows the last word that the
    /// host wants of the device stays in it.
    ///
    /// # Errors
    /// When the device is lost.
    fn record(&mut self, recorder: &mut Recorder, step: u64) -> Result<()>;

    /// The same where other ranks hold some of the same bodies, after what `recorder` holds; what follows the last message stays
    /// in it.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn step<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()>;

    /// Work of the host after `step` steps: health, and which rank holds what.
    ///
    /// # Errors
    /// A numerical failure that names a broken body; when the device or a rank is lost.
    fn look(&mut self, comm: &dyn Comm, step: u64) -> Result<()>;
}

/// No bodies.
pub struct Nothing;

impl Bodies for Nothing {
    fn alone(&self) -> bool {
        true
    }

    fn until_look(&self, _: u64) -> u64 {
        u64::MAX
    }

    fn record(&mut self, _: &mut Recorder, _: u64) -> Result<()> {
        Ok(())
    }

    fn step<'g>(&mut self, _: &'g dyn Comm, _: &mut Recorder<'g>, _: u64) -> Result<()> {
        Ok(())
    }

    fn look(&mut self, _: &dyn Comm, _: u64) -> Result<()> {
        Ok(())
    }
}
