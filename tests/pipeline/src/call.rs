//! Calls of the tools.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::turns;

/// No call of these tests takes as long, on a busy machine neither.
const PATIENCE: Duration = Duration::from_secs(300);

/// The path of `mkcase`, `run` or `post`, as `cargo build --release` leaves it.
///
/// # Panics
/// When it is not built.
pub fn tool(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    // target/PROFILE/deps/TEST-HASH
    let target = test.ancestors().nth(3).expect("a test lies in target/PROFILE/deps");
    let path = target.join("release").join(name);
    assert!(path.is_file(), "{} is missing: build the tools first: cargo build --release", path.display());
    path
}

/// A call of a tool that is being put together.
pub struct Call {
    command: Command,
    name: String,
    session: Option<TempDir>,
}

impl Call {
    /// A call of `program` with `arguments` in `folder`.
    pub fn new(program: &Path, arguments: &[&str], folder: &Path) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).stdin(Stdio::null());
        Self { command, name: format!("{} {}", program.display(), arguments.join(" ")), session: None }
    }

    /// A call of `tool` on `ranks` ranks of MPI.
    pub fn mpi(ranks: usize, program: &Path, arguments: &[&str], folder: &Path) -> Self {
        let ranks = ranks.to_string();
        let program = program.to_str().expect("a plain path");
        let mut all = vec!["-n", &ranks, "--oversubscribe", "--allow-run-as-root", program];
        all.extend(arguments);
        // A session folder of its own: Open MPI 4 fails when two launches make the common one at the same time.
        let session = tempfile::tempdir().expect("a temporary folder");
        let mut call = Self::new(Path::new("mpirun"), &all, folder);
        call.command.env("TMPDIR", session.path());
        call.session = Some(session);
        call.with("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .with("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .with("OMPI_MCA_rmaps_base_oversubscribe", "1")
            .with("OMPI_MCA_btl_vader_single_copy_mechanism", "none")
            .with("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
    }

    /// Adds an environment variable.
    #[must_use]
    pub fn with(mut self, variable: &str, value: &str) -> Self {
        self.command.env(variable, value);
        self
    }

    /// Starts it.
    ///
    /// # Panics
    /// When the program cannot be started.
    pub fn start(mut self) -> Running {
        let [stdout, stderr] = [(); 2].map(|()| tempfile::tempfile().expect("a temporary file"));
        let copy = |file: &File| Stdio::from(file.try_clone().expect("a copy of a handle"));
        self.command.stdout(copy(&stdout)).stderr(copy(&stderr));
        let started = turns::starting(|| self.command.spawn());
        let child = started.unwrap_or_else(|error| panic!("cannot start {}: {error}", self.name));
        Running { child, name: self.name, stdout, stderr, _session: self.session }
    }

    /// Runs it to its end.
    pub fn end(self) -> Called {
        self.start().end()
    }
}

/// A call that goes on.
pub struct Running {
    child: Child,
    name: String,
    stdout: File,
    stderr: File,
    _session: Option<TempDir>,
}

impl Running {
    /// Sends it a signal, such as "TERM".
    ///
    /// # Panics
    /// When it cannot be sent.
    pub fn signal(&self, signal: &str) {
        let mut kill = Command::new("kill");
        let status =
            turns::starting(|| kill.args(["-s", signal, &self.child.id().to_string()]).status()).expect("kill");
        assert!(status.success(), "kill -s {signal} of {}", self.name);
    }

    /// Whether it is still running.
    pub fn goes_on(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_none()
    }

    /// Waits until `there` holds or the call has ended.
    ///
    /// # Panics
    /// When neither happens for long.
    pub fn wait_for(&mut self, there: impl Fn() -> bool) {
        let start = Instant::now();
        while !there() && self.goes_on() {
            assert!(start.elapsed() < PATIENCE, "{} waits for ever", self.name);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// When it does not end.
    pub fn end(mut self) -> Called {
        let start = Instant::now();
        while self.goes_on() {
            if start.elapsed() > PATIENCE {
                self.child.kill().expect("a child");
                panic!("{} hangs; stderr: {}", self.name, text(&mut self.stderr));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let status = self.child.wait().expect("a child");
        Called {
            code: status.code(),
            stdout: text(&mut self.stdout),
            stderr: text(&mut self.stderr),
            name: self.name,
            seconds: start.elapsed().as_secs_f64(),
        }
    }
}

fn text(file: &mut File) -> String {
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).expect("reads back");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A call that has ended.
#[derive(Debug)]
pub struct Called {
    /// Exit code; none after a signal.
    pub code: Option<i32>,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
    /// The command line.
    pub name: String,
    /// How long it was waited for.
    pub seconds: f64,
}

impl Called {
    /// Expects this exit code and no trace of a panic.
    ///
    /// # Panics
    /// When it is another.
    #[must_use]
    pub fn exits(self, code: i32) -> Self {
        let Self { name, stdout, stderr, .. } = &self;
        assert_eq!(self.code, Some(code), "exit code of {name}\nstdout: {stdout}\nstderr: {stderr}");
        for trace in ["panicked", "RUST_BACKTRACE", "stack backtrace", "internal error", "HDF5-DIAG"] {
            assert!(!stderr.contains(trace), "\"{trace}\" in stderr of {name}:\n{stderr}");
        }
        self
    }

    /// Expects success.
    pub fn done(self) -> Self {
        self.exits(0)
    }

    /// Expects `code`, one error message on stderr that holds all `pieces`, and nothing on stdout; gives the message.
    ///
    /// # Panics
    /// When any of this does not hold.
    pub fn fails(self, code: i32, pieces: &[&str]) -> String {
        let called = self.exits(code);
        let Called { name, stdout, stderr, .. } = &called;
        assert!(stdout.is_empty(), "stdout of {name}:\n{stdout}");
        let said: usize =
            ["mkcase: error: ", "run: error: ", "post: error: "].map(|tool| stderr.matches(tool).count()).iter().sum();
        assert!(said == 1 && !stderr.contains("stopped with rank 0"), "one message from {name}, not\n{stderr}");
        let message = stderr.split_once(": error: ").map_or("", |(_, message)| message);
        assert!(message.len() < 1000, "too long a message from {name}:\n{message}");
        for piece in pieces {
            assert!(message.contains(piece), "\"{piece}\" is missing in what {name} says:\n{message}");
        }
        message.to_owned()
    }
}
