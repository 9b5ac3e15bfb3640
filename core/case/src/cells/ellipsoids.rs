//! How far two ellipsoids are apart, and along which line (Perram and Wertheim, J. Comput. Phys. 58, 409, 1985).
//!
//! An ellipsoid is the points x about its centre with x^T A^-1 x <= 1; the way from the first centre to the second is r.
//! For every s between 0 and 1 the plane with the normal n = ((1 - s) A + s B)^-1 r has a distance from both that is at
//! most theirs, negative where they overlap in its direction: r n - sqrt(n A n) - sqrt(n B n), over |n|. Where
//! n ((1 - s)^2 A - s^2 B) n is zero, it is the plane at which both touch when scaled by the same factor: the distance has
//! the sign of the true one, and is nearly it where they are close.

use super::turn::{Matrix, Quaternion, matrix};
use hematite_cells::vector::{Point, cross, dot, length, times};

/// The most values of s that are tried.
const TRIES: usize = 24;
/// The logarithm of (1 - s)^2 n A n over s^2 n B n that counts as zero.
const ZERO: f64 = 1e-5;

/// An ellipsoid about its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    /// Semi-axes; the unit of length is the caller's.
    pub semi_axes: [f64; 3],
    /// Unit quaternion (w, x, y, z) that turns them from x, y and z.
    pub orientation: Quaternion,
}

impl Ellipsoid {
    /// Whether it and another, whose centre is `apart` from its own, have points in common. Exact but for rounding.
    pub fn overlaps(&self, other: &Self, apart: [f64; 3]) -> bool {
        let least = |of: &Self| of.semi_axes.into_iter().fold(f64::INFINITY, f64::min);
        let tensor = |of: &Self| tensor(of.semi_axes, 1.0, &matrix(of.orientation));
        // Spheres within them meet; the others have a plane between them, or none.
        length(apart) <= least(self) + least(other) || contact(&tensor(self), &tensor(other), apart, 0.0).is_some()
    }

    /// How far it reaches from its centre along a unit vector.
    pub fn extent(&self, along: [f64; 3]) -> f64 {
        let across = tensor(self.semi_axes, 1.0, &matrix(self.orientation)).map(|row| dot(row, along));
        dot(along, across).sqrt()
    }
}

/// Where two ellipsoids are nearest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    /// Distance of the ellipsoids, negative where they overlap; at most the true one.
    pub gap: f64,
    /// Unit normal of the plane between them, from the first to the second.
    pub normal: Point,
    /// From the first centre to the point of the first that is farthest along the normal.
    pub lever: Point,
}

/// The tensor A of an ellipsoid of `semi_axes`, scaled by `scale` and turned by `turn`.
pub(super) fn tensor(semi_axes: Point, scale: f64, turn: &Matrix) -> Matrix {
    let squares = semi_axes.map(|axis| (scale * axis).powi(2));
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| (0..3).map(|k| turn[i][k] * squares[k] * turn[j][k]).sum()))
}

/// The ellipsoids `a` and `b` whose centres are `apart`; none where they are farther apart than `reach`, or concentric.
pub(super) fn contact(a: &Matrix, b: &Matrix, apart: Point, reach: f64) -> Option<Contact> {
    // s = 1 / (1 + exp(-t)); between spheres the logarithm of the ratio is straight in t, with a slope of -2.
    let (mut t, mut low, mut high) = (0.0_f64, f64::NEG_INFINITY, f64::INFINITY);
    let mut last: Option<(f64, f64)> = None;
    let mut found = None;
    for _ in 0..TRIES {
        let share = 1.0 / (1.0 + (-t).exp());
        let n = solve(&mixed(a, b, share), apart);
        let (over_a, over_b) = (applied(a, n), applied(b, n));
        let (across_a, across_b) = (dot(n, over_a), dot(n, over_b));
        let size = length(n);
        // Also refuses what is no number.
        if !(size > 0.0 && across_a > 0.0 && across_b > 0.0) {
            return None;
        }
        let gap = (dot(apart, n) - across_a.sqrt() - across_b.sqrt()) / size;
        if gap > reach {
            return None;
        }
        found = Some(Contact { gap, normal: times(1.0 / size, n), lever: times(1.0 / across_a.sqrt(), over_a) });
        let ratio = (across_a / across_b).ln() - 2.0 * t;
        if ratio.abs() < ZERO {
            break;
        }
        if ratio > 0.0 {
            low = t
        } else {
            high = t
        }
        let slope = last.map(|(at, was)| (ratio - was) / (t - at)).filter(|&slope| slope < -0.1).unwrap_or(-2.0);
        last = Some((t, ratio));
        let next = t - ratio / slope;
        t = match next > low && next < high {
            true => next,
            false if low.is_finite() && high.is_finite() => 0.5 * (low + high),
            false => t + 2.0 * ratio.signum(),
        };
    }
    found
}

/// `(1 - share) a + share b`.
fn mixed(a: &Matrix, b: &Matrix, share: f64) -> Matrix {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| (1.0 - share) * a[i][j] + share * b[i][j]))
}

fn applied(m: &Matrix, v: Point) -> Point {
    m.map(|row| dot(row, v))
}

/// The solution x of m x = v, by Cramer's rule; m is symmetric.
fn solve(m: &Matrix, v: Point) -> Point {
    let columns = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
    let scale = 1.0 / dot(m[0], columns[0]);
    [0, 1, 2].map(|k| scale * (0..3).map(|j| columns[j][k] * v[j]).sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::super::random::Draws;
    use super::super::turn::matrix;
    use super::*;
    use hematite_cells::vector::{minus, plus};

    /// The distance by its definition: the largest of r n - sqrt(n A n) - sqrt(n B n) over unit normals n, by a search
    /// from many directions; negative where they overlap.
    fn searched(a: &Matrix, b: &Matrix, apart: Point, draws: Draws) -> f64 {
        let gap = |n: Point| {
            let n = times(1.0 / length(n), n);
            dot(apart, n) - dot(n, applied(a, n)).sqrt() - dot(n, applied(b, n)).sqrt()
        };
        let mut best = ([1.0, 0.0, 0.0], f64::NEG_INFINITY);
        for k in 0..6000_u64 {
            let stray = if k < 1000 { 10.0 } else { 0.997_f64.powf((k - 1000) as f64) };
            let n = [0, 1, 2].map(|i| best.0[i] + stray * draws.sign(3 * k + i as u64));
            if gap(n) > best.1 {
                best = (times(1.0 / length(n), n), gap(n));
            }
        }
        best.1
    }

    #[test]
    fn spheres_are_as_far_apart_as_their_centres_less_their_radii() {
        let turn = matrix([1.0, 0.0, 0.0, 0.0]);
        let (a, b) = (tensor([2.0; 3], 1.0, &turn), tensor([3.0; 3], 0.5, &turn));
        for (far, gap) in [(5.0, 1.5), (3.5, 0.0), (2.0, -1.5)] {
            let found = contact(&a, &b, [0.0, far, 0.0], 9.0).expect("near");
            assert!((found.gap - gap).abs() < 1e-9 && (found.normal[1] - 1.0).abs() < 1e-12, "{found:?}");
            assert!(length(minus(found.lever, [0.0, 2.0, 0.0])) < 1e-9, "{found:?}");
        }
        assert!(contact(&a, &b, [0.0, 5.0, 0.0], 1.4).is_none() && contact(&a, &b, [0.0; 3], 1.0).is_none());
    }

    #[test]
    fn ellipsoids_overlap_where_a_search_finds_no_plane_between_them() {
        let mut found = [0; 2];
        for k in 0..400 {
            let draws = Draws::of(11, k);
            let axes = |first: u64| [0, 1, 2].map(|i| 0.2 + 2.5 * draws.unit(first + i).powi(2));
            let [one, other] =
                [0, 3].map(|first| Ellipsoid { semi_axes: axes(6 + first), orientation: draws.rotation(first, 3) });
            let [a, b] = [&one, &other].map(|body| tensor(body.semi_axes, 1.0, &matrix(body.orientation)));
            let apart = [0, 1, 2].map(|i| 2.5 * draws.sign(12 + i));
            let far = searched(&a, &b, apart, Draws::of(12, k));
            assert!(far.abs() < 1e-4 || one.overlaps(&other, apart) == (far < 0.0), "{k}: {far}");
            assert_eq!(one.overlaps(&other, apart), other.overlaps(&one, times(-1.0, apart)), "{k}");
            found[usize::from(far < 0.0)] += 1;
        }
        assert!(found[0] > 50 && found[1] > 50, "{found:?}");
        let (needle, ball) = ([4.0, 0.1, 0.1], [1.0; 3]);
        let of = |semi_axes| Ellipsoid { semi_axes, orientation: [1.0, 0.0, 0.0, 0.0] };
        assert!(of(ball).overlaps(&of(ball), [0.0; 3]) && of(needle).overlaps(&of(ball), [4.9, 0.0, 0.0]));
        assert!(!of(needle).overlaps(&of(ball), [5.1, 0.0, 0.0]) && !of(needle).overlaps(&of(ball), [0.0, 1.15, 0.0]));
        assert!((of(needle).extent([0.6, 0.8, 0.0]) - (2.4_f64.powi(2) + 0.08_f64.powi(2)).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn the_distance_is_nearly_that_of_a_search_and_never_more() {
        let (mut touching, mut seen) = (0, 0);
        for k in 0..300 {
            let draws = Draws::of(7, k);
            let axes = |first: u64| [0, 1, 2].map(|i| 0.4 + 2.0 * draws.unit(first + i));
            let (turn_a, turn_b) = (matrix(draws.rotation(0, 3)), matrix(draws.rotation(3, 3)));
            let (a, b) = (tensor(axes(6), 1.0, &turn_a), tensor(axes(9), 1.0, &turn_b));
            let apart = [0, 1, 2].map(|i| 3.5 * draws.sign(12 + i));
            let (Some(found), far) = (contact(&a, &b, apart, 100.0), searched(&a, &b, apart, Draws::of(8, k))) else {
                continue;
            };
            seen += 1;
            assert!(found.gap <= far + 1e-4, "{k}: {found:?}, {far}");
            assert_eq!(found.gap > 0.0, far > 0.0, "{k}: {found:?}, {far}");
            if far.abs() < 0.3 {
                touching += 1;
                assert!(far - found.gap < 0.1, "{k}: {found:?}, {far}");
            }
            // The point lies on the first, the normal stands upon it there.
            let back = solve(&a, found.lever);
            assert!((dot(found.lever, back) - 1.0).abs() < 1e-9);
            assert!(length(cross(back, found.normal)) < 1e-6 * length(back));
            // Seen from the other, it is the same.
            let other = contact(&b, &a, times(-1.0, apart), 100.0).expect("near");
            assert!((other.gap - found.gap).abs() < 1e-3 && length(plus(other.normal, found.normal)) < 1e-2, "{k}");
        }
        assert!(seen == 300 && touching > 30, "{seen} {touching}");
    }
}
