//! In a duct of rectangular cross-section, 0 < y < height and 0 < z < width.

use std::f64::consts::PI;

use num_complex::Complex64;

const TERMS: usize = 200;

/// Mode numbers 1, 3, 5, ... and their wave number across the width.
fn modes(height: f64, nu: f64, omega: f64) -> impl Iterator<Item = (f64, Complex64)> {
    (0..TERMS).map(move |j| {
        let m = (2 * j + 1) as f64;
        (m, Complex64::new((m * PI / height).powi(2), omega / nu).sqrt())
    })
}

/// `cosh(k s) / cosh(k c)` for `|s| <= c`, without overflow.
fn ratio(k: Complex64, s: f64, c: f64) -> Complex64 {
    let s = s.abs();
    (k * (s - c)).exp() * (1.0 + (-2.0 * k * s).exp()) / (1.0 + (-2.0 * k * c).exp())
}

/// Flow driven by a unit force; the velocity at (y, z).
pub fn duct(height: f64, width: f64, nu: f64, omega: f64, y: f64, z: f64) -> Complex64 {
    let half = width / 2.0;
    let term = |(m, k): (f64, Complex64)| {
        4.0 / (m * PI) * (m * PI * y / height).sin() / (nu * k * k) * (1.0 - ratio(k, z - half, half))
    };
    modes(height, nu, omega).map(term).sum()
}

/// Its mean over the cross-section.
pub fn duct_mean(height: f64, width: f64, nu: f64, omega: f64) -> Complex64 {
    let half = width / 2.0;
    let tanh = |z: Complex64| (1.0 - (-2.0 * z).exp()) / (1.0 + (-2.0 * z).exp());
    let term = |(m, k): (f64, Complex64)| 8.0 / (m * PI).powi(2) / (nu * k * k) * (1.0 - tanh(k * half) / (k * half));
    modes(height, nu, omega).map(term).sum()
}

/// Darcy's friction factor times the Reynolds number, both of the hydraulic diameter, from the mean speed of steady
/// flow under a unit force.
pub fn duct_friction(height: f64, width: f64, nu: f64, mean: f64) -> f64 {
    let diameter = 2.0 * height * width / (height + width);
    2.0 * diameter * diameter / (nu * mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_flow_meets_the_published_numbers() {
        // Shah and London (1978): largest and mean speed for unit force, viscosity and short side; f Re.
        let published =
            [(1.0, 0.073671, 0.0351443, 56.908), (2.0, 0.113872, 0.057170, 62.192), (4.0, 0.124518, 0.070203, 72.931)];
        for (aspect, largest, mean, friction) in published {
            assert!((duct(1.0, aspect, 1.0, 0.0, 0.5, aspect / 2.0).re - largest).abs() < 1e-6);
            let ours = duct_mean(1.0, aspect, 1.0, 0.0).re;
            assert!((ours - mean).abs() < 1e-6);
            assert!((duct_friction(1.0, aspect, 1.0, ours) - friction).abs() < 1e-3);
        }
    }

    #[test]
    fn a_wide_duct_is_a_channel() {
        let (omega, nu) = (0.9, 0.2);
        let wide = duct(1.0, 60.0, nu, omega, 0.3, 30.0);
        assert!((wide - crate::exact::channel(1.0, nu, omega, 0.3)).norm() < 1e-6);
    }
}
