//! The environment that software Vulkan expects.
#![expect(unsafe_code, reason = "setting an environment variable is an unsafe call")]

use std::sync::Once;

/// Gives Mesa's drivers the runtime folder without which they complain on stderr at every start.
pub(crate) fn complete() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
            // Sound because it happens once, before the first Vulkan instance and so before any driver thread.
            unsafe { std::env::set_var("XDG_RUNTIME_DIR", std::env::temp_dir()) }
        }
    });
}
