//! Ends of vessels: flat caps across them, whether the mesh has them or open rims were closed by them.

use super::edges::{Edges, NONE};
use super::mend::Mended;
use super::mesh::{Mesh, Vector, dot, length, minus, plus, times, unit};
use crate::end::{End, number};

/// Triangles of one cap look the same way within this angle, degrees.
const SAME: f64 = 2.0;
/// The wall leaves a cap of the mesh at an angle of at least this, degrees.
const STEEP: f64 = 50.0;
/// A cap has at least this share of the surface's area.
const LARGE: f64 = 1e-4;

/// Components of a normal below this are rounding: files hold single precision.
const AXIS: f64 = 1e-6;

/// The end that triangles of a mesh cap, where they have a direction.
fn capped_by(mesh: &Mesh, triangles: &[usize], perimeter: f64) -> Option<End> {
    let origin = mesh.corners(*triangles.first()?)[0];
    let (mut sum, mut middle, mut total) = ([0.0; 3], [0.0; 3], 0.0);
    for &t in triangles {
        let vector = mesh.area_vector(t);
        let area = length(vector);
        let third = mesh.corners(t).iter().fold([0.0; 3], |sum, &corner| plus(sum, minus(corner, origin)));
        sum = plus(sum, vector);
        middle = plus(middle, times(area / 3.0, third));
        total += area;
    }
    // Along an axis but for rounding is along the axis.
    let normal = unit(unit(sum)?.map(|x| if x.abs() < AXIS { 0.0 } else { -x }))?;
    let centre = plus(origin, times(1.0 / total, middle));
    Some(End { centre, normal, area: length(sum), perimeter: Some(perimeter), through: None, odd: None })
}

/// The ends of a vessel, the largest first; of the same size, the one of the lowest x, y, z.
pub fn ends(vessel: &Mended) -> Vec<End> {
    let mesh = &vessel.mesh;
    let edges = Edges::of(&mesh.triangles);
    let beyond = edges.beyond(mesh.triangles.len());
    let mut capped = vec![false; mesh.triangles.len()];
    vessel.caps.iter().flat_map(Clone::clone).for_each(|t| capped[t] = true);
    let mut found: Vec<End> = Vec::new();
    for cap in &vessel.caps {
        let triangles: Vec<usize> = cap.clone().collect();
        let rim = triangles.iter().map(|&t| rim(mesh, &beyond, t, |there| cap.contains(&there))).sum();
        found.extend(capped_by(mesh, &triangles, rim));
    }
    found.extend(flat(mesh, &beyond, capped));
    number(&mut found);
    found
}

/// Length of the sides of triangle `t` that lead out of its cap.
fn rim(mesh: &Mesh, beyond: &[[u32; 3]], t: usize, within: impl Fn(usize) -> bool) -> f64 {
    let corners = mesh.corners(t);
    let leads_out = |k: &usize| beyond[t][*k] == NONE || !within(beyond[t][*k] as usize);
    (0..3).filter(leads_out).map(|k| length(minus(corners[(k + 1) % 3], corners[k]))).sum()
}

/// Flat pieces of the mesh that the wall leaves steeply all around, and backwards.
fn flat(mesh: &Mesh, beyond: &[[u32; 3]], mut seen: Vec<bool>) -> Vec<End> {
    let least = LARGE * mesh.area(0..mesh.triangles.len());
    let normals: Vec<Vector> = (0..mesh.triangles.len()).map(|t| mesh.normal(t)).collect();
    let (same, steep) = (SAME.to_radians().cos(), STEEP.to_radians().cos());
    let mut found = Vec::new();
    for seed in 0..mesh.triangles.len() {
        if seen[seed] || normals[seed] == [0.0; 3] {
            continue;
        }
        seen[seed] = true;
        let (mut piece, mut next, mut steep_around) = (vec![seed], vec![seed], true);
        let corner = mesh.corners(seed)[0];
        let height = |t: usize| {
            let heights = mesh.corners(t).map(|at| dot(minus(at, corner), normals[seed]));
            heights.into_iter().fold(f64::INFINITY, f64::min)
        };
        let mut members = std::collections::HashSet::from([seed]);
        while let Some(t) = next.pop() {
            for &there in &beyond[t] {
                if there == NONE {
                    steep_around = false;
                    continue;
                }
                let there = there as usize;
                if members.contains(&there) {
                    continue;
                }
                if !seen[there] && dot(normals[seed], normals[there]) >= same {
                    seen[there] = true;
                    members.insert(there);
                    piece.push(there);
                    next.push(there);
                } else {
                    steep_around &= dot(normals[t], normals[there]) <= steep && height(there) < 0.0;
                }
            }
        }
        if steep_around && mesh.area(piece.iter().copied()) >= least {
            let length = piece.iter().map(|&t| rim(mesh, beyond, t, |there| members.contains(&there))).sum();
            found.extend(capped_by(mesh, &piece, length));
        }
    }
    found
}
