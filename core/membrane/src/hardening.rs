//! Sides of finite extensibility.

/// A stretched side hardens up to this share of its largest strain. Beyond it the tension is linear, 50 times as stiff
/// as at rest: explicit steps are unstable where the stiffness has no bound.
const STRETCHED_SHARE: f64 = 0.9;

/// Largest strain of a compressed side.
pub(crate) const PRESSED: f64 = 0.5;

/// A compressed side hardens up to this share of [`PRESSED`], to 3 times the stiffness at rest. It stays soft, since
/// membranes under pressure bend, and the fluid hardly moves apart vertices that are much closer than its nodes.
const PRESSED_SHARE: f64 = 0.6;

/// The strain at which a stretched side stops hardening, for the largest length `limit` over that at rest.
pub(crate) fn largest_stretch(limit: f64) -> f64 {
    STRETCHED_SHARE * (limit - 1.0)
}

/// The strain at which a compressed side stops hardening, as a positive number.
pub(crate) fn largest_press() -> f64 {
    PRESSED_SHARE * PRESSED
}

/// `-k / 2 l0 s^2 ln(1 - (e / s)^2)` with `e = l / l0 - 1` and s the largest strain, `limit - 1` or [`PRESSED`];
/// quadratic beyond [`largest_stretch`] and [`largest_press`].
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
