//! The size of a device's memory.
#![expect(unsafe_code, reason = "wgpu does not tell, Vulkan does")]

use ash::vk;
use wgpu::hal::api::Vulkan;

/// The most bytes that buffers may take: the own memory of a graphics card; what Vulkan offers on a device that shares
/// the host's memory; the host's memory for software Vulkan. `None` if unknown.
pub(crate) fn of(adapter: &wgpu::Adapter) -> Option<u64> {
    let heaps = heaps(adapter)?;
    match adapter.get_info().device_type {
        wgpu::DeviceType::Cpu => of_host(),
        wgpu::DeviceType::DiscreteGpu => {
            let local = heaps.iter().filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
            local.map(|heap| heap.size).max()
        }
        _ => Some(heaps.iter().map(|heap| heap.size).sum()),
    }
}

fn heaps(adapter: &wgpu::Adapter) -> Option<Vec<vk::MemoryHeap>> {
    // Sound because wgpu keeps the handles, and Vulkan only fills in the structure that it is given.
    let properties = unsafe {
        let hal = adapter.as_hal::<Vulkan>()?;
        let instance = hal.shared_instance().raw_instance();
        instance.get_physical_device_memory_properties(hal.raw_physical_device())
    };
    Some(properties.memory_heaps.into_iter().take(properties.memory_heap_count as usize).collect())
}

fn of_host() -> Option<u64> {
    let listed = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = listed.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use crate::list;

    #[test]
    fn devices_have_some() {
        for gpu in list().expect("devices") {
            assert!(gpu.memory.is_some_and(|bytes| bytes > 1 << 28), "{gpu:?}");
        }
    }
}
