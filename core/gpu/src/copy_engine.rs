//! The device's copy engine, which copies while kernels are at work.
#![expect(
    unsafe_code,
    reason = "wgpu has one queue, which copies and runs kernels in turn: others are made through Vulkan"
)]

use std::slice;
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;
use hematite_config::Result;
use wgpu::hal::api::Vulkan;

use crate::mapped::Mapped;
use crate::{Buffer, Gpu};

/// A queue that only copies.
#[derive(Clone, Debug)]
pub(crate) struct CopyQueue {
    /// The queue families of wgpu's queue and of this one.
    pub families: [u32; 2],
    /// Locked, since only one thread at a time may use a queue.
    queue: Arc<Mutex<vk::Queue>>,
}

impl CopyQueue {
    /// The queue of such a family in `device`, which was opened with one.
    pub(crate) fn of(device: &wgpu::hal::vulkan::Device, family: u32) -> Self {
        // Sound because the device has one queue of this family.
        let queue = unsafe { device.raw_device().get_device_queue(family, 0) };
        Self { families: [device.queue_family_index(), family], queue: Arc::new(Mutex::new(queue)) }
    }

    /// Uses wgpu's own queue, for tests on devices with no other. Copies then wait for kernels submitted before.
    #[cfg(test)]
    pub fn shared(gpu: &Gpu) -> Option<Self> {
        // Sound because wgpu keeps the handles.
        let device = unsafe { gpu.device.as_hal::<Vulkan>() }?;
        let queue = Arc::new(Mutex::new(device.raw_queue()));
        Some(Self { families: [device.queue_family_index(); 2], queue })
    }
}

/// The first queue family that only copies.
///
/// # Safety
/// The adapter's handles must be alive.
pub(crate) unsafe fn copying_family(adapter: &wgpu::hal::vulkan::Adapter) -> Option<u32> {
    let instance = adapter.shared_instance().raw_instance();
    // Sound because the caller keeps the handles alive.
    let families = unsafe { instance.get_physical_device_queue_family_properties(adapter.raw_physical_device()) };
    let aside = vk::QueueFlags::SPARSE_BINDING | vk::QueueFlags::PROTECTED;
    let copies = |family: &vk::QueueFamilyProperties| family.queue_flags & !aside == vk::QueueFlags::TRANSFER;
    families.iter().position(copies).map(|family| family as u32)
}

/// Copies between mapped buffers, one batch at a time.
#[derive(Debug)]
pub(crate) struct Copier {
    gpu: Gpu,
    queue: CopyQueue,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    done: vk::Fence,
    /// The buffers that are in use; none: no copy is under way.
    busy: Vec<Buffer>,
}

/// Bytes from one buffer to another.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    from: (Buffer, vk::Buffer, u64),
    to: (Buffer, vk::Buffer, u64),
    bytes: u64,
}

impl Copy {
    /// `bytes` bytes from byte `at` of `from` on, to byte `first` of `to` on.
    ///
    /// # Panics
    /// When either buffer is shorter, which is a bug of the program.
    pub fn new((from, at): (&Mapped, u64), (to, first): (&Mapped, u64), bytes: u64) -> Self {
        assert!(at + bytes <= from.bytes() && first + bytes <= to.bytes(), "{bytes} bytes to copy");
        Self { from: (from.buffer().clone(), from.raw(), at), to: (to.buffer().clone(), to.raw(), first), bytes }
    }
}

impl Copier {
    /// A copier; `None` if Vulkan has no room for it.
    pub fn new(gpu: &Gpu, queue: &CopyQueue) -> Option<Self> {
        // Sound because `gpu` keeps the device alive, and only the copier uses and destroys what is made here.
        let (pool, commands, done) = unsafe {
            let device = gpu.device.as_hal::<Vulkan>()?;
            let raw = device.raw_device();
            let again = vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER;
            let info = vk::CommandPoolCreateInfo::default().queue_family_index(queue.families[1]).flags(again);
            let pool = raw.create_command_pool(&info, None).ok()?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = raw.allocate_command_buffers(&info).ok().and_then(|buffers| buffers.first().copied());
            let done = raw.create_fence(&vk::FenceCreateInfo::default(), None).ok();
            let (Some(commands), Some(done)) = (commands, done) else {
                raw.destroy_command_pool(pool, None);
                return None;
            };
            (pool, commands, done)
        };
        Some(Self { gpu: gpu.clone(), queue: queue.clone(), pool, commands, done, busy: Vec::new() })
    }

    /// Begins to copy what kernels wrote, here or on another device. The host must have seen the signal after them.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    ///
    /// # Panics
    /// When the last copies are not over, which is a bug of the program.
    pub fn start<'c>(&mut self, copies: impl Iterator<Item = &'c Copy>) -> Result<()> {
        assert!(self.busy.is_empty(), "copies are under way");
        let copies: Vec<&Copy> = copies.filter(|copy| copy.bytes > 0).collect();
        if copies.is_empty() {
            return Ok(());
        }
        let queue = self.queue.queue.lock().unwrap_or_else(PoisonError::into_inner);
        // Sound because the last copy is over, and the queue is locked. Kernels' writes are available since the
        // barriers before the signal, so that a submission from here on sees them.
        let started = unsafe {
            let Some(device) = self.gpu.device.as_hal::<Vulkan>() else { return Ok(()) };
            self.record(device.raw_device(), &copies).and_then(|()| {
                let commands = [self.commands];
                let submission = vk::SubmitInfo::default().command_buffers(&commands);
                device.raw_device().queue_submit(*queue, &[submission], self.done)
            })
        };
        drop(queue);
        started.map_err(|error| self.gpu.lost(&error))?;
        self.busy = copies.into_iter().flat_map(|copy| [copy.from.0.clone(), copy.to.0.clone()]).collect();
        Ok(())
    }

    /// Records the copies.
    ///
    /// # Safety
    /// The commands must not be in use by the device.
    unsafe fn record(&self, device: &ash::Device, copies: &[&Copy]) -> std::result::Result<(), vk::Result> {
        let once = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ);
        let (writes, host) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
        // Sound because all handles are alive and both buffers of each copy are long enough.
        unsafe {
            device.begin_command_buffer(self.commands, &once)?;
            for Copy { from: (_, from, at), to: (_, to, first), bytes } in copies {
                let region = vk::BufferCopy::default().src_offset(*at).dst_offset(*first).size(*bytes);
                device.cmd_copy_buffer(self.commands, *from, *to, &[region]);
            }
            let none = vk::DependencyFlags::empty();
            device.cmd_pipeline_barrier(self.commands, writes, host, none, &[barrier], &[], &[]);
            device.end_command_buffer(self.commands)
        }
    }

    /// Whether the copy is over, so that the host may read it.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn is_done(&mut self) -> Result<bool> {
        if self.busy.is_empty() {
            return Ok(true);
        }
        // Sound because the fence is alive, and reset only once it is signalled.
        let done = unsafe {
            let Some(device) = self.gpu.device.as_hal::<Vulkan>() else { return Ok(true) };
            let raw = device.raw_device();
            raw.get_fence_status(self.done).and_then(|done| {
                if done {
                    raw.reset_fences(slice::from_ref(&self.done))?;
                }
                Ok(done)
            })
        };
        let done = done.map_err(|error| self.gpu.lost(&error))?;
        if done {
            self.busy.clear();
        }
        Ok(done)
    }
}

impl Drop for Copier {
    fn drop(&mut self) {
        // Sound because the device no longer uses these, or is lost.
        unsafe {
            let Some(device) = self.gpu.device.as_hal::<Vulkan>() else { return };
            let raw = device.raw_device();
            if !self.busy.is_empty() {
                let _ = raw.wait_for_fences(slice::from_ref(&self.done), true, u64::MAX);
            }
            raw.destroy_fence(self.done, None);
            raw.destroy_command_pool(self.pool, None);
        }
    }
}
