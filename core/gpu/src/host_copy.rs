//! Copies between the host's memory and memory that it shares with the device.
//!
//! One thread copies some 8 GB/s, several as much as the link between host and device carries. Long messages are copied
//! by a pool of threads of their own: those of the global pool, one for each core, look for work for so long that the
//! copies of short messages suffer.
#![expect(unsafe_code, reason = "memory that is shared with a device is no Rust object")]

use std::sync::LazyLock;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Bytes of a message that several threads copy.
const LONG: usize = 1 << 20;
/// The most threads that copy.
const MOST: usize = 16;
/// Cores for each of these threads, since several ranks may share a host.
const CORES: usize = 2;

/// The threads; none where there are few cores.
static THREADS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    pool((cores / CORES).min(MOST))
});

/// A place in memory that is no Rust object.
#[derive(Clone, Copy)]
struct Place(*mut u8);

// Sound because the threads that get it copy to and from different bytes.
unsafe impl Send for Place {}
unsafe impl Sync for Place {}

impl Place {
    /// The place `bytes` bytes on.
    ///
    /// # Safety
    /// It must lie in the same memory.
    unsafe fn plus(self, bytes: usize) -> *mut u8 {
        // Sound because the caller says so.
        unsafe { self.0.add(bytes) }
    }
}

/// Copies the bytes from `start` on to `to`.
///
/// # Safety
/// There must be as many bytes from `start` on, to which nobody writes meanwhile.
pub(crate) unsafe fn read(start: *mut u8, to: &mut [u8]) {
    let threads = if to.len() >= LONG { THREADS.as_ref() } else { None };
    // Sound because the caller says so.
    unsafe { read_by(threads, start, to) }
}

/// Copies `from` to the bytes from `start` on.
///
/// # Safety
/// There must be as many bytes from `start` on, which nobody else uses meanwhile.
pub(crate) unsafe fn write(start: *mut u8, from: &[u8]) {
    let threads = if from.len() >= LONG { THREADS.as_ref() } else { None };
    // Sound because the caller says so.
    unsafe { write_by(threads, start, from) }
}

unsafe fn read_by(threads: Option<&ThreadPool>, start: *mut u8, to: &mut [u8]) {
    let start = Place(start);
    // Sound because the caller has as many bytes there as `to` has, and shares do not overlap.
    let copy = |at: usize, to: &mut [u8]| unsafe { start.plus(at).copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
    match threads {
        None => copy(0, to),
        Some(threads) => {
            let share = share(to.len(), threads);
            threads.install(|| to.par_chunks_mut(share).enumerate().for_each(|(k, to)| copy(k * share, to)));
        }
    }
}

unsafe fn write_by(threads: Option<&ThreadPool>, start: *mut u8, from: &[u8]) {
    let start = Place(start);
    // Sound because the caller has as many bytes there as `from` has, and shares do not overlap.
    let copy = |at: usize, from: &[u8]| unsafe { start.plus(at).copy_from_nonoverlapping(from.as_ptr(), from.len()) };
    match threads {
        None => copy(0, from),
        Some(threads) => {
            let share = share(from.len(), threads);
            threads.install(|| from.par_chunks(share).enumerate().for_each(|(k, from)| copy(k * share, from)));
        }
    }
}

/// Bytes for each thread, whole pages.
fn share(bytes: usize, threads: &ThreadPool) -> usize {
    bytes.div_ceil(threads.current_num_threads()).max(1).next_multiple_of(4096)
}

fn pool(threads: usize) -> Option<ThreadPool> {
    if threads < 2 { None } else { ThreadPoolBuilder::new().num_threads(threads).build().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_threads_copy_what_one_does() {
        for threads in [1, 2, 3, 7] {
            let pool = pool(threads);
            for bytes in [0, 1, 4095, 4096, 4097, 70_001, (1 << 20) + 3] {
                let from: Vec<u8> = (0..bytes).map(|k: usize| (k.wrapping_mul(0x9e37_79b9) >> 7) as u8).collect();
                let (mut memory, mut came) = (vec![0; bytes + 9], vec![0; bytes]);
                // Sound because `memory` is longer by the 5 bytes that are left out, and used by nothing else.
                unsafe {
                    write_by(pool.as_ref(), memory.as_mut_ptr().add(5), &from);
                    read_by(pool.as_ref(), memory.as_mut_ptr().add(5), &mut came);
                }
                assert!(came == from && memory[..5] == [0; 5] && memory[bytes + 5..] == [0; 4], "{bytes} by {threads}");
            }
        }
    }
}
