//! A folder in which a test draws its geometry and calls the tools.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hdf5::File;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Call, Called, draw, is_full, tool};

/// A temporary folder; tools are called in it, so that they see plain file names.
pub struct Folder {
    folder: TempDir,
}

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

impl Folder {
    /// An empty one.
    ///
    /// # Panics
    /// When there is no place for temporary files.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    /// One with the case `vessel.h5` of [`draw::vessel`], which has a velocity opening "inlet" and a pressure opening
    /// "outlet", and the config of a run of it, `run.json`, as [`configs::vessel_run`] gives it.
    pub fn with_vessel() -> Self {
        let folder = Self::new();
        folder.write("vessel.pgm", &draw::vessel().pgm());
        folder.json("vessel.json", &configs::vessel_case());
        let _made = folder.mkcase(&["vessel.json", "--quiet", "--picture=none"]).done();
        folder.json("run.json", &configs::vessel_run());
        folder
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, with the folders it lies in.
    ///
    /// # Panics
    /// When it cannot.
    pub fn write(&self, name: &str, content: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("makes a folder");
        fs::write(path, content).expect("writes");
    }

    /// Writes a config.
    pub fn json(&self, name: &str, config: &Value) {
        self.write(name, config.to_string().as_bytes());
    }

    /// Reads a text file.
    ///
    /// # Panics
    /// When it is not there.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Reads a JSON file.
    ///
    /// # Panics
    /// When it is not there or is no JSON.
    pub fn read_json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// What `work` gives for an HDF5 file, opened by `open`, which tools find closed: nothing of it may stay open.
    ///
    /// # Panics
    /// When HDF5 fails.
    pub fn hdf5<T>(
        &self,
        name: &str,
        open: impl FnOnce(PathBuf) -> hdf5::Result<File>,
        work: impl FnOnce(&File) -> hdf5::Result<T>,
    ) -> T {
        let done = turns::alone(|| {
            let file = open(self.path(name))?;
            let done = work(&file)?;
            file.close()?;
            Ok::<_, hdf5::Error>(done)
        });
        done.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Whether a file or folder is there.
    pub fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Every file and folder below it by path, with the bytes of files.
    pub fn content(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut content = BTreeMap::new();
        collect(self.folder.path(), &mut content);
        content
    }

    /// Calls `mkcase`.
    pub fn mkcase(&self, arguments: &[&str]) -> Called {
        self.call("mkcase", arguments).end()
    }

    /// Calls `run`.
    pub fn run(&self, arguments: &[&str]) -> Called {
        self.call("run", arguments).end()
    }

    /// Calls `run`, whose software Vulkan works on all cores: what runs of several ranks are compared with.
    pub fn run_on_all_cores(&self, arguments: &[&str]) -> Called {
        self.call("run", arguments).on_all_cores().end()
    }

    /// Calls `run` on `ranks` ranks of MPI.
    pub fn mpirun(&self, ranks: usize, arguments: &[&str]) -> Called {
        Call::mpi(ranks, &tool("run"), arguments, self.folder.path()).end()
    }

    /// Calls `post`.
    pub fn post(&self, arguments: &[&str]) -> Called {
        self.call("post", arguments).end()
    }

    /// A call of a tool, to be started.
    pub fn call(&self, name: &str, arguments: &[&str]) -> Call {
        Call::new(&tool(name), arguments, self.folder.path())
    }

    /// Writes `config` with `changes`, a JSON pointer and a value each.
    ///
    /// # Panics
    /// When a pointer leads nowhere.
    pub fn json_with(&self, name: &str, mut config: Value, changes: &[(&str, Value)]) {
        for (pointer, value) in changes {
            let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
            let parent = config.pointer_mut(parent).expect("a place");
            match key.parse::<usize>() {
                Ok(at) if parent.is_array() => parent[at] = value.clone(),
                _ => parent[key] = value.clone(),
            }
        }
        self.json(name, &config);
    }

    /// Expects two run folders to hold the same bits, in dumps and ledgers.
    ///
    /// # Panics
    /// When they do not.
    pub fn same(&self, a: &str, b: &str) {
        let compared = self.post(&["compare", a, b]).done();
        assert!(compared.stdout.starts_with("the same"), "{}", compared.stdout);
        assert_eq!(self.read(&format!("{a}/ledger.csv")), self.read(&format!("{b}/ledger.csv")));
    }

    /// Expects the same bits of `run.json` on one rank and where ranks change: `ranks` of them through MPI up to the first of
    /// the steps `stops`, 2 threads up to the second, then one. In the full suite also straight through on 2 ranks of MPI
    /// and on `ranks` threads.
    ///
    /// # Panics
    /// When they differ, or a run fails.
    pub fn ranks_agree(&self, ranks: usize, stops: [u64; 2]) {
        let threads = ranks.to_string();
        let _solo = self.run_on_all_cores(&["run.json", "-o", "solo", "--quiet"]).done();
        if is_full() {
            let _two = self.mpirun(2, &["run.json", "-o", "two", "--quiet"]).done();
            let _threads = self.run(&["run.json", "-o", "threads", "--quiet", "--threads", &threads]).done();
            self.same("solo", "two");
            self.same("solo", "threads");
        }
        let [first, second] = stops.map(|step| step.to_string());
        let _part = self.mpirun(ranks, &["run.json", "-o", "parted", "--quiet", "--steps", &first]).done();
        let rest = ["run.json", "-o", "parted", "--quiet", "--restart", "--threads", "2", "--steps", &second];
        let _rest = self.run(&rest).done();
        let _rest = self.run(&["run.json", "-o", "parted", "--quiet", "--restart"]).done();
        self.same("solo", "parted");
    }

    /// Expects `call` to be refused with exit code 2, one message that holds all `pieces`, and no file made, changed or
    /// left behind.
    ///
    /// # Panics
    /// When any of this does not hold.
    pub fn refuses(&self, name: &str, arguments: &[&str], pieces: &[&str]) -> String {
        let before = self.content();
        let message = self.call(name, arguments).end().fails(2, pieces);
        assert_unchanged(&before, &self.content());
        message
    }
}

fn assert_unchanged(before: &BTreeMap<PathBuf, Option<Vec<u8>>>, after: &BTreeMap<PathBuf, Option<Vec<u8>>>) {
    let names = |content: &BTreeMap<PathBuf, _>| content.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(before), names(after), "files were left behind or lost");
    for (path, content) in before {
        assert!(after.get(path) == Some(content), "{} has changed", path.display());
    }
}

fn collect(folder: &Path, content: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
    for entry in fs::read_dir(folder).expect("lists") {
        let path = entry.expect("lists").path();
        if path.is_dir() {
            collect(&path, content);
            content.insert(path, None);
        } else {
            let bytes = fs::read(&path).expect("reads");
            content.insert(path, Some(bytes));
        }
    }
}

/// Configs that tests begin with.
pub mod configs {
    use super::{Value, json};

    /// What the openings of [`vessel_case`] do in a run whose inflow pulsates.
    pub fn pulsating() -> Value {
        json!({
            "inlet": {
                "velocity": "9 mm/s",
                "waveform": {"sine": {"frequency": "3 kHz", "mean": 1.0, "amplitude": 0.6}}
            },
            "outlet": {"pressure": "0 Pa"}
        })
    }

    /// The case of the drawn vessel, from `vessel.pgm`.
    pub fn vessel_case() -> Value {
        json!({
            "geometry": {"image": "vessel.pgm", "spacing": "4 um"},
            "openings": [
                {"name": "inlet", "kind": "velocity", "face": "x-"},
                {"name": "outlet", "kind": "pressure", "face": "x+"}
            ],
            "parts": [1, 2, 4]
        })
    }

    /// A run of `vessel.h5`: 100 steps, a dump every 50 and one at step 33.
    pub fn vessel_run() -> Value {
        json!({
            "case": "vessel.h5",
            "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "tau": 0.8}},
            "time": {"steps": 100},
            "openings": {"inlet": {"velocity": "8 mm/s"}, "outlet": {"pressure": "0 Pa"}},
            "dumps": [{"every": 50, "at": [33]}],
            "monitor": {"every": 10}
        })
    }
}
