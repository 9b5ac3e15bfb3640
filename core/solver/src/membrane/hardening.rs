//! Sides of finite extensibility.

/// Share of the largest strain beyond which the tension goes on straight: 50 times as stiff as at rest, while explicit
/// steps become unstable where it grows without bound.
const LARGEST_SHARE: f64 = 0.9;

/// The strain of either sign beyond which the tension goes on along its tangent, for the largest stretch `limit`.
pub(crate) fn largest_strain(limit: f64) -> f64 {
    LARGEST_SHARE * (limit - 1.0)
}

/// `-k / 2 l0 (s - 1)^2 ln(1 - (e / (s - 1))^2)` with `e = l / l0 - 1`, s the largest stretch; quadratic beyond
/// [`largest_strain`].
pub(crate) fn energy(k: f64, limit: f64, l: f64, rest: f64) -> f64 {
    let reach = limit - 1.0;
    let strain = l / rest - 1.0;
    let e = strain.clamp(-largest_strain(limit), largest_strain(limit));
    let square = (e / reach).powi(2);
    let room = 1.0 - square;
    let beyond = strain - e;
    let (tension, slope) = (k * e / room, k * (1.0 + square) / (room * room));
    rest * (-0.5 * k * reach * reach * room.ln() + (tension + 0.5 * slope * beyond) * beyond)
}
