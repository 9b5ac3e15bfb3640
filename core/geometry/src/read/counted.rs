//! Packed pixels are counted before room is made for them: a header may claim far more than there is.

use std::io::Write;

/// Claims of no more than this for each stored byte are read without being counted.
const TIMES: u64 = 4;
/// Nor are those of no more than this in all.
const SMALL: u64 = 1 << 20;

/// Whether a claim of bytes is no danger to memory, whatever the file holds.
pub(super) fn is_modest(claimed: u64, stored: u64) -> bool {
    claimed <= stored.saturating_mul(TIMES).saturating_add(SMALL)
}

/// Counts what is written, and fails where that is enough.
pub(super) struct Counted {
    bytes: u64,
    most: u64,
}

impl Counted {
    pub(super) fn up_to(most: u64) -> Self {
        Self { bytes: 0, most }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.bytes >= self.most {
            return Err(std::io::Error::other("enough"));
        }
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
