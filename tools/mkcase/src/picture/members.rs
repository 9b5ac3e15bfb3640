//! Cells and bodies as sections show them.

use hematite_case::{Placed, Population};
use hematite_cells::section;
use hematite_drawing::outline::{self, Outline};
use hematite_drawing::shapes::{Path, Shapes};
use rayon::prelude::*;

use super::flat::Plane;
use super::scene::Scene;

/// The members that a plane shows, upon its picture.
pub fn draw(scene: &Scene, plane: &Plane, zoom: f64) -> Shapes {
    let members: Vec<(usize, &Placed)> = scene
        .populations
        .iter()
        .enumerate()
        .flat_map(|(k, population)| population.cells.iter().map(move |cell| (k, cell)))
        .collect();
    let outlines: Vec<Outline> = members
        .par_iter()
        .flat_map_iter(|&(k, cell)| outlines(scene, plane, zoom, k, &scene.populations[k], cell))
        .collect();
    let mut shapes = Shapes::default();
    outline::draw(&mut shapes, &outlines, 1.0);
    shapes
}

/// What a plane shows of a member and of its copies beyond periodic faces.
fn outlines(
    scene: &Scene,
    plane: &Plane,
    zoom: f64,
    population: usize,
    of: &Population,
    cell: &Placed,
) -> Vec<Outline> {
    let middle = scene.site_of(cell.centre);
    let reach = of.surface.radius() * cell.scale / scene.lattice.spacing;
    let shifts = scene.copies(middle.map(|x| x - reach), middle.map(|x| x + reach));
    let far = |shift: &[f64; 3]| {
        let at = |(axis, at): (usize, i32)| (middle[axis] + shift[axis] - f64::from(at) - 0.5).abs() > reach;
        plane.across.is_some_and(at)
    };
    let shifts: Vec<[f64; 3]> = shifts.into_iter().filter(|shift| !far(shift)).collect();
    if shifts.is_empty() {
        return Vec::new();
    }
    let vertices: Vec<[f64; 3]> = cell.vertices(&of.surface).map(|vertex| scene.site_of(vertex)).collect();
    let outline = |shift: [f64; 3]| {
        let moved: Vec<[f64; 3]> = vertices.iter().map(|v| [0, 1, 2].map(|k| v[k] + shift[k])).collect();
        let loops = match plane.across {
            Some((axis, at)) => section(&moved, &of.surface.triangles, axis, f64::from(at) + 0.5),
            None => vec![moved],
        };
        let mut path = Path::default();
        for points in loops.iter().filter(|points| points.len() > 2) {
            path.append(&Path::through(points.iter().map(|&point| plane.pixel(scene, point, zoom))));
            path.close();
        }
        Outline { population, path }
    };
    shifts.into_iter().map(outline).filter(|outline| !outline.path.is_empty()).collect()
}
