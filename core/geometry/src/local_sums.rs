//! Sums over windows around every pixel.

use rayon::prelude::*;

/// Half-width of the window of a pass, in pixels.
const HALF: usize = 4;
/// Passes along each axis: the window is then nearly that of a normal distribution, with a deviation of 3.7 pixels.
const PASSES: usize = 2;

/// Sums over windows around each pixel; nothing lies outside the array but in `periodic` directions.
pub fn local_sums(mut values: Vec<f32>, shape: [usize; 3], periodic: [bool; 3]) -> Vec<f32> {
    let [nx, ny, _] = shape;
    let mut next = vec![0.0; values.len()];
    for axis in (0..3).filter(|&axis| shape[axis] > 1) {
        let windows: Vec<Vec<usize>> = (0..shape[axis]).map(|at| window(at, shape[axis], periodic[axis])).collect();
        for _ in 0..PASSES {
            next.par_chunks_mut(nx).enumerate().for_each(|(row, to)| {
                if axis == 0 {
                    let from = &values[row * nx..][..nx];
                    for (to, window) in to.iter_mut().zip(&windows) {
                        *to = window.iter().map(|&x| from[x]).sum();
                    }
                    return;
                }
                let (at, step, first) =
                    if axis == 1 { (row % ny, 1, row - row % ny) } else { (row / ny, ny, row % ny) };
                to.fill(0.0);
                for &i in &windows[at] {
                    let from = &values[(first + i * step) * nx..][..nx];
                    for (to, from) in to.iter_mut().zip(from) {
                        *to += from;
                    }
                }
            });
            std::mem::swap(&mut values, &mut next);
        }
    }
    values
}

/// The places within [`HALF`] of `at` on a line of `n`, each once.
fn window(at: usize, n: usize, periodic: bool) -> Vec<usize> {
    let (low, high) = (at as isize - HALF as isize, at as isize + HALF as isize);
    match periodic {
        true if n <= 2 * HALF => (0..n).collect(),
        true => (low..=high).map(|i| i.rem_euclid(n as isize) as usize).collect(),
        false => (low.max(0) as usize..=(high as usize).min(n - 1)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_holds_what_is_near() {
        let shape = [12, 1, 30];
        for periodic in [[false; 3], [true, false, true]] {
            for [x, z] in [[0, 0], [5, 14], [11, 29]] {
                let mut values = vec![0.0; 12 * 30];
                values[z * 12 + x] = 1.0;
                let sums = local_sums(values, shape, periodic);
                for (i, &sum) in sums.iter().enumerate() {
                    let apart = |a: usize, b: usize, n: usize, periodic: bool| {
                        let d = a.abs_diff(b);
                        if periodic { d.min(n - d) } else { d }
                    };
                    let [dx, dz] = [apart(i % 12, x, 12, periodic[0]), apart(i / 12, z, 30, periodic[2])];
                    assert_eq!(sum > 0.0, dx <= 8 && dz <= 8, "{i} of {x} {z}: {sum}");
                }
            }
        }
    }
}
