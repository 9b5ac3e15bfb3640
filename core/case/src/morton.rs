//! Morton's curve through a lattice, along which neighbours stay together.

/// Where `position`, of numbers that are not negative, lies on the curve: the bits of its first D coordinates interleaved,
/// in 3-D the lowest 21 of each.
pub fn morton<const D: usize>(position: [i32; 3]) -> u64 {
    let bits = if D == 2 { 31 } else { 21 };
    (0..bits).fold(0, |key, bit| {
        (0..D).fold(key, |key, axis| key | ((position[axis] as u64 >> bit & 1) << (D * bit + axis)))
    })
}
