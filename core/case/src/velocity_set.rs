//! D2Q9 and D3Q19, numbered once for every crate.
//!
//! Direction 0 is at rest; directions 2p-1 and 2p are opposite, for pairs p = 1, 2, ... ; within a shell, x before y
//! before z.
//!
//! ```text
//!   D2Q9   8  3  5        c1 = (1,0)   c3 = (0,1)   c5 = (1,1)   c7 = (1,-1)
//!          2  0  1        c2 = -c1     c4 = -c3     c6 = -c5     c8 = -c7
//!          6  4  7
//! ```

use serde::{Deserialize, Serialize};

/// A discrete velocity set with c_s^2 = 1/3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VelocitySet {
    /// Two dimensions, nine velocities.
    D2Q9,
    /// Three dimensions, nineteen velocities.
    D3Q19,
}

impl VelocitySet {
    /// The set for a domain of 2 or 3 dimensions.
    pub fn of_dimension(dimension: usize) -> Self {
        if dimension == 2 { Self::D2Q9 } else { Self::D3Q19 }
    }

    /// Dimensions: 2 or 3.
    pub fn dimension(self) -> usize {
        match self {
            Self::D2Q9 => 2,
            Self::D3Q19 => 3,
        }
    }

    /// Number of directions, rest included: 9 or 19.
    pub fn q(self) -> usize {
        match self {
            Self::D2Q9 => 9,
            Self::D3Q19 => 19,
        }
    }

    /// The velocities, c_0 = 0 first, z = 0 in 2-D.
    pub fn velocities(self) -> Vec<[i32; 3]> {
        let axes: &[[i32; 3]] = &[[1, 0, 0], [0, 1, 0], [0, 0, 1]];
        let diagonals: &[[i32; 3]] = &[[1, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, -1], [0, 1, 1], [0, 1, -1]];
        let (axes, diagonals) = match self {
            Self::D2Q9 => (&axes[..2], &diagonals[..2]),
            Self::D3Q19 => (axes, diagonals),
        };
        let pairs = axes.iter().chain(diagonals).flat_map(|&c| [c, c.map(|component| -component)]);
        std::iter::once([0; 3]).chain(pairs).collect()
    }

    /// The weight of direction `i`.
    pub fn weight(self, i: usize) -> f64 {
        match (self, i) {
            (Self::D2Q9, 0) => 4.0 / 9.0,
            (Self::D2Q9, 1..=4) => 1.0 / 9.0,
            (Self::D2Q9, _) => 1.0 / 36.0,
            (Self::D3Q19, 0) => 1.0 / 3.0,
            (Self::D3Q19, 1..=6) => 1.0 / 18.0,
            (Self::D3Q19, _) => 1.0 / 36.0,
        }
    }

    /// The direction along an axis that is closest to `normal`.
    pub fn straight(self, normal: [f64; 3]) -> usize {
        let c = self.velocities();
        let along = |i: &usize| c[*i].iter().zip(normal).map(|(&c, n)| f64::from(c) * n).sum::<f64>();
        (1..=2 * self.dimension()).max_by(|a, b| along(a).total_cmp(&along(b))).unwrap_or(1)
    }

    /// The direction opposite to `i`.
    pub fn opposite(i: usize) -> usize {
        if i == 0 { 0 } else { ((i - 1) ^ 1) + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_isotropic_to_fourth_order() {
        for set in [VelocitySet::D2Q9, VelocitySet::D3Q19] {
            let c = set.velocities();
            assert_eq!(c.len(), set.q());
            let moment = |axes: &[usize]| -> f64 {
                (0..set.q()).map(|i| axes.iter().fold(set.weight(i), |m, &a| m * f64::from(c[i][a]))).sum()
            };
            let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{a} {b}");
            close(moment(&[]), 1.0);
            for a in 0..set.dimension() {
                close(moment(&[a]), 0.0);
                for b in 0..set.dimension() {
                    close(moment(&[a, b]), if a == b { 1.0 / 3.0 } else { 0.0 });
                    close(moment(&[a, a, b, b]), if a == b { 1.0 / 3.0 } else { 1.0 / 9.0 });
                }
            }
            for i in 0..set.q() {
                assert_eq!(c[VelocitySet::opposite(i)], c[i].map(|x| -x));
            }
        }
    }
}
