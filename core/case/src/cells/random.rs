//! Random numbers by a counter: the same for the same key, on any thread and in any order.

use std::f64::consts::TAU;

use super::turn::Quaternion;

/// The random numbers of one cell.
#[derive(Clone, Copy)]
pub(crate) struct Draws {
    key: u64,
}

impl Draws {
    /// Those of cell `cell` under `seed`.
    pub fn of(seed: u64, cell: u64) -> Self {
        Self { key: mix(mix(seed ^ 0x6a09_e667_f3bc_c908).wrapping_add(cell)) }
    }

    /// 64 random bits.
    pub fn bits(self, draw: u64) -> u64 {
        mix(self.key.wrapping_add(draw.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// Uniform in [0, 1).
    pub fn unit(self, draw: u64) -> f64 {
        (self.bits(draw) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in -1 to 1.
    pub fn sign(self, draw: u64) -> f64 {
        2.0 * self.unit(draw) - 1.0
    }

    /// A uniform rotation in 2 or 3 dimensions, from three draws beginning at `draw` (Shoemake's in 3-D).
    pub fn rotation(self, draw: u64, dimension: usize) -> Quaternion {
        let [a, b, c] = [0, 1, 2].map(|k| self.unit(draw + k));
        if dimension == 2 {
            let (sine, cosine) = (0.5 * TAU * a).sin_cos();
            return [cosine, 0.0, 0.0, sine];
        }
        let (near, far) = ((1.0 - a).sqrt(), a.sqrt());
        [far * (TAU * c).cos(), near * (TAU * b).sin(), near * (TAU * b).cos(), far * (TAU * c).sin()]
    }
}

/// A bijection of 64 bits under which near numbers come out unrelated (the finalizer of splitmix64).
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_uniform_and_apart() {
        let n = 20_000;
        let mean = (0..n).map(|cell| Draws::of(1, cell).unit(3)).sum::<f64>() / n as f64;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
        assert_ne!(Draws::of(1, 2).bits(0), Draws::of(2, 1).bits(0));
        // The axis of a uniform rotation's image of z has mean square 1/3 along each axis.
        let image = (0..n).map(|cell| Draws::of(7, cell).rotation(0, 3)).map(|q| super::super::turn::matrix(q)[2][2]);
        let square = image.map(|z| z * z).sum::<f64>() / n as f64;
        assert!((square - 1.0 / 3.0).abs() < 0.01, "{square}");
    }
}
