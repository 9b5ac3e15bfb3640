//! Linear sides.

/// `k / 2 (l - l0)^2 / l0`.
pub(crate) fn energy(k: f64, l: f64, rest: f64) -> f64 {
    0.5 * k * (l - rest) * (l - rest) / rest
}
