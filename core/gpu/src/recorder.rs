//! Dispatches and copies, collected and submitted together.

use crate::stopwatch::Marks;
use crate::{Arguments, Bound, Buffer, Gpu, Kernel, Staging, WORKGROUP};

/// Workgroups that wgpu allows along one dimension.
const MAX_GROUPS: u32 = 65_535;

/// One submission in the making. Dispatches that follow each other share a compute pass: a pass of its own for each
/// costs tens of microseconds.
pub struct Recorder<'g> {
    gpu: &'g Gpu,
    encoder: wgpu::CommandEncoder,
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
        let encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        Self { gpu, encoder, pass: None, phase: "other", marks: gpu.begin_marks() }
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
        let pass = self.pass.get_or_insert_with(|| {
            self.encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()).forget_lifetime()
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
        self.outside();
        self.encoder.copy_buffer_to_buffer(&from.inner, at, &to.inner, 0, bytes.next_multiple_of(4));
    }

    /// Copies the first `bytes` bytes of `from` to the start of `to`.
    pub fn copy(&mut self, from: &Buffer, to: &Buffer, bytes: u64) {
        self.outside();
        self.encoder.copy_buffer_to_buffer(&from.inner, 0, &to.inner, 0, bytes);
    }

    /// Ends the compute pass, for a command that stands outside of one.
    fn outside(&mut self) {
        self.pass = None;
        if let Some((queries, at)) = self.marks.as_mut().and_then(|marks| marks.turn_to(self.gpu, self.phase)) {
            self.encoder.write_timestamp(&queries, at);
        }
    }

    /// Hands the work to the device.
    pub fn submit(mut self) -> Ticket {
        let _span = self.gpu.span("submit");
        self.pass = None;
        if let Some((queries, at)) = self.marks.take().and_then(|marks| marks.end(self.gpu)) {
            self.encoder.write_timestamp(&queries, at);
        }
        let index = self.gpu.queue.submit([self.encoder.finish()]);
        Ticket { index }
    }
}
