//! Signed Euclidean distance to the wall in pixels, exact near the wall.

use rayon::prelude::*;

/// Distances are exact up to this many pixels, and cut off there.
pub const REACH: usize = 8;

/// Signed distance from every centre to the wall between open and closed pixels: positive inside `open`.
///
/// The wall lies half a pixel before the nearest centre of the other kind, so that a straight wall along an axis lies
/// exactly on the pixels' edges. Capped at [`REACH`]; nothing lies outside the array but in `periodic` directions.
pub fn signed(open: &[bool], shape: [usize; 3], periodic: [bool; 3]) -> Vec<f32> {
    let to_closed = squared(open, false, shape, periodic);
    let to_open = squared(open, true, shape, periodic);
    let one = |(&closed, &open): (&u8, &u8)| {
        if closed > 0 { f32::from(closed).sqrt() - 0.5 } else { 0.5 - f32::from(open).sqrt() }
    };
    to_closed.par_iter().zip(&to_open).map(one).collect()
}

/// Squared distance to the nearest pixel that is `wanted`, capped at `REACH^2`: a byte holds it.
fn squared(open: &[bool], wanted: bool, shape: [usize; 3], periodic: [bool; 3]) -> Vec<u8> {
    const CAP: u8 = (REACH * REACH) as u8;
    let [nx, ny, nz] = shape;
    let mut near: Vec<u8> = open.par_iter().map(|&is| if is == wanted { 0 } else { CAP }).collect();
    let mut next = vec![CAP; near.len()];
    next.par_chunks_mut(nx).zip(near.par_chunks(nx)).for_each(|(to, from)| {
        for (x, to) in to.iter_mut().enumerate() {
            *to = nearby(x, nx, periodic[0]).map(|(i, square)| from[i].saturating_add(square)).fold(from[x], u8::min);
        }
    });
    std::mem::swap(&mut near, &mut next);
    for (axis, n) in [(1, ny), (2, nz)] {
        if n == 1 {
            continue;
        }
        next.par_chunks_mut(nx).enumerate().for_each(|(row, to)| {
            let (at, step, first) = if axis == 1 { (row % ny, 1, row - row % ny) } else { (row / ny, ny, row % ny) };
            to.copy_from_slice(&near[row * nx..][..nx]);
            for (i, square) in nearby(at, n, periodic[axis]) {
                let from = &near[(first + i * step) * nx..][..nx];
                for (to, from) in to.iter_mut().zip(from) {
                    *to = (*to).min(from.saturating_add(square));
                }
            }
        });
        std::mem::swap(&mut near, &mut next);
    }
    near
}

/// The places within reach of `at` on a line of `n`, itself left out, with their squared distance.
fn nearby(at: usize, n: usize, periodic: bool) -> impl Iterator<Item = (usize, u8)> {
    (1..=REACH).flat_map(move |k| {
        let square = (k * k) as u8;
        let (up, down) = if periodic {
            (Some((at + k) % n), Some((at + n * REACH - k) % n))
        } else {
            (Some(at + k).filter(|&i| i < n), at.checked_sub(k))
        };
        [up, down].into_iter().flatten().map(move |i| (i, square))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, by brute force over all pixels and periodic images.
    fn brute(open: &[bool], shape: [usize; 3], periodic: [bool; 3], at: usize) -> f32 {
        let place = |i: usize| [i % shape[0], i / shape[0] % shape[1], i / (shape[0] * shape[1])];
        let here = place(at);
        let mut best = (REACH * REACH) as i64;
        for other in (0..open.len()).filter(|&other| open[other] != open[at]) {
            let there = place(other);
            let square = |axis: usize| {
                let d = (here[axis] as i64 - there[axis] as i64).abs();
                let d = if periodic[axis] { d.min(shape[axis] as i64 - d) } else { d };
                d * d
            };
            best = best.min((0..3).map(square).sum());
        }
        let distance = (best as f32).sqrt() - 0.5;
        if open[at] { distance } else { -distance }
    }

    proptest::proptest! {
        #[test]
        fn equals_the_definition(
            shape in proptest::array::uniform3(1usize..12),
            periodic in proptest::array::uniform3(proptest::bool::ANY),
            seeds in proptest::collection::vec(proptest::bool::weighted(0.3), 12 * 12 * 12),
        ) {
            let open = &seeds[..shape.iter().product()];
            let found = signed(open, shape, periodic);
            for (at, &found) in found.iter().enumerate() {
                proptest::prop_assert_eq!(found, brute(open, shape, periodic, at));
            }
        }
    }
}
