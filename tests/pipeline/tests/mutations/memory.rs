//! How much memory a piece of work takes at most.
#![expect(unsafe_code, reason = "an allocator is unsafe to implement; this one counts and hands on")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, with a count of bytes.
pub struct Counting;

fn took(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(live, Relaxed);
}

fn gave(bytes: usize) {
    LIVE.fetch_sub(bytes, Relaxed);
}

// Sound because all is handed on to the system's allocator as it comes.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        took(size);
        gave(layout.size());
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        gave(layout.size());
        unsafe { System.dealloc(block, layout) }
    }
}

/// Does `work`; gives its outcome and by how many bytes the process was larger on the way than before.
pub fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let outcome = work();
    (outcome, PEAK.load(Relaxed).saturating_sub(before))
}
