//! Numbers that seem random, the same each time.

/// A sequence of numbers (splitmix64).
#[derive(Clone, Copy, Debug)]
pub struct Random(u64);

impl Random {
    /// That of a seed.
    pub fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from 0 on, less than `most`.
    ///
    /// # Panics
    /// When there is none.
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % most
    }
}
