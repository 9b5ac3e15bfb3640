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

    /// The SI unit of this dimension as configs write it, e.g. "kg/m3"; "1" without dimension.
    pub fn symbol(self) -> String {
        let powers = [("kg", self.mass), ("m", self.length), ("s", self.time), ("K", self.temperature)];
        let factor = |(unit, power): (&str, i8)| match power.unsigned_abs() {
            1 => unit.to_owned(),
            power => format!("{unit}{power}"),
        };
        let over: Vec<String> = powers.into_iter().filter(|&(_, power)| power > 0).map(factor).collect();
        let under = powers.into_iter().filter(|&(_, power)| power < 0).map(|unit| format!("/{}", factor(unit)));
        let over = if over.is_empty() { "1".to_owned() } else { over.join(" ") };
        std::iter::once(over).chain(under).collect()
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
