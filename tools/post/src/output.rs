//! The folder for the results of a run.

use std::path::{Path, PathBuf};

use hematite_config::Result;

use crate::say;

/// A folder, and the files written into it.
pub struct Output {
    folder: PathBuf,
    written: Vec<PathBuf>,
}

impl Output {
    /// The given folder, or else `statistics` in the run folder.
    pub fn new(run: &Path, folder: Option<&PathBuf>) -> Self {
        Self { folder: folder.cloned().unwrap_or_else(|| run.join("statistics")), written: Vec::new() }
    }

    /// The path of a file in the folder; counts it as written.
    pub fn file(&mut self, name: impl AsRef<Path>) -> PathBuf {
        let path = self.folder.join(name);
        self.written.push(path.clone());
        path
    }

    /// Prints which files were written.
    pub fn say(&self) -> Result<()> {
        self.written.iter().try_for_each(|path| say::line(&path.display().to_string()))
    }
}
