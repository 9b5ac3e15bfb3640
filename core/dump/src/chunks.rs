//! Whole chunks of compressed datasets, compressed by all cores: HDF5's own filters work on one.

use std::io::Write;

use bytemuck::NoUninit;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use hdf5::filters::Filter;
use hdf5::{Dataset, H5Type};
use rayon::prelude::*;

use crate::raw_chunk;

/// Chunks that are held in memory at a time, for each thread.
const AHEAD: usize = 4;

/// Writes the whole chunks at the start of `values`, which are rows from row `start` on. Returns the number of rows
/// written. It is 0 if `start` is within a chunk, if fewer than two chunks are whole, or if the dataset has other filters
/// than those of this crate.
pub(crate) fn write<T: H5Type + NoUninit>(dataset: &Dataset, start: usize, values: &[T]) -> hdf5::Result<usize> {
    let Some(shape) = dataset.chunk() else { return Ok(0) };
    let (rows, size) = (shape[0], shape.iter().product::<usize>());
    let whole = values.len() / size;
    if whole < 2 || !start.is_multiple_of(rows) || shape[1..] != dataset.shape()[1..] {
        return Ok(0);
    }
    let Some(level) = level(&dataset.filters()) else { return Ok(0) };
    if dataset.dtype()?.to_descriptor()? != T::type_descriptor() {
        return Ok(0);
    }
    let bytes: &[u8] = bytemuck::cast_slice(&values[..whole * size]);
    let chunks: Vec<&[u8]> = bytes.chunks(size * size_of::<T>()).collect();
    let mut row = start;
    for chunks in chunks.chunks(AHEAD * rayon::current_num_threads()) {
        let packed: Vec<_> = chunks.par_iter().map(|chunk| pack(chunk, size_of::<T>(), level)).collect();
        for packed in packed {
            let packed = packed.map_err(|error| hdf5::Error::from(error.to_string()))?;
            raw_chunk::write(dataset, row, &packed)?;
            row += rows;
        }
    }
    Ok(row - start)
}

/// The level of compression, if these are the filters of this crate: shuffle, deflate, checksum.
fn level(filters: &[Filter]) -> Option<u32> {
    match filters {
        [Filter::Shuffle, Filter::Deflate(level), Filter::Fletcher32] => Some(u32::from(*level)),
        _ => None,
    }
}

/// A chunk as HDF5 stores it: shuffled, compressed as a zlib stream, with the checksum of that at its end.
fn pack(values: &[u8], width: usize, level: u32) -> std::io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(values.len() / 2), Compression::new(level));
    encoder.write_all(&shuffled(values, width))?;
    let mut packed = encoder.finish()?;
    let sum = fletcher32(&packed);
    packed.extend(sum.to_le_bytes());
    Ok(packed)
}

/// The first bytes of all values, then their second bytes, and so on: HDF5's filter "shuffle".
fn shuffled(values: &[u8], width: usize) -> Vec<u8> {
    let mut shuffled = Vec::with_capacity(values.len());
    for byte in 0..width {
        shuffled.extend(values[byte..].iter().step_by(width));
    }
    shuffled
}

/// HDF5's checksum: Fletcher's sum of 32 bits over big-endian words of two bytes. An odd number of bytes is filled up
/// with a 0.
fn fletcher32(bytes: &[u8]) -> u32 {
    /// Sums of this many words fit into 32 bits.
    const WORDS: usize = 360;
    let fold = |sum: u32| (sum & 0xffff) + (sum >> 16);
    let (mut low, mut high) = (0_u32, 0_u32);
    for block in bytes.chunks(2 * WORDS) {
        for word in block.chunks(2) {
            low += u32::from(u16::from_be_bytes([word[0], word.get(1).copied().unwrap_or(0)]));
            high += low;
        }
        (low, high) = (fold(low), fold(high));
    }
    fold(high) << 16 | fold(low)
}

#[cfg(test)]
mod tests {
    use hdf5::File;
    use proptest::prelude::*;

    use super::{fletcher32, write};
    use crate::h5;

    #[test]
    fn the_checksum_is_that_of_known_texts() {
        // Published for words with the lower byte first.
        for (text, sum) in [("abcdef", 0x5650_2d2a), ("abcdefgh", 0xebe1_9591)] {
            let swapped: Vec<u8> = text.as_bytes().chunks(2).flat_map(|word| [word[1], word[0]]).collect();
            assert_eq!(fletcher32(&swapped), sum, "{text}");
        }
    }

    proptest! {
        /// HDF5 reads back what was packed here, and verifies its own checksum of it.
        #[test]
        fn hdf5_reads_whole_and_other_chunks(
            values in prop::collection::vec(any::<f32>(), 0..4000), chunk in 1_usize..200, before in 0_usize..3, three in any::<bool>(),
        ) {
            let folder = tempfile::tempdir().expect("a folder");
            let columns = if three { 3 } else { 1 };
            let rows = values.len() / columns;
            let values = &values[..rows * columns];
            let path = folder.path().join("a.h5");
            let file = File::create(&path).expect("creates");
            let dataset = h5::growing::<f32>(&file, "a", three.then_some(3), chunk).expect("a dataset");
            h5::resize(&dataset, before * chunk + rows).expect("grows");
            let written = write(&dataset, before * chunk, values).expect("writes");
            let whole = rows / chunk;
            prop_assert_eq!(written, if whole < 2 { 0 } else { whole * chunk });
            h5::write_rows(&dataset, before * chunk, values).expect("writes");
            file.close().expect("closes");
            let file = h5::open(&path).expect("opens");
            let read = h5::read_rows::<f32>(&file.dataset("a").expect("there"), before * chunk, rows).expect("reads");
            let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&read), bits(values));
        }
    }
}
