//! A chunk as HDF5 stores it: shuffled, compressed as a zlib stream, with or without a checksum at its end.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use hdf5::filters::Filter;
use hdf5::{Dataset, H5Type};

/// Bytes of a checksum.
const CHECKSUM: usize = 4;

/// The filters of a dataset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filters {
    /// Bytes of a number.
    width: usize,
    /// Level of compression.
    level: u32,
    /// Whether chunks end with a checksum.
    has_checksum: bool,
}

impl Filters {
    /// The filters of a dataset of `T`: shuffle, deflate, and perhaps a checksum. `None` where it has others, or
    /// other numbers.
    pub fn of<T: H5Type>(dataset: &Dataset) -> hdf5::Result<Option<Self>> {
        let (level, has_checksum) = match dataset.filters()[..] {
            [Filter::Shuffle, Filter::Deflate(level)] => (level, false),
            [Filter::Shuffle, Filter::Deflate(level), Filter::Fletcher32] => (level, true),
            _ => return Ok(None),
        };
        let is_same = dataset.dtype()?.to_descriptor()? == T::type_descriptor();
        Ok(is_same.then_some(Self { width: size_of::<T>(), level: level.into(), has_checksum }))
    }

    /// What HDF5 stores for a chunk of these bytes.
    pub fn pack(&self, values: &[u8]) -> hdf5::Result<Vec<u8>> {
        let failed = |error: std::io::Error| hdf5::Error::from(error.to_string());
        let mut encoder = ZlibEncoder::new(Vec::with_capacity(values.len() / 2), Compression::new(self.level));
        encoder.write_all(&shuffled(values, self.width)).map_err(failed)?;
        let mut packed = encoder.finish().map_err(failed)?;
        if self.has_checksum {
            let sum = fletcher32(&packed);
            packed.extend(sum.to_le_bytes());
        }
        Ok(packed)
    }

    /// The `size` bytes of a chunk from what HDF5 stores for it. `None` where that is damaged.
    pub fn unpack(&self, packed: &[u8], size: usize) -> Option<Vec<u8>> {
        let stream = match self.has_checksum {
            true => {
                let (stream, sum) = packed.split_at_checked(packed.len().checked_sub(CHECKSUM)?)?;
                (fletcher32(stream).to_le_bytes() == sum).then_some(stream)?
            }
            false => packed,
        };
        let mut bytes = Vec::with_capacity(size);
        // One byte more than there should be, which would be damage.
        ZlibDecoder::new(stream).take(size as u64 + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() == size).then(|| unshuffled(&bytes, self.width))
    }
}

/// The first bytes of all values, then their second bytes, and so on: HDF5's filter "shuffle".
fn shuffled(values: &[u8], width: usize) -> Vec<u8> {
    let mut shuffled = Vec::with_capacity(values.len());
    for byte in 0..width {
        shuffled.extend(values[byte..].iter().step_by(width));
    }
    shuffled
}

/// The bytes value after value again.
fn unshuffled(shuffled: &[u8], width: usize) -> Vec<u8> {
    let count = shuffled.len() / width;
    let mut values = vec![0; shuffled.len()];
    for (byte, plane) in shuffled.chunks(count.max(1)).enumerate() {
        values[byte..].iter_mut().step_by(width).zip(plane).for_each(|(to, &from)| *to = from);
    }
    values
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
    use super::fletcher32;

    #[test]
    fn the_checksum_is_that_of_known_texts() {
        // Published for words with the lower byte first.
        for (text, sum) in [("abcdef", 0x5650_2d2a), ("abcdefgh", 0xebe1_9591)] {
            let swapped: Vec<u8> = text.as_bytes().chunks(2).flat_map(|word| [word[1], word[0]]).collect();
            assert_eq!(fletcher32(&swapped), sum, "{text}");
        }
    }
}
