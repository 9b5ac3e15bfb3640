//! The folder for the results of a run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hematite_config::{Result, hash_file, print_line};
use hematite_drawing::page::files;
use hematite_dump::RunRecord;
use hematite_stats::table::write_json;
use hematite_stats::title::Origin;
use serde_json::Value;

/// The file in a folder of results that holds, for each result, the SHA-256 of the `run.json` from which it was made. A run that
/// goes on or begins anew changes that file.
const SOURCES: &str = "sources.json";

/// A folder, and the files written into it.
pub struct Output {
    /// Name of the run.
    pub run: String,
    /// Its folder.
    source: PathBuf,
    folder: PathBuf,
    written: Vec<PathBuf>,
    /// Whether fields at nodes are means over the time since the dump before.
    averaged: bool,
}

impl Output {
    /// The given folder, or else `statistics` in the run folder.
    pub fn new(run: &Path, folder: Option<&PathBuf>) -> Self {
        let whole = run.canonicalize().unwrap_or_else(|_| run.to_owned());
        let name =
            whole.file_name().map_or_else(|| run.display().to_string(), |name| name.to_string_lossy().into_owned());
        let folder = folder.cloned().unwrap_or_else(|| run.join("statistics"));
        let averaged = RunRecord::read(run).is_ok_and(|record| has_means(&record.config));
        Self { run: name, source: run.to_owned(), folder, written: Vec::new(), averaged }
    }

    /// The path of a file in the folder; counts it as written.
    pub fn file(&mut self, name: impl AsRef<Path>) -> PathBuf {
        let path = self.folder.join(name);
        self.written.push(path.clone());
        path
    }

    /// The path of a figure in the folder, without the ends of its two files, which count as written.
    pub fn figure(&mut self, name: impl AsRef<Path>) -> PathBuf {
        let stem = self.folder.join(name);
        self.written.extend(files(&stem));
        stem
    }

    /// The origin of a figure that shows the time from the first to the last of some times, s. Where fields are means, a
    /// single time is that of a dump of them.
    pub fn origin(&self, times: impl IntoIterator<Item = f64>) -> Origin {
        let (first, last) =
            times.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), t| (a.min(t), b.max(t)));
        let times = if first <= last { [first, last] } else { [0.0; 2] };
        Origin { run: self.run.clone(), times, averaged: self.averaged }
    }

    /// Removes a result of an earlier call that this one cannot make.
    pub fn discard(&self, name: &str) {
        // If there is none, nothing is to be done.
        let _absent = fs::remove_file(self.folder.join(name));
    }

    /// Prints which files were written, and notes from which state of the run they were made.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn say(&self) -> Result<()> {
        let record = RunRecord::path(&self.source);
        if record.is_file() && !self.written.is_empty() {
            let state = hash_file(&record)?;
            let mut sources = sources(&self.folder);
            sources.extend(self.written.iter().filter_map(|path| Some((name(path)?, state.clone()))));
            write_json(&self.folder.join(SOURCES), &sources)?;
        }
        self.written.iter().try_for_each(|path| print_line(&path.display().to_string()))
    }
}

/// Whether the fields of a run with this config are means over time: those of a fluid of particles are.
fn has_means(config: &Value) -> bool {
    config["fluid"]["srd"].is_object()
}

fn name(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_str()?.to_owned())
}

/// For each result in a folder, the SHA-256 of the `run.json` from which it was made, as far as known.
pub fn sources(folder: &Path) -> BTreeMap<String, String> {
    let text = fs::read(folder.join(SOURCES)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_of_particles_are_means() {
        assert!(has_means(&json!({"fluid": {"srd": {"density": "1000 kg/m3"}}})));
        assert!(!has_means(&json!({"fluid": {"lattice_boltzmann": {}}})) && !has_means(&json!({})));
        let mut output = Output::new(Path::new("slit"), None);
        let title = |output: &Output| output.origin([2e-3]).title("speed");
        assert_eq!(title(&output), "slit: speed, t = 2 ms");
        output.averaged = true;
        assert_eq!(title(&output), "slit: speed, mean up to t = 2 ms");
    }
}
