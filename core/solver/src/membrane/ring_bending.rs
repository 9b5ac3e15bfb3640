//! Bending of a ring.

use super::vector::{Vector, cross, dot, length};

/// Half the turning angle has at least this cosine where Huygens' formula holds: up to 157 degrees. Beyond, where a ring
/// folds, its slope stays what it is there, 8.5: sides that are pressed together by tens of times what bends them would else
/// make a hinge so stiff that explicit steps throw it about.
pub(crate) const OPEN: f64 = 0.2;

/// Against bending, kernels count a side as at least this share of the mean side at rest, whatever its length: sound membranes
/// stay above.
pub(crate) const LEAST_SIDE: f64 = 0.5;

/// Huygens' stand-in `(4 sin(theta/2) + 2 tan(theta/2)) / 3` for the angle by which side `b` turns from side `a`, over
/// their mean length; beyond [`OPEN`] along its tangent.
pub(crate) fn curvature(a: Vector, b: Vector) -> f64 {
    let half = 0.5 * cross(a, b)[2].atan2(dot(a, b));
    let most = OPEN.acos();
    let within = half.clamp(-most, most);
    let slope = (2.0 * within.cos() + within.cos().powi(-2)) / 3.0;
    let psi = (4.0 * within.sin() + 2.0 * within.tan()) / 3.0 + 2.0 * slope * (half - within);
    psi / (0.5 * (length(a) + length(b)))
}

/// `kappa / 2 (c - c0)^2 l` of the vertex between sides `a` and `b`, l their mean length.
pub(crate) fn energy(kappa: f64, c0: f64, a: Vector, b: Vector) -> f64 {
    0.5 * kappa * (curvature(a, b) - c0).powi(2) * 0.5 * (length(a) + length(b))
}
