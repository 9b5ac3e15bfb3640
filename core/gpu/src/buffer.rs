//! Buffers on the device, and copies between them and the host.

use bytemuck::Pod;
use hematite_config::{Fault, Result};

use crate::{Gpu, Recorder, Ticket};

/// Bytes that a copy moves at a time, so that the host never holds a second copy of a large buffer.
const CHUNK: usize = 4 << 20;

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

    /// Copies `values` to `buffer` from element `at` on. Waits for each of its pieces, so that the copy needs little
    /// intermediate memory.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn upload<T: Pod>(&self, buffer: &Buffer, at: usize, values: &[T]) -> Result<()> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let start = at * size_of::<T>();
        for (k, piece) in bytes.chunks(CHUNK).enumerate() {
            self.write(buffer, start + k * CHUNK, piece);
            self.queue.submit([]);
            self.wait()?;
        }
        Ok(())
    }

    /// Copies `count` elements of `buffer` from element `at` on to the host.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn download<T: Pod>(&self, buffer: &Buffer, at: usize, count: usize) -> Result<Vec<T>> {
        let mut values = vec![T::zeroed(); count];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut values);
        let start = (at * size_of::<T>()) as u64;
        debug_assert!(start.is_multiple_of(4));
        let staging = self.staging("download", bytes.len().min(CHUNK) as u64)?;
        for (k, piece) in bytes.chunks_mut(CHUNK).enumerate() {
            let mut recorder = Recorder::new(self);
            recorder.copy_out(buffer, start + (k * CHUNK) as u64, &staging, piece.len() as u64);
            let ticket = recorder.submit();
            self.read(&staging, &ticket, |mapped| piece.copy_from_slice(&mapped[..piece.len()]))?;
        }
        Ok(values)
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
