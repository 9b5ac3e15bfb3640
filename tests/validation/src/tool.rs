//! The tools of this build.

use std::path::PathBuf;

use hematite_config::{Fault, Result};

/// The path of the tool called `name`, which lies beside this program.
///
/// # Errors
/// A usage fault where it is not built.
pub fn beside(name: &str) -> Result<PathBuf> {
    let this = std::env::current_exe().map_err(|error| Fault::io(error.to_string()))?;
    let tool = this.with_file_name(name);
    if tool.is_file() {
        return Ok(tool);
    }
    Err(Fault::usage(format!("{} is not there: build it with `cargo build --release`", tool.display())))
}
