//! The folder for the results of a run.

use std::path::{Path, PathBuf};

use hematite_config::{Result, print_line};
use hematite_drawing::page::files;
use hematite_stats::title::Origin;

/// A folder, and the files written into it.
pub struct Output {
    /// Name of the run.
    pub run: String,
    folder: PathBuf,
    written: Vec<PathBuf>,
}

impl Output {
    /// The given folder, or else `statistics` in the run folder.
    pub fn new(run: &Path, folder: Option<&PathBuf>) -> Self {
        let whole = run.canonicalize().unwrap_or_else(|_| run.to_owned());
        let name =
            whole.file_name().map_or_else(|| run.display().to_string(), |name| name.to_string_lossy().into_owned());
        let folder = folder.cloned().unwrap_or_else(|| run.join("statistics"));
        Self { run: name, folder, written: Vec::new() }
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

    /// The origin of a figure that shows the time from the first to the last of some times, s.
    pub fn origin(&self, times: impl IntoIterator<Item = f64>) -> Origin {
        let (first, last) =
            times.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), t| (a.min(t), b.max(t)));
        let times = if first <= last { [first, last] } else { [0.0; 2] };
        Origin { run: self.run.clone(), times }
    }

    /// Prints which files were written.
    pub fn say(&self) -> Result<()> {
        self.written.iter().try_for_each(|path| print_line(&path.display().to_string()))
    }
}
