//! Roughness of a surface on the scale of its sides.
//!
//! With `u_i` the vector from vertex i to the mean of its neighbours, the jump along a side `ij` is `u_i - u_j`. Its
//! length over the mean length of the sides is about half the change of the turning angle from vertex to vertex: near 0
//! where the mesh resolves the surface, 1 and more where every other vertex sticks out like the tooth of a saw.

use crate::vector::{dot, length, minus, plus, times};

/// Roughness above which a cell has creases that its mesh does not resolve.
pub const ROUGH: f64 = 0.75;

/// The jumps along `sides`, pairs of indices into `vertices`.
pub fn jumps(vertices: &[[f64; 3]], sides: &[[usize; 2]]) -> Vec<[f64; 3]> {
    let mut sums = vec![([0.0; 3], 0.0); vertices.len()];
    for &[i, j] in sides {
        for (from, to) in [(i, j), (j, i)] {
            sums[from] = (plus(sums[from].0, vertices[to]), sums[from].1 + 1.0);
        }
    }
    let offset = |i: usize| minus(times(1.0 / sums[i].1, sums[i].0), vertices[i]);
    sides.iter().map(|&[i, j]| minus(offset(i), offset(j))).collect()
}

/// The length of the largest jump along any side over the mean length of the sides; 0 without sides.
pub fn roughness(vertices: &[[f64; 3]], sides: &[[usize; 2]]) -> f64 {
    let mean = mean_side(vertices, sides);
    let square = jumps(vertices, sides).into_iter().map(|d| dot(d, d)).fold(0.0, f64::max);
    if mean > 0.0 { square.sqrt() / mean } else { 0.0 }
}

/// The mean length of `sides`.
pub fn mean_side(vertices: &[[f64; 3]], sides: &[[usize; 2]]) -> f64 {
    sides.iter().map(|&[i, j]| length(minus(vertices[j], vertices[i]))).sum::<f64>() / sides.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_smooth_and_a_saw_is_rough() {
        let ring = |tooth: f64| -> Vec<[f64; 3]> {
            (0..40)
                .map(|k| {
                    let angle = f64::from(k) * std::f64::consts::TAU / 40.0;
                    let r = if k % 2 == 0 { 1.0 + tooth } else { 1.0 };
                    [7.0 + r * angle.cos(), r * angle.sin(), 0.0]
                })
                .collect()
        };
        let sides: Vec<[usize; 2]> = (0..40).map(|k| [k, (k + 1) % 40]).collect();
        // All u point to the centre and have the same length: a jump is u times the angle between neighbours.
        let angle: f64 = std::f64::consts::TAU / 40.0;
        let (u, side) = (1.0 - angle.cos(), 2.0 * (0.5 * angle).sin());
        let exact = 2.0 * u * (0.5 * angle).sin() / side;
        assert!((roughness(&ring(0.0), &sides) - exact).abs() < 1e-12);
        // Teeth of height t: u differs by about 2 t from vertex to vertex.
        let t = 0.1;
        let sawn = roughness(&ring(t), &sides);
        let long = ((1.0 - (1.0 + t) * angle.cos()).powi(2) + ((1.0 + t) * angle.sin()).powi(2)).sqrt();
        assert!((sawn * long / (2.0 * t) - 1.0).abs() < 0.1, "{sawn}");
        assert!(sawn > ROUGH);
    }
}
