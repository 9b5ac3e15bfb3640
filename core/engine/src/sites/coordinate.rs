//! Positions on the device: a whole number of lattice units and a fraction, so that the precision is the same
//! everywhere.

use bytemuck::{Pod, Zeroable};

/// A coordinate in the format of the device.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Coordinate {
    /// Whole number of lattice units.
    pub site: i32,
    /// The rest, in 1 / [`Coordinate::PER_UNIT`].
    pub fraction: u32,
}

impl Coordinate {
    /// Units of a fraction in a lattice unit.
    pub const PER_UNIT: f64 = 4_294_967_296.0;

    /// The nearest coordinate to `x` lattice units.
    pub fn of(x: f64) -> Self {
        Self::from_word((x * Self::PER_UNIT).round() as i64)
    }

    /// The coordinate as one number in 2^-32 lattice units.
    pub fn word(self) -> i64 {
        i64::from(self.site) << 32 | i64::from(self.fraction)
    }

    /// The coordinate of a number in 2^-32 lattice units.
    pub fn from_word(word: i64) -> Self {
        Self { site: (word >> 32) as i32, fraction: word as u32 }
    }

    /// The coordinate in lattice units.
    pub fn value(self) -> f64 {
        f64::from(self.site) + f64::from(self.fraction) / Self::PER_UNIT
    }
}
