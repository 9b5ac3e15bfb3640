//! The resting shape of a red cell (Evans and Fung, Microvasc. Res. 4, 335, 1972).

use crate::vector::Point;

/// `z = R/2 sqrt(1 - q) (C0 + C1 q + C2 q^2)`, `q = (r/R)^2`.
const C: [f64; 3] = [0.207161, 2.002558, -1.122762];

/// The point of the discocyte of radius 1 at the same x and y as a point of the unit sphere. The map is smooth
/// everywhere, since `sqrt(1 - q)` is the |z| of the sphere.
pub(crate) fn point([x, y, z]: Point) -> Point {
    let q = x * x + y * y;
    [x, y, 0.5 * z * (C[0] + q * (C[1] + q * C[2]))]
}

/// The point, as x, y, of the discocyte's section by the plane y = 0 at the same x as a point of the unit circle.
pub(crate) fn section([x, y]: [f64; 2]) -> [f64; 2] {
    let [x, _, y] = point([x, 0.0, y]);
    [x, y]
}
