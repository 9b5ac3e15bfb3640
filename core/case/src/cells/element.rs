//! Sides and triangles of surfaces, and how far points are from them.

use hematite_cells::Surface;
use hematite_cells::vector::{Point, dot, minus};

/// A side (2-D) or a triangle (3-D), with the products that its distance from any point needs.
pub(super) struct Element {
    a: Point,
    ab: Point,
    ac: Point,
    ab_ab: f64,
    ab_ac: f64,
    ac_ac: f64,
}

impl Element {
    /// Those of a surface, in its order.
    pub fn all(surface: &Surface) -> Vec<Self> {
        (0..count(surface)).map(|element| Self::of(corners(surface, element))).collect()
    }

    /// The triangle with these corners; a side has the last one twice.
    fn of([a, b, c]: [Point; 3]) -> Self {
        let (ab, ac) = (minus(b, a), minus(c, a));
        Self { a, ab, ac, ab_ab: dot(ab, ab), ab_ac: dot(ab, ac), ac_ac: dot(ac, ac) }
    }

    /// Squared distance of `p`. Its closest point is a + v ab + w ac, with v and w by the region of the plane above which
    /// `p` is (C. Ericson, Real-Time Collision Detection, 2005, section 5.1.5).
    #[inline]
    pub fn squared_distance(&self, p: Point) -> f64 {
        let &Self { a, ab, ac, ab_ab, ab_ac, ac_ac } = self;
        let ap = minus(p, a);
        let (d1, d2) = (dot(ab, ap), dot(ac, ap));
        let (d3, d4) = (d1 - ab_ab, d2 - ab_ac);
        let (d5, d6) = (d1 - ab_ac, d2 - ac_ac);
        let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
        let (v, w) = if d1 <= 0.0 && d2 <= 0.0 {
            (0.0, 0.0)
        } else if d3 >= 0.0 && d4 <= d3 {
            (1.0, 0.0)
        } else if d6 >= 0.0 && d5 <= d6 {
            (0.0, 1.0)
        } else if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            (d1 / (d1 - d3), 0.0)
        } else if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            (0.0, d2 / (d2 - d6))
        } else if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
            (1.0 - w, w)
        } else {
            let sum = va + vb + vc;
            (vb / sum, vc / sum)
        };
        let apart = minus(ap, [0, 1, 2].map(|k| v * ab[k] + w * ac[k]));
        dot(apart, apart)
    }
}

/// How many sides or triangles a surface has.
pub(super) fn count(surface: &Surface) -> usize {
    if surface.dimension == 2 { surface.vertices.len() } else { surface.triangles.len() }
}

/// The corners of a side (2-D, the second one twice) or a triangle.
pub(super) fn corners(surface: &Surface, element: usize) -> [Point; 3] {
    if surface.dimension == 2 {
        let (a, b) = (surface.vertices[element], surface.vertices[(element + 1) % surface.vertices.len()]);
        [a, b, b]
    } else {
        surface.triangles[element].map(|v| surface.vertices[v as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hematite_cells::vector::{length, plus, times};

    /// Least distance of `p` from points all over a triangle.
    fn by_search([a, b, c]: [Point; 3], p: Point) -> f64 {
        let steps = 400;
        let share = |k: usize| k as f64 / steps as f64;
        let points = (0..=steps).flat_map(|i| (0..=steps - i).map(move |j| (share(i), share(j))));
        let apart = |(v, w): (f64, f64)| length(minus(p, plus(a, plus(times(v, minus(b, a)), times(w, minus(c, a))))));
        points.map(apart).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn distances_are_those_of_the_closest_points() {
        let wave = |k: usize, a: usize| (1.7 * k as f64 + 2.3 * a as f64 * (k as f64 + 1.0)).sin();
        for k in 0..60 {
            let point = |n: usize| [0, 1, 2].map(|a| wave(7 * k + n, a + 1));
            let b = point(1);
            // Triangles, some of them narrow, and sides.
            let c = match k % 3 {
                0 => point(2),
                1 => plus(b, times(0.05, point(2))),
                _ => b,
            };
            let corners = [point(0), b, c];
            let element = Element::of(corners);
            for n in 3..7 {
                let p = times(1.5, point(n));
                let (found, wanted) = (element.squared_distance(p).sqrt(), by_search(corners, p));
                assert!(found <= wanted + 1e-12 && found > wanted - 0.01, "{corners:?} {p:?}: {found}, {wanted}");
            }
        }
    }
}
