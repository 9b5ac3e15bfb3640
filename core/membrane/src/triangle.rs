//! Strain of a triangle.

use hematite_cells::vector::{Point, cross, dot, length};

/// Skalak's invariants of the deformation that takes edges `(a0, b0)` of a triangle to `(a, b)`:
/// `I1 = l1^2 + l2^2 - 2`, `I2 = l1^2 l2^2 - 1` with the principal stretches.
pub(crate) fn invariants([a0, b0]: [Point; 2], [a, b]: [Point; 2]) -> [f64; 2] {
    // Both triangles lie in the plane with the first edge along x. F maps one to the other.
    let flat = |a: Point, b: Point| [length(a), dot(a, b) / length(a), length(cross(a, b)) / length(a)];
    let [x0, y0, z0] = flat(a0, b0);
    let [x, y, z] = flat(a, b);
    let f = [[x / x0, (y - x / x0 * y0) / z0], [0.0, z / z0]];
    let trace = f.iter().flatten().map(|f| f * f).sum::<f64>();
    let det = f[0][0] * f[1][1];
    [trace - 2.0, det * det - 1.0]
}

/// The area of the triangle with edges `a` and `b`.
pub(crate) fn area([a, b]: [Point; 2]) -> f64 {
    0.5 * length(cross(a, b))
}

#[cfg(test)]
mod tests {
    use super::super::{neo_hookean, skalak};
    use super::*;

    /// Principal tension (1 / l2) dW/dl1 of a triangle stretched by `l1` and `l2` along axes of its own, by
    /// differences.
    fn tension(law: impl Fn([f64; 2]) -> f64, l1: f64, l2: f64) -> f64 {
        let rest = [[0.7, 0.2, 0.0], [-0.1, 0.9, 0.0]];
        let (cos, sin) = (0.8, 0.6);
        let stretched = |l1: f64| {
            rest.map(|e: Point| {
                let (p, q) = (l1 * (cos * e[0] + sin * e[1]), l2 * (cos * e[1] - sin * e[0]));
                [0.3 * p, q, (1.0f64 - 0.09).sqrt() * p]
            })
        };
        let w = |l1: f64| law(invariants(rest, stretched(l1)));
        (w(l1 + 1e-5) - w(l1 - 1e-5)) / 2e-5 / l2
    }

    #[test]
    fn principal_tensions_are_those_of_the_laws() {
        let (g, c) = (1.7, 3.0);
        for (l1, l2) in [(1.0, 1.0), (1.2, 0.9), (0.8, 1.5), (2.0, 2.0)] {
            let product: f64 = l1 * l2;
            let expected = g * l1 / l2 * ((l1 * l1 - 1.0) + c * l2 * l2 * (product * product - 1.0));
            let measured = tension(|i| skalak::energy(g, c, i), l1, l2);
            assert!((measured - expected).abs() < 1e-7 * (1.0 + expected.abs()), "Skalak {measured} {expected}");
            let expected = g / product * (l1 * l1 - 1.0 / (product * product));
            let measured = tension(|i| neo_hookean::energy(g, i), l1, l2);
            assert!((measured - expected).abs() < 1e-7 * (1.0 + expected.abs()), "neo-Hookean {measured} {expected}");
        }
    }
}
