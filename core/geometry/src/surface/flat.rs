//! Flat pieces of a mesh that the wall leaves backwards all around. What they are does not depend on the order of the
//! triangles: each is grown from its largest one and compared with that alone.

use std::collections::HashSet;

use super::edges::NONE;
use super::mesh::{Mesh, Vector, cross, dot, length, minus, plus, times, unit};

/// Triangles of one piece look the same way within this angle, degrees.
const SAME: f64 = 2.0;
/// The wall leaves a piece at an angle of at least this, degrees.
const STEEP: f64 = 50.0;
/// A piece has at least this share of the surface's area.
const LARGE: f64 = 1e-4;
/// Folds of a piece lie in its plane within this share of their distance.
const FOLD: f64 = 1e-3;
/// A row of triangles between a piece and the wall, its bevel, goes down by this share of the piece's length at most,
const BEVEL: f64 = 0.15;
/// and has this share of its area at most, as seen along its normal.
const NARROW: f64 = 0.5;

/// A flat piece.
pub struct Flat {
    /// Its triangles; those of its bevel at last.
    pub triangles: Vec<usize>,
    /// How many of them lie in its plane.
    pub flat: usize,
}

/// Half the cross product of two sides of a triangle, and its middle, the same to the bit whichever corner is the first.
fn measured(mesh: &Mesh, t: usize) -> (Vector, Vector) {
    let corners = mesh.corners(t);
    let is_lower = |a: &Vector, b: &Vector| {
        (0..3).map(|k| a[k].total_cmp(&b[k])).fold(std::cmp::Ordering::Equal, |o, n| o.then(n))
    };
    let first = (0..3).min_by(|&i, &j| is_lower(&corners[i], &corners[j])).unwrap_or(0);
    let [a, b, c] = [0, 1, 2].map(|k| corners[(first + k) % 3]);
    let (ab, ac) = (minus(b, a), minus(c, a));
    (times(0.5, cross(ab, ac)), plus(a, times(1.0 / 3.0, plus(ab, ac))))
}

/// What a piece is grown in.
struct Growth<'m> {
    mesh: &'m Mesh,
    beyond: &'m [[u32; 3]],
    normals: Vec<Vector>,
    seen: Vec<bool>,
}

/// The plane of the first triangle of a piece.
struct Seed {
    corner: Vector,
    normal: Vector,
}

impl Seed {
    /// Heights of a triangle's corners over the plane.
    fn heights(&self, mesh: &Mesh, t: usize) -> [f64; 3] {
        mesh.corners(t).map(|at| dot(minus(at, self.corner), self.normal))
    }

    /// Whether a triangle lies in the plane, or is folded back onto it.
    fn holds(&self, mesh: &Mesh, t: usize, normal: Vector) -> bool {
        let same = SAME.to_radians().cos();
        let cosine = dot(self.normal, normal);
        let is_near = |(at, height): (Vector, f64)| height.abs() <= FOLD * length(minus(at, self.corner));
        cosine >= same || (cosine <= -same && mesh.corners(t).into_iter().zip(self.heights(mesh, t)).all(is_near))
    }
}

/// The flat pieces but those of triangles that are `capped`, the one of the largest triangle first.
pub fn flat(mesh: &Mesh, beyond: &[[u32; 3]], capped: Vec<bool>) -> Vec<Flat> {
    let least = LARGE * mesh.area(0..mesh.triangles.len());
    let measures: Vec<(Vector, Vector)> = (0..mesh.triangles.len()).map(|t| measured(mesh, t)).collect();
    let areas: Vec<f64> = measures.iter().map(|(vector, _)| length(*vector)).collect();
    let mut seeds: Vec<usize> = (0..mesh.triangles.len()).filter(|&t| areas[t] > 0.0).collect();
    seeds.sort_by(|&a, &b| {
        let place = (0..3).map(|k| measures[a].1[k].total_cmp(&measures[b].1[k]));
        place.fold(areas[b].total_cmp(&areas[a]), |order, next| order.then(next))
    });
    let normals = measures.iter().map(|(vector, _)| unit(*vector).unwrap_or([0.0; 3])).collect();
    let mut growth = Growth { mesh, beyond, normals, seen: capped };
    let mut found = Vec::new();
    for seed in seeds {
        if !growth.seen[seed] {
            found.extend(
                growth.piece(seed).filter(|piece| mesh.area(piece.triangles[..piece.flat].iter().copied()) >= least),
            );
        }
    }
    found
}

impl Growth<'_> {
    /// The piece of a triangle, where the wall leaves it steeply and backwards all around.
    fn piece(&mut self, first: usize) -> Option<Flat> {
        let seed = Seed { corner: self.mesh.corners(first)[0], normal: self.normals[first] };
        self.seen[first] = true;
        let (mut triangles, mut members, mut next) = (vec![first], HashSet::from([first]), 0);
        let (mut beside, mut is_whole) = (Vec::new(), true);
        while let Some(&t) = triangles.get(next) {
            next += 1;
            for &there in &self.beyond[t] {
                if there == NONE {
                    is_whole = false;
                    continue;
                }
                let there = there as usize;
                if members.contains(&there) {
                    continue;
                }
                if !self.seen[there] && seed.holds(self.mesh, there, self.normals[there]) {
                    self.seen[there] = true;
                    members.insert(there);
                    triangles.push(there);
                } else {
                    beside.push(there);
                }
            }
        }
        let flat = triangles.len();
        if !is_whole {
            return None;
        }
        if beside.iter().any(|&t| !self.is_wall(&seed, t)) {
            let bevel = self.bevel(&seed, &triangles, &members, beside)?;
            triangles.extend(bevel);
        }
        Some(Flat { triangles, flat })
    }

    /// Whether a triangle beside a piece leaves it steeply and backwards.
    fn is_wall(&self, seed: &Seed, t: usize) -> bool {
        dot(seed.normal, self.normals[t]) <= STEEP.to_radians().cos() && self.goes_back(seed, t)
    }

    fn goes_back(&self, seed: &Seed, t: usize) -> bool {
        seed.heights(self.mesh, t).into_iter().fold(f64::INFINITY, f64::min) < 0.0
    }

    /// The row of triangles at the corners of a piece that do not leave it steeply, in order; none where it is wide, or
    /// the wall does not leave that steeply either.
    fn bevel(&self, seed: &Seed, piece: &[usize], members: &HashSet<usize>, beside: Vec<usize>) -> Option<Vec<usize>> {
        let corners: HashSet<u32> = piece.iter().flat_map(|&t| self.mesh.triangles[t]).collect();
        let touches = |t: usize| self.mesh.triangles[t].iter().any(|corner| corners.contains(corner));
        let (mut row, mut outside) = (HashSet::new(), Vec::new());
        let mut next = beside;
        while let Some(t) = next.pop() {
            if members.contains(&t) || row.contains(&t) {
                continue;
            }
            if self.is_wall(seed, t) || !touches(t) {
                outside.push(t);
                continue;
            }
            if !self.goes_back(seed, t) || dot(seed.normal, self.normals[t]) <= 0.0 {
                return None;
            }
            row.insert(t);
            for &there in &self.beyond[t] {
                if there == NONE {
                    return None;
                }
                next.push(there as usize);
            }
        }
        let depth = |t: &usize| seed.heights(self.mesh, *t).into_iter().fold(0.0, f64::min).abs();
        let seen = |t: &usize| dot(self.mesh.area_vector(*t), seed.normal);
        let is_narrow = row.iter().map(seen).sum::<f64>() <= NARROW * piece.iter().map(seen).sum::<f64>();
        let is_low = row.iter().map(depth).fold(0.0, f64::max) <= BEVEL * spread(self.mesh, piece);
        let is_left = outside.iter().all(|&t| self.is_wall(seed, t));
        let mut row: Vec<usize> = row.into_iter().collect();
        row.sort_unstable();
        (is_narrow && is_low && is_left).then_some(row)
    }
}

/// How long a piece is: the distance between two of its points that are as far apart as any, or nearly.
pub fn spread(mesh: &Mesh, triangles: &[usize]) -> f64 {
    let points: Vec<Vector> = triangles.iter().flat_map(|&t| mesh.corners(t)).collect();
    let farthest = |from: Vector| {
        let away = |at: &Vector| length(minus(*at, from));
        points.iter().copied().max_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(from)
    };
    let Some(&start) = points.first() else { return 0.0 };
    let far = farthest(start);
    let farther = farthest(far);
    length(minus(farthest(farther), farther))
}

/// Points less edges plus triangles of a piece: 1 of a disc, 0 of a ring.
pub fn characteristic(mesh: &Mesh, triangles: &[usize]) -> i64 {
    let (mut points, mut edges) = (HashSet::new(), HashSet::new());
    for &t in triangles {
        let corners = mesh.triangles[t];
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            points.insert(a);
            edges.insert([a.min(b), a.max(b)]);
        }
    }
    points.len() as i64 - edges.len() as i64 + triangles.len() as i64
}
