//! Buffers that stay mapped as long as they live, and events for host and device.
#![expect(unsafe_code, reason = "wgpu maps no storage buffer and has no events: both are made through Vulkan")]

use ash::vk;
use hematite_config::Result;
use wgpu::hal::api::Vulkan;

use crate::{Buffer, Gpu, host_copy};

/// The reader of a mapped buffer. The buffer lies in the reader's memory: data crosses between host and device when it
/// is written, not when it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// The host: cached host memory, as the host reads other memory slowly, word by word.
    Host,
    /// Kernels: the device's own memory, if the host can write to it.
    Kernels,
}

/// A storage buffer that the host can reach at any time.
#[derive(Debug)]
pub(crate) struct Mapped {
    buffer: Buffer,
    raw: vk::Buffer,
    /// First byte for the host; valid as long as `buffer`, which frees the memory.
    start: *mut u8,
    bytes: usize,
}

// Sound because the memory belongs to no thread, and only one thread at a time has the object.
unsafe impl Send for Mapped {}

impl Reader {
    /// Properties of suitable memory, best first. All are coherent: neither side has to flush.
    fn wishes(self) -> [vk::MemoryPropertyFlags; 2] {
        let least = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        match self {
            Self::Host => [least | vk::MemoryPropertyFlags::HOST_CACHED, least],
            Self::Kernels => [least | vk::MemoryPropertyFlags::DEVICE_LOCAL, least],
        }
    }
}

impl Mapped {
    /// A buffer of `bytes` bytes, all zero; `None` if the device is not Vulkan's or lacks such memory.
    pub fn new(gpu: &Gpu, label: &str, bytes: u64, reader: Reader) -> Option<Self> {
        let size = Buffer::padded(bytes);
        if size > gpu.limits.max_storage_buffer_binding_size.min(gpu.limits.max_buffer_size) {
            return None;
        }
        // Sound because wgpu keeps the handles: nothing here destroys them.
        let device = unsafe { gpu.device.as_hal::<Vulkan>() }?;
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        // Both queues may use the buffer without a transfer of ownership.
        let families = gpu.copy_queue.as_ref().map(|queue| queue.families).filter(|[main, copying]| main != copying);
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        let info = match &families {
            Some(families) => info.sharing_mode(vk::SharingMode::CONCURRENT).queue_family_indices(families),
            None => info.sharing_mode(vk::SharingMode::EXCLUSIVE),
        };
        let raw = device.raw_device();
        // Sound because `device` keeps the device alive.
        let buffer = unsafe { raw.create_buffer(&info, None) }.ok()?;
        let Some((memory, start)) = reader.wishes().into_iter().find_map(|wish| mapped_memory(&device, buffer, wish))
        else {
            // Sound because nothing has used it yet.
            unsafe { raw.destroy_buffer(buffer, None) };
            return None;
        };
        let descriptor = wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        // Sound because the mapping has at least `size` bytes, the buffer is of this device and as described, all of it
        // is initialised, and from here on only wgpu destroys it and frees its memory, when the device is done with
        // both.
        let inner = unsafe {
            start.write_bytes(0, size as usize);
            let managed = wgpu::hal::vulkan::Buffer::from_raw_managed(buffer, memory, 0, size);
            drop(device);
            gpu.device.create_buffer_from_hal::<Vulkan>(managed, &descriptor)
        };
        let buffer_of = |inner| Buffer { inner, bytes: bytes.next_multiple_of(4).max(4) };
        Some(Self { buffer: buffer_of(inner), raw: buffer, start, bytes: size as usize })
    }

    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Vulkan's handle of the buffer, valid as long as the buffer.
    pub fn raw(&self) -> vk::Buffer {
        self.raw
    }

    /// Copies the bytes from `at` on to `to`. They are what the device wrote before the signal or the end of the
    /// submission that the host last saw.
    ///
    /// # Panics
    /// When `to` reaches beyond the buffer, which is a bug of the program.
    pub fn read(&mut self, at: usize, to: &mut [u8]) {
        assert!(at + to.len() <= self.bytes, "{} bytes to read at {at} of {}", to.len(), self.bytes);
        // Sound because the mapping is long enough and no Rust object, and any bytes are valid.
        unsafe { host_copy::read(self.start.add(at), to) }
    }

    /// Reads the current value of the first word.
    pub fn first_word(&self) -> u32 {
        // Sound because a mapping has room for a word, and is aligned.
        unsafe { self.start.cast::<u32>().read_volatile() }
    }

    /// Writes the first word at once, for kernels that poll it.
    pub fn set_first_word(&mut self, word: u32) {
        // Sound because a mapping has room for a word, and is aligned.
        unsafe { self.start.cast::<u32>().write_volatile(word) }
    }

    /// Writes bytes from `at` on, for later submissions and for kernels that wait for a later signal of the host. Both
    /// make all earlier writes of the host visible to the device.
    ///
    /// # Panics
    /// When `from` reaches beyond the buffer, which is a bug of the program.
    pub fn write(&mut self, at: usize, from: &[u8]) {
        assert!(at + from.len() <= self.bytes, "{} bytes to write at {at} of {}", from.len(), self.bytes);
        // Sound because the mapping is long enough and no Rust object.
        unsafe { host_copy::write(self.start.add(at), from) }
    }
}

/// Memory with the properties `wish`, bound to `buffer` and mapped.
fn mapped_memory(
    device: &wgpu::hal::vulkan::Device,
    buffer: vk::Buffer,
    wish: vk::MemoryPropertyFlags,
) -> Option<(vk::DeviceMemory, *mut u8)> {
    let raw = device.raw_device();
    let instance = device.shared_instance().raw_instance();
    // Sound because all handles are alive, the memory is of a type that the buffer allows and is used nowhere else, and
    // is freed on failure.
    unsafe {
        let needs = raw.get_buffer_memory_requirements(buffer);
        let types = instance.get_physical_device_memory_properties(device.raw_physical_device());
        let fits = |(k, kind): (u32, &vk::MemoryType)| {
            (needs.memory_type_bits & 1 << k != 0 && kind.property_flags.contains(wish)).then_some(k)
        };
        let kind = (0..).zip(types.memory_types_as_slice()).find_map(fits)?;
        let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
        let memory = raw.allocate_memory(&info, None).ok()?;
        let mapped = raw
            .bind_buffer_memory(buffer, memory, 0)
            .and_then(|()| raw.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()));
        match mapped {
            Ok(start) => Some((memory, start.cast())),
            Err(_) => {
                raw.free_memory(memory, None);
                None
            }
        }
    }
}

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
