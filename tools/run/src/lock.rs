//! The lock of a run folder: of two runs into one folder the second is refused.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

use hematite_config::{Fault, Result, process};

/// The file that is locked while a run writes into its folder. It stays, and says who wrote last.
pub const FILE: &str = ".lock";

/// Holds a run folder until it is dropped, or its process ends in any way.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the folder, which is made where it is missing.
    ///
    /// # Errors
    /// A usage fault that names the process which holds it; an I/O fault where the folder cannot be written.
    pub fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let fault = |error: std::io::Error| Fault::io(format!("cannot lock {}: {error}", path.display()));
        std::fs::create_dir_all(folder).map_err(fault)?;
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(&path).map_err(fault)?;
        locked(&mut file, folder)?;
        file.set_len(0).map_err(fault)?;
        writeln!(file, "{}", process()).map_err(fault)?;
        Ok(Self { _file: file })
    }
}

/// Refuses a folder that another run holds, and changes nothing.
///
/// # Errors
/// Those of [`Lock::take`].
pub fn check(folder: &Path) -> Result<()> {
    File::open(folder.join(FILE)).map_or(Ok(()), |mut file| locked(&mut file, folder))
}

/// Locks the file, or says who holds it.
fn locked(file: &mut File, folder: &Path) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _unknown = file.read_to_string(&mut holder);
            Err(Fault::usage(format!(
                "{} is being written by another run ({}): wait for its end, stop it, or choose another folder with -o",
                folder.display(),
                holder.trim()
            )))
        }
        Err(TryLockError::Error(error)) => Err(Fault::io(format!("cannot lock {}: {error}", folder.display()))),
    }
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
}
