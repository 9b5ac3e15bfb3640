//! Where lines of lattice sites cross a surface.
//!
//! Lines run along a link's direction. Seen along it, a line is a point with whole coordinates and a triangle a flat
//! one. Whether that holds the point is told exactly (`robust`), and a point on an edge or a corner counts as moved by
//! a vanishing step along the first coordinate and a still smaller one along the second. So a line crosses a closed
//! surface an even number of times, wherever it hits it.

use rayon::prelude::*;
use robust::{Coord, orient2d};

use super::mesh::{Mesh, Vector, dot, unit};

/// A crossing of a line and the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The line: where it lies as seen along it.
    pub line: [i32; 2],
    /// How far along it, in links.
    pub at: f64,
    /// 1 where the line goes in, behind the triangle; -1 where it comes out.
    pub turn: i8,
    /// Which surface.
    pub surface: u8,
    /// Whether the line meets the surface at more than 30 degrees, and does not graze it.
    pub steep: bool,
}

/// How sites are seen along a direction: the first two numbers are the line, the third is how far along.
#[derive(Clone, Copy, Debug)]
pub struct View {
    direction: [i32; 3],
    main: usize,
    sides: [usize; 2],
}

impl View {
    /// Along a direction of components -1, 0, 1, the first that is not 0 being 1.
    pub fn along(direction: [i32; 3]) -> Self {
        let main = direction.iter().position(|&c| c != 0).unwrap_or(0);
        let sides = [[1, 2], [2, 0], [0, 1]][main];
        Self { direction, main, sides }
    }

    /// The line and the place on it.
    pub fn of(&self, point: Vector) -> ([f64; 2], f64) {
        let along = point[self.main];
        (self.sides.map(|axis| point[axis] - f64::from(self.direction[axis]) * along), along)
    }

    /// The site at a place of a line.
    pub fn site(&self, line: [i32; 2], along: i32) -> [i32; 3] {
        let mut site = [0; 3];
        site[self.main] = along;
        for (&axis, place) in self.sides.iter().zip(line) {
            site[axis] = place + self.direction[axis] * along;
        }
        site
    }

    /// Those of a site.
    pub fn of_site(&self, site: [i32; 3]) -> ([i32; 2], i32) {
        let along = site[self.main];
        (self.sides.map(|axis| site[axis] - self.direction[axis] * along), along)
    }
}

/// All crossings of a mesh, of points in units of sites, by line and along it. The same on any number of threads.
/// `surface` gives the surface of a triangle.
pub fn crossings(mesh: &Mesh, view: View, surface: impl Fn(usize) -> u8 + Sync) -> Vec<Crossing> {
    let seen: Vec<([f64; 2], f64)> = mesh.points.par_iter().map(|&point| view.of(point)).collect();
    let of_triangle = |t: usize| {
        let corners = mesh.triangles[t].map(|k| seen[k as usize]);
        let flat = corners.map(|corner| corner.0);
        let range = |axis: usize| {
            let [low, high] = span(flat.map(|corner| corner[axis]));
            low.ceil() as i32..=high.floor() as i32
        };
        let whole = orientation(flat[0], flat[1], flat[2]);
        let (turn, surface) = (if whole > 0.0 { -1 } else { 1 }, surface(t));
        let along = unit(view.direction.map(f64::from)).unwrap_or_default();
        let steep = dot(mesh.normal(t), along).abs() > 0.5;
        // A triangle seen from its edge is not crossed.
        let rows = (whole != 0.0).then(|| range(1)).into_iter().flatten();
        let columns = range(0);
        let [low, high] = span(corners.map(|corner| corner.1));
        rows.flat_map(move |v| columns.clone().map(move |u| [u, v])).filter_map(move |line| {
            let shares = pierced(flat, line.map(f64::from))?;
            let at = (0..3).map(|k| shares[k] * corners[k].1).sum::<f64>().clamp(low, high);
            Some(Crossing { line, at, turn, surface, steep })
        })
    };
    let mut found: Vec<Crossing> = (0..mesh.triangles.len()).into_par_iter().flat_map_iter(of_triangle).collect();
    found.par_sort_unstable_by(|a, b| {
        let line = |crossing: &Crossing| [crossing.line[1], crossing.line[0]];
        let order = line(a).cmp(&line(b)).then(a.at.total_cmp(&b.at));
        order.then(a.turn.cmp(&b.turn)).then(a.surface.cmp(&b.surface))
    });
    found
}

fn span(x: [f64; 3]) -> [f64; 2] {
    [x[0].min(x[1]).min(x[2]), x[0].max(x[1]).max(x[2])]
}

fn orientation(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let coord = |[x, y]: [f64; 2]| Coord { x, y };
    orient2d(coord(a), coord(b), coord(c))
}

/// The shares of its corners in a point of a triangle; none where it does not hold the point, or has no area.
pub fn pierced(triangle: [[f64; 2]; 3], point: [f64; 2]) -> Option<[f64; 3]> {
    let whole = orientation(triangle[0], triangle[1], triangle[2]);
    let mut parts = [0.0; 3];
    for k in 0..3 {
        let (a, b) = (triangle[(k + 1) % 3], triangle[(k + 2) % 3]);
        parts[k] = orientation(a, b, point);
        // On the edge's line: the side to which the vanishing step leads.
        let steps = [parts[k], a[1] - b[1], b[0] - a[0]];
        let side = steps.into_iter().find(|&step| step != 0.0)?;
        if (side > 0.0) != (whole > 0.0) || whole == 0.0 {
            return None;
        }
    }
    let sum = parts[0] + parts[1] + parts[2];
    Some(if sum == 0.0 { [1.0 / 3.0; 3] } else { parts.map(|part| part / sum) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_and_sites_go_with_each_other() {
        for direction in
            [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, -1], [0, 1, 1], [0, 1, -1]]
        {
            let view = View::along(direction);
            let (line, along) = view.of_site([3, -4, 7]);
            assert_eq!(view.site(line, along), [3, -4, 7]);
            assert_eq!(view.of([3.0, -4.0, 7.0]), (line.map(f64::from), f64::from(along)));
            let next = [0, 1, 2].map(|axis| [3, -4, 7][axis] + direction[axis]);
            assert_eq!(view.of_site(next), (line, along + 1), "{direction:?}");
        }
    }

    #[test]
    fn one_of_the_triangles_around_a_point_is_pierced() {
        // Fans around the origin whose edges go through lines of whole numbers, in every direction.
        let around: Vec<[f64; 2]> =
            vec![[2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [-2.0, 2.0], [-2.0, 0.0], [-2.0, -2.0], [0.0, -2.0], [2.0, -2.0]];
        for (u, v) in (-1..=1).flat_map(|u| (-1..=1).map(move |v| (u, v))) {
            for turned in [false, true] {
                let triangle = |k: usize| {
                    let (a, b) = (around[k], around[(k + 1) % 8]);
                    if turned { [[0.0; 2], b, a] } else { [[0.0; 2], a, b] }
                };
                let point = [f64::from(u), f64::from(v)];
                let hit: Vec<[f64; 3]> = (0..8).filter_map(|k| pierced(triangle(k), point)).collect();
                assert_eq!(hit.len(), 1, "{point:?}");
                assert!((hit[0].iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }
}
