//! Sides of finite extensibility.

/// Of a stretched side: share of the largest strain beyond which the tension goes on straight, 50 times as stiff as at rest;
/// explicit steps become unstable where it grows without bound.
const STRETCHED_SHARE: f64 = 0.9;

/// Of a pressed side: the largest strain, and the share of it. It stays soft, 3 times as stiff as at rest: membranes that are
/// pressed bend, and the fluid hardly moves vertices apart that are much closer than its nodes.
pub(crate) const PRESSED: f64 = 0.5;
const PRESSED_SHARE: f64 = 0.6;

/// The strain beyond which the tension of a side goes on along its tangent whose length is at most `limit` times that at rest.
pub(crate) fn largest_stretch(limit: f64) -> f64 {
    STRETCHED_SHARE * (limit - 1.0)
}

/// The same of a pressed side.
pub(crate) fn largest_press() -> f64 {
    PRESSED_SHARE * PRESSED
}

/// `-k / 2 l0 s^2 ln(1 - (e / s)^2)` with `e = l / l0 - 1`, s the largest strain, `limit - 1` or [`PRESSED`]; quadratic beyond
/// [`largest_stretch`] and [`largest_press`].
pub(crate) fn energy(k: f64, limit: f64, l: f64, rest: f64) -> f64 {
    let strain = l / rest - 1.0;
    let reach = if strain < 0.0 { PRESSED } else { limit - 1.0 };
    let e = strain.clamp(-largest_press(), largest_stretch(limit));
    let square = (e / reach).powi(2);
    let room = 1.0 - square;
    let beyond = strain - e;
    let (tension, slope) = (k * e / room, k * (1.0 + square) / (room * room));
    rest * (-0.5 * k * reach * reach * room.ln() + (tension + 0.5 * slope * beyond) * beyond)
}
