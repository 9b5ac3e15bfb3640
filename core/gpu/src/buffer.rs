//! Buffers on the device, and copies between them and the host.

use bytemuck::Pod;
use hematite_config::{Fault, Result};

use crate::{Gpu, Recorder, Ticket};

/// Bytes that a copy moves at a time, so that the host never holds a second copy of a large buffer.
const CHUNK: usize = 4 << 20;

/// Bytes of the smallest buffer that downloads are copied through; such buffers are kept for the next.
const SMALLEST: u64 = 1 << 16;

/// A storage buffer on the device. Padding at its end lets kernels access the last elements as a whole `vec4`.
#[derive(Clone, Debug)]
pub struct Buffer {
    pub(crate) inner: wgpu::Buffer,
    pub(crate) bytes: u64,
}

impl Buffer {
    /// Size in bytes, a multiple of 4, without the padding.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Size in bytes with padding, whole `vec4`s, of a buffer of `bytes` bytes.
    pub(crate) fn padded(bytes: u64) -> u64 {
        bytes.next_multiple_of(16).max(16)
    }
}

/// Sizes of dispatches, written by kernels. Each entry has the numbers of workgroups along x, y and z of a dispatch.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// `array<u32>`, three words an entry.
    pub buffer: Buffer,
}

impl Arguments {
    /// Bytes of an entry.
    pub(crate) const ENTRY: u64 = 12;
}

/// A buffer that the host can read: the target of a copy, which is then mapped.
#[derive(Clone, Debug)]
pub struct Staging {
    pub(crate) inner: wgpu::Buffer,
}

/// `count` elements of a buffer from element `at` on.
#[derive(Clone, Copy, Debug)]
pub struct Elements<'a> {
    /// Where they are.
    pub buffer: &'a Buffer,
    /// The first.
    pub at: usize,
    /// How many.
    pub count: usize,
}

/// Pieces of buffers that are copied to the host together.
#[derive(Default)]
struct Group<'a> {
    /// Of each the buffer, the first byte there, and what it is copied to.
    pieces: Vec<(&'a Buffer, u64, &'a mut [u8])>,
    /// Bytes of all, each padded to whole words.
    bytes: usize,
}

impl<'a> Group<'a> {
    fn push(&mut self, buffer: &'a Buffer, from: u64, piece: &'a mut [u8]) {
        self.bytes += piece.len().next_multiple_of(4);
        self.pieces.push((buffer, from, piece));
    }
}

impl Gpu {
    /// A host-readable buffer of `bytes` bytes.
    ///
    /// # Errors
    /// A usage fault where there is no room.
    pub fn staging(&self, label: &str, bytes: u64) -> Result<Staging> {
        let inner = self.allocate(label, bytes, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST)?;
        Ok(Staging { inner })
    }

    /// Copies `values` to `buffer` from element `at` on, before the next submission starts.
    pub fn write<T: Pod>(&self, buffer: &Buffer, at: usize, values: &[T]) {
        let _span = self.span("copy");
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let offset = (at * size_of::<T>()) as u64;
        debug_assert!(offset.is_multiple_of(4));
        if bytes.len().is_multiple_of(4) {
            self.queue.write_buffer(&buffer.inner, offset, bytes);
        } else {
            let mut padded = bytes.to_vec();
            padded.resize(bytes.len().next_multiple_of(4), 0);
            self.queue.write_buffer(&buffer.inner, offset, &padded);
        }
    }

    /// Copies `values` to `buffer` from element `at` on, before the next submission starts. Waits for each piece of a long
    /// copy, so that it needs little intermediate memory.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn upload<T: Pod>(&self, buffer: &Buffer, at: usize, values: &[T]) -> Result<()> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let start = at * size_of::<T>();
        for (k, piece) in bytes.chunks(CHUNK).enumerate() {
            self.write(buffer, start + k * CHUNK, piece);
            if bytes.len() > CHUNK {
                self.queue.submit([]);
                self.wait()?;
            }
        }
        Ok(())
    }

    /// Copies `count` elements of `buffer` from element `at` on to the host.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn download<T: Pod>(&self, buffer: &Buffer, at: usize, count: usize) -> Result<Vec<T>> {
        self.download_all(&[Elements { buffer, at, count }])
    }

    /// Copies all these elements to the host, one range after the other. The host waits once for ranges of up to 4 MiB together.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn download_all<T: Pod>(&self, ranges: &[Elements]) -> Result<Vec<T>> {
        let mut values = vec![T::zeroed(); ranges.iter().map(|range| range.count).sum()];
        let mut rest: &mut [u8] = bytemuck::cast_slice_mut(&mut values);
        let mut group = Group::default();
        for range in ranges {
            let start = range.at * size_of::<T>();
            debug_assert!(start.is_multiple_of(4));
            let (bytes, after) = rest.split_at_mut(range.count * size_of::<T>());
            rest = after;
            for (k, piece) in bytes.chunks_mut(CHUNK).enumerate() {
                if group.bytes + piece.len() > CHUNK {
                    self.fetch(std::mem::take(&mut group))?;
                }
                group.push(range.buffer, (start + k * CHUNK) as u64, piece);
            }
        }
        self.fetch(group)?;
        Ok(values)
    }

    /// Copies a group of pieces to the host.
    fn fetch(&self, group: Group) -> Result<()> {
        let bytes = group.bytes as u64;
        if bytes == 0 {
            return Ok(());
        }
        let kept = self.landing.lock().ok().and_then(|mut kept| kept.take());
        let staging = match kept.filter(|staging| staging.inner.size() >= bytes) {
            Some(staging) => staging,
            None => self.staging("download", bytes.next_power_of_two().max(SMALLEST))?,
        };
        let mut recorder = Recorder::new(self);
        let mut to = 0;
        for (buffer, from, piece) in &group.pieces {
            recorder.copy_out(buffer, *from, (&staging, to), piece.len() as u64);
            to += piece.len().next_multiple_of(4) as u64;
        }
        let ticket = recorder.submit();
        self.read(&staging, &ticket, |mut mapped| {
            for (_, _, piece) in group.pieces {
                piece.copy_from_slice(&mapped[..piece.len()]);
                mapped = &mapped[piece.len().next_multiple_of(4)..];
            }
        })?;
        if let Ok(mut kept) = self.landing.lock() {
            *kept = Some(staging);
        }
        Ok(())
    }

    /// Waits for the submission `ticket` and calls `take` with the bytes of `staging`.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn read<R>(&self, staging: &Staging, ticket: &Ticket, take: impl FnOnce(&[u8]) -> R) -> Result<R> {
        staging.inner.map_async(wgpu::MapMode::Read, .., |_| ());
        self.wait_for(ticket)?;
        let _span = self.span("copy");
        let lost = |error: wgpu::MapRangeError| Fault::io(format!("{}: {error}", self.info().name));
        let taken = take(&staging.inner.get_mapped_range(..).map_err(lost)?);
        staging.inner.unmap();
        Ok(taken)
    }
}
