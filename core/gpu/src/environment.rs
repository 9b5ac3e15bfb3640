//! Sets environment variables that software Vulkan expects.
#![expect(unsafe_code, reason = "setting an environment variable is an unsafe call")]

use std::sync::Once;

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
