//! Describes in words a membrane under extreme forces.

use hematite_cells::vector::{cross, length, minus};
use hematite_cells::{Mechanics, Surface};

use super::model::{Energy, Model};

/// A term of the energy and its name.
type Term = (&'static str, fn(&Energy) -> f64);

const TERMS: [Term; 6] = [
    ("elasticity within the membrane", |energy| energy.in_plane),
    ("bending", |energy| energy.bending),
    ("fairing", |energy| energy.fairing),
    ("areas of triangles", |energy| energy.local_area),
    ("the whole area", |energy| energy.global_area),
    ("the volume", |energy| energy.volume),
];

/// A text that says how far a cell with vertices at `x` is deformed from `scale` times `surface`, and which law exerts
/// the largest force on any vertex. Lattice units.
pub fn diagnosis(dimension: usize, surface: &Surface, mechanics: &Mechanics, x: &[[f64; 3]], scale: f64) -> String {
    let Ok(model) = Model::new(dimension, surface, mechanics) else { return String::new() };
    let ratios = |sizes: &mut dyn Iterator<Item = f64>| {
        let [low, high] = sizes.fold([f64::INFINITY, 0.0_f64], |[low, high], r| [low.min(r), high.max(r)]);
        format!("{low:.2} to {high:.2}")
    };
    let side = |points: &[[f64; 3]], [a, b]: [u32; 2]| length(minus(points[b as usize], points[a as usize]));
    let mut sides = surface.edges().into_iter().map(|edge| side(x, edge) / (scale * side(&surface.vertices, edge)));
    let mut text = format!("its sides are {} of their length at rest", ratios(&mut sides));
    if dimension == 3 {
        let area = |points: &[[f64; 3]], triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|v| points[v as usize]);
            length(cross(minus(b, a), minus(c, a)))
        };
        let mut areas = surface.triangles.iter().map(|t| area(x, t) / (scale * scale * area(&surface.vertices, t)));
        text += &format!(", its triangles {} of their area", ratios(&mut areas));
    }
    let [size, volume] = model.shape(x);
    let power = dimension as i32;
    text += &format!(
        ", area {:.3} and volume {:.3} of what they should be",
        size / (model.rest[0] * scale.powi(power - 1)),
        volume / (model.rest[1] * scale.powi(power))
    );
    let forces = TERMS.map(|(name, term)| (name, strongest(&model, x, scale, term)));
    match forces.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)) {
        Some((name, force)) if force.is_finite() => text + &format!("; {name} pulls hardest, with {force:.1e}"),
        _ => text,
    }
}

/// The largest component of the force of one term of the energy on any vertex, by central differences.
fn strongest(model: &Model, x: &[[f64; 3]], scale: f64, term: fn(&Energy) -> f64) -> f64 {
    const STEP: f64 = 1e-5;
    let mut moved = x.to_vec();
    let mut largest = 0.0_f64;
    for v in 0..x.len() {
        for axis in 0..model.dimension() {
            let mut at = |by: f64| {
                moved[v][axis] = x[v][axis] + by;
                term(&model.energy(&moved, scale))
            };
            let force = (at(-STEP) - at(STEP)) / (2.0 * STEP);
            moved[v][axis] = x[v][axis];
            largest = largest.max(force.abs());
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use hematite_cells::Preset;

    use super::*;

    #[test]
    fn a_side_that_is_pulled_is_found() {
        let ring: Vec<[f64; 3]> = (0..20)
            .map(|k| f64::from(k) * 0.1 * std::f64::consts::PI)
            .map(|a| [3.0 * a.cos(), 3.0 * a.sin(), 0.0])
            .collect();
        let surface = Surface { dimension: 2, vertices: ring, triangles: Vec::new() };
        let mut mechanics = Preset::WhiteCell.mechanics(2);
        mechanics.in_plane = Some(hematite_cells::InPlane::Linear { k: 1.0 });
        (mechanics.bending, mechanics.global_area, mechanics.volume) = (None, 0.0, 0.0);
        let mut x = surface.vertices.clone();
        x[0][0] += 1.0;
        let text = diagnosis(2, &surface, &mechanics, &x, 1.0);
        assert!(text.contains("elasticity within the membrane pulls hardest"), "{text}");
    }
}
