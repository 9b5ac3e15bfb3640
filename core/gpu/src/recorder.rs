//! Dispatches and copies, collected and submitted together.

use std::collections::VecDeque;
use std::thread;
use std::time::Duration;

use hematite_config::{Fault, Result};

use crate::gate::{Flag, Gate};
use crate::stopwatch::Marks;
use crate::{Arguments, Bound, Buffer, Gpu, Kernel, Staging, WORKGROUP};

/// Workgroups that wgpu allows along one dimension.
const MAX_GROUPS: u32 = 65_535;

/// One submission in the making. Dispatches that follow each other share a compute pass: a pass of its own for each
/// costs tens of microseconds.
pub struct Recorder<'g> {
    gpu: &'g Gpu,
    /// What comes before the encoder's commands.
    before: Vec<wgpu::CommandBuffer>,
    /// Made with its first command.
    encoder: Option<wgpu::CommandEncoder>,
    pass: Option<wgpu::ComputePass<'static>>,
    phase: &'static str,
    marks: Option<Marks>,
    /// What the host has to do for the device, in the order in which that needs it.
    errands: VecDeque<Errand<'g>>,
    /// The fault of an errand that was run in the midst of recording.
    fault: Option<Fault>,
    /// Submissions so far.
    submissions: u64,
    /// Gates in what is recorded, and so many that it is submitted without a wait for the end of all (see [`Recorder::run_ahead`]).
    gates: u32,
    enough: u32,
}

/// What the host does while the device is at work.
struct Errand<'g> {
    /// The submission that waits for it at a gate, and the flag that it raises before; none: the next submission must not come before.
    at: Option<(u64, Flag, Gate)>,
    run: Box<dyn FnMut() -> Result<()> + 'g>,
}

/// Gates that are submitted together, at most: the host is that far ahead of the device.
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
            errands: VecDeque::new(),
            fault: None,
            submissions: 0,
            gates: 0,
            enough: 1,
        }
    }

    /// The device it is for.
    pub fn gpu(&self) -> &'g Gpu {
        self.gpu
    }

    /// What follows belongs to `phase` of the time step, see [`Gpu::time_phases`].
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

    /// Runs `kernel` on as many workgroups as entry `at` of `arguments` says by then.
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
        self.attend();
        let Self { gpu, encoder, pass, .. } = self;
        let pass = pass.get_or_insert_with(|| {
            open(gpu, encoder).begin_compute_pass(&wgpu::ComputePassDescriptor::default()).forget_lifetime()
        });
        if let Some((queries, at)) = self.marks.as_mut().and_then(|marks| marks.turn_to(self.gpu, self.phase)) {
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
        let mark = self.marks.as_mut().and_then(|marks| marks.turn_to(self.gpu, self.phase));
        let encoder = open(self.gpu, &mut self.encoder);
        if let Some((queries, at)) = mark {
            encoder.write_timestamp(&queries, at);
        }
        encoder
    }

    /// Puts commands made elsewhere after those recorded up to here, as a phase of their own: they are not over before the host may
    /// know of it, so the phase before must end where they begin.
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
    /// Where [`Recorder::await_answer`] left errands, for which there is [`Recorder::flush`]: a fault of the program.
    pub fn submit(mut self) -> Ticket {
        assert!(self.errands.is_empty(), "errands are left");
        self.hand_over()
    }

    /// Hands what is recorded to the device, runs all errands, and begins another submission in the same phase.
    ///
    /// # Errors
    /// Those of errands.
    pub fn flush(&mut self) -> Result<Ticket> {
        let ticket = self.submit_up_to_here()?;
        while !self.errands.is_empty() {
            self.run_errand()?;
        }
        self.enough = 1;
        Ok(ticket)
    }

    /// Hands what is recorded to the device where it has enough gates to be worth it, and runs the errands of what was handed over
    /// before: so the device finds its next work waiting for it. Nothing where the device does not wait at gates.
    ///
    /// # Errors
    /// Those of errands.
    pub fn run_ahead(&mut self) -> Result<()> {
        if self.gates < self.enough {
            return Ok(());
        }
        self.enough = (2 * self.enough).min(FAR);
        let last = self.submissions;
        self.submit_up_to_here()?;
        let before = |errand: &Errand| errand.at.as_ref().is_none_or(|&(submission, ..)| submission < last);
        while self.errands.front().is_some_and(before) {
            self.run_errand()?;
        }
        Ok(())
    }

    /// Submits what is recorded, once the errands that must not come after it are run.
    pub(crate) fn submit_up_to_here(&mut self) -> Result<Ticket> {
        self.seal();
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        // Mesa's software Vulkan takes no submission while the one before stands at a gate.
        let (now, patient) = (self.submissions, self.gpu.info().patient);
        let due = |errand: &Errand| errand.at.as_ref().is_none_or(|&(at, ..)| !patient && at < now);
        while self.errands.iter().any(due) {
            self.run_errand()?;
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
        self.gates = 0;
        Ticket { index }
    }

    /// Notes what is to be done before the device goes through a gate that was recorded, or else before the next submission.
    pub(crate) fn owe(&mut self, at: Option<(Flag, Gate)>, run: Box<dyn FnMut() -> Result<()> + 'g>) {
        self.gates += u32::from(at.is_some());
        let at = at.map(|(flag, gate)| (self.submissions, flag, gate));
        self.errands.push_back(Errand { at, run });
    }

    /// Runs the first errand; one that fails stays, for the device still waits for it.
    fn run_errand(&mut self) -> Result<()> {
        let Some(errand) = self.errands.front_mut() else { return Ok(()) };
        (errand.run)()?;
        self.errands.pop_front();
        Ok(())
    }

    /// Runs the next errand if the device is there already, so that it does not wait until something is recorded.
    fn attend(&mut self) {
        let Some(Errand { at: Some((submission, flag, _)), .. }) = self.errands.front() else { return };
        if *submission < self.submissions && self.fault.is_none() && flag.is_up().unwrap_or(true) {
            self.fault = self.run_errand().err();
        }
    }
}

impl Drop for Recorder<'_> {
    /// Where a run fails, the device must not wait for ever for what nobody does any more.
    fn drop(&mut self) {
        let submitted = |errand: Errand| errand.at.filter(|&(submission, ..)| submission < self.submissions);
        let gates: Vec<Gate> = self.errands.drain(..).filter_map(submitted).map(|(_, _, gate)| gate).collect();
        // The device goes through some of them more than once; one that is lost is at none.
        while !gates.is_empty() && self.gpu.is_idle().is_ok_and(|idle| !idle) {
            gates.iter().for_each(Gate::give_up);
            thread::sleep(Duration::from_micros(100));
        }
    }
}

fn open<'e>(gpu: &Gpu, encoder: &'e mut Option<wgpu::CommandEncoder>) -> &'e mut wgpu::CommandEncoder {
    encoder.get_or_insert_with(|| gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default()))
}
