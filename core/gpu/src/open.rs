//! Opening a device with what wgpu does not ask for.
#![expect(unsafe_code, reason = "wgpu opens one queue and none of these extensions: both are asked for through Vulkan")]

use ash::{ext, vk};
use wgpu::hal::api::Vulkan;

use crate::copy_engine::{CopyQueue, copying_family};

/// An open device.
pub(crate) struct Opened {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    /// Queue of its copy engine, if it has one.
    pub copy_queue: Option<CopyQueue>,
    /// Whether kernels may use memory that the host has.
    pub imports: bool,
}

/// Opens the device of `adapter` with all that wgpu asks for, a queue for copies, and the import of the host's memory,
/// as far as it has these.
///
/// # Errors
/// Where the device cannot be opened.
pub(crate) fn open(adapter: &wgpu::Adapter, descriptor: &wgpu::DeviceDescriptor<'_>) -> Result<Opened, String> {
    // Sound because wgpu keeps the handles, and the adapter makes the device with all that wgpu asks for, one more queue
    // of an existing family, and an extension that it has.
    unsafe {
        let Some(hal) = adapter.as_hal::<Vulkan>() else {
            let opened = pollster::block_on(adapter.request_device(descriptor));
            let (device, queue) = opened.map_err(|error| error.to_string())?;
            return Ok(Opened { device, queue, copy_queue: None, imports: false });
        };
        let family = copying_family(&hal);
        let imports = hal.physical_device_capabilities().supports_extension(ext::external_memory_host::NAME);
        let (features, limits) = (descriptor.required_features, &descriptor.required_limits);
        let opened = hal.open_with_callback(
            features,
            limits,
            &descriptor.memory_hints,
            Some(Box::new(move |device| {
                let another =
                    |family| vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0]);
                device.queue_create_infos.extend(family.map(another));
                device.extensions.extend(imports.then_some(ext::external_memory_host::NAME));
            })),
        );
        let opened = opened.map_err(|error| error.to_string())?;
        drop(hal);
        let copy_queue = family.map(|family| CopyQueue::of(&opened.device, family));
        let (device, queue) = adapter.create_device_from_hal(opened, descriptor).map_err(|error| error.to_string())?;
        Ok(Opened { device, queue, copy_queue, imports })
    }
}
