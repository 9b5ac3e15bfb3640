//! The cross-section of the vessel at an opening that is oblique to the lattice: its area, and the developed flow on
//! it.
//!
//! A section is taken from the nodes up to a few spacings before the opening, each weighed by a smooth window over its
//! height h above the opening, w = sin^2(pi h / L). Lattice planes of any direction then add up to the same density of
//! nodes, 1, so that the nodes' weights sum up to the area, and, spread by hats over a grid across the normal, to 1
//! inside the vessel and 1/2 at its walls. On that grid `lap u = -1` with `u = 0` at the walls.

use std::collections::{HashMap, VecDeque};
use std::f64::consts::PI;

use hematite_cells::vector::{cross, dot, length};

use crate::Lattice;
use crate::solve::{Matrix, solve};

/// Depth L of the window, lattice spacings.
const DEPTH: f64 = 6.0;
/// Spacing of the grid across the normal.
const STEP: f64 = 0.5;
/// Half width of the hats by which nodes are spread.
const HAT: f64 = 1.0;
/// Coverage at the wall.
const EDGE: f64 = 0.5;
/// The shortest arm of a stencil, in its spacings.
const SHORTEST: f64 = 0.05;

/// The section of a vessel at an opening.
pub(crate) struct Section {
    across: [[f64; 3]; 2],
    /// Area, lattice units (length in 2-D).
    pub area: f64,
    /// Speed of developed flow at the grid's places inside the walls, over its mean.
    speed: HashMap<[i32; 2], f64>,
}

impl Section {
    /// The section before an opening of `nodes` (ascending) with that normal; none where these nodes do not bound a
    /// vessel by walls.
    pub fn find(lattice: &Lattice, nodes: &[u32], normal: [f64; 3]) -> Option<Self> {
        let dimension = lattice.set.dimension();
        let across = tangents(normal, dimension);
        let place = |n: u32| lattice.position[n as usize].map(f64::from);
        let first = nodes.iter().map(|&n| dot(place(n), normal)).fold(f64::INFINITY, f64::min);
        let window = |n: u32| {
            let height = dot(place(n), normal) - first;
            if (0.0..DEPTH).contains(&height) { 2.0 / DEPTH * (PI * height / DEPTH).sin().powi(2) } else { 0.0 }
        };
        let vessel = before(lattice, nodes, |n| (0.0..DEPTH).contains(&(dot(place(n), normal) - first)));
        let area: f64 = vessel.iter().map(|&n| window(n)).sum();

        let mut coverage: HashMap<[i32; 2], f64> = HashMap::new();
        for &n in &vessel {
            let weight = window(n);
            let at = across.map(|tangent| dot(place(n), tangent));
            for j in hats(at[1], dimension == 3) {
                for i in hats(at[0], true) {
                    *coverage.entry([i.0, j.0]).or_default() += weight * i.1 * j.1;
                }
            }
        }
        let mut inside: Vec<[i32; 2]> =
            coverage.iter().filter(|(_, share)| **share > EDGE).map(|(at, _)| *at).collect();
        inside.sort_unstable();
        let matrix = stencils(&coverage, &inside, dimension - 1);
        if inside.is_empty() || !matrix.every_component_is_bounded() {
            return None;
        }
        let speed = solve(&matrix, &vec![1.0; inside.len()]).ok()?;
        let mean = speed.iter().sum::<f64>() * STEP.powi(dimension as i32 - 1) / area;
        let speed = inside.iter().zip(&speed).map(|(at, u)| (*at, u / mean)).collect();
        Some(Self { across, area, speed })
    }

    /// The speed at a place over the mean: linear between the grid's places, 0 beyond the walls.
    pub fn speed_at(&self, place: [i32; 3]) -> f64 {
        let at = self.across.map(|tangent| dot(place.map(f64::from), tangent) / STEP);
        let [low, share] = [at.map(f64::floor), at.map(|x| x - x.floor())];
        let mut speed = 0.0;
        for (a, b) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let weight = |axis: usize, up: i32| if up == 1 { share[axis] } else { 1.0 - share[axis] };
            let corner = [low[0] as i32 + a, low[1] as i32 + b];
            speed += weight(0, a) * weight(1, b) * self.speed.get(&corner).copied().unwrap_or(0.0);
        }
        speed
    }
}

/// Unit vectors across a normal; in 2-D the second is nothing.
fn tangents(normal: [f64; 3], dimension: usize) -> [[f64; 3]; 2] {
    let [x, y, z] = normal;
    if dimension == 2 {
        return [[-y, x, 0.0], [0.0; 3]];
    }
    // Across the normal and the axis that is farthest from it.
    let axis = (0..3).min_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs())).unwrap_or(0);
    let first = match axis {
        0 => [0.0, -z, y],
        1 => [z, 0.0, -x],
        _ => [-y, x, 0.0],
    };
    let size = length(first);
    let first = first.map(|t| t / size);
    [first, cross(normal, first)]
}

/// The nodes that hang together with an opening's over nodes that are `near`.
fn before(lattice: &Lattice, nodes: &[u32], near: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut seen: std::collections::HashSet<u32> = nodes.iter().copied().collect();
    let mut next: VecDeque<u32> = nodes.iter().copied().collect();
    let mut found = nodes.to_vec();
    while let Some(n) = next.pop_front() {
        for links in &lattice.links {
            if let Some(to) = links[n as usize].node().filter(|&to| near(to))
                && seen.insert(to)
            {
                found.push(to);
                next.push_back(to);
            }
        }
    }
    // Sums are taken in this order.
    found.sort_unstable();
    found
}

/// Places of the grid near a coordinate, with the shares of a node there that make a density of 1.
fn hats(at: f64, there: bool) -> Vec<(i32, f64)> {
    if !there {
        return vec![(0, 1.0)];
    }
    let (low, high) = (((at - HAT) / STEP).ceil() as i32, ((at + HAT) / STEP).floor() as i32);
    (low..=high).map(|i| (i, (1.0 - (f64::from(i) * STEP - at).abs() / HAT) / HAT)).collect()
}

/// The Shortley-Weller stencil at the places inside, whose arms end where the coverage falls to that of the wall.
fn stencils(coverage: &HashMap<[i32; 2], f64>, inside: &[[i32; 2]], axes: usize) -> Matrix {
    let number: HashMap<[i32; 2], usize> = inside.iter().enumerate().map(|(row, at)| (*at, row)).collect();
    let mut matrix = Matrix::default();
    for at in inside {
        let here = coverage[at];
        for axis in 0..axes {
            let arms = [-1, 1].map(|side| {
                let mut there = *at;
                there[axis] += side;
                let beyond = coverage.get(&there).copied().unwrap_or(0.0);
                let column = number.get(&there).copied();
                let length = if column.is_some() { 1.0 } else { ((here - EDGE) / (here - beyond)).max(SHORTEST) };
                (column, length * STEP)
            });
            for (column, length) in arms {
                let weight = 2.0 / (arms[0].1 + arms[1].1) / length;
                match column {
                    Some(column) => matrix.couple(column, weight),
                    None => matrix.bound(weight),
                }
            }
        }
        matrix.end_row();
    }
    matrix
}

#[cfg(test)]
mod tests {
    use hematite_geometry::{Domain, OpeningKind, Site};

    use super::*;
    use crate::fixture;

    /// The direction of a vessel `degrees` from x, in 3-D turned out of the plane too.
    fn direction(dimension: usize, degrees: f64) -> [f64; 3] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        if dimension == 2 { [cos, sin, 0.0] } else { [cos, 0.8 * sin, 0.6 * sin] }
    }

    /// A straight vessel of that width along `normal`, cut across itself half-way.
    fn vessel(dimension: usize, width: f64, normal: [f64; 3]) -> Domain {
        let n = if dimension == 2 { 64 } else { 40 };
        let extent = if dimension == 2 { [n, n, 1] } else { [n; 3] };
        let mut domain = fixture::solid(dimension, extent, [false; 3]);
        let middle = [0, 1, 2].map(|axis| if axis < dimension { n as f64 / 2.0 - 0.37 } else { 0.0 });
        for index in 0..domain.sites.len() {
            let at = [index % n, index / n % n, index / (n * n)];
            let edge = (0..dimension).any(|axis| at[axis] == 0 || at[axis] == n - 1);
            let from: [f64; 3] = std::array::from_fn(|axis| at[axis] as f64 - middle[axis]);
            let along = dot(from, normal);
            let away = (dot(from, from) - along * along).max(0.0).sqrt();
            if !edge && away < width / 2.0 && along.abs() < 14.0 {
                domain.sites[index] = if along > 0.0 { Site::FLUID } else { Site::opening(0) };
            }
        }
        domain.openings = vec![fixture::opening("in", Some(normal))];
        domain
    }

    #[test]
    fn a_vessel_of_any_direction_has_its_area_and_its_developed_flow() {
        for (dimension, width, peak, tolerance, angles) in [
            (2, 20.0, 1.5, 0.04, &[7.0, 15.0, 26.565, 30.0, 45.0, 60.0, 70.0, 75.0][..]),
            (3, 16.0, 2.0, 0.06, &[15.0, 30.0, 45.0, 60.0]),
        ] {
            for &degrees in angles {
                let normal = direction(dimension, degrees);
                let lattice = Lattice::build(&vessel(dimension, width, normal)).expect("builds");
                let opening = &lattice.openings[0];
                let area = if dimension == 2 { width } else { PI * width * width / 4.0 };
                let what = format!("{dimension}-D, {degrees} degrees");
                assert!((opening.area / area - 1.0).abs() < 0.04, "{what}: area {} for {area}", opening.area);
                assert!((flux(&lattice) / opening.area - 1.0).abs() < 1e-6, "{what}: flux {}", flux(&lattice));
                let most = opening.nodes.iter().map(|site| site.developed).fold(0.0, f32::max);
                assert!((f64::from(most) / peak - 1.0).abs() < tolerance, "{what}: peak {most}");
                assert_eq!(opening.kind, OpeningKind::Velocity);
            }
        }
    }

    #[test]
    fn a_thin_vessel_of_any_direction_has_its_area_and_its_flow() {
        for (dimension, widths) in [(2, [2.0, 3.0, 4.0, 5.0, 6.0]), (3, [2.5, 3.0, 4.0, 5.0, 6.0])] {
            for (width, degrees) in
                widths.into_iter().flat_map(|width| [13, 22, 31, 40, 49, 58, 67].map(|a| (width, a)))
            {
                let normal = direction(dimension, f64::from(degrees));
                let lattice = Lattice::build(&vessel(dimension, width, normal)).expect("builds");
                let opening = &lattice.openings[0];
                let area = if dimension == 2 { width } else { PI * width * width / 4.0 };
                let what = format!("{dimension}-D, {width} spacings, {degrees} degrees");
                assert!((opening.area / area - 1.0).abs() < 0.1, "{what}: area {} for {area}", opening.area);
                assert!((flux(&lattice) / opening.area - 1.0).abs() < 1e-6, "{what}: flux {}", flux(&lattice));
            }
        }
    }

    #[test]
    fn an_opening_into_a_wider_vessel_keeps_its_own_area() {
        for (dimension, width) in [(2, 8.0), (3, 6.0)] {
            let normal = direction(dimension, 30.0);
            let mut domain = vessel(dimension, 3.0 * width, normal);
            let narrow = vessel(dimension, width, normal);
            for (site, opening) in domain.sites.iter_mut().zip(&narrow.sites) {
                if site.as_opening().is_some() {
                    *site = if opening.as_opening().is_some() { *opening } else { Site::WALL };
                }
            }
            let opening = &Lattice::build(&domain).expect("builds").openings[0];
            let area = if dimension == 2 { width } else { PI * width * width / 4.0 };
            assert!((opening.area / area - 1.0).abs() < 0.2, "{dimension}-D: area {} for {area}", opening.area);
        }
    }

    /// What passes through the first opening at mean speed 1.
    fn flux(lattice: &Lattice) -> f64 {
        let opening = &lattice.openings[0];
        let out = |links| dot(crate::opening::outward(lattice.set, links), opening.normal);
        opening.nodes.iter().map(|site| -6.0 * out(site.links) * f64::from(site.developed)).sum()
    }
}
