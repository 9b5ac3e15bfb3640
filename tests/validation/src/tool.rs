//! The tools of this build.

use std::path::PathBuf;

use hematite_config::{Fault, Result};

/// The path of the tool called `name`, which lies beside this program, or above it where this is a test.
///
/// # Errors
/// A usage fault where it is not built.
pub fn beside(name: &str) -> Result<PathBuf> {
    let this = std::env::current_exe().map_err(|error| Fault::io(error.to_string()))?;
    let tool = this.with_file_name(name);
    let above = this.ancestors().nth(2).map(|folder| folder.join(name));
    if let Some(found) = std::iter::once(tool.clone()).chain(above).find(|path| path.is_file()) {
        return Ok(found);
    }
    Err(Fault::usage(format!("{} is not there: build it with `cargo build --release`", tool.display())))
}
