//! The devices of the ranks of this process.
//!
//! Ranks that are threads must not open or close devices at the same time: NVIDIA's driver then hangs at times, and
//! Vulkan's loader reads lists that another thread changes (KhronosGroup/Vulkan-Loader issue 2018). So ranks open their
//! devices one after the other, and all devices stay open until all ranks have ended.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hematite_config::Result;
use hematite_gpu::{Gpu, Needs};

/// An open device.
struct Opened {
    /// Number of its rank among the ranks of this host.
    local_rank: usize,
    needs: Needs,
    gpu: Gpu,
}

static OPENED: Mutex<Vec<Opened>> = Mutex::new(Vec::new());

fn opened() -> MutexGuard<'static, Vec<Opened>> {
    OPENED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The device of rank `local_rank` of this host. All members of an ensemble on that rank share it.
///
/// # Errors
/// A no-GPU fault where there is no device with all that is needed.
pub fn open(local_rank: usize, needs: Needs) -> Result<Gpu> {
    let mut all = opened();
    let same = |device: &&Opened| device.local_rank == local_rank && device.needs == needs;
    if let Some(device) = all.iter().find(same) {
        return Ok(device.gpu.clone());
    }
    let gpu = Gpu::open(local_rank, needs)?;
    all.push(Opened { local_rank, needs, gpu: gpu.clone() });
    Ok(gpu)
}

/// Number of devices that this host has for ranks.
///
/// # Errors
/// A no-GPU fault where the environment variable HEMATITE_GPUS names a device that does not exist.
pub fn count() -> Result<usize> {
    let _alone = opened();
    Ok(hematite_gpu::list()?.len())
}

/// Closes all devices, one after the other. To be called when all ranks of this process have ended.
pub fn close_all() {
    opened().clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_stay_open_until_all_are_closed() {
        let needs = Needs::default();
        for opening in [needs, needs, Needs { checks: true, ..needs }] {
            drop(open(0, opening).expect("a device"));
        }
        assert_eq!(opened().len(), 2);
        close_all();
        assert_eq!(opened().len(), 0);
    }
}
