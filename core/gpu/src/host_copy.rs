//! Copies between the host's memory and memory that it shares with the device.
//!
//! One thread copies some 8 GB/s, several as much as the link between host and device carries. Long messages are copied
//! by a pool of threads of their own: those of the global pool, one for each core, look for work for so long that the
//! copies of short messages suffer.
#![expect(unsafe_code, reason = "memory that is shared with a device is no Rust object")]

use std::ops::Range;
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
    // Sound because the caller says so.
    unsafe { copy(threads_for(to.len()), Place(start), Place(to.as_mut_ptr()), to.len()) }
}

/// Copies `from` to the bytes from `start` on.
///
/// # Safety
/// There must be as many bytes from `start` on, which nobody else uses meanwhile.
pub(crate) unsafe fn write(start: *mut u8, from: &[u8]) {
    // Sound because the caller says so; nothing is written to `from`.
    unsafe { copy(threads_for(from.len()), Place(from.as_ptr().cast_mut()), Place(start), from.len()) }
}

/// The threads that copy a message of so many bytes; none: the caller does.
fn threads_for(bytes: usize) -> Option<&'static ThreadPool> {
    if bytes >= LONG { THREADS.as_ref() } else { None }
}

/// Copies bytes by `threads`, or by this one.
///
/// # Safety
/// There must be as many bytes at both places, which do not overlap and which nobody else writes to meanwhile.
unsafe fn copy(threads: Option<&ThreadPool>, from: Place, to: Place, bytes: usize) {
    // Sound because ranges lie within `bytes`, and those of different threads do not overlap.
    let part = |range: Range<usize>| unsafe {
        from.plus(range.start).copy_to_nonoverlapping(to.plus(range.start), range.len());
    };
    let Some(threads) = threads else { return part(0..bytes) };
    let share = share(bytes, threads);
    let parts = (0..bytes.div_ceil(share)).into_par_iter();
    threads.install(|| parts.for_each(|k| part(k * share..((k + 1) * share).min(bytes))));
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
                let there = Place(memory.as_mut_ptr().wrapping_add(5));
                // Sound because `memory` is longer by the 5 bytes that are left out, and used by nothing else.
                unsafe {
                    copy(pool.as_ref(), Place(from.as_ptr().cast_mut()), there, bytes);
                    copy(pool.as_ref(), there, Place(came.as_mut_ptr()), bytes);
                }
                assert!(came == from && memory[..5] == [0; 5] && memory[bytes + 5..] == [0; 4], "{bytes} by {threads}");
            }
        }
    }
}
