//! Neo-Hookean membranes.

/// `W = g / 2 (I1 - 1 + 1 / (I2 + 1))`, energy per area of the reference.
pub(crate) fn energy(g: f64, [i1, i2]: [f64; 2]) -> f64 {
    0.5 * g * (i1 - 1.0 + 1.0 / (i2 + 1.0))
}
