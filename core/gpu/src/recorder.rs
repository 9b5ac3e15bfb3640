//! Dispatches and copies, collected and submitted together.

use std::collections::VecDeque;
use std::thread;
use std::time::Duration;

use hematite_config::{Fault, Result};

use crate::signal::{DeviceSignal, HostSignal};
use crate::stopwatch::Marks;
use crate::{Arguments, Bound, Buffer, Gpu, Kernel, Staging, WORKGROUP};

/// Most workgroups that wgpu allows along one dimension.
pub const MOST_GROUPS: u32 = 65_535;

/// Records a submission. Successive dispatches share a compute pass, since each pass costs tens of microseconds.
pub struct Recorder<'g> {
    gpu: &'g Gpu,
    /// Finished commands, before those of the encoder.
    before: Vec<wgpu::CommandBuffer>,
    /// Made for its first command.
    encoder: Option<wgpu::CommandEncoder>,
    pass: Option<wgpu::ComputePass<'static>>,
    phase: &'static str,
    marks: Option<Marks>,
    /// Work of the host for which the device waits, in the order in which the device needs it.
    callbacks: VecDeque<Callback<'g>>,
    /// The fault of a callback that ran during recording.
    fault: Option<Fault>,
    /// Number of submissions so far.
    submissions: u64,
    /// Number of waits for the host in what is recorded.
    waits: u32,
    /// Number of waits at which [`Recorder::run_ahead`] submits.
    enough_waits: u32,
    /// Number of time steps in what is recorded.
    steps: u32,
    /// Number of time steps at which [`Recorder::run_ahead`] submits.
    enough_steps: u32,
}

/// Work of the host for which the device waits.
struct Callback<'g> {
    /// The number of the submission that waits for it, the signal that it is due, and the signal that ends the wait.
    /// `None` if no submission waits: it is then due before the next one.
    at: Option<(u64, DeviceSignal, HostSignal)>,
    run: Box<dyn FnMut() -> Result<()> + 'g>,
}

/// Most waits in one submission: how far the host may be ahead of the device.
const FAR: u32 = 16;

/// Identifies a submission, to wait for it.
#[derive(Clone, Debug)]
pub struct Ticket {
    pub(crate) index: wgpu::SubmissionIndex,
}

impl<'g> Recorder<'g> {
    /// An empty submission.
    pub fn new(gpu: &'g Gpu) -> Self {
        Self {
            gpu,
            before: Vec::new(),
            encoder: None,
            pass: None,
            phase: "other",
            marks: gpu.begin_marks(),
            callbacks: VecDeque::new(),
            fault: None,
            submissions: 0,
            waits: 0,
            enough_waits: 1,
            steps: 0,
            enough_steps: u32::MAX,
        }
    }

    /// An empty submission of time steps: [`Recorder::run_ahead`] is called after each. The device counts as without work
    /// once the steps before, up to submission `before`, are done: what was submitted since then is short.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn of_steps(gpu: &'g Gpu, before: Option<&Ticket>) -> Result<Self> {
        let idle = before.map_or_else(|| gpu.is_idle(), |before| gpu.is_done(before))?;
        let mut recorder = Self::new(gpu);
        if idle {
            recorder.enough_steps = 1;
        }
        Ok(recorder)
    }

    /// The device of the submission.
    pub fn gpu(&self) -> &'g Gpu {
        self.gpu
    }

    /// Begins the phase `phase`, to which commands from here on belong; see [`Gpu::time_phases`].
    pub fn phase(&mut self, phase: &'static str) {
        self.phase = phase;
    }

    /// Records the commands of `work` as phase `phase`.
    pub(crate) fn in_phase(&mut self, phase: &'static str, work: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.phase, phase);
        work(self);
        self.phase = before;
    }

    /// Records a run of `kernel` on `items` invocations, with `immediates` as its immediate data.
    pub fn dispatch(&mut self, kernel: &Kernel, bound: &Bound, items: u32, immediates: &[u32]) {
        if items == 0 {
            return;
        }
        let groups = items.div_ceil(WORKGROUP);
        let rows = groups.div_ceil(MOST_GROUPS);
        self.prepared(kernel, bound, immediates).dispatch_workgroups(groups.div_ceil(rows), rows, 1);
    }

    /// Records a run of `kernel` with the number of workgroups in entry `at` of `arguments`, as the device finds it
    /// then.
    pub fn dispatch_indirect(
        &mut self,
        kernel: &Kernel,
        bound: &Bound,
        arguments: &Arguments,
        at: u64,
        immediates: &[u32],
    ) {
        let offset = at * Arguments::ENTRY;
        self.prepared(kernel, bound, immediates).dispatch_workgroups_indirect(&arguments.buffer.inner, offset);
    }

    fn prepared(&mut self, kernel: &Kernel, bound: &Bound, immediates: &[u32]) -> &mut wgpu::ComputePass<'static> {
        self.run_if_due();
        let Self { gpu, encoder, pass, .. } = self;
        let pass = pass.get_or_insert_with(|| {
            open(gpu, encoder).begin_compute_pass(&wgpu::ComputePassDescriptor::default()).forget_lifetime()
        });
        if let Some((queries, at)) = self.marks.as_mut().and_then(|marks| marks.enter(self.gpu, self.phase)) {
            pass.write_timestamp(&queries, at);
        }
        pass.set_pipeline(&kernel.pipeline);
        pass.set_bind_group(0, &bound.group, &[]);
        pass.set_immediates(0, bytemuck::cast_slice(immediates));
        pass
    }

    /// Records a copy of `bytes` bytes of `from`, from byte `at` on, to `to` from byte `first` on.
    pub fn copy_out(&mut self, from: &Buffer, at: u64, (to, first): (&Staging, u64), bytes: u64) {
        self.outside().copy_buffer_to_buffer(&from.inner, at, &to.inner, first, bytes.next_multiple_of(4));
    }

    /// Records a copy of the first `bytes` bytes of `from` to the start of `to`.
    pub fn copy(&mut self, from: &Buffer, to: &Buffer, bytes: u64) {
        self.outside().copy_buffer_to_buffer(&from.inner, 0, &to.inner, 0, bytes);
    }

    /// Records that all words of `buffer` become zero.
    pub fn clear(&mut self, buffer: &Buffer) {
        self.outside().clear_buffer(&buffer.inner, 0, None);
    }

    /// Ends the compute pass, for a command that must be outside of one.
    fn outside(&mut self) -> &mut wgpu::CommandEncoder {
        self.pass = None;
        let mark = self.marks.as_mut().and_then(|marks| marks.enter(self.gpu, self.phase));
        let encoder = open(self.gpu, &mut self.encoder);
        if let Some((queries, at)) = mark {
            encoder.write_timestamp(&queries, at);
        }
        encoder
    }

    /// Puts finished commands after those recorded so far, as a phase of their own. The host may learn of them before
    /// they are over, so the phase before must end where they begin.
    pub(crate) fn insert(&mut self, phase: &'static str, commands: wgpu::CommandBuffer) {
        self.in_phase(phase, |recorder| {
            recorder.outside();
        });
        self.seal();
        self.before.push(commands);
    }

    fn seal(&mut self) {
        self.pass = None;
        self.before.extend(self.encoder.take().map(wgpu::CommandEncoder::finish));
    }

    /// Submits what is recorded.
    ///
    /// # Panics
    /// When callbacks of [`Recorder::await_answer`] remain, which need [`Recorder::flush`]: a bug of the program.
    pub fn submit(mut self) -> Ticket {
        assert!(self.callbacks.is_empty(), "callbacks are left");
        self.hand_over()
    }

    /// Submits what is recorded, runs all callbacks, and begins another submission in the same phase.
    ///
    /// # Errors
    /// Those of callbacks.
    pub fn flush(&mut self) -> Result<Ticket> {
        let ticket = self.submit_up_to_here()?;
        while !self.callbacks.is_empty() {
            self.run_callback()?;
        }
        (self.enough_waits, self.enough_steps) = (1, 1);
        Ok(ticket)
    }

    /// Ends a time step. Submits what is recorded if the device waits in it often enough, then runs the callbacks of the
    /// submissions before. So the device always has work. A device without work, at the start or after
    /// [`Recorder::flush`], gets the next step at once, and then twice as many each time, so that it is not idle while the
    /// host records many steps.
    ///
    /// # Errors
    /// Those of callbacks.
    pub fn run_ahead(&mut self) -> Result<()> {
        self.steps += 1;
        if self.waits >= self.enough_waits {
            self.enough_waits = (2 * self.enough_waits).min(FAR);
        } else if self.steps >= self.enough_steps {
            self.enough_steps = self.enough_steps.saturating_mul(2);
        } else {
            return Ok(());
        }
        let last = self.submissions;
        self.submit_up_to_here()?;
        let before = |callback: &Callback| callback.at.as_ref().is_none_or(|&(submission, ..)| submission < last);
        while self.callbacks.front().is_some_and(before) {
            self.run_callback()?;
        }
        Ok(())
    }

    /// Runs the callbacks that must come first, then submits what is recorded.
    pub(crate) fn submit_up_to_here(&mut self) -> Result<Ticket> {
        self.seal();
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        // Mesa's software Vulkan accepts no submission while the one before waits for the host.
        let (now, patient) = (self.submissions, self.gpu.info().patient);
        let due = |callback: &Callback| callback.at.as_ref().is_none_or(|&(at, ..)| !patient && at < now);
        while self.callbacks.iter().any(due) {
            self.run_callback()?;
        }
        Ok(self.hand_over())
    }

    /// Submits what is recorded.
    fn hand_over(&mut self) -> Ticket {
        let _span = self.gpu.span("submit");
        self.pass = None;
        if let Some((queries, at)) = self.marks.take().and_then(|marks| marks.end(self.gpu)) {
            open(self.gpu, &mut self.encoder).write_timestamp(&queries, at);
        }
        self.marks = self.gpu.begin_marks();
        let recorded = self.encoder.take().map(wgpu::CommandEncoder::finish);
        let index = self.gpu.queue.submit(self.before.drain(..).chain(recorded));
        self.submissions += 1;
        self.waits = 0;
        self.steps = 0;
        Ticket { index }
    }

    /// Adds a callback. It is due before the device can go on from the last recorded wait, or without a wait before the
    /// next submission.
    pub(crate) fn call_back(
        &mut self,
        at: Option<(DeviceSignal, HostSignal)>,
        run: Box<dyn FnMut() -> Result<()> + 'g>,
    ) {
        self.waits += u32::from(at.is_some());
        let at = at.map(|(due, done)| (self.submissions, due, done));
        self.callbacks.push_back(Callback { at, run });
    }

    /// Runs the first callback. A callback that fails stays in the queue, since the device still waits for it.
    fn run_callback(&mut self) -> Result<()> {
        let Some(callback) = self.callbacks.front_mut() else { return Ok(()) };
        (callback.run)()?;
        self.callbacks.pop_front();
        Ok(())
    }

    /// Runs the next callback if it is already due, so that the device need not wait for the end of recording.
    fn run_if_due(&mut self) {
        let Some(Callback { at: Some((submission, due, _)), .. }) = self.callbacks.front() else { return };
        if *submission < self.submissions && self.fault.is_none() && due.is_set().unwrap_or(true) {
            self.fault = self.run_callback().err();
        }
    }
}

impl Drop for Recorder<'_> {
    /// When a run fails, ends all waits of the device, for which no callback will run any more.
    fn drop(&mut self) {
        let submitted = |callback: Callback| callback.at.filter(|&(submission, ..)| submission < self.submissions);
        let signals: Vec<HostSignal> =
            self.callbacks.drain(..).filter_map(submitted).map(|(_, _, done)| done).collect();
        // The device may wait for one of them several times. A lost device waits for none.
        while !signals.is_empty() && self.gpu.is_idle().is_ok_and(|idle| !idle) {
            signals.iter().for_each(HostSignal::set_for_good);
            thread::sleep(Duration::from_micros(100));
        }
    }
}

fn open<'e>(gpu: &Gpu, encoder: &'e mut Option<wgpu::CommandEncoder>) -> &'e mut wgpu::CommandEncoder {
    encoder.get_or_insert_with(|| gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scan;
    use crate::testing::checked;

    #[test]
    fn a_device_without_work_gets_the_next_step_at_once() {
        let gpu = checked();
        let numbers = gpu.buffer("numbers", 4 << 10).expect("room");
        let scan = Scan::new(&gpu, &numbers, 1 << 8).expect("made");
        gpu.wait().expect("done");
        let mut recorder = Recorder::of_steps(&gpu, None).expect("idle");
        let submissions: Vec<u64> = (0..8)
            .map(|_| {
                scan.record(&mut recorder, 1 << 8);
                recorder.run_ahead().expect("submitted");
                recorder.submissions
            })
            .collect();
        assert_eq!(submissions, [1, 1, 2, 2, 2, 2, 3, 3]);
        recorder.flush().expect("submitted");
        let before = recorder.submissions;
        scan.record(&mut recorder, 1 << 8);
        recorder.run_ahead().expect("submitted");
        assert_eq!(recorder.submissions, before + 1);
        gpu.wait().expect("done");
    }
}
