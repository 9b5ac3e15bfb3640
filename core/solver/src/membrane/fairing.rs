//! Fairing: elasticity against folds that are one or two sides wide.

use hematite_cells::jumps;

use super::vector::{Vector, dot};

/// A jump of this share of the mean side has half of the energy that it would have by the modulus alone.
pub(crate) const FAIR: f64 = 0.4;

/// Largest second derivative of `d^2 / 2 q / (1 + q)` with `q` a multiple of `d^2`.
const STEEPEST: f64 = 1.25;

/// `k / 2 sum |d|^2 q / (1 + q)` over `sides`, with the jump d along a side ([`jumps`]) and `q = |d|^2 / (FAIR l)^2`, l the mean
/// side at rest.
pub(crate) fn energy(k: f64, l: f64, sides: &[[usize; 2]], x: &[Vector]) -> f64 {
    let energy = |d: Vector| {
        let q = dot(d, d) / (FAIR * l).powi(2);
        0.5 * k * dot(d, d) * q / (1.0 + q)
    };
    jumps(x, sides).into_iter().map(energy).sum()
}

/// A bound of the second derivative of the energy by the position of vertex `v` of `count`, in any shape.
pub(crate) fn stiffness(k: f64, sides: &[[usize; 2]], v: usize, count: usize) -> f64 {
    let mut moved = vec![[0.0; 3]; count];
    moved[v][0] = 1.0;
    STEEPEST * k * jumps(&moved, sides).into_iter().map(|d| dot(d, d)).sum::<f64>()
}
