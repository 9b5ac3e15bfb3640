//! Buffers that stay mapped as long as they live.
#![expect(unsafe_code, reason = "wgpu maps no storage buffer and imports no memory: both is done through Vulkan")]

use std::sync::Arc;

use ash::vk;
use hematite_shared_file::Map;
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
    /// Memory that the host had before the buffer.
    _imported: Option<Imported>,
}

// Sound because the memory belongs to no thread, and only one thread at a time has the object.
unsafe impl Send for Mapped {}

/// Memory of the host that a device uses. It stays mapped until the device has done what was submitted before this is
/// dropped.
#[derive(Debug)]
struct Imported {
    map: Option<Arc<Map>>,
    queue: wgpu::Queue,
}

impl Drop for Imported {
    fn drop(&mut self) {
        let map = self.map.take();
        self.queue.on_submitted_work_done(move || drop(map));
    }
}

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
        let raw = made(gpu, &device, size, false)?;
        let Some((memory, start)) = reader.wishes().into_iter().find_map(|wish| mapped_memory(&device, raw, wish))
        else {
            // Sound because nothing has used it yet.
            unsafe { device.raw_device().destroy_buffer(raw, None) };
            return None;
        };
        // Sound because the mapping has at least `size` bytes.
        unsafe { start.write_bytes(0, size as usize) };
        drop(device);
        Some(Self::managed(gpu, label, (raw, memory), start, (bytes, size), None))
    }

    /// A buffer in `bytes` bytes of `map` from `at` on, both multiples of a page; `None` if the device cannot use such
    /// memory.
    pub fn imported(gpu: &Gpu, label: &str, map: &Arc<Map>, at: usize, bytes: usize) -> Option<Self> {
        if !gpu.imports || bytes as u64 > gpu.limits.max_storage_buffer_binding_size.min(gpu.limits.max_buffer_size) {
            return None;
        }
        let start = map.at(at, bytes).as_ptr();
        // Sound because wgpu keeps the handles: nothing here destroys them.
        let device = unsafe { gpu.device.as_hal::<Vulkan>() }?;
        let raw = made(gpu, &device, bytes as u64, true)?;
        let Some(memory) = imported_memory(&device, raw, start, bytes) else {
            // Sound because nothing has used it yet.
            unsafe { device.raw_device().destroy_buffer(raw, None) };
            return None;
        };
        drop(device);
        let size = bytes as u64;
        let imported = Imported { map: Some(Arc::clone(map)), queue: gpu.queue.clone() };
        Some(Self::managed(gpu, label, (raw, memory), start, (size, size), Some(imported)))
    }

    /// Hands a buffer and its memory to wgpu. `bytes` of its `size` bytes are in use.
    fn managed(
        gpu: &Gpu,
        label: &str,
        (raw, memory): (vk::Buffer, vk::DeviceMemory),
        start: *mut u8,
        (bytes, size): (u64, u64),
        imported: Option<Imported>,
    ) -> Self {
        let descriptor = wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        // Sound because the buffer is of this device and as described, all of it is initialised, and from here on only
        // wgpu destroys it and frees its memory, when the device is done with both.
        let inner = unsafe {
            let managed = wgpu::hal::vulkan::Buffer::from_raw_managed(raw, memory, 0, size);
            gpu.device.create_buffer_from_hal::<Vulkan>(managed, &descriptor)
        };
        let buffer = Buffer { inner, bytes: bytes.next_multiple_of(4).max(4) };
        Self { buffer, raw, start, bytes: size as usize, _imported: imported }
    }

    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// How long it is.
    pub fn bytes(&self) -> u64 {
        self.bytes as u64
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

/// A buffer without memory; `imports`: for memory that the host has.
fn made(gpu: &Gpu, device: &wgpu::hal::vulkan::Device, size: u64, imports: bool) -> Option<vk::Buffer> {
    let usage =
        vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
    // Both queues may use the buffer without a transfer of ownership.
    let families = gpu.copy_queue.as_ref().map(|queue| queue.families).filter(|[main, copying]| main != copying);
    let info = vk::BufferCreateInfo::default().size(size).usage(usage);
    let info = match &families {
        Some(families) => info.sharing_mode(vk::SharingMode::CONCURRENT).queue_family_indices(families),
        None => info.sharing_mode(vk::SharingMode::EXCLUSIVE),
    };
    let mut external = vk::ExternalMemoryBufferCreateInfo::default()
        .handle_types(vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT);
    let info = if imports { info.push_next(&mut external) } else { info };
    // Sound because `device` keeps the device alive.
    unsafe { device.raw_device().create_buffer(&info, None) }.ok()
}

/// The `bytes` bytes of the host from `start` on, bound to `buffer`.
fn imported_memory(
    device: &wgpu::hal::vulkan::Device,
    buffer: vk::Buffer,
    start: *mut u8,
    bytes: usize,
) -> Option<vk::DeviceMemory> {
    let raw = device.raw_device();
    let instance = device.shared_instance().raw_instance();
    let extension = ash::ext::external_memory_host::Device::new(instance, raw);
    let host = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
    // Sound because all handles are alive, the extension is on, the caller has the memory, which is of a type that the
    // buffer allows, and the import is undone on failure.
    unsafe {
        let mut allowed = vk::MemoryHostPointerPropertiesEXT::default();
        (extension.fp().get_memory_host_pointer_properties_ext)(raw.handle(), host, start.cast(), &mut allowed)
            .result()
            .ok()?;
        let needs = raw.get_buffer_memory_requirements(buffer);
        let types = instance.get_physical_device_memory_properties(device.raw_physical_device());
        let bits = needs.memory_type_bits & allowed.memory_type_bits;
        let fits = |wish: vk::MemoryPropertyFlags| {
            let kinds = (0_u32..).zip(types.memory_types_as_slice());
            kinds
                .filter(|(k, _)| bits & 1 << k != 0)
                .find(|(_, kind)| kind.property_flags.contains(wish))
                .map(|(k, _)| k)
        };
        let kind = Reader::Host.wishes().into_iter().find_map(fits)?;
        if needs.size > bytes as u64 {
            return None;
        }
        let mut import = vk::ImportMemoryHostPointerInfoEXT::default().handle_type(host).host_pointer(start.cast());
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(bytes as u64)
            .memory_type_index(kind)
            .push_next(&mut import);
        let memory = raw.allocate_memory(&info, None).ok()?;
        match raw.bind_buffer_memory(buffer, memory, 0) {
            Ok(()) => Some(memory),
            Err(_) => {
                raw.free_memory(memory, None);
                None
            }
        }
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
