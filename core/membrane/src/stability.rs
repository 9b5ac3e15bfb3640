//! The largest stable time step.

use hematite_cells::vector::{length, minus};
use hematite_cells::{Mechanics, Surface};

use super::model::Model;
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
        model.energy(&x, 1.0).total()
    };
    let middle = at(&[]);
    let mut curvature = |a: usize, b: usize| match (a < axes && b < axes, a == b) {
        (false, _) => 0.0,
        (true, true) => (at(&[(a, h)]) - 2.0 * middle + at(&[(a, -h)])) / (h * h),
        (true, false) => {
            let along = at(&[(a, h), (b, h)]) + at(&[(a, -h), (b, -h)]);
            let across = at(&[(a, h), (b, -h)]) + at(&[(a, -h), (b, h)]);
            (along - across) / (4.0 * h * h)
        }
    };
    let hessian = [0, 1, 2].map(|a| [0, 1, 2].map(|b| curvature(a, b)));
    // Gershgorin's bound.
    let bound = hessian.iter().map(|row| row.iter().map(|k: &f64| k.abs()).sum()).fold(0.0, f64::max);
    bound + fairing::stiffness(model.fairing(), &model.sides, &model.folds, v, model.surface.vertices.len())
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
