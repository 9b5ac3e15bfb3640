//! Values between nodes of a line.

/// Cubic through the four points around `x`; `points` ascend in their first number.
pub fn cubic(points: &[(f64, f64)], x: f64) -> f64 {
    let after = points.partition_point(|point| point.0 < x);
    let first = after.saturating_sub(2).min(points.len() - 4);
    let four = &points[first..first + 4];
    let basis =
        |i: usize| (0..4).filter(|&j| j != i).map(|j| (x - four[j].0) / (four[i].0 - four[j].0)).product::<f64>();
    (0..4).map(|i| four[i].1 * basis(i)).sum()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_cubic_is_met_exactly() {
        let f = |x: f64| x * x * x - 2.0 * x;
        let points: Vec<_> = [0.0, 0.5, 1.5, 2.5, 3.5, 4.0].map(|x| (x, f(x))).into();
        for x in [0.0, 0.2, 1.9, 3.7, 4.0] {
            assert!((super::cubic(&points, x) - f(x)).abs() < 1e-12);
        }
    }
}
