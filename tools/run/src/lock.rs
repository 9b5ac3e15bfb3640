//! The lock of a run folder: the second of two runs into one folder is refused.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::process::parent_id;
use std::path::Path;
use std::time::{Duration, Instant};

use hematite_config::{Fault, Result, process};

/// The file that is locked while a run writes into its folder. It remains, and names the last process.
pub const FILE: &str = ".lock";

/// In the second line of the file: the beginning of the text on the parent of the process.
const LAUNCHER: &str = "started by process ";

/// How long a run waits for a holder of the lock that is about to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Flag of a process on Linux that is ending.
const ENDING: u64 = 4;

/// Holds a run folder until it is dropped or the process ends in any way.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the folder, and makes it if it is missing.
    ///
    /// # Errors
    /// A usage fault that names the process that holds the folder; an I/O fault where the folder cannot be written.
    pub fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let fault = |error: std::io::Error| Fault::io(format!("cannot lock {}: {error}", path.display()));
        std::fs::create_dir_all(folder).map_err(fault)?;
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(&path).map_err(fault)?;
        locked(&mut file, folder)?;
        file.set_len(0).map_err(fault)?;
        file.write_all(format!("{}\n{LAUNCHER}{}\n", process(), parent_id()).as_bytes()).map_err(fault)?;
        Ok(Self { _file: file })
    }
}

/// Refuses a folder that another run holds. Changes nothing.
///
/// # Errors
/// Those of [`Lock::take`].
pub fn check(folder: &Path) -> Result<()> {
    File::open(folder.join(FILE)).map_or(Ok(()), |mut file| locked(&mut file, folder))
}

/// Waits for at most some seconds while a process of this host that is about to end holds the folder: it is ending, or
/// its launcher has gone, as when `mpirun` was killed and its ranks have not noticed yet. Calls `tell` once with a
/// message.
pub fn wait(folder: &Path, tell: impl Fn(String)) {
    let (start, mut told) = (Instant::now(), false);
    while let Some(holder) = dying_holder(folder).filter(|_| start.elapsed() < PATIENCE) {
        if !told {
            let (folder, seconds) = (folder.display(), PATIENCE.as_secs());
            tell(format!("{folder} is held by {holder}, which is about to end: waiting up to {seconds} s for that"));
            told = true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The process that holds the folder, if it is on this host and about to end.
fn dying_holder(folder: &Path) -> Option<String> {
    let mut file = File::open(folder.join(FILE)).ok()?;
    let Err(TryLockError::WouldBlock) = file.try_lock() else { return None };
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    let mut lines = text.lines();
    let holder = lines.next()?;
    let launcher: u64 = lines.next()?.strip_prefix(LAUNCHER)?.parse().ok()?;
    let (number, host) = holder.strip_prefix("process ")?.split_once(" on ")?;
    let is_here = process().split_once(" on ").is_some_and(|(_, here)| here == host);
    (is_here && is_dying(number.parse().ok()?, launcher)).then(|| holder.to_owned())
}

/// Whether a process has gone, is ending, or has lost the `launcher` that started it. Known on Linux only.
fn is_dying(number: u32, launcher: u64) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{number}/stat")) else {
        return Path::new("/proc/self").exists();
    };
    // Fields after the name: state, parent, group, session, terminal, the terminal's group, flags.
    let behind: Vec<&str> = stat.rsplit_once(") ").map_or("", |(_, behind)| behind).split(' ').collect();
    let number = |k: usize| behind.get(k).and_then(|text| text.parse::<u64>().ok());
    number(1).is_some_and(|parent| parent != launcher) || number(6).is_some_and(|flags| flags & ENDING != 0)
}

/// Locks the file; the fault names the process that holds it.
fn locked(file: &mut File, folder: &Path) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            let holder = holder(file);
            Err(Fault::usage(format!(
                "{} is being written by another run ({}): wait for its end, stop it, or choose another folder with -o",
                folder.display(),
                holder.unwrap_or_else(|| "process unknown".to_owned())
            )))
        }
        Err(TryLockError::Error(error)) => Err(Fault::io(format!("cannot lock {}: {error}", folder.display()))),
    }
}

/// The process that holds the file, from its text; `None` if the text does not appear within a second. A process locks
/// the file first, then writes.
fn holder(file: &mut File) -> Option<String> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(1) {
        let mut text = String::new();
        file.rewind().and_then(|()| file.read_to_string(&mut text)).ok()?;
        if let Some(line) = text.lines().next() {
            return Some(line.to_owned());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_refused_until_the_first_is_gone() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = folder.path().join("deep/run");
        let first = Lock::take(&run).expect("free");
        let fault = Lock::take(&run).err().expect("taken");
        assert!(fault.message.contains(&format!("process {}", std::process::id())), "{fault}");
        drop(first);
        let _again = Lock::take(&run).expect("free again");
    }

    #[test]
    fn who_is_about_to_end_is_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let (run, said) = (folder.path(), std::cell::RefCell::new(Vec::new()));
        let seconds = || {
            let start = Instant::now();
            wait(run, |text| said.borrow_mut().push(text));
            start.elapsed().as_secs_f64()
        };
        assert!(seconds() < 1.0, "nobody holds it");
        let held = Lock::take(run).expect("free");
        assert!(seconds() < 1.0, "its launcher is there");
        std::fs::write(run.join(FILE), format!("{}\n{LAUNCHER}0\n", process())).expect("writes");
        let waited = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_secs(1));
                drop(held);
            });
            seconds()
        });
        assert!((0.9..9.0).contains(&waited), "{waited} s");
        let said = said.into_inner();
        assert!(said.len() == 1 && said[0].contains(&process()), "{said:?}");
    }
}
