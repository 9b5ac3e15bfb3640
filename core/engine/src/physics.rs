//! The interface of a system of equations to the loop of a run.

use std::ops::Range;

use hematite_comm::Comm;
use hematite_config::{Fault, Result};
use hematite_dump::Field;
use hematite_gpu::{Recorder, Ticket};
use serde_json::Value;

use crate::{Alarm, Clock, Ground, Keep, Measured, Members, Phases};

/// A system of equations: its state on this rank's device, and how it advances by a time step.
///
/// A run is an ordered list of physics. In each time step they record their kernels in this order: a fluid reads the
/// forces that others left at the nodes and leaves its velocities there; then cells or bodies move with these
/// velocities and leave new forces.
pub trait Physics {
    /// Name in checkpoints, dumps and messages; for members also the key of their config.
    fn name(&self) -> &'static str;

    /// Number of time steps from `step` to the next [`Physics::look`] that does something; the same on every rank.
    fn until_look(&self, _step: u64) -> u64 {
        u64::MAX
    }

    /// Number of time steps between changes of their length, if it adapts to the state; `None` if it is fixed.
    fn renews_every(&self) -> Option<u64> {
        None
    }

    /// Begins to find the longest time step that the present state on this rank allows, without waiting for the device.
    /// It holds from the next change of the length of steps on, so that the device works on while the host reads it.
    ///
    /// # Errors
    /// When the device is lost.
    fn find_longest_step(&mut self) -> Result<()> {
        Ok(())
    }

    /// The longest time step, s, that the state at the last [`Physics::find_longest_step`] allowed. Later steps may
    /// have been submitted since.
    ///
    /// # Errors
    /// When the device is lost.
    fn longest_step(&mut self) -> Result<f64> {
        Ok(f64::INFINITY)
    }

    /// Prepares for the time steps `steps`, at most [`LONGEST_BATCH`](crate::LONGEST_BATCH), which are recorded next;
    /// `clock` has their length. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn begin(&mut self, _comm: &dyn Comm, _steps: Range<u64>, _clock: &Clock) -> Result<()> {
        Ok(())
    }

    /// Records time step `step` after what `recorder` holds. Work that needs nothing from the host stays in the
    /// recorder.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn step<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()>;

    /// Records work that must wait until all physics have recorded time step `step`. The last physics is called first,
    /// so that a fluid has all forces.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn complete<'g>(&mut self, _comm: &'g dyn Comm, _recorder: &mut Recorder<'g>, _step: u64) -> Result<()> {
        Ok(())
    }

    /// Records work at the end of a batch.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn end<'g>(&mut self, _comm: &'g dyn Comm, _recorder: &mut Recorder<'g>) -> Result<()> {
        Ok(())
    }

    /// Reads the results of checks of the device in the batch before that of `ticket`; without a ticket, in the last
    /// batch. Collective.
    ///
    /// # Errors
    /// A numerical failure where the state was beyond the limits of the method; when the device or a rank is lost.
    fn take_in(&mut self, _comm: &dyn Comm, _ticket: Option<&Ticket>) -> Result<()> {
        Ok(())
    }

    /// Work of the host after `step` steps: checks of members, and their distribution over ranks. Collective.
    ///
    /// # Errors
    /// A numerical failure that names what broke; when the device or a rank is lost.
    fn look(&mut self, _comm: &dyn Comm, _step: u64) -> Result<()> {
        Ok(())
    }

    /// Prepares for the first step, when all physics are on the device. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn start(&mut self, _comm: &dyn Comm) -> Result<()> {
        Ok(())
    }

    /// Leaves the forces of the current members at the nodes again. It is called after all physics have looked or
    /// started, the last physics first. Only physics whose forces depend on members of others do something. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn settle(&mut self, _comm: &dyn Comm, _step: u64) -> Result<()> {
        Ok(())
    }

    /// The state can be saved at multiples of this number of steps.
    fn whole_every(&self) -> u64 {
        1
    }

    /// Gives the state at the nodes of this rank to `keep`, after a multiple of [`Physics::whole_every`] steps.
    ///
    /// # Errors
    /// When the device is lost; those of `keep`.
    fn save(&self, _ground: &Ground, _keep: &mut dyn Keep) -> Result<()> {
        Ok(())
    }

    /// The rest of the state, which is the same on all ranks: see [`StateHeader::note`](crate::StateHeader::note).
    fn note(&self) -> Value {
        Value::Null
    }

    /// The members, if the physics has any.
    fn members(&self) -> Option<&dyn Members> {
        None
    }

    /// Brings a field at own nodes to the host, in SI. Calls `take(first, numbers)` with chunks in ascending order of
    /// nodes.
    ///
    /// # Errors
    /// When the device is lost, and those of `take`.
    fn field(&mut self, field: Field, _take: &mut dyn FnMut(usize, &[f64]) -> Result<()>) -> Result<()> {
        Err(Fault::usage(format!("\"{}\" has no field \"{}\"", self.name(), field.name())))
    }

    /// Evaluates the checks of the device since the last call. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    fn watch(&mut self, _comm: &dyn Comm, _ground: &Ground) -> Result<()> {
        Ok(())
    }

    /// Checks the whole state before output, so that no state beyond the limits of the method is written. Collective.
    ///
    /// # Errors
    /// A numerical failure where the state is beyond these limits; when the device or a rank is lost.
    fn inspect(&mut self, _comm: &dyn Comm, _ground: &Ground) -> Result<()> {
        Ok(())
    }

    /// Announces a line of the ledger after `step` steps.
    fn measure_after(&mut self, _step: u64) {}

    /// Measurements for a line of the ledger, after [`Physics::inspect`]. `done`: the share of the run that is done, 1
    /// at its end. Collective.
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

    /// The largest speed at the last check, m/s.
    fn speed(&self) -> Option<f64> {
        None
    }

    /// If the state is beyond the limits of the method, a text that says where and what would help. `near` describes
    /// what is near a site. Collective.
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

    /// Bytes of memory traffic in a step at all own nodes, for benchmarks; 0 if memory does not bound the speed.
    fn bytes_per_step(&self) -> f64 {
        0.0
    }

    /// What a step updates beside nodes, and how many of these this rank has, for benchmarks: e.g. particles.
    ///
    /// # Errors
    /// When the device is lost.
    fn updated(&self) -> Result<Option<(&'static str, u64)>> {
        Ok(None)
    }

    /// Time spent on messages so far.
    fn phases(&self) -> Phases {
        Phases::default()
    }

    /// Seconds of work on the host so far, by name, for benchmarks: the phases of the device do not include it.
    fn host_phases(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}
