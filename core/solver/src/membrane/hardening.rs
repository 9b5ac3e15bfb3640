//! Sides of finite extensibility.

/// Share of the largest strain beyond which the tension does not grow.
const LARGEST_SHARE: f64 = 0.99;

/// The strain of either sign beyond which the tension stays as it is there, for the largest stretch `limit`.
pub(crate) fn largest_strain(limit: f64) -> f64 {
    LARGEST_SHARE * (limit - 1.0)
}

/// `-k / 2 l0 (s - 1)^2 ln(1 - (e / (s - 1))^2)` with `e = l / l0 - 1`, s the largest stretch; linear beyond
/// [`largest_strain`].
pub(crate) fn energy(k: f64, limit: f64, l: f64, rest: f64) -> f64 {
    let reach = limit - 1.0;
    let strain = l / rest - 1.0;
    let e = strain.clamp(-largest_strain(limit), largest_strain(limit));
    let tension = k * e / (1.0 - (e / reach).powi(2));
    -0.5 * k * rest * reach * reach * (1.0 - (e / reach).powi(2)).ln() + tension * rest * (strain - e)
}
