//! What a system of equations offers to the loop that drives a run.

use std::ops::Range;

use hematite_comm::Comm;
use hematite_config::{Fault, Result};
use hematite_dump::Field;
use hematite_gpu::{Recorder, Ticket};
use serde_json::Value;

use crate::{Alarm, Clock, Ground, Keep, Measured, Members, Phases};

/// A system of equations: its state on this rank's device, and how it goes on by one time step.
///
/// A run is an ordered list of physics. In each time step they record their kernels one after the other: a fluid takes the forces
/// that others left at the nodes and leaves its velocities there; then cells or bodies move with these and leave new forces.
pub trait Physics {
    /// Its name in checkpoints, dumps and messages; for members also the key of their config.
    fn name(&self) -> &'static str;

    /// Time steps from `step` to the next [`Physics::look`] that does something; the same on every rank.
    fn until_look(&self, _step: u64) -> u64 {
        u64::MAX
    }

    /// Time steps from one renewal of their length to the next, where that adapts to the state; none where it is fixed.
    fn renews_every(&self) -> Option<u64> {
        None
    }

    /// The longest time step, s, that its state on this rank allows, until it is asked again.
    ///
    /// # Errors
    /// When the device is lost.
    fn longest_step(&mut self) -> Result<f64> {
        Ok(f64::INFINITY)
    }

    /// Makes ready for time steps `steps`, at most [`LONGEST_BATCH`](crate::LONGEST_BATCH), which are recorded next; `clock` has their
    /// length. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn begin(&mut self, _comm: &dyn Comm, _steps: Range<u64>, _clock: &Clock) -> Result<()> {
        Ok(())
    }

    /// Records time step `step` after what `recorder` holds. Work that needs no word from the host any more stays in the recorder.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn step<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()>;

    /// Records what has to wait until all physics have recorded time step `step`: the last of them first, so that a fluid knows all forces.
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

    /// Reads what the device checked in the batch before that of `ticket`, or, without a ticket, in the last batch. Collective.
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

    /// Makes ready for the first step, when all physics are on the device. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn start(&mut self, _comm: &dyn Comm) -> Result<()> {
        Ok(())
    }

    /// Leaves at the nodes, anew, the forces of the members that are there: after all physics have looked, or started, the last of them
    /// first. Only those do something whose forces depend on members of others. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn settle(&mut self, _comm: &dyn Comm, _step: u64) -> Result<()> {
        Ok(())
    }

    /// The state is whole, so that it may be saved, at multiples of this many steps.
    fn whole_every(&self) -> u64 {
        1
    }

    /// Hands over its state at the nodes of this rank, after a multiple of [`Physics::whole_every`] steps.
    ///
    /// # Errors
    /// When the device is lost; those of `keep`.
    fn save(&self, _ground: &Ground, _keep: &mut dyn Keep) -> Result<()> {
        Ok(())
    }

    /// The rest of its state, the same on all ranks: see [`StateHeader::note`](crate::StateHeader::note).
    fn note(&self) -> Value {
        Value::Null
    }

    /// Its members, where it has any.
    fn members(&self) -> Option<&dyn Members> {
        None
    }

    /// Brings a field at own nodes to the host, in SI, in chunks in ascending order of nodes: `take(first, numbers)`.
    ///
    /// # Errors
    /// When the device is lost, and those of `take`.
    fn field(&mut self, field: Field, _take: &mut dyn FnMut(usize, &[f64]) -> Result<()>) -> Result<()> {
        Err(Fault::usage(format!("\"{}\" has no field \"{}\"", self.name(), field.name())))
    }

    /// Handles what the device has checked since the last call. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn watch(&mut self, _comm: &dyn Comm, _ground: &Ground) -> Result<()> {
        Ok(())
    }

    /// Looks at the whole state, so that nothing beyond the method is written. Collective.
    ///
    /// # Errors
    /// A numerical failure where it is beyond; when the device or a rank is lost.
    fn inspect(&mut self, _comm: &dyn Comm, _ground: &Ground) -> Result<()> {
        Ok(())
    }

    /// Says that a line of the ledger follows after `step` steps.
    fn measure_after(&mut self, _step: u64) {}

    /// What it adds to a line of the ledger, after [`Physics::inspect`]; `done` is the share of the run that is done, 1 at its end.
    /// Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn measure(&mut self, _comm: &dyn Comm, _done: f64) -> Result<Measured> {
        Ok(Measured::default())
    }

    /// The warnings since the last call, each with its step.
    fn take_alarms(&mut self) -> Vec<(u64, Alarm)> {
        Vec::new()
    }

    /// The largest speed when it was last looked at, m/s.
    fn speed(&self) -> Option<f64> {
        None
    }

    /// If the state is beyond the method: where, and what would help. `near` says what is near a site. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn explain(
        &mut self,
        _comm: &dyn Comm,
        _ground: &Ground,
        _near: &mut dyn FnMut([i32; 3]) -> Result<Option<String>>,
    ) -> Result<Option<String>> {
        Ok(None)
    }

    /// Bytes of memory traffic in a step at all own nodes, for benches; 0 where memory does not bound its speed.
    fn bytes_per_step(&self) -> f64 {
        0.0
    }

    /// Seconds that messages have taken so far.
    fn phases(&self) -> Phases {
        Phases::default()
    }

    /// Seconds of work on the host so far, by name, for benches: the device's phases do not show it.
    fn host_phases(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}
