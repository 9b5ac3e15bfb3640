//! Chunks written and read as they are stored, past HDF5's filters.
#![expect(unsafe_code, reason = "HDF5's wrapper has no call for it")]

use std::ptr::null_mut;

use hdf5::Dataset;
use hdf5_sys::h5d::{H5Dget_chunk_info_by_coord, H5Dread_chunk, H5Dwrite_chunk};
use hdf5_sys::h5p::H5P_DEFAULT;

use crate::LARGEST;

/// Stores `packed`, to which all filters of the dataset were applied, as the chunk whose first value has the indices
/// `at`; indices that are left out are 0.
pub(crate) fn write(dataset: &Dataset, at: &[usize], packed: &[u8]) -> hdf5::Result<()> {
    let offset = offset(dataset, at);
    // No filter was left out.
    let mask = 0;
    // Sound because the dataset is open, `offset` has a number for each of its dimensions, and HDF5 reads
    // `packed.len()` bytes. The wrapper's lock keeps other threads out of HDF5.
    let done = hdf5::sync::sync(|| unsafe {
        H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, mask, offset.as_ptr(), packed.len(), packed.as_ptr().cast())
    });
    if done < 0 { Err(hdf5::Error::query().unwrap_or_else(|_| "a chunk was not written".into())) } else { Ok(()) }
}

/// The chunk whose first value has the indices `at`, as it is stored. `None` where none is stored, where a filter was
/// left out, or where HDF5 cannot read it.
pub(crate) fn read(dataset: &Dataset, at: &[usize]) -> Option<Vec<u8>> {
    let offset = offset(dataset, at);
    let (mut mask, mut size) = (0, 0);
    hdf5::sync::sync(|| {
        // Sound because the dataset is open, `offset` has a number for each of its dimensions, and HDF5 writes a
        // number to each address that is not null. The wrapper's lock keeps other threads out of HDF5.
        let known = unsafe {
            H5Dget_chunk_info_by_coord(dataset.id(), offset.as_ptr(), &raw mut mask, null_mut(), &raw mut size)
        };
        if known < 0 || mask != 0 || size == 0 || size > LARGEST as u64 {
            return None;
        }
        let mut packed = vec![0_u8; size as usize];
        // Sound as above; HDF5 writes as many bytes as it said that the chunk has, for which there is room.
        let done = unsafe {
            H5Dread_chunk(dataset.id(), H5P_DEFAULT, offset.as_ptr(), &raw mut mask, packed.as_mut_ptr().cast())
        };
        (done >= 0 && mask == 0).then_some(packed)
    })
}

/// Indices for each dimension of the dataset.
fn offset(dataset: &Dataset, at: &[usize]) -> Vec<u64> {
    let mut offset = vec![0; dataset.ndim()];
    offset.iter_mut().zip(at).for_each(|(offset, &at)| *offset = at as u64);
    offset
}
