//! What the tests of the three binaries share: a folder to work in, calls of the tools in it, drawn geometries, the formats
//! they come in, and suspensions.

mod call;
pub mod draw;
mod folder;
pub mod formats;
pub mod kinds;
mod random;
pub mod suspension;

pub use call::{Call, Called, Running, send, tool};
pub use folder::{Folder, configs};
pub use random::Random;

/// Whether all combinations are tried (`make test-full`), or those that tell most in little time (`make test`).
pub fn is_full() -> bool {
    std::env::var_os("HEMATITE_FULL").is_some()
}
