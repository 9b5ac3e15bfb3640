//! Events for host and device.
#![expect(unsafe_code, reason = "wgpu has no events: they are made through Vulkan")]

use ash::vk;
use hematite_config::Result;
use wgpu::hal::api::Vulkan;

use crate::Gpu;

/// A Vulkan event, which device and host both can set and clear.
#[derive(Debug)]
pub(crate) struct Event {
    gpu: Gpu,
    raw: vk::Event,
}

impl Event {
    /// A clear event; `None` if the device is not Vulkan's.
    pub fn new(gpu: &Gpu) -> Option<Self> {
        // Sound because the event lives no longer than the device, which `gpu` keeps alive.
        let raw = unsafe {
            gpu.device.as_hal::<Vulkan>()?.raw_device().create_event(&vk::EventCreateInfo::default(), None).ok()?
        };
        Some(Self { gpu: gpu.clone(), raw })
    }

    /// Commands recorded by `record`, which gets the device, the command buffer and the event.
    fn commands(&self, record: impl FnOnce(&ash::Device, vk::CommandBuffer, vk::Event)) -> wgpu::CommandBuffer {
        let device = &self.gpu.device;
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        // Sound because the encoder is open and of this device, and the event outlives the submission: dropping the
        // event waits for the device.
        unsafe {
            encoder.as_hal_mut::<Vulkan, _, _>(|encoder| {
                let (Some(encoder), Some(device)) = (encoder, device.as_hal::<Vulkan>()) else { return };
                record(device.raw_device(), encoder.raw_handle(), self.raw);
            });
        }
        encoder.finish()
    }

    /// Commands that set the event when the host can see what kernels of earlier commands wrote.
    pub fn set_by_device(&self) -> wgpu::CommandBuffer {
        // The event is set after all earlier commands and the barrier, so whoever sees it set comes after both. Sound
        // because all handles are alive.
        self.commands(|device, commands, event| unsafe {
            let (kernels, host) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::HOST);
            let barrier = vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ);
            device.cmd_pipeline_barrier(commands, kernels, host, vk::DependencyFlags::empty(), &[barrier], &[], &[]);
            device.cmd_set_event(commands, event, vk::PipelineStageFlags::ALL_COMMANDS);
        })
    }

    /// Commands that wait until the host has set the event, and clear it. Kernels of later commands see what the host
    /// wrote before it set the event.
    pub fn awaited_by_device(&self) -> wgpu::CommandBuffer {
        // Sound because all handles are alive.
        self.commands(|device, commands, event| unsafe {
            let (host, all) = (vk::PipelineStageFlags::HOST, vk::PipelineStageFlags::ALL_COMMANDS);
            let barrier = vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::HOST_WRITE)
                .dst_access_mask(vk::AccessFlags::SHADER_READ);
            device.cmd_wait_events(commands, &[event], host, all, &[barrier], &[], &[]);
            device.cmd_reset_event(commands, event, all);
        })
    }

    /// Whether the event is set.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn is_set(&self) -> Result<bool> {
        // Sound because all handles are alive.
        self.call(|device, event| unsafe { device.get_event_status(event) })
    }

    /// Clears the event. No commands in progress may wait for it.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn clear(&self) -> Result<()> {
        // Sound because all handles are alive.
        self.call(|device, event| unsafe { device.reset_event(event) })
    }

    /// Sets the event from the host.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn set(&self) -> Result<()> {
        // Sound because all handles are alive.
        self.call(|device, event| unsafe { device.set_event(event) })
    }

    /// Calls a Vulkan function on the event.
    fn call<T>(&self, call: impl FnOnce(&ash::Device, vk::Event) -> std::result::Result<T, vk::Result>) -> Result<T> {
        // Sound because wgpu keeps the handles, and the device is alive.
        let device = unsafe { self.gpu.device.as_hal::<Vulkan>() };
        let outcome = device.map_or(Err(vk::Result::ERROR_DEVICE_LOST), |device| call(device.raw_device(), self.raw));
        outcome.map_err(|error| self.gpu.lost(&error))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // Commands that use the event may still be in progress, unless the device is lost.
        let _ = self.gpu.wait();
        // Sound because nothing uses the event any more.
        let _ = self.call(|device, event| unsafe {
            device.destroy_event(event, None);
            Ok(())
        });
    }
}
