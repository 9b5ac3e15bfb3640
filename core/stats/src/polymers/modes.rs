//! Normal modes of chains.

use std::f64::consts::{PI, TAU};

/// Most modes that are kept.
pub const MOST: usize = 8;

/// The normal modes of a chain with beads at `beads`, from the first on, at most [`MOST`]: X_p = sum_i r_i cos(pi p (i + 1/2) / N) / N
/// (Doi and Edwards, The Theory of Polymer Dynamics, 1986, eq. 4.A.14, at beads). Of rings with 2 pi and whole i, in which
/// sines would do as well.
pub fn of(beads: &[[f64; 3]], ring: bool) -> Vec<[f64; 3]> {
    let number = beads.len();
    let most = if ring { number / 2 } else { number.saturating_sub(1) };
    let phase = |p: usize, i: usize| match ring {
        true => TAU * p as f64 * i as f64 / number as f64,
        false => PI * p as f64 * (i as f64 + 0.5) / number as f64,
    };
    let mode = |p: usize| {
        beads.iter().enumerate().fold([0.0; 3], |sum: [f64; 3], (i, x)| {
            let weight = phase(p, i).cos() / number as f64;
            std::array::from_fn(|k| sum[k] + weight * x[k])
        })
    };
    (1..=most.min(MOST)).map(mode).collect()
}

/// <X_p^2> of ideal chains with bonds of mean square `b2` and N beads: b^2 / (8 N sin^2(pi p / 2N)) (Rouse, J. Chem. Phys. 21,
/// 1272, 1953). Of rings with pi p / N, and b^2 N / (N - 1) in place of b^2: that their bonds add up to zero shortens them.
pub fn of_ideal(b2: f64, beads: usize, p: usize, ring: bool) -> f64 {
    let number = beads as f64;
    if !ring {
        return b2 / (8.0 * number * (PI * p as f64 / (2.0 * number)).sin().powi(2));
    }
    // Of the last mode of an even ring, all cosines are 1 or -1.
    let shares = if 2 * p == beads { 2.0 } else { 1.0 };
    shares * b2 * number / (number - 1.0) / (8.0 * number * (PI * p as f64 / number).sin().powi(2))
}
