//! Gompper and Kroll's discrete Helfrich energy.

use hematite_cells::vector::{Point, cross, dot, length, minus, plus, times};

/// `kappa / 2 |L|^2 / sigma` of a vertex at `x` with the neighbours `ring`, counter-clockwise.
pub(crate) fn energy(kappa: f64, x: Point, ring: &[Point]) -> f64 {
    let n = ring.len();
    let (mut l, mut sigma) = ([0.0; 3], 0.0);
    for j in 0..n {
        let (before, here, after) = (ring[(j + n - 1) % n], ring[j], ring[(j + 1) % n]);
        let weight = cot(before, x, here) + cot(after, x, here);
        let edge = minus(x, here);
        l = plus(l, times(0.5 * weight, edge));
        sigma += weight * dot(edge, edge) / 8.0;
    }
    0.5 * kappa * dot(l, l) / sigma
}

/// The cotangent of the angle at `corner` between `p` and `q`.
fn cot(corner: Point, p: Point, q: Point) -> f64 {
    let (a, b) = (minus(p, corner), minus(q, corner));
    dot(a, b) / length(cross(a, b))
}
