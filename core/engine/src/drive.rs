//! The loop that advances all physics of a run together.

use std::time::Instant;

use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};
use hematite_gpu::{Gpu, Recorder, Ticket};

use crate::{Clock, Physics};

/// Most time steps in one submission to the device.
pub const LONGEST_BATCH: u64 = 256;

/// Drives physics from step to step.
pub struct Drive {
    gpu: Gpu,
    /// Time that the host waited for the device, s.
    waited: f64,
    /// The batch that the device may still work on.
    last: Option<Ticket>,
}

impl Drive {
    /// A loop that submits to `gpu`.
    pub fn new(gpu: &Gpu) -> Self {
        Self { gpu: gpu.clone(), waited: 0.0, last: None }
    }

    /// Time that the host has waited for the device so far, s.
    pub fn waited(&self) -> f64 {
        self.waited
    }

    /// The longest time step, s, that the states of all `physics` allowed on all ranks when they began to find it.
    /// Finite. Collective.
    ///
    /// # Errors
    /// A numerical failure where they allow none; when the device or a rank is lost.
    pub fn longest_step(&mut self, comm: &dyn Comm, physics: &mut [Box<dyn Physics>]) -> Result<f64> {
        let start = Instant::now();
        let own = physics.iter_mut().try_fold(f64::MAX, |longest, physics| {
            let allowed = physics.longest_step()?;
            Ok(if allowed > 0.0 { allowed.min(longest) } else { 0.0 })
        });
        self.waited += start.elapsed().as_secs_f64();
        let mut negative = [-agree(comm, own)?];
        comm.max(&mut negative)?;
        match -negative[0] {
            longest if longest > 0.0 => Ok(longest),
            _ => Err(Fault::numerical(
                "the state allows no time step any more: it holds values that are not finite, or beyond all limits",
            )),
        }
    }

    /// Advances all `physics` by `steps` time steps from step `step`, which it increments. In each step the physics
    /// follow their order. `clock` holds the length of steps. Steps are recorded in batches, which end where some
    /// physics needs a look of the host. One batch is recorded while the device works on the one before, and the
    /// device may still work on the last one afterwards: see [`Drive::finish`]. Collective.
    ///
    /// # Errors
    /// Those of [`Physics`].
    pub fn advance(
        &mut self,
        comm: &dyn Comm,
        physics: &mut [&mut dyn Physics],
        step: &mut u64,
        steps: u64,
        clock: &Clock,
    ) -> Result<()> {
        let end = *step + steps;
        while *step < end {
            let looks = physics.iter().map(|physics| physics.until_look(*step));
            let last = *step + looks.fold((end - *step).min(LONGEST_BATCH), u64::min);
            for physics in physics.iter_mut() {
                physics.begin(comm, *step..last, clock)?;
            }
            let ticket = self.submit(comm, physics, *step..last)?;
            *step = last;
            self.gpu.begin_step(last);
            let start = Instant::now();
            if let Some(before) = self.last.replace(ticket.clone()) {
                self.gpu.wait_for(&before)?;
            }
            physics.iter_mut().try_for_each(|physics| physics.take_in(comm, Some(&ticket)))?;
            self.waited += start.elapsed().as_secs_f64();
            physics.iter_mut().try_for_each(|physics| physics.look(comm, last))?;
            physics.iter_mut().rev().try_for_each(|physics| physics.settle(comm, last))?;
        }
        Ok(())
    }

    /// Waits until the device has done all steps, and lets `physics` take in what it told. Collective.
    ///
    /// # Errors
    /// Those of [`Physics`].
    pub fn finish(&mut self, comm: &dyn Comm, physics: &mut [&mut dyn Physics]) -> Result<()> {
        let start = Instant::now();
        self.last = None;
        self.gpu.wait()?;
        physics.iter_mut().try_for_each(|physics| physics.take_in(comm, None))?;
        self.waited += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Records and submits a batch. Returns the ticket of the last submission.
    fn submit(&self, comm: &dyn Comm, physics: &mut [&mut dyn Physics], steps: std::ops::Range<u64>) -> Result<Ticket> {
        if self.gpu.waits_for_host() {
            // Ranks meet here, so that no device waits for a rank that still writes a dump.
            comm.any(false)?;
        }
        // Submits where the host needs results or the device has no work, else only at the end: each submission costs tens
        // of microseconds.
        let mut recorder = Recorder::of_steps(&self.gpu, self.last.as_ref())?;
        for step in steps {
            self.gpu.begin_step(step);
            let _span = self.gpu.span("record");
            for physics in physics.iter_mut() {
                physics.step(comm, &mut recorder, step)?;
            }
            for physics in physics.iter_mut().rev() {
                physics.complete(comm, &mut recorder, step)?;
            }
            recorder.run_ahead()?;
        }
        for physics in physics.iter_mut() {
            physics.end(comm, &mut recorder)?;
        }
        recorder.flush()
    }
}
