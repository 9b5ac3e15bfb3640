//! Bending of a ring.

use hematite_cells::vector::{Point, cross, dot, length};

/// Smallest cosine of half the turning angle (157 degrees) at which Huygens' formula is used. At sharper folds the
/// slope stays at 8.5, its value there: the slope of the formula has no bound, and explicit steps are unstable where a
/// hinge is too stiff.
pub(crate) const OPEN: f64 = 0.2;

/// Least length of a side in bending kernels, over the mean side at rest. Sides of sound membranes are longer.
pub(crate) const LEAST_SIDE: f64 = 0.5;

/// Huygens' approximation `(4 sin(theta/2) + 2 tan(theta/2)) / 3` of the angle theta from side `a` to side `b`, over
/// the mean length of the sides; linear beyond [`OPEN`].
pub(crate) fn curvature(a: Point, b: Point) -> f64 {
    let half = 0.5 * cross(a, b)[2].atan2(dot(a, b));
    let most = OPEN.acos();
    let within = half.clamp(-most, most);
    let slope = (2.0 * within.cos() + within.cos().powi(-2)) / 3.0;
    let psi = (4.0 * within.sin() + 2.0 * within.tan()) / 3.0 + 2.0 * slope * (half - within);
    psi / (0.5 * (length(a) + length(b)))
}

/// `kappa / 2 (c - c0)^2 l` of the vertex between sides `a` and `b`, l their mean length.
pub(crate) fn energy(kappa: f64, c0: f64, a: Point, b: Point) -> f64 {
    0.5 * kappa * (curvature(a, b) - c0).powi(2) * 0.5 * (length(a) + length(b))
}
