//! Areas and volumes near their reference.

/// `k / 2 (x - rest)^2 / rest`.
pub(crate) fn energy(k: f64, x: f64, rest: f64) -> f64 {
    0.5 * k * (x - rest) * (x - rest) / rest
}
