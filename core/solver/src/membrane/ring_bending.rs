//! Bending of a ring.

use super::vector::{Vector, cross, dot, length};

/// Huygens' stand-in `(4 sin(theta/2) + 2 tan(theta/2)) / 3` for the angle by which side `b` turns from side `a`, over
/// their mean length.
pub(crate) fn curvature(a: Vector, b: Vector) -> f64 {
    let half = 0.5 * cross(a, b)[2].atan2(dot(a, b));
    (4.0 * half.sin() + 2.0 * half.tan()) / 3.0 / (0.5 * (length(a) + length(b)))
}

/// `kappa / 2 (c - c0)^2 l` of the vertex between sides `a` and `b`, l their mean length.
pub(crate) fn energy(kappa: f64, c0: f64, a: Vector, b: Vector) -> f64 {
    0.5 * kappa * (curvature(a, b) - c0).powi(2) * 0.5 * (length(a) + length(b))
}
