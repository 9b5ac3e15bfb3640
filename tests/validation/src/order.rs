//! The order of convergence.

/// Slope of the line of least squares through (ln resolution, -ln |error|).
pub fn order(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|&(n, error)| (n.ln(), -error.abs().ln())).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let covariance: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    covariance / logs.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_quadratic_error_is_of_second_order() {
        let points = [8.0, 16.0, 40.0].map(|n: f64| (n, -3.0 / (n * n)));
        assert!((super::order(&points) - 2.0).abs() < 1e-12);
    }
}
