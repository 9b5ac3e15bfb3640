//! Calls of the tools.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// No call of these tests takes as long, on a busy machine neither.
const PATIENCE: Duration = Duration::from_secs(300);

/// How long a launcher of MPI may go on without ranks.
const LAUNCHER_PATIENCE: Duration = Duration::from_secs(60);

/// Linux's flag of `open`.
const O_NONBLOCK: i32 = 0o4000;

/// The path of `mkcase`, `run` or `post`, built with the profile of this test.
///
/// # Panics
/// When it is not built.
pub fn tool(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    // target/PROFILE/deps/TEST-HASH
    let built = test.ancestors().nth(2).expect("a test lies in target/PROFILE/deps");
    let path = built.join(name);
    assert!(path.is_file(), "{} is missing: build the tools first, by cargo build with this profile", path.display());
    path
}

/// The variable with the number of threads in the pool of llvmpipe.
const POOL: &str = "LP_NUM_THREADS";

/// A call of a tool that is being put together.
pub struct Call {
    command: Command,
    name: String,
    session: Option<TempDir>,
}

impl Call {
    /// A call of `program` with `arguments` in `folder`. Software Vulkan works on one thread of each rank, as tests run
    /// beside each other.
    pub fn new(program: &Path, arguments: &[&str], folder: &Path) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).stdin(Stdio::null()).env(POOL, "0");
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

    /// Has software Vulkan work on all cores, so that threads add to sums in any order.
    #[must_use]
    pub fn on_all_cores(mut self) -> Self {
        self.command.env_remove(POOL);
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

    /// Runs it to its end while nobody reads what it writes: its pipe has no other end. Gives its exit code.
    ///
    /// # Panics
    /// When the program cannot be started.
    pub fn unread(mut self) -> Option<i32> {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        self.command.stdout(writer.try_clone().expect("a copy of a handle")).stderr(writer);
        let started = turns::starting(|| self.command.spawn());
        let mut child = started.unwrap_or_else(|error| panic!("cannot start {}: {error}", self.name));
        child.wait().expect("a child").code()
    }

    /// Runs it to its end, with `signal` sent while it reads the file at `path` in its start.
    ///
    /// # Panics
    /// When it does not read the file.
    pub fn signalled_at_start(self, path: &Path, signal: &str) -> Called {
        let content = std::fs::read(path).expect("reads");
        std::fs::remove_file(path).expect("removes");
        let mut pipe = Command::new("mkfifo");
        assert!(turns::starting(|| pipe.arg(path).status()).expect("there is mkfifo").success());
        let mut running = self.start();
        // A pipe opens for writing, without waiting, once somebody reads it.
        let open = || std::fs::OpenOptions::new().write(true).custom_flags(O_NONBLOCK).open(path).ok();
        let mut writer = None;
        while writer.is_none() && running.goes_on() {
            std::thread::sleep(Duration::from_millis(5));
            writer = open();
        }
        let mut writer = writer.unwrap_or_else(|| panic!("{} does not read {}", running.name, path.display()));
        running.signal(signal);
        // Launchers take a moment to hand it on.
        std::thread::sleep(Duration::from_millis(500));
        // Nobody reads it any more where the signal ended the call.
        let _unread = writer.write_all(&content);
        drop(writer);
        let called = running.end();
        std::fs::remove_file(path).and_then(|()| std::fs::write(path, &content)).expect("writes");
        called
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
        assert!(send(signal, self.child.id()), "kill -s {signal} of {}", self.name);
    }

    /// The processes of its ranks, where it is a launcher of MPI, by rank.
    ///
    /// # Panics
    /// When the system does not tell.
    pub fn ranks(&self) -> Vec<u32> {
        let launcher = format!(" {} ", self.child.id());
        let rank_of = |process: u32| -> Option<(usize, u32)> {
            let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
            // Behind its name: its state, then its parent.
            if !stat.rsplit_once(") ")?.1.get(1..)?.starts_with(&launcher) {
                return None;
            }
            let environment = std::fs::read(format!("/proc/{process}/environ")).ok()?;
            let mut variables = environment.split(|&byte| byte == 0).filter_map(|text| std::str::from_utf8(text).ok());
            let rank = variables.find_map(|text| text.strip_prefix("OMPI_COMM_WORLD_RANK="))?;
            Some((rank.parse().ok()?, process))
        };
        let listed = std::fs::read_dir("/proc").expect("lists processes").flatten();
        let numbers = listed.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let mut ranks: Vec<(usize, u32)> = numbers.filter_map(rank_of).collect();
        ranks.sort_unstable();
        ranks.into_iter().map(|(_, process)| process).collect()
    }

    /// Waits until it has said something on stderr.
    ///
    /// # Panics
    /// When it ends without, or does not for long.
    pub fn wait_for_word(&mut self, word: &str) {
        let start = Instant::now();
        while !self.said().contains(word) {
            assert!(self.goes_on() && start.elapsed() < PATIENCE, "{} does not say {word}: {}", self.name, self.said());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// What it wrote to stderr so far.
    fn said(&self) -> String {
        // The file's own position is that of the program.
        let mut bytes = vec![0; self.stderr.metadata().expect("a file").len() as usize];
        self.stderr.read_exact_at(&mut bytes, 0).expect("reads back");
        String::from_utf8_lossy(&bytes).into_owned()
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

    /// Waits for the end of a launcher of MPI with a rank that was killed. Open MPI's launcher may hang for ever where it
    /// was just about to answer that rank ("PMIX ERROR: UNREACHABLE"). It is killed, too, once it has had no rank for long.
    ///
    /// # Panics
    /// When a rank does not end.
    pub fn end_after_kill(mut self) -> Called {
        let start = Instant::now();
        let mut with_ranks = start;
        while self.goes_on() && start.elapsed() < PATIENCE {
            if !self.ranks().is_empty() {
                with_ranks = Instant::now();
            } else if with_ranks.elapsed() > LAUNCHER_PATIENCE {
                println!("{} hangs without ranks: {}", self.name, self.said());
                self.child.kill().expect("a child");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.end()
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

/// Sends a signal to a process; gives whether it was there.
///
/// # Panics
/// When there is no `kill`.
pub fn send(signal: &str, process: u32) -> bool {
    let mut kill = Command::new("kill");
    kill.args(["-s", signal, &process.to_string()]).stderr(Stdio::null());
    turns::starting(|| kill.status()).expect("kill").success()
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
