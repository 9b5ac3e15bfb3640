//! Dispatches and copies, collected and submitted together.

use crate::{Bound, Buffer, Gpu, Kernel, Staging, WORKGROUP};

/// Workgroups that wgpu allows along one dimension.
const MAX_GROUPS: u32 = 65_535;

/// One submission in the making. Dispatches that follow each other share a compute pass: a pass of its own for each
/// costs tens of microseconds.
pub struct Recorder<'g> {
    gpu: &'g Gpu,
    encoder: wgpu::CommandEncoder,
    pass: Option<wgpu::ComputePass<'static>>,
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
        Self { gpu, encoder, pass: None }
    }

    /// Runs `kernel` on `items` invocations, with `immediates` as its block of immediate data.
    pub fn dispatch(&mut self, kernel: &Kernel, bound: &Bound, items: u32, immediates: &[u32]) {
        if items == 0 {
            return;
        }
        let pass = self.pass.get_or_insert_with(|| {
            self.encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()).forget_lifetime()
        });
        pass.set_pipeline(&kernel.pipeline);
        pass.set_bind_group(0, &bound.group, &[]);
        pass.set_immediates(0, bytemuck::cast_slice(immediates));
        let groups = items.div_ceil(WORKGROUP);
        let rows = groups.div_ceil(MAX_GROUPS);
        pass.dispatch_workgroups(groups.div_ceil(rows), rows, 1);
    }

    /// Copies `bytes` bytes of `from`, from byte `at` on, to the start of `to`.
    pub fn copy_out(&mut self, from: &Buffer, at: u64, to: &Staging, bytes: u64) {
        self.pass = None;
        self.encoder.copy_buffer_to_buffer(&from.inner, at, &to.inner, 0, bytes.next_multiple_of(4));
    }

    /// Hands the work to the device.
    pub fn submit(mut self) -> Ticket {
        self.pass = None;
        let index = self.gpu.queue.submit([self.encoder.finish()]);
        Ticket { index }
    }
}
