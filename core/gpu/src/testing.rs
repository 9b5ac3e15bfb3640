//! Helpers for tests of kernels.

use crate::{Gpu, Needs};

/// Sizes around the limits of blocks and levels.
pub const SIZES: [usize; 21] = [
    0,
    1,
    2,
    3,
    4,
    5,
    255,
    256,
    257,
    4095,
    4096,
    4097,
    8191,
    8192,
    65_535,
    65_536,
    65_537,
    (1 << 20) - 1,
    1 << 20,
    (1 << 20) + 1,
    17,
];

/// A device that checks bounds.
pub fn checked() -> Gpu {
    Gpu::open(0, Needs { checks: true, ..Needs::default() }).expect("a device")
}

/// `count` numbers by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
pub fn random(seed: u64, count: usize) -> Vec<u32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as u32
    };
    (0..count).map(|_| next()).collect()
}
