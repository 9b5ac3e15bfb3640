//! Dispatches and copies, collected and submitted together.

use std::collections::VecDeque;
use std::thread;
use std::time::Duration;

use hematite_config::{Fault, Result};

use crate::signal::{DeviceSignal, HostSignal};
use crate::stopwatch::Marks;
use crate::{Arguments, Bound, Buffer, Gpu, Kernel, Staging, WORKGROUP};

/// Workgroups that wgpu allows along one dimension.
const MAX_GROUPS: u32 = 65_535;

/// One submission in the making. Dispatches that follow each other share a compute pass: a pass of its own for each
/// costs tens of microseconds.
pub struct Recorder<'g> {
    gpu: &'g Gpu,
    /// Commands before the encoder's.
    before: Vec<wgpu::CommandBuffer>,
    /// Made with its first command.
    encoder: Option<wgpu::CommandEncoder>,
    pass: Option<wgpu::ComputePass<'static>>,
    phase: &'static str,
    marks: Option<Marks>,
    /// What the host has to do for the device, in the order in which the device needs it.
    callbacks: VecDeque<Callback<'g>>,
    /// The fault of an callback that was run in the midst of recording.
    fault: Option<Fault>,
    /// Submissions so far.
    submissions: u64,
    /// How often the device waits for the host in what is recorded.
    waits: u32,
    /// At so many waits [`Recorder::run_ahead`] submits.
    enough: u32,
}

/// Work of the host that the device waits for.
struct Callback<'g> {
    /// The submission that waits for it, the signal that says that it is due, and the one that ends the wait. None: no
    /// submission waits, and it is due before the next one.
    at: Option<(u64, DeviceSignal, HostSignal)>,
    run: Box<dyn FnMut() -> Result<()> + 'g>,
}

/// Most waits in one submission: the host is that far ahead of the device.
const FAR: u32 = 16;

/// A submission, to wait for.
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
            enough: 1,
        }
    }

    /// The device it is for.
    pub fn gpu(&self) -> &'g Gpu {
        self.gpu
    }

    /// Commands from here on belong to `phase` of the time step, see [`Gpu::time_phases`].
    pub fn phase(&mut self, phase: &'static str) {
        self.phase = phase;
    }

    /// Records what `work` does as a phase of its own.
    pub(crate) fn in_phase(&mut self, phase: &'static str, work: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.phase, phase);
        work(self);
        self.phase = before;
    }

    /// Runs `kernel` on `items` invocations, with `immediates` as its block of immediate data.
    pub fn dispatch(&mut self, kernel: &Kernel, bound: &Bound, items: u32, immediates: &[u32]) {
        if items == 0 {
            return;
        }
        let groups = items.div_ceil(WORKGROUP);
        let rows = groups.div_ceil(MAX_GROUPS);
        self.prepared(kernel, bound, immediates).dispatch_workgroups(groups.div_ceil(rows), rows, 1);
    }

    /// Runs `kernel` on as many workgroups as entry `at` of `arguments` says when the device comes to it.
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

    /// Copies `bytes` bytes of `from`, from byte `at` on, to the start of `to`.
    pub fn copy_out(&mut self, from: &Buffer, at: u64, to: &Staging, bytes: u64) {
        self.outside().copy_buffer_to_buffer(&from.inner, at, &to.inner, 0, bytes.next_multiple_of(4));
    }

    /// Copies the first `bytes` bytes of `from` to the start of `to`.
    pub fn copy(&mut self, from: &Buffer, to: &Buffer, bytes: u64) {
        self.outside().copy_buffer_to_buffer(&from.inner, 0, &to.inner, 0, bytes);
    }

    /// Makes all words of `buffer` zero.
    pub fn clear(&mut self, buffer: &Buffer) {
        self.outside().clear_buffer(&buffer.inner, 0, None);
    }

    /// Ends the compute pass, for a command that stands outside of one.
    fn outside(&mut self) -> &mut wgpu::CommandEncoder {
        self.pass = None;
        let mark = self.marks.as_mut().and_then(|marks| marks.enter(self.gpu, self.phase));
        let encoder = open(self.gpu, &mut self.encoder);
        if let Some((queries, at)) = mark {
            encoder.write_timestamp(&queries, at);
        }
        encoder
    }

    /// Puts commands made elsewhere after those recorded up to here, as a phase of their own: the host may learn of
    /// them before they are over, so the phase before must end where they begin.
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

    /// Hands the work to the device.
    ///
    /// # Panics
    /// Where [`Recorder::await_answer`] left callbacks, for which there is [`Recorder::flush`]: a fault of the program.
    pub fn submit(mut self) -> Ticket {
        assert!(self.callbacks.is_empty(), "callbacks are left");
        self.hand_over()
    }

    /// Hands what is recorded to the device, runs all callbacks, and begins another submission in the same phase.
    ///
    /// # Errors
    /// Those of callbacks.
    pub fn flush(&mut self) -> Result<Ticket> {
        let ticket = self.submit_up_to_here()?;
        while !self.callbacks.is_empty() {
            self.run_callback()?;
        }
        self.enough = 1;
        Ok(ticket)
    }

    /// Submits what is recorded where the device waits in it often enough to be worth it, then runs the callbacks of
    /// the submissions before: so the device always has work ahead. Does nothing where the device does not wait for the
    /// host.
    ///
    /// # Errors
    /// Those of callbacks.
    pub fn run_ahead(&mut self) -> Result<()> {
        if self.waits < self.enough {
            return Ok(());
        }
        self.enough = (2 * self.enough).min(FAR);
        let last = self.submissions;
        self.submit_up_to_here()?;
        let before = |callback: &Callback| callback.at.as_ref().is_none_or(|&(submission, ..)| submission < last);
        while self.callbacks.front().is_some_and(before) {
            self.run_callback()?;
        }
        Ok(())
    }

    /// Submits what is recorded, once the callbacks that must not come after it are run.
    pub(crate) fn submit_up_to_here(&mut self) -> Result<Ticket> {
        self.seal();
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        // Mesa's software Vulkan takes no submission while the one before waits for the host.
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
        Ticket { index }
    }

    /// Notes what is due before the device may go on from the wait recorded last, or else before the next submission.
    pub(crate) fn call_back(
        &mut self,
        at: Option<(DeviceSignal, HostSignal)>,
        run: Box<dyn FnMut() -> Result<()> + 'g>,
    ) {
        self.waits += u32::from(at.is_some());
        let at = at.map(|(due, done)| (self.submissions, due, done));
        self.callbacks.push_back(Callback { at, run });
    }

    /// Runs the first callback; one that fails stays, for the device still waits for it.
    fn run_callback(&mut self) -> Result<()> {
        let Some(callback) = self.callbacks.front_mut() else { return Ok(()) };
        (callback.run)()?;
        self.callbacks.pop_front();
        Ok(())
    }

    /// Runs the next callback if it is due already, so that the device need not wait for the end of recording.
    fn run_if_due(&mut self) {
        let Some(Callback { at: Some((submission, due, _)), .. }) = self.callbacks.front() else { return };
        if *submission < self.submissions && self.fault.is_none() && due.is_set().unwrap_or(true) {
            self.fault = self.run_callback().err();
        }
    }
}

impl Drop for Recorder<'_> {
    /// Where a run fails, the device must not wait for ever for what nobody does any more.
    fn drop(&mut self) {
        let submitted = |callback: Callback| callback.at.filter(|&(submission, ..)| submission < self.submissions);
        let signals: Vec<HostSignal> =
            self.callbacks.drain(..).filter_map(submitted).map(|(_, _, done)| done).collect();
        // The device may wait for one of them more than once; one that is lost waits for none.
        while !signals.is_empty() && self.gpu.is_idle().is_ok_and(|idle| !idle) {
            signals.iter().for_each(HostSignal::set_for_good);
            thread::sleep(Duration::from_micros(100));
        }
    }
}

fn open<'e>(gpu: &Gpu, encoder: &'e mut Option<wgpu::CommandEncoder>) -> &'e mut wgpu::CommandEncoder {
    encoder.get_or_insert_with(|| gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default()))
}
