//! Between two plates at y = 0 and y = height.

use num_complex::Complex64;

/// `sqrt(i omega / nu)`.
fn wave(nu: f64, omega: f64) -> Complex64 {
    Complex64::new(0.0, omega / nu).sqrt()
}

/// Flow driven by a unit force; the velocity at `y`.
pub fn channel(height: f64, nu: f64, omega: f64, y: f64) -> Complex64 {
    if omega == 0.0 {
        return (y * (height - y) / (2.0 * nu)).into();
    }
    let k = wave(nu, omega);
    let ratio = (k * (y - height / 2.0)).cosh() / (k * height / 2.0).cosh();
    (1.0 - ratio) / Complex64::new(0.0, omega)
}

/// Its mean over the height.
pub fn channel_mean(height: f64, nu: f64, omega: f64) -> Complex64 {
    if omega == 0.0 {
        return (height * height / (12.0 * nu)).into();
    }
    let half = wave(nu, omega) * height / 2.0;
    (1.0 - half.tanh() / half) / Complex64::new(0.0, omega)
}

/// Flow between a resting plate at y = height and one at y = 0 that moves by `cos(omega t)` along itself.
pub fn plate(height: f64, nu: f64, omega: f64, y: f64) -> Complex64 {
    let k = wave(nu, omega);
    (k * (height - y)).sinh() / (k * height).sinh()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_flow_is_the_parabola_and_means_are_integrals() {
        let (height, nu) = (2.0, 0.3);
        assert!((channel(height, nu, 1e-5, 0.4) - channel(height, nu, 0.0, 0.4)).norm() < 1e-3);
        for omega in [0.0, 0.7, 30.0] {
            let sum: Complex64 = (0..20_000).map(|j| channel(height, nu, omega, (j as f64 + 0.5) * 1e-4)).sum();
            assert!((sum / 20_000.0 - channel_mean(height, nu, omega)).norm() < 1e-6);
        }
    }

    #[test]
    fn a_deep_layer_is_stokes_second_problem() {
        let (nu, omega, y): (f64, f64, f64) = (0.1, 0.02, 3.0);
        let depth = (omega / (2.0 * nu)).sqrt() * y;
        let expected = Complex64::new(-depth, -depth).exp();
        assert!((plate(60.0, nu, omega, y) - expected).norm() < 1e-12);
    }
}
