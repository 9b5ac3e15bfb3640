//! Keeps the start of processes and open HDF5 files apart: a process inherits the files that are open when it starts,
//! with their locks, and so keeps others from them as long as it lives.

use std::sync::{PoisonError, RwLock};

/// Shared by all who start processes; whoever has a file open is alone.
static TURNS: RwLock<()> = RwLock::new(());

/// Does `work`, which starts a process, while no file is open.
pub fn starting<T>(work: impl FnOnce() -> T) -> T {
    let _turn = TURNS.read().unwrap_or_else(PoisonError::into_inner);
    work()
}

/// Does `work`, which opens a file and closes it, while no process starts.
pub fn alone<T>(work: impl FnOnce() -> T) -> T {
    let _turn = TURNS.write().unwrap_or_else(PoisonError::into_inner);
    work()
}
