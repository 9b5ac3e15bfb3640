//! In a round pipe; Womersley (1955).

use num_complex::Complex64;

/// `sum_k (i s / 4)^k / (k! (k + order)!)`: `J_order(z) / (z / 2)^order` for `z^2 = -i s`.
fn bessel(order: usize, s: f64) -> Complex64 {
    let mut term = Complex64::new(1.0, 0.0);
    let mut sum = term;
    for k in 1..400 {
        term *= Complex64::new(0.0, s / 4.0) / (k * (k + order)) as f64;
        sum += term;
        if term.norm() < 1e-18 * sum.norm() {
            break;
        }
    }
    sum
}

/// Flow driven by a unit force; the velocity at distance `r` from the axis.
pub fn pipe(radius: f64, nu: f64, omega: f64, r: f64) -> Complex64 {
    if omega == 0.0 {
        return ((radius * radius - r * r) / (4.0 * nu)).into();
    }
    let s = |r: f64| omega / nu * r * r;
    (1.0 - bessel(0, s(r)) / bessel(0, s(radius))) / Complex64::new(0.0, omega)
}

/// Its mean over the cross-section.
pub fn pipe_mean(radius: f64, nu: f64, omega: f64) -> Complex64 {
    if omega == 0.0 {
        return (radius * radius / (8.0 * nu)).into();
    }
    let s = omega / nu * radius * radius;
    (1.0 - bessel(1, s) / bessel(0, s)) / Complex64::new(0.0, omega)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_solves_the_equation_and_its_mean_is_the_integral() {
        let (radius, nu, omega, h) = (1.3, 0.2, 2.5, 1e-4);
        let u = |r: f64| pipe(radius, nu, omega, r);
        for r in [0.3, 0.9, 1.2] {
            let laplace = (u(r + h) - 2.0 * u(r) + u(r - h)) / (h * h) + (u(r + h) - u(r - h)) / (2.0 * h * r);
            let rest = Complex64::new(0.0, omega) * u(r) - 1.0 - nu * laplace;
            assert!(rest.norm() < 1e-5, "{rest}");
        }
        assert!(u(radius).norm() < 1e-14);
        let n = 4000;
        let rings = (0..n).map(|j| (j as f64 + 0.5) / n as f64);
        let mean: Complex64 = rings.map(|x| 2.0 * x / n as f64 * u(x * radius)).sum();
        assert!((mean - pipe_mean(radius, nu, omega)).norm() < 1e-6);
        assert!((pipe_mean(radius, nu, 1e-6) - pipe_mean(radius, nu, 0.0)).norm() < 1e-5);
    }
}
