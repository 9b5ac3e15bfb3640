//! Bending by the angles between neighbouring triangles.

use hematite_cells::vector::{Point, cross, dot, length, minus};

/// The modulus k_b of a mesh with the Helfrich modulus `kappa`.
pub(crate) fn modulus(kappa: f64) -> f64 {
    2.0 / 3f64.sqrt() * kappa
}

/// The angle between the normals of triangles `(p, q, left)` and `(q, p, right)`, positive where the surface is convex.
pub(crate) fn angle(p: Point, q: Point, left: Point, right: Point) -> f64 {
    let e = minus(q, p);
    let (n1, n2) = (cross(e, minus(left, p)), cross(minus(right, p), e));
    (dot(cross(n1, n2), e) / length(e)).atan2(dot(n1, n2))
}

/// `k_b (1 - cos(theta - theta0))`.
pub(crate) fn energy(kappa: f64, theta: f64, rest: f64) -> f64 {
    modulus(kappa) * (1.0 - (theta - rest).cos())
}
