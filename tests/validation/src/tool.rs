//! The tools of this build.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

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

/// Calls the tool called `name` in a folder.
///
/// # Errors
/// A usage fault where it is not built; an I/O fault with what it says where it does not end well.
pub fn call(folder: &Path, name: &str, arguments: &[&str]) -> Result<()> {
    let program = beside(name)?;
    let failed = |why: String| Fault::io(format!("{name} {}: {why}", arguments.join(" ")));
    let mut command = Command::new(&program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = turns::starting(|| command.spawn());
    let done = started.and_then(Child::wait_with_output).map_err(|error| failed(error.to_string()))?;
    match done.status.success() {
        true => Ok(()),
        false => Err(failed(String::from_utf8_lossy(&done.stderr).into_owned())),
    }
}

/// Writes a file in a folder.
///
/// # Errors
/// An I/O fault that names it.
pub fn write(folder: &Path, name: &str, content: &[u8]) -> Result<()> {
    std::fs::write(folder.join(name), content).map_err(|error| Fault::io(format!("cannot write {name}: {error}")))
}

/// A new folder, which goes when it is no longer held.
///
/// # Errors
/// An I/O fault where there is no room for it.
pub fn folder() -> Result<tempfile::TempDir> {
    tempfile::tempdir().map_err(|error| Fault::io(format!("cannot make a temporary folder: {error}")))
}
