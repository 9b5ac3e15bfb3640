//! Chunks written as they are stored, past HDF5's filters.
#![expect(unsafe_code, reason = "HDF5's wrapper has no call for it")]

use hdf5::Dataset;
use hdf5_sys::h5d::H5Dwrite_chunk;
use hdf5_sys::h5p::H5P_DEFAULT;

/// Stores `packed`, to which all filters of the dataset were applied, as the chunk that begins at row `row`.
pub(crate) fn write(dataset: &Dataset, row: usize, packed: &[u8]) -> hdf5::Result<()> {
    let mut offset = vec![0; dataset.ndim()];
    if let Some(first) = offset.first_mut() {
        *first = row as u64;
    }
    // No filter was left out.
    let mask = 0;
    // Sound because the dataset is open, `offset` has a number for each of its dimensions, and HDF5 reads
    // `packed.len()` bytes. The wrapper's lock keeps other threads out of HDF5.
    let done = hdf5::sync::sync(|| unsafe {
        H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, mask, offset.as_ptr(), packed.len(), packed.as_ptr().cast())
    });
    if done < 0 { Err(hdf5::Error::query().unwrap_or_else(|_| "a chunk was not written".into())) } else { Ok(()) }
}
