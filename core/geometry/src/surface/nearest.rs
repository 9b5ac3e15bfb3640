//! The place of a surface that is nearest to another, and triangles that cross each other.

use std::collections::BTreeSet;

use rayon::prelude::*;
use rstar::{AABB, PointDistance, RTree, RTreeObject};

use super::mesh::{Mesh, Vector, cross, dot, length, minus, plus, times};

/// A triangle in a tree.
#[derive(Clone, Debug)]
struct Leaf {
    corners: [Vector; 3],
    number: u32,
}

impl RTreeObject for Leaf {
    type Envelope = AABB<Vector>;

    fn envelope(&self) -> Self::Envelope {
        AABB::from_points(&self.corners)
    }
}

impl PointDistance for Leaf {
    fn distance_2(&self, point: &Vector) -> f64 {
        let away = minus(closest(self.corners, *point), *point);
        dot(away, away)
    }
}

/// The triangles of a mesh, to be found by place.
#[derive(Clone, Debug)]
pub struct Tree(RTree<Leaf>);

/// The place of a surface nearest to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foot {
    /// Where it is.
    pub place: Vector,
    /// Its triangle.
    pub triangle: usize,
    /// How far it is.
    pub distance: f64,
}

impl Tree {
    /// Of some triangles of a mesh.
    pub fn of(mesh: &Mesh, triangles: impl IntoIterator<Item = usize>) -> Self {
        let leaf = |t: usize| Leaf { corners: mesh.corners(t), number: t as u32 };
        Self(RTree::bulk_load(triangles.into_iter().map(leaf).collect()))
    }

    /// The nearest place to a point; none where there are no triangles.
    pub fn nearest(&self, point: Vector) -> Option<Foot> {
        let leaf = self.0.nearest_neighbor(&point)?;
        let place = closest(leaf.corners, point);
        Some(Foot { place, triangle: leaf.number as usize, distance: length(minus(place, point)) })
    }

    /// Tries every `step`-th triangle against all others: pairs that cross without sharing a corner, ascending.
    pub fn pierced(&self, mesh: &Mesh, step: usize) -> Vec<[u32; 2]> {
        let of = |t: usize| {
            let corners = mesh.corners(t);
            let near = self.0.locate_in_envelope_intersecting(&AABB::from_points(&corners));
            let apart =
                move |leaf: &&Leaf| !mesh.triangles[t].iter().any(|k| mesh.triangles[leaf.number as usize].contains(k));
            let pair = move |leaf: &Leaf| [leaf.number.min(t as u32), leaf.number.max(t as u32)];
            near.filter(apart).filter(move |leaf| cross_each_other(corners, leaf.corners)).map(pair).collect::<Vec<_>>()
        };
        let tried: Vec<usize> = (0..mesh.triangles.len()).step_by(step.max(1)).collect();
        let found: BTreeSet<[u32; 2]> = tried.into_par_iter().flat_map_iter(of).collect();
        found.into_iter().collect()
    }
}

/// Whether an edge of one triangle goes through the inside of the other.
fn cross_each_other(a: [Vector; 3], b: [Vector; 3]) -> bool {
    let goes_through = |[a, b, c]: [Vector; 3], from: Vector, to: Vector| {
        let normal = cross(minus(b, a), minus(c, a));
        let [below, above] = [from, to].map(|end| dot(minus(end, a), normal));
        if below * above >= 0.0 {
            return false;
        }
        let at = plus(from, times(below / (below - above), minus(to, from)));
        [[a, b], [b, c], [c, a]].iter().all(|&[p, q]| dot(cross(minus(q, p), minus(at, p)), normal) > 0.0)
    };
    (0..3).any(|k| goes_through(a, b[k], b[(k + 1) % 3]) || goes_through(b, a[k], a[(k + 1) % 3]))
}

/// The place of a triangle nearest to a point: on its face, one of its sides, or a corner.
fn closest(corners: [Vector; 3], point: Vector) -> Vector {
    let [a, b, c] = corners;
    let normal = cross(minus(b, a), minus(c, a));
    let square = dot(normal, normal);
    if square > 0.0 {
        let inside = |p: Vector, q: Vector| dot(cross(minus(q, p), minus(point, p)), normal) >= 0.0;
        if inside(a, b) && inside(b, c) && inside(c, a) {
            return minus(point, times(dot(minus(point, a), normal) / square, normal));
        }
    }
    let on_side = |p: Vector, q: Vector| {
        let side = minus(q, p);
        let square = dot(side, side);
        let share = if square > 0.0 { (dot(minus(point, p), side) / square).clamp(0.0, 1.0) } else { 0.0 };
        plus(p, times(share, side))
    };
    let far = |place: &Vector| {
        let away = minus(*place, point);
        dot(away, away)
    };
    let sides = [on_side(a, b), on_side(b, c), on_side(c, a)];
    sides.into_iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(a)
}
