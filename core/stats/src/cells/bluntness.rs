//! How blunt a velocity profile is.

use serde::Serialize;

/// The fit `u = u0 (1 - (|s| / R)^k)`: k = 2 is Poiseuille flow, larger is blunter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bluntness {
    /// Velocity at the middle, m/s.
    pub u0_m_per_s: f64,
    /// The exponent.
    pub k: f64,
    /// Root mean square of the residuals over u0.
    pub residual: f64,
}

/// Least-squares fit to points (s, u): s (m) from the middle, u (m/s). The velocity vanishes at |s| = `radius` (m).
///
/// The best u0 of each exponent is known, so the search is in k alone: a scan from 0.5 to 50, then golden section.
/// `None` for fewer than three points inside or a profile without flow.
pub fn fit(points: &[[f64; 2]], radius: f64) -> Option<Bluntness> {
    let inside: Vec<[f64; 2]> = points
        .iter()
        .map(|&[s, u]| [s.abs() / radius, u])
        .filter(|[x, u]| (0.0..1.0).contains(x) && u.is_finite())
        .collect();
    let power: f64 = inside.iter().map(|[_, u]| u * u).sum();
    if inside.len() < 3 || power <= 0.0 {
        return None;
    }
    // Best u0 for an exponent, and the residual.
    let at = |log_k: f64| {
        let k = log_k.exp();
        let shape = |x: f64| 1.0 - x.powf(k);
        let (uf, ff) = inside.iter().fold((0.0, 0.0), |(uf, ff), &[x, u]| (uf + u * shape(x), ff + shape(x).powi(2)));
        let u0 = uf / ff;
        (u0, inside.iter().map(|&[x, u]| (u - u0 * shape(x)).powi(2)).sum::<f64>())
    };
    let (first, last, count) = (0.5f64.ln(), 50f64.ln(), 60);
    let place = |i: usize| first + (last - first) * i as f64 / count as f64;
    let best = (0..=count).min_by(|&i, &j| at(place(i)).1.total_cmp(&at(place(j)).1)).unwrap_or(0);
    let (mut low, mut high) = (place(best.saturating_sub(1)), place((best + 1).min(count)));
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    while high - low > 1e-9 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if at(a).1 < at(b).1 {
            high = b;
        } else {
            low = a;
        }
    }
    let log_k = 0.5 * (low + high);
    let (u0, rest) = at(log_k);
    Some(Bluntness { u0_m_per_s: u0, k: log_k.exp(), residual: (rest / inside.len() as f64).sqrt() / u0.abs() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_profiles_are_found() {
        for (k, u0) in [(2.0, 1e-3), (3.7, -4.0), (9.0, 2.0)] {
            let points: Vec<[f64; 2]> = (-20..=20)
                .map(|i| f64::from(i) * 1e-6)
                .map(|s| [s, u0 * (1.0 - (s.abs() / 20.5e-6f64).powf(k))])
                .collect();
            let found = fit(&points, 20.5e-6).expect("a flow");
            assert!((found.k / k - 1.0).abs() < 1e-6 && (found.u0_m_per_s / u0 - 1.0).abs() < 1e-6, "{found:?}");
            assert!(found.residual < 1e-6);
        }
        // A flat profile with residuals of a tenth.
        let found = fit(&[[-0.4, 1.1], [-0.2, 0.9], [0.2, 0.9], [0.4, 1.1]], 1.0).expect("a flow");
        assert!((found.residual - 0.1).abs() < 1e-3, "{found:?}");
        assert_eq!(fit(&[[0.0, 0.0]; 5], 1.0), None);
        assert_eq!(fit(&[[0.0, 1.0], [0.5, 0.5]], 1.0), None);
    }
}
