//! Files that appear whole or not at all.

use std::fs;
use std::path::Path;

use crate::{Fault, Result};

/// Writes `path` by way of a temporary file beside it: `write` fills the temporary file, which is renamed to `path`
/// only when `write` succeeds. Makes missing parent folders.
///
/// # Errors
/// Those of `write`, and an I/O fault when the folder cannot be written or the rename fails.
pub fn publish<T>(path: &Path, write: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let fault = |error: std::io::Error| Fault::io(format!("cannot write {}: {error}", path.display()));
    fs::create_dir_all(folder).map_err(fault)?;
    let beside = tempfile::Builder::new().prefix(".partial-").tempdir_in(folder).map_err(fault)?;
    let name = path.file_name().ok_or_else(|| Fault::usage(format!("{} names no file", path.display())))?;
    let temporary = beside.path().join(name);
    let written = write(&temporary)?;
    fs::rename(&temporary, path).map_err(fault)?;
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/case.h5");
        let outcome = publish(&path, |temporary| -> Result<()> {
            fs::write(temporary, b"half").expect("writes");
            Err(Fault::usage("no"))
        });
        assert!(outcome.is_err());
        assert_eq!(fs::read_dir(folder.path().join("deep")).expect("lists").count(), 0);
        publish(&path, |temporary| fs::write(temporary, b"whole").map_err(|e| Fault::io(e.to_string())))
            .expect("writes");
        assert_eq!(fs::read(&path).expect("reads"), b"whole");
    }
}
