//! Harmonics of periodic signals.

use std::f64::consts::TAU;

use num_complex::Complex64;

/// Complex amplitude of harmonic `k` of `samples`, taken at equal times over one whole period from its beginning.
pub fn harmonic(samples: &[f64], k: usize) -> Complex64 {
    let n = samples.len() as f64;
    let turn = |j: usize| Complex64::from_polar(1.0, -TAU * (j * k) as f64 / n);
    let sum: Complex64 = samples.iter().enumerate().map(|(j, &s)| s * turn(j)).sum();
    if k == 0 { sum / n } else { 2.0 * sum / n }
}

/// Complex amplitudes of the harmonics `0..count` of a function with period 1.
pub fn harmonics_of(function: impl Fn(f64) -> f64, count: usize) -> Vec<Complex64> {
    let samples: Vec<f64> = (0..16_384).map(|j| function(j as f64 / 16_384.0)).collect();
    (0..count).map(|k| harmonic(&samples, k)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amplitude_and_phase_come_back() {
        let samples: Vec<f64> = (0..64).map(|j| 0.5 + 3.0 * (TAU * 2.0 * f64::from(j) / 64.0 + 0.3).cos()).collect();
        assert!((harmonic(&samples, 0) - 0.5).norm() < 1e-12);
        assert!((harmonic(&samples, 2) - Complex64::from_polar(3.0, 0.3)).norm() < 1e-12);
        assert!(harmonic(&samples, 1).norm() < 1e-12);
    }
}
