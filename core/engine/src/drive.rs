//! The loop that drives all physics of a run in step.

use std::time::Instant;

use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};
use hematite_gpu::{Gpu, Recorder, Ticket};

use crate::{Clock, Physics};

/// Time steps that one submission to the device has, at most.
pub const LONGEST_BATCH: u64 = 256;

/// The longest time step, s, that the states of all `physics` allow on all ranks. Collective.
///
/// # Errors
/// A numerical failure where they allow none; when the device or a rank is lost.
pub fn longest_step(comm: &dyn Comm, physics: &mut [Box<dyn Physics>]) -> Result<f64> {
    let own = physics.iter_mut().try_fold(f64::INFINITY, |longest, physics| {
        let allowed = physics.longest_step()?;
        Ok(if allowed > 0.0 { allowed.min(longest) } else { 0.0 })
    });
    let mut negative = [-agree(comm, own)?];
    comm.max(&mut negative)?;
    match -negative[0] {
        longest if longest > 0.0 => Ok(longest),
        _ => Err(Fault::numerical(
            "the state allows no time step any more: it holds what is no number, or is beyond all limits",
        )),
    }
}

/// Drives physics from step to step.
pub struct Drive {
    gpu: Gpu,
    /// Seconds that the host waited for the device.
    waited: f64,
}

impl Drive {
    /// One that submits to `gpu`.
    pub fn new(gpu: &Gpu) -> Self {
        Self { gpu: gpu.clone(), waited: 0.0 }
    }

    /// Seconds that the host waited for the device so far.
    pub fn waited(&self) -> f64 {
        self.waited
    }

    /// Does `steps` time steps of all `physics`, after `step` steps, which it counts on: each step of all of them in their order. They
    /// have the length that `clock` says. Steps are recorded in batches that end where some physics wants a look; one batch is recorded
    /// while the device works on the one before. Collective.
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
        let mut before: Option<Ticket> = None;
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
            if let Some(before) = before.replace(ticket.clone()) {
                self.gpu.wait_for(&before)?;
            }
            physics.iter_mut().try_for_each(|physics| physics.take_in(comm, Some(&ticket)))?;
            self.waited += start.elapsed().as_secs_f64();
            physics.iter_mut().try_for_each(|physics| physics.look(comm, last))?;
            physics.iter_mut().rev().try_for_each(|physics| physics.settle(comm, last))?;
        }
        let start = Instant::now();
        self.gpu.wait()?;
        physics.iter_mut().try_for_each(|physics| physics.take_in(comm, None))?;
        self.waited += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Records a batch and hands it over; gives the ticket of what may still be at work.
    fn submit(&self, comm: &dyn Comm, physics: &mut [&mut dyn Physics], steps: std::ops::Range<u64>) -> Result<Ticket> {
        if self.gpu.waits_for_host() {
            // No device waits for a rank that still writes a dump.
            comm.any(false)?;
        }
        // What is recorded is submitted where the host needs something of it, else at the end: each submission costs tens of
        // microseconds.
        let mut recorder = Recorder::new(&self.gpu);
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
