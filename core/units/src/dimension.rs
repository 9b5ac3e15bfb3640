//! Dimensions as integer exponents of the SI base units.

use std::fmt;

/// Exponents of metre, kilogram, second and kelvin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dimension {
    /// Exponent of the metre.
    pub length: i8,
    /// Exponent of the kilogram.
    pub mass: i8,
    /// Exponent of the second.
    pub time: i8,
    /// Exponent of the kelvin.
    pub temperature: i8,
}

impl Dimension {
    /// The dimension with the given exponents of metre, kilogram and second.
    pub const fn new(length: i8, mass: i8, time: i8) -> Self {
        Self { length, mass, time, temperature: 0 }
    }

    /// The product of `self` and `other` raised to `power`.
    pub fn times(self, other: Self, power: i8) -> Self {
        Self {
            length: self.length + power * other.length,
            mass: self.mass + power * other.mass,
            time: self.time + power * other.time,
            temperature: self.temperature + power * other.temperature,
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let factors: Vec<String> = [("kg", self.mass), ("m", self.length), ("s", self.time), ("K", self.temperature)]
            .into_iter()
            .filter(|&(_, power)| power != 0)
            .map(|(unit, power)| if power == 1 { unit.to_owned() } else { format!("{unit}^{power}") })
            .collect();
        if factors.is_empty() { f.write_str("1 (no unit)") } else { f.write_str(&factors.join(" ")) }
    }
}
