//! Areas of triangles.

/// `k rest e(x / rest)` with `e(a) = (a - 1)^2 / 2` for `a >= 1` and `a - 1 - ln a` below, which diverges where the
/// triangle vanishes.
pub(crate) fn energy(k: f64, x: f64, rest: f64) -> f64 {
    let a = x / rest;
    k * rest * if a >= 1.0 { 0.5 * (a - 1.0) * (a - 1.0) } else { a - 1.0 - a.ln() }
}
