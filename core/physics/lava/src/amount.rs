//! Amounts of lava and of heat as whole numbers.

/// Units of 1 m of thickness, or of 1 K m of heat.
pub const PER_ONE: f64 = (1_u64 << 40) as f64;

/// A thickness in m, or heat in K m.
pub fn number(amount: u64) -> f64 {
    amount as f64 / PER_ONE
}

/// The amount of a thickness in m, or of heat in K m, rounded down.
pub fn amount(number: f64) -> u64 {
    (number * PER_ONE) as u64
}

/// Its two words, low word first.
pub fn words(amount: u64) -> [u32; 2] {
    [amount as u32, (amount >> 32) as u32]
}

/// The amount of two words.
pub fn of_words(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}
