//! Checks that a mesh is the surface of a cell: one closed, orientable surface that does not cross itself.

mod crossing;
mod weld;

use std::collections::HashMap;

use hematite_config::{Fault, Result};

use crate::Surface;
use crate::read::Mesh;
use crate::vector::{Point, cross, length, minus, plus, times};

/// Most vertices of a cell.
pub(crate) const MOST_VERTICES: usize = 65_536;

/// Least height of a triangle over its longest side.
const THINNEST: f64 = 1e-4;

/// Least volume of a cell over that of a sphere of the same area.
const FLATTEST: f64 = 1e-3;

/// Makes the surface of a cell from a mesh: merges coincident points, drops points that belong to no triangle, turns
/// all triangles outwards, puts the centroid at the origin.
///
/// # Errors
/// A usage fault that says what is wrong and where (coordinates as in the file, numbers of triangles from 0): no
/// triangles, more than [`MOST_VERTICES`], degenerate triangles, open or non-manifold edges, several components,
/// pinched vertices, a one-sided surface, no volume, triangles that cross.
pub(crate) fn closed(mesh: Mesh) -> Result<Surface> {
    if mesh.triangles.is_empty() {
        return Err(Fault::usage("the mesh has no triangles"));
    }
    if let Some(k) = mesh.points.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
        return Err(Fault::usage(format!("point {k} of the mesh is not finite")));
    }
    let mesh = weld::welded(mesh);
    if mesh.points.len() > MOST_VERTICES {
        return Err(Fault::usage(format!(
            "the mesh has {} vertices, a cell has at most {MOST_VERTICES}: make it coarser; edges of about one lattice spacing are enough",
            mesh.points.len()
        )));
    }
    refuse_degenerate(&mesh)?;
    let neighbours = neighbours(&mesh)?;
    let triangles = oriented(&mesh, &neighbours)?;
    let mut surface = Surface { dimension: 3, vertices: mesh.points, triangles };
    refuse_pinched(&surface)?;
    let (area, volume) = (surface.area(), surface.clone().centred().volume());
    let sphere = area.powf(1.5) / (6.0 * std::f64::consts::PI.sqrt());
    if volume.abs() < FLATTEST * sphere {
        return Err(Fault::usage(format!(
            "the mesh encloses {:.1e} of the volume of a sphere of its area; a cell needs at least {FLATTEST:.0e}: it is flat",
            volume.abs() / sphere
        )));
    }
    if volume < 0.0 {
        surface.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    if let Some([a, b]) = crossing::first(&surface) {
        return Err(Fault::usage(format!(
            "the mesh crosses or touches itself: triangles {a} and {b} meet at about {}; mend it in a mesh editor",
            place(centre(&surface.vertices, surface.triangles[a]))
        )));
    }
    Ok(surface.centred())
}

fn refuse_degenerate(mesh: &Mesh) -> Result<()> {
    for (k, &triangle) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(|v| mesh.points[v as usize]);
        let sides = [minus(b, a), minus(c, b), minus(a, c)];
        let longest = sides.map(length).into_iter().fold(0.0, f64::max);
        if length(cross(sides[0], sides[1])) <= THINNEST * longest * longest {
            return Err(Fault::usage(format!(
                "triangle {k} of the mesh, at {}, is degenerate: its height is less than {THINNEST:.0e} of its longest side; \
                 remesh, or collapse its shortest side",
                place(centre(&mesh.points, triangle))
            )));
        }
    }
    Ok(())
}

/// For each triangle its neighbours beyond the sides ab, bc, ca. Every edge must belong to exactly two triangles.
fn neighbours(mesh: &Mesh) -> Result<Vec<[u32; 3]>> {
    let mut at_edge: HashMap<[u32; 2], Vec<(u32, usize)>> = HashMap::new();
    for (t, &triangle) in mesh.triangles.iter().enumerate() {
        for (side, edge) in edges_of(triangle).into_iter().enumerate() {
            at_edge.entry(edge).or_default().push((t as u32, side));
        }
    }
    let mut edges: Vec<_> = at_edge.into_iter().collect();
    edges.sort_unstable();
    let wrong = |many: fn(usize) -> bool| {
        let mut found = edges.iter().filter(move |(_, triangles)| many(triangles.len()));
        found.next().map(|(edge, triangles)| (*edge, triangles.len(), 1 + found.count()))
    };
    let midpoint = |[a, b]: [u32; 2]| place(times(0.5, plus(mesh.points[a as usize], mesh.points[b as usize])));
    if let Some((edge, _, count)) = wrong(|n| n == 1) {
        return Err(Fault::usage(format!(
            "the mesh is open: {count} edges have a triangle on one side only, one of them at {}; close its holes",
            midpoint(edge)
        )));
    }
    if let Some((edge, triangles, count)) = wrong(|n| n > 2) {
        return Err(Fault::usage(format!(
            "the mesh is no surface: {count} edges have more than two triangles, one with {triangles} at {}; \
             remove inner walls and doubled triangles",
            midpoint(edge)
        )));
    }
    let mut neighbours = vec![[0; 3]; mesh.triangles.len()];
    for (_, triangles) in &edges {
        if let [(s, at_s), (t, at_t)] = triangles[..] {
            neighbours[s as usize][at_s] = t;
            neighbours[t as usize][at_t] = s;
        }
    }
    Ok(neighbours)
}

/// The triangles, turned so that neighbours run through their common edge in opposite directions.
fn oriented(mesh: &Mesh, neighbours: &[[u32; 3]]) -> Result<Vec<[u32; 3]>> {
    let mut triangles = mesh.triangles.clone();
    let mut seen = vec![false; triangles.len()];
    let mut components = Vec::new();
    for start in 0..triangles.len() {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut reached = vec![start];
        let mut next = 0;
        while next < reached.len() {
            let t = reached[next];
            next += 1;
            for &n in &neighbours[t] {
                let n = n as usize;
                let agree = opposite(triangles[t], triangles[n]);
                if !seen[n] {
                    seen[n] = true;
                    reached.push(n);
                    if !agree {
                        triangles[n].swap(1, 2);
                    }
                } else if !agree {
                    return Err(Fault::usage(format!(
                        "the mesh has one side only (as a Moebius strip has): its triangles cannot all be turned outwards; \
                         those at {} disagree",
                        place(centre(&mesh.points, triangles[t]))
                    )));
                }
            }
        }
        components.push((reached.len(), start));
    }
    if components.len() > 1 {
        components.sort_by_key(|&(count, start)| (std::cmp::Reverse(count), start));
        let (count, start) = components[1];
        return Err(Fault::usage(format!(
            "the mesh has {} separate parts, a cell is one surface: keep the largest ({} triangles); another has {count} triangles, at {}",
            components.len(),
            components[0].0,
            place(centre(&mesh.points, mesh.triangles[start]))
        )));
    }
    Ok(triangles)
}

/// Whether two triangles run through the edges they share in opposite directions.
fn opposite(a: [u32; 3], b: [u32; 3]) -> bool {
    let sides = |t: [u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    sides(a).iter().all(|side| !sides(b).contains(side))
}

/// Refuses vertices at which two fans of triangles meet.
fn refuse_pinched(surface: &Surface) -> Result<()> {
    let mut triangles = vec![0; surface.vertices.len()];
    surface.triangles.iter().flatten().for_each(|&v| triangles[v as usize] += 1);
    match surface.rings().iter().zip(triangles).position(|(ring, count)| ring.len() != count) {
        Some(v) => Err(Fault::usage(format!(
            "the mesh touches itself at the vertex at {}: pull its parts apart there",
            place(surface.vertices[v])
        ))),
        None => Ok(()),
    }
}

fn edges_of([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)])
}

fn centre(points: &[Point], triangle: [u32; 3]) -> Point {
    let [a, b, c] = triangle.map(|v| points[v as usize]);
    times(1.0 / 3.0, plus(a, plus(b, c)))
}

/// Coordinates as a message shows them.
fn place([x, y, z]: Point) -> String {
    format!("({x:.4}, {y:.4}, {z:.4})")
}

#[cfg(test)]
mod tests;
