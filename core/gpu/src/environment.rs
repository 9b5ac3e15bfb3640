//! Sets environment variables that software Vulkan reads.
#![expect(unsafe_code, reason = "setting an environment variable is an unsafe call")]

use std::sync::Once;

/// Variable with the number of threads in the pool of llvmpipe, Mesa's software Vulkan. With 0 there is no pool: the
/// thread that takes submissions works.
const THREADS: &str = "LP_NUM_THREADS";

/// Sets the runtime folder of Mesa's drivers, which without it print a warning at every start.
pub(crate) fn complete() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
            // Sound because this runs once, before the first Vulkan instance and so before any driver thread.
            unsafe { std::env::set_var("XDG_RUNTIME_DIR", std::env::temp_dir()) }
        }
    });
}

/// Has the software Vulkan of this process work on `cores` cores for each of its devices, unless the environment says
/// on how many. By default each device would keep all cores of the host busy, those of other ranks too. Call it before
/// a device is opened, on all ranks of a process.
pub fn use_cores(cores: usize) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if std::env::var_os(THREADS).is_none() {
            let threads = if cores > 1 { cores } else { 0 };
            // Sound because this runs once, before a rank of this process opens its device.
            unsafe { std::env::set_var(THREADS, threads.to_string()) }
        }
    });
}
