//! What a system of equations offers to the loop that drives a run.

use std::ops::Range;

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_gpu::{Recorder, Ticket};

/// A system of equations: its state on this rank's device, and how it goes on by one time step.
///
/// A run is an ordered list of physics. In each time step they record their kernels one after the other: a fluid takes the forces
/// that others left at the nodes and leaves its velocities there; then cells or bodies move with these and leave new forces.
pub trait Physics {
    /// The key of its config.
    fn name(&self) -> &'static str;

    /// Time steps from `step` to the next [`Physics::look`] that does something; the same on every rank.
    fn until_look(&self, _step: u64) -> u64 {
        u64::MAX
    }

    /// Makes ready for time steps `steps`, at most [`LONGEST_BATCH`](crate::LONGEST_BATCH), which are recorded next. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn begin(&mut self, _comm: &dyn Comm, _steps: Range<u64>) -> Result<()> {
        Ok(())
    }

    /// Records time step `step` after what `recorder` holds. Work that needs no word from the host any more stays in the recorder.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn step<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()>;

    /// Records what has to wait until all physics have recorded time step `step`.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn complete<'g>(&mut self, _comm: &'g dyn Comm, _recorder: &mut Recorder<'g>, _step: u64) -> Result<()> {
        Ok(())
    }

    /// Records what ends a batch.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn end<'g>(&mut self, _comm: &'g dyn Comm, _recorder: &mut Recorder<'g>) -> Result<()> {
        Ok(())
    }

    /// Takes in what the device found in the batch before the one that was handed over as `ticket`, or in the last one where there is no
    /// ticket. Collective.
    ///
    /// # Errors
    /// A numerical failure where the state was beyond the method; when the device or a rank is lost.
    fn take_in(&mut self, _comm: &dyn Comm, _ticket: Option<&Ticket>) -> Result<()> {
        Ok(())
    }

    /// Work of the host after `step` steps: health, and which rank holds what. Collective.
    ///
    /// # Errors
    /// A numerical failure that names what broke; when the device or a rank is lost.
    fn look(&mut self, _comm: &dyn Comm, _step: u64) -> Result<()> {
        Ok(())
    }
}
