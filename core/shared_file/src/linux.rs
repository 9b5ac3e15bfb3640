//! Unnamed files, which exist only in memory and as long as a process has them open.
#![expect(unsafe_code, reason = "no safe call maps memory that processes share")]

use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::AtomicU64;

use rustix::fs::{FallocateFlags, MemfdFlags, OFlags, fallocate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::process::{Resource, getrlimit};

use crate::{Handle, PAGE};

/// A file in memory. Its first [`PAGE`] holds a token by which other processes recognise it.
#[derive(Debug)]
pub struct SharedFile {
    file: File,
    token: u64,
}

/// A part of a file, mapped into the memory of this process.
#[derive(Debug)]
pub struct Map {
    start: NonNull<u8>,
    bytes: usize,
}

// Sound because the memory belongs to no thread, and whoever uses it says so with `unsafe`.
unsafe impl Send for Map {}
unsafe impl Sync for Map {}

impl SharedFile {
    /// A file of `bytes` bytes; `None` where the system gives none. Only parts that are [reserved](SharedFile::reserve)
    /// occupy memory.
    pub fn new(bytes: usize) -> Option<Self> {
        // A file longer than the limit would end the process.
        if getrlimit(Resource::Fsize).current.is_some_and(|most| most < bytes as u64) {
            return None;
        }
        let file = File::from(memfd_create("hematite", MemfdFlags::CLOEXEC).ok()?);
        file.set_len(bytes as u64).ok()?;
        let token = RandomState::new().build_hasher().finish();
        file.write_all_at(&token.to_le_bytes(), 0).ok()?;
        Some(Self { file, token })
    }

    /// The file of `bytes` bytes that another process has; `None` if it cannot be opened.
    pub fn open(handle: Handle, bytes: usize) -> Option<Self> {
        if namespace()? != handle.namespace {
            return None;
        }
        // A file of another kind, such as a pipe, must not block.
        let nonblock = OFlags::NONBLOCK.bits().cast_signed();
        let path = format!("/proc/{}/fd/{}", handle.process, handle.descriptor);
        let file = File::options().read(true).write(true).custom_flags(nonblock).open(path).ok()?;
        let about = file.metadata().ok()?;
        let mut token = [0; 8];
        if !about.is_file() || about.len() != bytes as u64 || file.read_exact_at(&mut token, 0).is_err() {
            return None;
        }
        let token = u64::from_le_bytes(token);
        (token == handle.token).then_some(Self { file, token })
    }

    /// The file of this process with this handle, which then cannot grow: for tests.
    pub fn read_only(handle: Handle) -> Option<Self> {
        let file = File::open(format!("/proc/self/fd/{}", handle.descriptor)).ok()?;
        Some(Self { file, token: handle.token })
    }

    /// The handle for processes of the same user on this host. It is valid as long as the file is open here.
    pub fn handle(&self) -> Option<Handle> {
        let descriptor = u64::try_from(self.file.as_raw_fd()).ok()?;
        Some(Handle { process: std::process::id().into(), namespace: namespace()?, descriptor, token: self.token })
    }

    /// Reserves memory for a part of the file; `None` if there is none left. A write without memory would end the
    /// process.
    pub fn reserve(&self, start: usize, bytes: usize) -> Option<()> {
        fallocate(&self.file, FallocateFlags::empty(), start as u64, bytes as u64).ok()
    }

    /// Maps `bytes` bytes from `offset` on, a multiple of [`PAGE`]; `None` where the system does not.
    pub fn map(&self, offset: usize, bytes: usize) -> Option<Map> {
        debug_assert!(offset.is_multiple_of(PAGE), "{offset}");
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // Sound because the system chooses an unused address.
        let start = unsafe { mmap(null_mut(), bytes, protection, MapFlags::SHARED, &self.file, offset as u64) }.ok()?;
        Some(Map { start: NonNull::new(start.cast())?, bytes })
    }
}

impl Map {
    /// The first of `bytes` bytes of the map.
    ///
    /// # Panics
    /// When they are not all in the map, which is a bug of the program.
    pub fn at(&self, offset: usize, bytes: usize) -> NonNull<u8> {
        assert!(offset <= self.bytes && bytes <= self.bytes - offset, "{bytes} bytes at {offset} of {}", self.bytes);
        // Sound because the place is within the map.
        unsafe { self.start.add(offset) }
    }

    /// `count` whole numbers from byte `offset` on, a multiple of 8.
    ///
    /// # Panics
    /// When they are not all in the map, which is a bug of the program.
    pub fn numbers(&self, offset: usize, count: usize) -> &[AtomicU64] {
        assert!(offset.is_multiple_of(size_of::<AtomicU64>()), "{offset}");
        let first = self.at(offset, count * size_of::<AtomicU64>()).cast();
        // Sound because the numbers are within the map, aligned, and valid whatever their bytes are.
        unsafe { std::slice::from_raw_parts(first.as_ptr(), count) }
    }

    /// How long it is.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // Sound because all references into the map borrow it. If the call fails, a map that stays does no harm.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

/// The namespace in which this process has its number.
fn namespace() -> Option<u64> {
    Some(std::fs::metadata("/proc/self/ns/pid").ok()?.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_writes_the_other_reads() {
        let file = SharedFile::new(4 * PAGE).expect("memory");
        file.reserve(2 * PAGE, PAGE).expect("memory");
        let other = SharedFile::open(file.handle().expect("a handle"), 4 * PAGE).expect("opens");
        let (here, there) = (file.map(2 * PAGE, PAGE).expect("mapped"), other.map(PAGE, 2 * PAGE).expect("mapped"));
        drop((file, other));
        // Sound because both places have memory and nobody else uses them.
        unsafe {
            here.at(7, 1).write_volatile(42);
            assert_eq!(there.at(PAGE + 7, 1).read_volatile(), 42);
        }
    }

    #[test]
    fn nothing_else_is_taken_for_the_file() {
        let file = SharedFile::new(2 * PAGE).expect("memory");
        let handle = file.handle().expect("a handle");
        assert!(SharedFile::open(handle, 2 * PAGE).is_some());
        assert_eq!(Handle::from_words(handle.to_words()), handle);
        let others = [
            Handle { token: handle.token ^ 1, ..handle },
            Handle { namespace: handle.namespace + 1, ..handle },
            Handle { descriptor: 1 << 20, ..handle },
            Handle { process: u64::MAX, ..handle },
        ];
        for other in others {
            assert!(SharedFile::open(other, 2 * PAGE).is_none(), "{other:?}");
        }
        assert!(SharedFile::open(handle, PAGE).is_none());
        drop(file);
        assert!(SharedFile::open(handle, 2 * PAGE).is_none());
    }

    #[test]
    #[should_panic(expected = "bytes at")]
    fn no_place_is_beyond_a_map() {
        let file = SharedFile::new(2 * PAGE).expect("memory");
        file.map(PAGE, PAGE).expect("mapped").at(PAGE - 3, 4);
    }
}
