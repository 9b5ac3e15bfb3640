//! Starting processes and writing HDF5 files, which do not go together: a process inherits the files that are open
//! when it starts, with their locks, and so keeps others from them as long as it lives.

use std::sync::{PoisonError, RwLock};

/// Shared by all who write files; whoever starts a process is alone.
static TURNS: RwLock<()> = RwLock::new(());

/// Does `work`, which starts a process, while no file is written.
pub(crate) fn starting<T>(work: impl FnOnce() -> T) -> T {
    let _turn = TURNS.write().unwrap_or_else(PoisonError::into_inner);
    work()
}

/// Does `work`, which writes a file and closes it, while no process starts.
pub(crate) fn writing<T>(work: impl FnOnce() -> T) -> T {
    let _turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    work()
}
