//! Dispatches and copies, collected and submitted together.

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
}

/// A submission, to wait for.
#[derive(Clone, Debug)]
pub struct Ticket {
    pub(crate) index: wgpu::SubmissionIndex,
}

impl<'g> Recorder<'g> {
    /// An empty submission.
    pub fn new(gpu: &'g Gpu) -> Self {
        Self { gpu, before: Vec::new(), encoder: None, pass: None, phase: "other", marks: gpu.begin_marks() }
    }

    /// The device it is for.
    pub fn gpu(&self) -> &'g Gpu {
        self.gpu
    }

    /// What follows belongs to `phase` of the time step, see [`Gpu::time_phases`].
    pub fn phase(&mut self, phase: &'static str) {
        self.phase = phase;
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
        let before = std::mem::replace(&mut self.phase, phase);
        self.outside();
        self.phase = before;
        self.seal();
        self.before.push(commands);
    }

    /// Makes ready what is recorded, so that less is left to do when it is submitted.
    pub fn seal(&mut self) {
        self.pass = None;
        self.before.extend(self.encoder.take().map(wgpu::CommandEncoder::finish));
    }

    /// Hands the work to the device.
    pub fn submit(mut self) -> Ticket {
        self.flush()
    }

    /// Hands what is recorded to the device, and begins another submission in the same phase.
    pub fn flush(&mut self) -> Ticket {
        let _span = self.gpu.span("submit");
        self.pass = None;
        if let Some((queries, at)) = self.marks.take().and_then(|marks| marks.end(self.gpu)) {
            open(self.gpu, &mut self.encoder).write_timestamp(&queries, at);
        }
        self.marks = self.gpu.begin_marks();
        let recorded = self.encoder.take().map(wgpu::CommandEncoder::finish);
        let index = self.gpu.queue.submit(self.before.drain(..).chain(recorded));
        Ticket { index }
    }
}

fn open<'e>(gpu: &Gpu, encoder: &'e mut Option<wgpu::CommandEncoder>) -> &'e mut wgpu::CommandEncoder {
    encoder.get_or_insert_with(|| gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default()))
}
