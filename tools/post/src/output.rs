//! The folder that the results of a run go to.

use std::path::{Path, PathBuf};

use hematite_config::Result;

use crate::say;

/// A folder, and which files were written into it.
pub struct Output {
    folder: PathBuf,
    written: Vec<PathBuf>,
}

impl Output {
    /// The given folder, or else `statistics` in that of the run.
    pub fn new(run: &Path, folder: Option<&PathBuf>) -> Self {
        Self { folder: folder.cloned().unwrap_or_else(|| run.join("statistics")), written: Vec::new() }
    }

    /// The path of a file in it, noted as written.
    pub fn file(&mut self, name: impl AsRef<Path>) -> PathBuf {
        let path = self.folder.join(name);
        self.written.push(path.clone());
        path
    }

    /// Says which files were written.
    pub fn say(&self) -> Result<()> {
        self.written.iter().try_for_each(|path| say::line(&path.display().to_string()))
    }
}
