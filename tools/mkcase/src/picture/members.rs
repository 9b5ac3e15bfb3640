//! Cells and bodies as sections show them.

use hematite_case::{Placed, Population};
use hematite_cells::section;
use hematite_drawing::canvas::{paint, to_canvas, to_image};
use hematite_drawing::colour::{of_population, outline_of};
use image::RgbImage;
use rayon::prelude::*;
use tiny_skia::{FillRule, Path, PathBuilder, Stroke, Transform};

use super::flat::Plane;
use super::scene::Scene;

/// Lines of pixels that one thread draws.
const BAND: u32 = 64;
/// Members of fewer pixels are drawn without an outline.
const OUTLINED: f64 = 7.0;

/// What a plane shows of a member: closed loops, in pixels.
struct Outline {
    population: usize,
    path: Path,
}

/// Draws the members that a plane shows upon its picture.
pub fn draw(scene: &Scene, plane: &Plane, zoom: f64, image: &mut RgbImage) {
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
    let (width, height) = image.dimensions();
    image.par_chunks_mut(3 * (width * BAND) as usize).enumerate().for_each(|(band, pixels)| {
        let (top, lines) = (band as u32 * BAND, pixels.len() as u32 / 3 / width);
        let Some(mut canvas) = RgbImage::from_raw(width, lines, pixels.to_vec()).as_ref().and_then(to_canvas) else {
            return;
        };
        let up = Transform::from_translate(0.0, -(top as f32));
        let within = |outline: &&Outline| {
            let bounds = outline.path.bounds();
            bounds.bottom() + 2.0 >= top as f32 && bounds.top() - 2.0 <= (top + lines).min(height) as f32
        };
        for outline in outlines.iter().filter(within) {
            let (fill, bounds) = (of_population(outline.population), outline.path.bounds());
            canvas.fill_path(&outline.path, &paint(fill, 1.0), FillRule::EvenOdd, up, None);
            let size = f64::from(bounds.width().max(bounds.height()));
            if size >= OUTLINED {
                let stroke = Stroke { width: (size / 22.0).clamp(0.6, 2.0) as f32, ..Stroke::default() };
                canvas.stroke_path(&outline.path, &paint(outline_of(fill), 1.0), &stroke, up, None);
            }
        }
        pixels.copy_from_slice(&to_image(&canvas));
    });
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
        let mut path = PathBuilder::new();
        for points in loops.iter().filter(|points| points.len() > 2) {
            for (i, &point) in points.iter().enumerate() {
                let [x, y] = plane.pixel(scene, point, zoom).map(|x| x as f32);
                if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
            }
            path.close();
        }
        path.finish().map(|path| Outline { population, path })
    };
    shifts.into_iter().filter_map(outline).collect()
}
