//! Fairing: elasticity against folds that are one or two sides wide.

use hematite_cells::jumps;

use super::vector::{Vector, dot};

/// A jump that is larger than at rest by so many mean sides has half of the energy that it would have by the modulus alone.
pub(crate) const FAIR: f64 = 0.4;

/// Bounds the second derivatives of `phi(|d|^2 - q_0) / 2`, `phi(q) = q^3 / (1 + q^2)`: they are at most 2.27 + 2.9 q_0.
const STEEPEST: [f64; 2] = [2.27, 2.9];

/// The squares `q_0 = |d|^2 / (FAIR l)^2` of the jumps d ([`jumps`]) along `sides` at rest, l the mean side.
pub(crate) fn at_rest(l: f64, sides: &[[usize; 2]], x: &[Vector]) -> Vec<f64> {
    jumps(x, sides).into_iter().map(|d| dot(d, d) / (FAIR * l).powi(2)).collect()
}

/// `k / 2 (FAIR l)^2 sum phi(q)` over `sides`, `phi(q) = q^3 / (1 + q^2)`, with `q = |d|^2 / (FAIR l)^2 - q_0` where that is positive,
/// else 0; `rest` are the `q_0` ([`at_rest`]).
pub(crate) fn energy(k: f64, l: f64, sides: &[[usize; 2]], rest: &[f64], x: &[Vector]) -> f64 {
    let energy = |(now, rest): (f64, &f64)| {
        let q = (now - rest).max(0.0);
        0.5 * k * (FAIR * l).powi(2) * q.powi(3) / (1.0 + q * q)
    };
    at_rest(l, sides, x).into_iter().zip(rest).map(energy).sum()
}

/// A bound of the second derivative of the energy by the position of vertex `v` of `count`, in any shape.
pub(crate) fn stiffness(k: f64, sides: &[[usize; 2]], rest: &[f64], v: usize, count: usize) -> f64 {
    let mut moved = vec![[0.0; 3]; count];
    moved[v][0] = 1.0;
    let of_side = |(d, rest): (Vector, &f64)| (STEEPEST[0] + STEEPEST[1] * rest) * dot(d, d);
    k * jumps(&moved, sides).into_iter().zip(rest).map(of_side).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Second derivatives of the energy of one jump along and across it, by differences.
    #[test]
    fn no_jump_is_stiffer_than_the_bound() {
        let phi = |square: f64, rest: f64| {
            let q = (square - rest).max(0.0);
            0.5 * q.powi(3) / (1.0 + q * q)
        };
        let h = 1e-3;
        for rest in [0.0, 0.1, 0.5, 1.0, 4.0] {
            let steepest = (0..8000)
                .map(|k| {
                    let d = 1e-3 * f64::from(k);
                    let at = |along: f64, across: f64| phi((d + along).powi(2) + across * across, rest);
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
