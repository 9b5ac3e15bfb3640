//! The repulsive part of the Lennard-Jones potential.

use hematite_gpu::literal;
use minijinja::{Value, context};

/// 2^(1/6): where it ends.
pub const CUT: f64 = 1.122_462_048_309_373;

/// Below this it is taken along its tangent in any case.
const LEAST: f64 = 0.05;

/// `4 (rho^-12 - rho^-6) + 1` below [`CUT`], 0 beyond, along its tangent below `least`.
pub(super) fn energy(rho: f64, least: f64) -> f64 {
    if rho >= CUT {
        return 0.0;
    }
    let held = rho.max(least);
    4.0 * (held.powi(-12) - held.powi(-6)) + 1.0 - steepness(held) * (rho - held)
}

/// `48 rho^-13 - 24 rho^-7`: how fast the energy falls.
fn steepness(rho: f64) -> f64 {
    48.0 * rho.powi(-13) - 24.0 * rho.powi(-7)
}

/// Where the steepness is `largest`.
pub(super) fn least(largest: f64) -> f64 {
    let (mut low, mut high) = (LEAST, CUT);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if steepness(middle) > largest {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// What templates with `wca.wgsl` call `wca`.
pub fn context() -> Value {
    context! { cut => literal(CUT) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tangent_takes_over_at_the_largest_steepness() {
        assert!((CUT.powi(6) - 2.0).abs() < 1e-14);
        for largest in [1e-3, 1.0, 24.0, 1e6] {
            let rho = least(largest);
            assert!((steepness(rho) / largest - 1.0).abs() < 1e-9, "{largest}");
            assert!((energy(rho - 0.5, rho) - energy(rho, rho) - 0.5 * largest).abs() < 1e-9 * largest);
        }
        assert!(least(1e30) < 1.001 * LEAST);
    }
}
