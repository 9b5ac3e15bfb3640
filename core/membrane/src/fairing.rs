//! Fairing: elasticity against folds that are one or two sides wide.

use hematite_cells::jumps;
use hematite_cells::vector::{Point, dot};

/// At a jump whose square exceeds that at rest by `(FAIR l)^2`, with l the mean side, half of the modulus acts.
pub(crate) const FAIR: f64 = 0.4;

/// Bound of the second derivatives of `phi(|d|^2 - q_0) / 2` with respect to d: the first number plus the second times
/// q_0.
const STEEPEST: [f64; 2] = [2.27, 2.9];

/// `q^3 / (1 + q^2)` for positive q, else 0.
fn phi(q: f64) -> f64 {
    let q = q.max(0.0);
    q.powi(3) / (1.0 + q * q)
}

/// The fold along each of `sides`: `|d|^2 / (FAIR l)^2`, with d the jump there ([`jumps`]) and l the mean side at rest.
pub(crate) fn folds(l: f64, sides: &[[usize; 2]], x: &[Point]) -> Vec<f64> {
    jumps(x, sides).into_iter().map(|d| dot(d, d) / (FAIR * l).powi(2)).collect()
}

/// `k / 2 (FAIR l)^2 sum phi(q - q_0)` over `sides`, with q the folds ([`folds`]) of the vertices `x`, and q_0 = `rest`
/// those of the shape at rest.
pub(crate) fn energy(k: f64, l: f64, sides: &[[usize; 2]], rest: &[f64], x: &[Point]) -> f64 {
    let sum: f64 = folds(l, sides, x).into_iter().zip(rest).map(|(q, rest)| phi(q - rest)).sum();
    0.5 * k * (FAIR * l).powi(2) * sum
}

/// A bound of the second derivative of the energy with respect to the position of vertex `v` of `count`, in any shape.
pub(crate) fn stiffness(k: f64, sides: &[[usize; 2]], rest: &[f64], v: usize, count: usize) -> f64 {
    let mut moved = vec![[0.0; 3]; count];
    moved[v][0] = 1.0;
    let of_side = |(d, rest): (Point, &f64)| (STEEPEST[0] + STEEPEST[1] * rest) * dot(d, d);
    k * jumps(&moved, sides).into_iter().zip(rest).map(of_side).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Second derivatives of the energy of one jump along and across it, by differences.
    #[test]
    fn no_jump_is_stiffer_than_the_bound() {
        let h = 1e-3;
        for rest in [0.0, 0.1, 0.5, 1.0, 4.0] {
            let steepest = (0..8000)
                .map(|k| {
                    let d = 1e-3 * f64::from(k);
                    let at = |along: f64, across: f64| 0.5 * phi((d + along).powi(2) + across * across - rest);
                    let along = (at(h, 0.0) - 2.0 * at(0.0, 0.0) + at(-h, 0.0)) / (h * h);
                    let across = (at(0.0, h) - 2.0 * at(0.0, 0.0) + at(0.0, -h)) / (h * h);
                    along.max(across)
                })
                .fold(0.0, f64::max);
            let bound = STEEPEST[0] + STEEPEST[1] * rest;
            assert!(steepest <= bound && steepest > 0.7 * bound, "{rest}: {steepest} against {bound}");
        }
    }
}
