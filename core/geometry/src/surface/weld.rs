//! Points that are the same place become one: triangles of STL share no points, only places.

use std::collections::HashMap;

use super::mesh::{Mesh, Vector, length, minus};

/// Places closer than this share of the mesh's diagonal are one.
const NEAR: f64 = 1e-6;
/// Nor can places be told apart that are closer than this share of their coordinates: files hold single precision.
const ROUNDING: f64 = 5e-7;

/// Merges points of one place and drops triangles that then have fewer than three corners; gives their number.
pub fn weld(mesh: &mut Mesh) -> usize {
    let Some([low, high]) = mesh.extents() else { return 0 };
    let far = low.iter().chain(&high).fold(0.0, |far: f64, x| far.max(x.abs()));
    let near = (NEAR * length(minus(high, low))).max(ROUNDING * far);
    let all: Vec<u32> = (0..mesh.points.len() as u32).collect();
    let merged = merge(&mesh.points, &all, |_, _| near);
    mesh.triangles.iter_mut().flatten().for_each(|k| *k = merged[*k as usize]);
    drop_thin(mesh)
}

/// Drops the triangles with fewer than three corners, and points that none uses; gives the number of the triangles.
pub fn drop_thin(mesh: &mut Mesh) -> usize {
    let before = mesh.triangles.len();
    mesh.triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    let mut number = vec![u32::MAX; mesh.points.len()];
    let mut points = Vec::new();
    for k in mesh.triangles.iter_mut().flatten() {
        let new = &mut number[*k as usize];
        if *new == u32::MAX {
            *new = points.len() as u32;
            points.push(mesh.points[*k as usize]);
        }
        *k = *new;
    }
    mesh.points = points;
    before - mesh.triangles.len()
}

/// For each point the first of `which` within the distance `near(point, that)` of it: itself where there is none or
/// where it is not of `which`.
pub fn merge(points: &[Vector], which: &[u32], near: impl Fn(u32, u32) -> f64) -> Vec<u32> {
    let mut to: Vec<u32> = (0..points.len() as u32).collect();
    let widest = which.iter().map(|&k| near(k, k)).fold(0.0, f64::max);
    let width = if widest > 0.0 { 2.0 * widest } else { 1.0 };
    let cell = |x: f64| (x / width).floor();
    let key = |place: [f64; 3]| place.map(|x| if x == 0.0 { 0 } else { x.to_bits() });
    let mut cells: HashMap<[u64; 3], Vec<u32>> = HashMap::with_capacity(which.len() / 4);
    for &k in which {
        let point = points[k as usize];
        // Of each axis one cell, or two where the neighbour begins within reach.
        let reached = point.map(|x| {
            let (low, high) = (cell(x - widest), cell(x + widest));
            if low < high { vec![low, high] } else { vec![low] }
        });
        let mut found: Option<u32> = None;
        for &x in &reached[0] {
            for &y in &reached[1] {
                for &z in &reached[2] {
                    for &other in cells.get(&key([x, y, z])).into_iter().flatten() {
                        if length(minus(points[other as usize], point)) <= near(k, other) {
                            found = Some(found.map_or(other, |found| found.min(other)));
                        }
                    }
                }
            }
        }
        match found {
            Some(other) => to[k as usize] = other,
            None => cells.entry(key(point.map(cell))).or_default().push(k),
        }
    }
    to
}
