//! The largest stable time step.

use hematite_cells::vector::{Point, cross, dot, length, minus};
use hematite_cells::{Mechanics, Surface};

use super::links::Mesh;
use super::model::{Energy, Model};
use super::{fairing, viscosity};

/// Number of vertices, spread over the cell, whose stiffness is computed.
const SAMPLES: usize = 48;

/// Hydrodynamic radius of a vertex in lattice units: about the smallest radius of the coupling's kernel.
const RADIUS: f64 = 1.0;

/// Share of a vertex's force that acts on the vertex's own velocity within a step: the sum of squared kernel weights,
/// between 1 on a node and 1/2^D between nodes for the narrowest kernel.
const RETURN: f64 = 0.5;

/// An estimate of the largest stable time step over the present one, at fixed lattice spacing. Explicit steps
/// r += M F(r) are stable while the largest eigenvalue of stiffness times mobility M is below 2.
///
/// The stiffness is a bound of the largest eigenvalue of the energy's second derivatives with respect to the position
/// of a vertex in the reference shape, doubled for neighbours that move against each other. The mobility is that of
/// [`mobility`]. Dashpots act on the velocity of the step before and add to the stiffness. `surface` is in lattice
/// units at full size, `mechanics` in lattice units, `nu` the lattice's kinematic viscosity. Returns infinity for a
/// membrane that [`Model::new`] refuses.
pub fn largest_step(dimension: usize, surface: &Surface, mechanics: &Mechanics, nu: f64) -> f64 {
    let Ok(model) = Model::new(dimension, surface, mechanics) else {
        return f64::INFINITY;
    };
    let mobility = mobility(dimension, nu);
    let count = surface.vertices.len();
    let stride = count.div_ceil(SAMPLES);
    let stiffness = (0..count).step_by(stride).map(|v| stiffness(&model, v)).fold(0.0, f64::max);
    let friction = (0..count).step_by(stride).map(|v| friction(&model, v)).fold(0.0, f64::max);
    2.0 / (2.0 * stiffness * mobility + 2.0 * friction * RETURN)
}

/// Velocity over force of a single vertex in the fluid, lattice units: that of a small sphere of radius a,
/// 1 / (6 pi nu a), in 3-D and 1 / (4 pi nu) in 2-D (density 1); `nu` is the kinematic viscosity.
pub fn mobility(dimension: usize, nu: f64) -> f64 {
    match dimension {
        2 => 1.0 / (4.0 * std::f64::consts::PI * nu),
        _ => 1.0 / (6.0 * std::f64::consts::PI * nu * RADIUS),
    }
}

/// Largest breathing frequency of a cell against its penalties, in radians a step. Beyond about twice this, the forces,
/// which lag by a step, excite the mode and the fluid's sound.
const BREATHING: f64 = 0.3;

/// Thickness in lattice units of the fluid that moves with a membrane.
const CARRIED: f64 = 2.0;

/// Largest product of breathing frequency and the time for which forces are held.
const HELD: f64 = 1.5;

/// The largest moduli of the whole area and of the volume (2-D: perimeter and area), lattice units, for which explicit
/// steps are stable when forces are held for `every` steps. A cell with surface A and volume V breathes at `omega^2 =
/// k_v A / (V h)` by its volume and at `omega^2 = k_a / (R^2 h)` by its area, with h the thickness of the fluid that
/// moves along and R the radius of a ball with the same A.
pub fn largest_penalties(dimension: usize, surface: &Surface, every: u64) -> [f64; 2] {
    let (area, volume) = (surface.area(), surface.volume());
    let pi = std::f64::consts::PI;
    let squared_radius = match dimension {
        2 => (area / (2.0 * pi)).powi(2),
        _ => area / (4.0 * pi),
    };
    let omega = BREATHING.min(HELD / every as f64);
    [squared_radius, volume / area].map(|length| omega * omega * CARRIED * length)
}

/// A bound of the largest eigenvalue of d2E/dr2 at vertex `v` of the reference shape, from central differences of the
/// energy, plus a bound for fairing in any shape, since fairing is stiffer where the surface is rough.
fn stiffness(model: &Model, v: usize) -> f64 {
    let around = Around::new(model, v);
    let mut x = model.surface.vertices.clone();
    let still = x[v];
    let near = model.neighbours(v);
    let h = 1e-3 * near.iter().map(|&n| length(minus(x[n], still))).fold(f64::INFINITY, f64::min);
    let axes = model.dimension;
    let mut at = |moves: &[(usize, f64)]| {
        x[v] = still;
        for &(axis, by) in moves {
            x[v][axis] += by;
        }
        around.energy(&x)
    };
    let middle = at(&[]);
    let mut curvature = |a: usize, b: usize| {
        if a == b {
            return (at(&[(a, h)]) - 2.0 * middle + at(&[(a, -h)])) / (h * h);
        }
        let along = at(&[(a, h), (b, h)]) + at(&[(a, -h), (b, -h)]);
        let across = at(&[(a, h), (b, -h)]) + at(&[(a, -h), (b, h)]);
        (along - across) / (4.0 * h * h)
    };
    let hessian = [0, 1, 2].map(|a| [0, 1, 2].map(|b| if a < axes && b < axes { curvature(a, b) } else { 0.0 }));
    // Gershgorin's bound.
    let bound = hessian.iter().map(|row| row.iter().map(|k: &f64| k.abs()).sum()).fold(0.0, f64::max);
    bound + fairing::stiffness(model.fairing(), &model.sides, &model.folds, v, model.surface.vertices.len())
}

/// The energy of a membrane in its reference shape but for one vertex, up to a constant. Only what that vertex changes is
/// computed anew, as a mesh has thousands of other parts.
struct Around<'m> {
    model: &'m Model,
    /// The mesh around the vertex, in 3-D.
    mesh: Option<Mesh<'m>>,
    /// The triangles around it, as a surface.
    patch: Vec<[u32; 3]>,
    /// Area and volume of all other triangles.
    elsewhere: [f64; 2],
    /// Sides whose folds depend on the vertex, and those that these folds are computed from; their folds at rest.
    sides: Vec<[usize; 2]>,
    folds: Vec<f64>,
}

impl<'m> Around<'m> {
    fn new(model: &'m Model, v: usize) -> Self {
        let Some(links) = &model.links else {
            return Self { model, mesh: None, patch: vec![], elsewhere: [0.0; 2], sides: vec![], folds: vec![] };
        };
        let patch: Vec<_> =
            model.surface.triangles.iter().filter(|corners| corners.contains(&(v as u32))).copied().collect();
        let whole = [model.surface.area(), model.surface.volume()];
        let [area, volume] = measures(&model.surface.vertices, &patch);
        // A fold depends on the neighbours of its ends, and needs all of these.
        let mut near = vec![v];
        for _ in 0..2 {
            near = near.iter().flat_map(|&v| links.rings[v].iter().copied().chain([v])).collect();
            near.sort_unstable();
            near.dedup();
        }
        let is_near = |side: &[usize; 2]| side.iter().any(|v| near.binary_search(v).is_ok());
        let (sides, folds) = model.sides.iter().zip(&model.folds).filter(|(side, _)| is_near(side)).unzip();
        let elsewhere = [whole[0] - area, whole[1] - volume];
        Self { model, mesh: Some(Mesh::around(links, v)), patch, elsewhere, sides, folds }
    }

    /// The energy with the vertices at `x`.
    fn energy(&self, x: &[Point]) -> f64 {
        let model = self.model;
        let Some(mesh) = &self.mesh else { return model.energy(x, 1.0).total() };
        let [area, volume] = measures(x, &self.patch);
        let whole = [self.elsewhere[0] + area, self.elsewhere[1] + volume];
        let [global_area, of_volume] = model.penalties(whole, model.rest);
        let fairing = model.fairing_energy(&self.sides, &self.folds, x, 1.0);
        Energy { fairing, global_area, volume: of_volume, ..model.mesh_energy(mesh, x, 1.0) }.total()
    }
}

/// Area of `triangles` and volume between them and the origin.
fn measures(x: &[Point], triangles: &[[u32; 3]]) -> [f64; 2] {
    let of = |[a, b, c]: [Point; 3]| {
        let normal = cross(minus(b, a), minus(c, a));
        [0.5 * length(normal), dot(a, normal) / 6.0]
    };
    let each = triangles.iter().map(|corners| of(corners.map(|v| x[v as usize])));
    each.fold([0.0; 2], |sum, [area, volume]| [sum[0] + area, sum[1] + volume])
}

/// Sum of the dashpots' coefficients at vertex `v` of the reference shape.
fn friction(model: &Model, v: usize) -> f64 {
    let eta = model.mechanics.viscosity;
    let x = &model.surface.vertices;
    model
        .neighbours(v)
        .iter()
        .map(|&n| if model.dimension == 2 { eta / length(minus(x[n], x[v])) } else { viscosity::dashpot(eta) })
        .sum()
}

#[cfg(test)]
mod tests {
    use hematite_cells::{Bending, InPlane, Rest, ShapeConfig};

    use super::*;

    #[test]
    fn what_a_vertex_changes_is_what_the_whole_energy_changes() {
        let config: ShapeConfig = serde_json::from_str(r#"{"kind": "red_cell", "vertices": 162}"#).expect("a shape");
        let surface = config.surface(std::path::Path::new("case.json"), 3, 1e-6).expect("a surface").scaled(1e6);
        let springs = InPlane::WlcPower { mu: 1e-3, x0: 1.0 / 2.2, power: 2.0 };
        let laws = [
            (springs, Bending::KantorNelson { kappa: 2e-3, rest: Rest::Shape }),
            (InPlane::Skalak { g: 1e-3, c: 10.0 }, Bending::GompperKroll { kappa: 2e-3 }),
        ];
        for (in_plane, bending) in laws {
            let mechanics = Mechanics {
                in_plane: Some(in_plane),
                bending: Some(bending),
                local_area: 2e-3,
                global_area: 3e-3,
                volume: 2e-3,
                volume_share: 0.9,
                fairing: 1e-3,
                viscosity: 0.0,
                contrast: 1.0,
            };
            let model = Model::new(3, &surface, &mechanics).expect("sound");
            let mut x = model.surface.vertices.clone();
            for v in (0..x.len()).step_by(7) {
                let around = Around::new(&model, v);
                let energies = |x: &[Point]| [around.energy(x), model.energy(x, 1.0).total()];
                let still = energies(&x);
                for by in [[0.1, 0.0, 0.0], [0.0, -0.2, 0.1], [0.05, 0.05, 0.3]] {
                    let place = x[v];
                    x[v] = [0, 1, 2].map(|k| place[k] + by[k]);
                    let moved = energies(&x);
                    x[v] = place;
                    let [part, whole] = [0, 1].map(|k| moved[k] - still[k]);
                    assert!((part / whole - 1.0).abs() < 1e-9, "{in_plane:?}, vertex {v}, {by:?}: {part:e} {whole:e}");
                }
            }
        }
    }
}
