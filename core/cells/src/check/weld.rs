//! Merges coincident points.

use std::collections::HashMap;

use crate::read::Mesh;
use crate::vector::{Point, length, minus};

/// Largest distance of coincident points over the diagonal of the mesh. Rounding to single precision stays below.
const NEAR: f64 = 1e-6;

/// The mesh with coincident points merged into the first of them, and without points of no triangle.
pub(super) fn welded(mesh: Mesh) -> Mesh {
    let near = NEAR * diagonal(&mesh.points);
    // Points by cubes of side `near`: coincident points are in the same cube or in neighbouring cubes.
    let mut cubes: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let mut points: Vec<Point> = Vec::new();
    let mut place_of = vec![None; mesh.points.len()];
    let mut merge = |point: Point| {
        let cube = point.map(|x| if near > 0.0 { (x / near).floor() as i64 } else { 0 });
        let around = (0..27).map(|k| [cube[0] + k / 9 - 1, cube[1] + k / 3 % 3 - 1, cube[2] + k % 3 - 1]);
        let met = around
            .flat_map(|cube| cubes.get(&cube).into_iter().flatten())
            .filter(|&&v| length(minus(points[v as usize], point)) <= near)
            .min();
        if let Some(&met) = met {
            return met;
        }
        let new = points.len() as u32;
        points.push(point);
        cubes.entry(cube).or_default().push(new);
        new
    };
    let triangles = mesh
        .triangles
        .iter()
        .map(|triangle| triangle.map(|v| *place_of[v as usize].get_or_insert_with(|| merge(mesh.points[v as usize]))))
        .collect();
    Mesh { points, triangles }
}

fn diagonal(points: &[Point]) -> f64 {
    let bound = |pick: fn(f64, f64) -> f64, start: f64| {
        points.iter().fold([start; 3], |b, p| [0, 1, 2].map(|k| pick(b[k], p[k])))
    };
    length(minus(bound(f64::max, f64::NEG_INFINITY), bound(f64::min, f64::INFINITY)))
}
