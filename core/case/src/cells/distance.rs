//! The signed distance from the surface of a cell, tabulated about the cell at rest.

use hematite_cells::Surface;
use hematite_cells::vector::{Point, dot};
use rayon::prelude::*;

use super::element::{Element, corners, count};

/// Signed distance from a surface on a grid in the coordinates of the shape: negative inside. The unit of length is
/// that of the surface.
pub(super) struct Distance {
    low: [f32; 3],
    per_step: f32,
    counts: [usize; 3],
    values: Vec<f32>,
    /// The step of the grid.
    pub step: f64,
    /// Radius of the largest circle or sphere about a grid point that lies inside.
    pub inradius: f64,
    /// Area or volume of the hull: what lies between every pair of tangents or tangent planes.
    pub hull: f64,
}

/// Grid steps in the radius of the shape, in 2-D and 3-D.
const STEPS: [f64; 2] = [40.0, 24.0];

impl Distance {
    /// How many points [`Distance::new`] tabulates.
    pub fn points(surface: &Surface, reach: f64) -> f64 {
        measure(surface, reach).2.iter().product()
    }

    /// Tabulates the distance from `surface` out to `reach` beyond it.
    pub fn new(surface: &Surface, reach: f64) -> Self {
        let (low, step, counts) = measure(surface, reach);
        let counts = counts.map(|n| n as usize);
        let grid = Grid { low, step, counts };
        let distances = distances(surface, &grid);
        let inside = inside(surface, &grid);
        let signed = |(apart, inside): (f64, bool)| if inside { -apart as f32 } else { apart as f32 };
        let values: Vec<f32> = distances.iter().copied().zip(inside).map(signed).collect();
        Self {
            low: low.map(|x| x as f32),
            per_step: (1.0 / step) as f32,
            counts,
            step,
            inradius: -f64::from(values.iter().copied().fold(0.0, f32::min)),
            hull: hull(surface, &grid),
            values,
        }
    }

    /// Distance and its gradient at `q`, linear between grid points; `None` off the grid, which is farther than the
    /// reach.
    // As a call of its own it makes seeding a tenth slower.
    #[inline(always)]
    pub fn at<const D: usize>(&self, q: [f32; 3]) -> Option<(f32, [f32; 3])> {
        let mut base = [0; 3];
        let mut share = [0.0; 3];
        for k in 0..D {
            let u = (q[k] - self.low[k]) * self.per_step;
            // Also refuses what is no number.
            if !(u >= 0.0 && u < (self.counts[k] - 1) as f32) {
                return None;
            }
            base[k] = u as usize;
            share[k] = u - base[k] as f32;
        }
        let [nx, ny, _] = self.counts;
        let first = (base[2] * ny + base[1]) * nx + base[0];
        let plane = |at: usize| {
            let (a, b) = (self.values[at], self.values[at + 1]);
            let (c, d) = (self.values[at + nx], self.values[at + nx + 1]);
            let (low, high) = (a + share[0] * (b - a), c + share[0] * (d - c));
            let slope = (b - a) + share[1] * ((d - c) - (b - a));
            (low + share[1] * (high - low), slope, high - low)
        };
        let (value, gx, gy) = plane(first);
        if D == 2 {
            return Some((value, [gx * self.per_step, gy * self.per_step, 0.0]));
        }
        let (above, ax, ay) = plane(first + nx * ny);
        let gradient = [gx + share[2] * (ax - gx), gy + share[2] * (ay - gy), above - value];
        Some((value + share[2] * (above - value), gradient.map(|g| g * self.per_step)))
    }
}

/// Lower corner, step and counts of the grid about a surface, out to `reach` beyond it.
fn measure(surface: &Surface, reach: f64) -> (Point, f64, [f64; 3]) {
    let step = surface.radius() / STEPS[surface.dimension - 2];
    let margin = reach + 2.0 * step;
    let bound = |pick: fn(f64, f64) -> f64, start: f64| {
        surface.vertices.iter().fold([start; 3], |b, v| [0, 1, 2].map(|k| pick(b[k], v[k])))
    };
    let mut low = bound(f64::min, f64::INFINITY).map(|x| x - margin);
    let high = bound(f64::max, f64::NEG_INFINITY).map(|x| x + margin);
    let mut counts = [0, 1, 2].map(|k| ((high[k] - low[k]) / step).ceil() + 1.0);
    if surface.dimension == 2 {
        (low[2], counts[2]) = (0.0, 1.0);
    }
    (low, step, counts)
}

struct Grid {
    low: Point,
    step: f64,
    counts: [usize; 3],
}

impl Grid {
    fn len(&self) -> usize {
        self.counts.iter().product()
    }

    fn place(&self, i: usize) -> [usize; 3] {
        let [nx, ny, _] = self.counts;
        [i % nx, i / nx % ny, i / (nx * ny)]
    }

    fn point(&self, i: usize) -> Point {
        let at = self.place(i);
        [0, 1, 2].map(|k| self.low[k] + self.step * at[k] as f64)
    }

    /// Grid places along an axis from the last at or below `a` to the first at or above `b`, within the grid.
    fn span(&self, axis: usize, a: f64, b: f64) -> std::ops::Range<usize> {
        let first = ((a - self.low[axis]) / self.step).floor().max(0.0) as usize;
        let last = ((b - self.low[axis]) / self.step).ceil().max(0.0) as usize;
        first..(last + 1).min(self.counts[axis])
    }
}

/// Distance of each grid point from the surface. Elements near a point are tried at once, then neighbours hand theirs on
/// in sweeps, as the nearest element of a grid point is nearly always that of one of its neighbours.
fn distances(surface: &Surface, grid: &Grid) -> Vec<f64> {
    let elements = Element::all(surface);
    // Squared distance and nearest element so far.
    let mut best = vec![(f64::INFINITY, 0_u32); grid.len()];
    let [nx, ny, _] = grid.counts;
    for (k, element) in elements.iter().enumerate() {
        let corners = corners(surface, k);
        let reach = 2.0 * grid.step;
        let span = [0, 1, 2].map(|k| {
            let low = corners.iter().map(|c| c[k]).fold(f64::INFINITY, f64::min);
            let high = corners.iter().map(|c| c[k]).fold(f64::NEG_INFINITY, f64::max);
            grid.span(k, low - reach, high + reach)
        });
        for z in span[2].clone() {
            for y in span[1].clone() {
                for x in span[0].clone() {
                    let i = (z * ny + y) * nx + x;
                    let apart = element.squared_distance(grid.point(i));
                    if apart < best[i].0 {
                        best[i] = (apart, k as u32);
                    }
                }
            }
        }
    }
    let strides = [1, nx, nx * ny];
    let mut improve = |i: usize| {
        let (place, p) = (grid.place(i), grid.point(i));
        for axis in 0..3 {
            let before = (place[axis] > 0).then(|| i - strides[axis]);
            let behind = (place[axis] + 1 < grid.counts[axis]).then(|| i + strides[axis]);
            for j in [before, behind].into_iter().flatten() {
                let ((own, mine), (other, theirs)) = (best[i], best[j]);
                if other.is_finite() && (theirs != mine || own.is_infinite()) {
                    let apart = elements[theirs as usize].squared_distance(p);
                    if apart < own {
                        best[i] = (apart, theirs);
                    }
                }
            }
        }
    };
    for _ in 0..2 {
        (0..grid.len()).for_each(&mut improve);
        (0..grid.len()).rev().for_each(&mut improve);
    }
    // What was handed on is off by a few elements: go down from it over those that share a corner.
    let touching = touching(surface);
    let descend = |(i, (mut apart, mut nearest)): (usize, (f64, u32))| {
        let p = grid.point(i);
        loop {
            let from = nearest;
            for &element in &touching[from as usize] {
                let found = elements[element as usize].squared_distance(p);
                if found < apart {
                    (apart, nearest) = (found, element);
                }
            }
            if nearest == from {
                return apart.sqrt();
            }
        }
    };
    best.into_par_iter().enumerate().map(descend).collect()
}

/// The elements that share a corner with each element.
fn touching(surface: &Surface) -> Vec<Vec<u32>> {
    let count = count(surface) as u32;
    if surface.dimension == 2 {
        return (0..count).map(|k| vec![(k + count - 1) % count, (k + 1) % count]).collect();
    }
    let mut at: Vec<Vec<u32>> = vec![Vec::new(); surface.vertices.len()];
    for (k, triangle) in surface.triangles.iter().enumerate() {
        triangle.iter().for_each(|&v| at[v as usize].push(k as u32));
    }
    surface
        .triangles
        .iter()
        .map(|triangle| triangle.iter().flat_map(|&v| at[v as usize].iter().copied()).collect())
        .collect()
}

/// Which grid points lie inside, by the parity of the crossings below them. The lines of sight are off the grid by a
/// trifle, so that they meet no corner.
fn inside(surface: &Surface, grid: &Grid) -> Vec<bool> {
    let flat = surface.dimension == 2;
    let [nx, ny, nz] = grid.counts;
    let off = [1.234_567e-5, 2.718_281e-5].map(|share| share * grid.step);
    // Lines run along the last axis: y in 2-D, z in 3-D.
    let (columns, up) = if flat { (nx, 1) } else { (nx * ny, 2) };
    let mut crossings: Vec<Vec<f64>> = vec![Vec::new(); columns];
    for element in 0..count(surface) {
        let [a, b, c] = corners(surface, element);
        let x_span = grid.span(0, a[0].min(b[0]).min(c[0]) - grid.step, a[0].max(b[0]).max(c[0]));
        if flat {
            for x in x_span {
                let at = grid.low[0] + grid.step * x as f64 + off[0];
                if (a[0] > at) != (b[0] > at) {
                    crossings[x].push(a[1] + (b[1] - a[1]) * (at - a[0]) / (b[0] - a[0]));
                }
            }
            continue;
        }
        let y_span = grid.span(1, a[1].min(b[1]).min(c[1]) - grid.step, a[1].max(b[1]).max(c[1]));
        for y in y_span {
            for x in x_span.clone() {
                let at = [0, 1].map(|k| grid.low[k] + grid.step * [x, y][k] as f64 + off[k]);
                let side = |a: Point, b: Point| (b[0] - a[0]) * (at[1] - a[1]) - (b[1] - a[1]) * (at[0] - a[0]);
                let (u, v, w) = (side(b, c), side(c, a), side(a, b));
                let sum = u + v + w;
                if sum != 0.0 && (u > 0.0) == (v > 0.0) && (v > 0.0) == (w > 0.0) {
                    crossings[y * nx + x].push((u * a[2] + v * b[2] + w * c[2]) / sum);
                }
            }
        }
    }
    let levels = if flat { ny } else { nz };
    let mut inside = vec![false; grid.len()];
    for (column, crossings) in crossings.iter().enumerate().filter(|(_, crossings)| !crossings.is_empty()) {
        for level in 0..levels {
            let at = grid.low[up] + grid.step * level as f64;
            inside[level * columns + column] = crossings.iter().filter(|&&z| z < at).count() % 2 == 1;
        }
    }
    inside
}

/// Area or volume of the grid points on the inner side of tangents in many directions.
fn hull(surface: &Surface, grid: &Grid) -> f64 {
    let turns = 96;
    let directions: Vec<Point> = (0..turns)
        .map(|k| {
            let angle = std::f64::consts::TAU * f64::from(k) / f64::from(turns);
            if surface.dimension == 2 {
                return [angle.cos(), angle.sin(), 0.0];
            }
            // A spiral from pole to pole, even over the sphere.
            let z = (2.0 * f64::from(k) + 1.0) / f64::from(turns) - 1.0;
            let around = f64::from(k) * 2.399_963_229_728_653;
            let r = (1.0 - z * z).sqrt();
            [r * around.cos(), r * around.sin(), z]
        })
        .collect();
    let tangents: Vec<(Point, f64)> = directions
        .into_iter()
        .map(|n| (n, surface.vertices.iter().map(|&v| dot(n, v)).fold(f64::NEG_INFINITY, f64::max)))
        .collect();
    let within = (0..grid.len()).filter(|&i| tangents.iter().all(|&(n, far)| dot(n, grid.point(i)) <= far)).count();
    let counted = within as f64 * grid.step.powi(surface.dimension as i32);
    counted.max(surface.volume())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hematite_cells::ShapeConfig;
    use hematite_cells::vector::{length, times};

    fn shape(json: &str, dimension: usize) -> Surface {
        let config: ShapeConfig = serde_json::from_str(json).expect("a shape");
        config.surface(std::path::Path::new("case.json"), dimension, 1e-6).expect("a surface").scaled(1e6)
    }

    #[test]
    fn a_sphere_and_a_circle_are_where_they_should_be() {
        for (dimension, tolerance) in [(2, 0.03), (3, 0.05)] {
            let surface = shape(r#"{"kind": "sphere", "radius": "3 um", "vertices": 642}"#, dimension);
            let table = Distance::new(&surface, 1.0);
            for k in 0..400 {
                let t = f64::from(k);
                let direction = [(t * 0.7).sin(), (t * 1.3).cos(), if dimension == 3 { (t * 2.1).sin() } else { 0.0 }];
                // Near the centre the nearest side is a matter of chance.
                let radius = 1.5 + 2.0 * (f64::from(k % 100) / 100.0);
                let p = times(radius / length(direction), direction).map(|x| x as f32);
                let (value, gradient) =
                    if dimension == 2 { table.at::<2>(p) } else { table.at::<3>(p) }.expect("on the grid");
                assert!((f64::from(value) - (radius - 3.0)).abs() < tolerance, "{dimension}-D {radius}: {value}");
                let along = dot(gradient.map(f64::from), direction) / length(direction);
                // Deep inside, facets are seen one by one.
                assert!(radius < 2.6 || (along - 1.0).abs() < 0.05, "{dimension}-D {radius}: {gradient:?}");
            }
            assert!((table.inradius - 3.0).abs() < 0.1);
            assert!((table.hull / surface.volume() - 1.0).abs() < 0.05, "{}", table.hull / surface.volume());
            assert!(table.at::<3>([5.0, 5.0, 5.0]).is_none() && table.at::<2>([f32::NAN; 3]).is_none());
        }
    }

    #[test]
    fn a_red_cell_keeps_its_dimples() {
        for dimension in [2, 3] {
            let surface = shape(r#"{"kind": "red_cell"}"#, dimension);
            let table = Distance::new(&surface, 0.5);
            let elements = Element::all(&surface);
            let at = |p: [f32; 3]| if dimension == 2 { table.at::<2>(p) } else { table.at::<3>(p) }.expect("on grid").0;
            let axis = dimension - 1;
            let up = |x: f32, h: f32| {
                let mut p = [x, 0.0, 0.0];
                p[axis] = h;
                p
            };
            // Half as thick as 0.81 um in the middle, 2.57 um on the rim.
            assert!(at(up(0.0, 0.7)) > 0.2 && at(up(0.0, 0.0)) < -0.3 && at(up(2.7, 0.7)) < -0.3);
            // Against every side or triangle, at places all over the grid.
            let mut worst: f64 = 0.0;
            for k in 0..500 {
                let t = f64::from(k);
                let mut p = [4.0 * (t * 0.37).sin(), 1.5 * (t * 0.91).sin(), 0.0];
                if dimension == 3 {
                    p = [p[0], 4.0 * (t * 1.7).cos(), p[1]];
                }
                let far = elements.iter().map(|e| e.squared_distance(p).sqrt()).fold(9.0, f64::min);
                worst = worst.max((far - f64::from(at(p.map(|x| x as f32))).abs()).abs());
            }
            assert!(worst < 0.06, "{dimension}-D: {worst}");
            assert!((1.2..1.6).contains(&(table.hull / surface.volume())), "{}", table.hull / surface.volume());
        }
    }
}
