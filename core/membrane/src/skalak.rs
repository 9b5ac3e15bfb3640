//! Skalak's law.

/// `W = g / 4 (I1^2 + 2 I1 - 2 I2 + c I2^2)`, energy per area of the reference.
pub(crate) fn energy(g: f64, c: f64, [i1, i2]: [f64; 2]) -> f64 {
    0.25 * g * (i1 * i1 + 2.0 * i1 - 2.0 * i2 + c * i2 * i2)
}
