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
    /// Opens a device with such a queue beside wgpu's; `None` if the adapter is not Vulkan's or has no such queue.
    ///
    /// # Errors
    /// Where the device cannot be opened.
    pub fn open(
        adapter: &wgpu::Adapter,
        descriptor: &wgpu::DeviceDescriptor<'_>,
    ) -> std::result::Result<Option<(wgpu::Device, wgpu::Queue, Self)>, String> {
        // Sound because wgpu keeps the handles, and the adapter makes the device with all that wgpu asks for and one
        // more queue of an existing family.
        unsafe {
            let Some(hal) = adapter.as_hal::<Vulkan>() else { return Ok(None) };
            let Some(family) = copying_family(&hal) else { return Ok(None) };
            let another = vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0]);
            let (features, limits) = (descriptor.required_features, &descriptor.required_limits);
            let opened = hal.open_with_callback(
                features,
                limits,
                &descriptor.memory_hints,
                Some(Box::new(move |device| device.queue_create_infos.push(another))),
            );
            let opened = opened.map_err(|error| error.to_string())?;
            drop(hal);
            let queue = opened.device.raw_device().get_device_queue(family, 0);
            let families = [opened.device.queue_family_index(), family];
            let (device, main) =
                adapter.create_device_from_hal(opened, descriptor).map_err(|error| error.to_string())?;
            Ok(Some((device, main, Self { families, queue: Arc::new(Mutex::new(queue)) })))
        }
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
unsafe fn copying_family(adapter: &wgpu::hal::vulkan::Adapter) -> Option<u32> {
    let instance = adapter.shared_instance().raw_instance();
    // Sound because the caller keeps the handles alive.
    let families = unsafe { instance.get_physical_device_queue_family_properties(adapter.raw_physical_device()) };
    let aside = vk::QueueFlags::SPARSE_BINDING | vk::QueueFlags::PROTECTED;
    let copies = |family: &vk::QueueFamilyProperties| family.queue_flags & !aside == vk::QueueFlags::TRANSFER;
    families.iter().position(copies).map(|family| family as u32)
}

/// Copies from one mapped buffer to another, one message at a time.
#[derive(Debug)]
pub(crate) struct Copier {
    gpu: Gpu,
    queue: CopyQueue,
    /// Kept alive for the commands that use them.
    buffers: [Buffer; 2],
    raw: [vk::Buffer; 2],
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    done: vk::Fence,
    busy: bool,
}

impl Copier {
    /// A copier from the start of `from` to the start of `to`; `None` if Vulkan has no room for it.
    pub fn new(gpu: &Gpu, queue: &CopyQueue, from: &Mapped, to: &Mapped) -> Option<Self> {
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
        Some(Self {
            gpu: gpu.clone(),
            queue: queue.clone(),
            buffers: [from, to].map(|mapped| mapped.buffer().clone()),
            raw: [from, to].map(Mapped::raw),
            pool,
            commands,
            done,
            busy: false,
        })
    }

    /// Begins to copy `bytes` bytes that kernels wrote. The host must have seen the signal after them.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    ///
    /// # Panics
    /// When either buffer is shorter, or the last copy is not over, which are bugs of the program.
    pub fn start(&mut self, bytes: u64) -> Result<()> {
        assert!(!self.busy && self.buffers.iter().all(|buffer| bytes <= buffer.bytes()), "{bytes} bytes to copy");
        if bytes == 0 {
            return Ok(());
        }
        let queue = self.queue.queue.lock().unwrap_or_else(PoisonError::into_inner);
        // Sound because the last copy is over, and the queue is locked. Kernels' writes are available since the
        // barriers before the signal, so that a submission from here on sees them.
        let started = unsafe {
            let Some(device) = self.gpu.device.as_hal::<Vulkan>() else { return Ok(()) };
            self.record(device.raw_device(), bytes).and_then(|()| {
                let commands = [self.commands];
                let submission = vk::SubmitInfo::default().command_buffers(&commands);
                device.raw_device().queue_submit(*queue, &[submission], self.done)
            })
        };
        drop(queue);
        started.map_err(|error| self.gpu.lost(&error))?;
        self.busy = true;
        Ok(())
    }

    /// Records the copy of `bytes` bytes.
    ///
    /// # Safety
    /// The commands must not be in use by the device.
    unsafe fn record(&self, device: &ash::Device, bytes: u64) -> std::result::Result<(), vk::Result> {
        let once = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        let region = vk::BufferCopy::default().size(bytes);
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ);
        let (copies, host) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
        // Sound because all handles are alive and both buffers are long enough.
        unsafe {
            device.begin_command_buffer(self.commands, &once)?;
            device.cmd_copy_buffer(self.commands, self.raw[0], self.raw[1], &[region]);
            let none = vk::DependencyFlags::empty();
            device.cmd_pipeline_barrier(self.commands, copies, host, none, &[barrier], &[], &[]);
            device.end_command_buffer(self.commands)
        }
    }

    /// Whether the copy is over, so that the host may read it.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn is_done(&mut self) -> Result<bool> {
        if !self.busy {
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
        self.busy = !done;
        Ok(done)
    }
}

impl Drop for Copier {
    fn drop(&mut self) {
        // Sound because the device no longer uses these, or is lost.
        unsafe {
            let Some(device) = self.gpu.device.as_hal::<Vulkan>() else { return };
            let raw = device.raw_device();
            if self.busy {
                let _ = raw.wait_for_fences(slice::from_ref(&self.done), true, u64::MAX);
            }
            raw.destroy_fence(self.done, None);
            raw.destroy_command_pool(self.pool, None);
        }
    }
}
