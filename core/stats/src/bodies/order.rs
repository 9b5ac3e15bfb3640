//! How bodies are aligned.

use hematite_cells::vector::dot;
use nalgebra::{Matrix3, SymmetricEigen};
use serde::Serialize;

/// Alignment of axes that have no sign.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Nematic {
    /// The order parameter: the eigenvalue of largest magnitude of <(3 n n - 1)/2>; 1 where all axes are parallel, -1/2
    /// where all lie in one plane, near 0 where they point anywhere.
    pub order: f64,
    /// The eigenvector of `order`, a unit vector whose largest component is positive.
    pub director: [f64; 3],
}

/// (3 (n e)^2 - 1)/2 for unit vectors n and e: 1 where parallel, -1/2 where normal, 0 in the mean over all directions.
pub fn alignment(n: [f64; 3], e: [f64; 3]) -> f64 {
    let along = dot(n, e);
    0.5 * (3.0 * along * along - 1.0)
}

/// The nematic order of axes, unit vectors; `None` without axes.
pub fn nematic(axes: impl IntoIterator<Item = [f64; 3]>) -> Option<Nematic> {
    let (mut sum, mut number) = (Matrix3::<f64>::zeros(), 0.0);
    for n in axes {
        sum += Matrix3::from_fn(|i, j| n[i] * n[j]);
        number += 1.0;
    }
    if number == 0.0 {
        return None;
    }
    let eigen = SymmetricEigen::new(sum * (1.5 / number) - Matrix3::identity() * 0.5);
    let k = eigen.eigenvalues.iamax();
    let column = eigen.eigenvectors.column(k);
    let sign = if column[column.iamax()] < 0.0 { -1.0 } else { 1.0 };
    Some(Nematic { order: eigen.eigenvalues[k], director: [0, 1, 2].map(|i| sign * column[i]) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::testing::spiral;

    #[test]
    fn aligned_flat_and_isotropic_axes() {
        let n = [0.6, 0.0, -0.8];
        let aligned = nematic([n, n.map(|x| -x), n]).expect("axes");
        assert!((aligned.order - 1.0).abs() < 1e-12, "{aligned:?}");
        assert!((0..3).all(|k| (aligned.director[k] + n[k]).abs() < 1e-12), "{aligned:?}");
        assert!((alignment(n, n) - 1.0).abs() < 1e-12 && (alignment(n, [0.0, 1.0, 0.0]) + 0.5).abs() < 1e-12);
        // All in the plane z = 0.
        let flat = (0..50).map(|k| f64::from(k) * 0.7).map(|t| [t.cos(), t.sin(), 0.0]);
        let flat = nematic(flat).expect("axes");
        assert!((flat.order + 0.5).abs() < 0.02 && flat.director[2] > 0.999, "{flat:?}");
        let number = 400;
        let all = spiral(number);
        let isotropic = nematic(all.iter().copied()).expect("axes");
        assert!(isotropic.order.abs() < 1.0 / (number as f64).sqrt(), "{isotropic:?}");
        let mean = all.iter().map(|&n| alignment(n, [0.0, 0.6, 0.8])).sum::<f64>() / number as f64;
        assert!(mean.abs() < 1.0 / (number as f64).sqrt(), "{mean}");
        assert_eq!(nematic([]), None);
    }
}
