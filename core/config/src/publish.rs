//! Files that appear whole or not at all.
//!
//! A file is written in a folder of its own beside the target. The folder's name begins with [`PREFIX`] and the
//! target's name, and it holds a file that the writing process locks. The lock is the kernel's and ends with the
//! process: a folder without a lock is left from a killed process, and is removed when the same target is published
//! again.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use tempfile::TempDir;

use crate::{Fault, Result};

/// How names of temporary folders begin.
const PREFIX: &str = ".partial-";
/// Name of the locked file in a temporary folder.
const LOCK: &str = ".lock";
/// How many characters of the target's name are in the folder's name.
const SHOWN: usize = 100;

/// Writes `path` by way of a temporary file beside it: `write` fills the temporary file, which is renamed to `path`
/// only when `write` succeeds. Makes missing parent folders. Removes temporary folders that killed processes of this
/// host left of the same target.
///
/// # Errors
/// Those of `write`, and an I/O fault when the folder cannot be written or the rename fails.
pub fn publish<T>(path: &Path, write: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let fault = |error: io::Error| Fault::io(format!("cannot write {}: {error}", path.display()));
    fs::create_dir_all(folder).map_err(fault)?;
    let name = path.file_name().ok_or_else(|| Fault::usage(format!("{} names no file", path.display())))?;
    let prefix = prefix(name);
    clear(folder, &prefix);
    let (beside, _lock) = held_folder(folder, &prefix).map_err(fault)?;
    let temporary = beside.path().join(name);
    let written = write(&temporary)?;
    fs::rename(&temporary, path).map_err(fault)?;
    Ok(written)
}

/// Removes temporary folders that killed processes of this host left in `folder`, of any target. Keeps what it cannot
/// remove.
pub fn clear_partial(folder: &Path) {
    clear(folder, PREFIX);
}

/// Refuses a folder that cannot be made, or in which no file can be made. Changes nothing.
///
/// # Errors
/// An I/O fault that names it.
pub fn check_writable(folder: &Path) -> Result<()> {
    let nearest = folder.ancestors().find(|path| path.exists()).unwrap_or(Path::new("."));
    let nearest = if nearest.as_os_str().is_empty() { Path::new(".") } else { nearest };
    // A file without a name vanishes when it is closed.
    let made = tempfile::tempfile_in(nearest).map(drop);
    made.map_err(|error| Fault::io(format!("cannot write {}: {error}", folder.display())))
}

/// This process's number and host, for names of folders.
pub fn process() -> String {
    format!("process {} on {}", std::process::id(), host())
}

fn host() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
}

fn prefix(name: &OsStr) -> String {
    let shown: String = name.to_string_lossy().chars().take(SHOWN).collect();
    format!("{PREFIX}{shown}-")
}

/// A new folder whose name begins with `prefix`, and the lock that holds it.
fn held_folder(folder: &Path, prefix: &str) -> io::Result<(TempDir, File)> {
    loop {
        let beside = tempfile::Builder::new().prefix(prefix).tempdir_in(folder)?;
        let path = beside.path().join(LOCK);
        let mut lock = match File::create_new(&path) {
            // Another process took the folder for one left behind.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            made => made?,
        };
        // On a file system without locks every folder counts as in use.
        let is_free = !matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock));
        if is_free && path.exists() {
            writeln!(lock, "{}", process())?;
            return Ok((beside, lock));
        }
    }
}

/// Removes folders whose names begin with `prefix` and that no process holds. Those that cannot be removed do no harm.
fn clear(folder: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().filter(|entry| begins_with(&entry.file_name(), prefix)).map(|entry| entry.path()) {
        match File::open(path.join(LOCK)) {
            Ok(mut lock) => {
                if is_left(&mut lock) {
                    fs::remove_dir_all(&path).unwrap_or_default();
                }
            }
            // The process was killed before it made the lock. The folder is removed if it is empty.
            Err(error) if error.kind() == ErrorKind::NotFound => fs::remove_dir(&path).unwrap_or_default(),
            Err(_) => {}
        }
    }
}

fn begins_with(name: &OsStr, prefix: &str) -> bool {
    name.as_encoded_bytes().starts_with(prefix.as_bytes())
}

/// Whether no process holds the lock. This host may not see a lock of a process on another one.
fn is_left(lock: &mut File) -> bool {
    let mut holder = String::new();
    lock.try_lock().is_ok()
        && lock.read_to_string(&mut holder).is_ok()
        && holder.trim().split_once(" on ").is_some_and(|(_, its_host)| its_host == host())
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

    /// Names in a folder.
    fn listed(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).expect("lists").map(|entry| entry.expect("lists").file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_killed_process_left_goes_and_what_a_live_one_writes_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let leave = |name: &str, holder: Option<&str>| {
            fs::create_dir(at(name)).expect("makes");
            if let Some(holder) = holder {
                fs::write(at(name).join(LOCK), holder).expect("writes");
                fs::write(at(name).join("case.h5"), b"half").expect("writes");
            }
        };
        let gone = format!("process 1 on {}\n", host());
        leave(".partial-case.h5-dead", Some(&gone));
        leave(".partial-case.h5-none", None);
        leave(".partial-case.h5-away", Some("process 1 on nowhere\n"));
        leave(".partial-other.h5-dead", Some(&gone));
        let (live, _held) = held_folder(folder.path(), ".partial-case.h5-").expect("makes");
        fs::write(live.path().join("case.h5"), b"soon whole").expect("writes");
        publish(&at("case.h5"), |temporary| fs::write(temporary, b"whole").map_err(|e| Fault::io(e.to_string())))
            .expect("writes");
        let live_name = live.path().file_name().expect("a name").to_string_lossy().into_owned();
        let mut stay = [".partial-case.h5-away", ".partial-other.h5-dead", "case.h5", &live_name].map(str::to_owned);
        stay.sort();
        assert_eq!(listed(folder.path()), stay);
        assert_eq!(fs::read(live.path().join("case.h5")).expect("reads"), b"soon whole");
        clear_partial(folder.path());
        assert!(!at(".partial-other.h5-dead").exists() && live.path().exists() && at("case.h5").exists());
    }

    #[test]
    fn many_at_once_do_not_hinder_each_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("case.h5");
        let write = |text: String| publish(&path, |to| fs::write(to, text).map_err(|e| Fault::io(e.to_string())));
        std::thread::scope(|scope| {
            for thread in 0..8 {
                scope.spawn(move || (0..50).for_each(|k| write(format!("{thread} {k}")).expect("writes")));
            }
        });
        assert_eq!(listed(folder.path()), ["case.h5"]);
    }
}
