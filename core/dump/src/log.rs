//! `log.jsonl`: the log of a run for programs, one JSON object a line.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use hematite_config::Result;

use crate::h5::writing;

/// An open log.
pub struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    const FILE: &str = "log.jsonl";

    /// Begins a new log in a run folder; an earlier one is replaced.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(run: &Path) -> Result<Self> {
        Self::open(run, OpenOptions::new().write(true).create(true).truncate(true))
    }

    /// Continues the log of a run folder, or begins it.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn append(run: &Path) -> Result<Self> {
        Self::open(run, OpenOptions::new().append(true).create(true))
    }

    fn open(run: &Path, options: &OpenOptions) -> Result<Self> {
        let path = run.join(Self::FILE);
        std::fs::create_dir_all(run).map_err(writing(&path))?;
        let file = options.open(&path).map_err(writing(&path))?;
        Ok(Self { path, file })
    }

    /// Adds one line.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&mut self, event: &serde_json::Value) -> Result<()> {
        // One write for each line: a killed run leaves whole lines.
        self.file.write_all(format!("{event}\n").as_bytes()).map_err(writing(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_are_added() {
        let run = tempfile::tempdir().expect("a folder");
        Log::create(run.path()).and_then(|mut log| log.write(&json!({"step": 1}))).expect("writes");
        Log::append(run.path()).and_then(|mut log| log.write(&json!({"text": "a\nb"}))).expect("writes");
        let text = std::fs::read_to_string(run.path().join("log.jsonl")).expect("reads");
        assert_eq!(text, "{\"step\":1}\n{\"text\":\"a\\nb\"}\n");
    }
}
