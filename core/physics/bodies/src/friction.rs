//! Ellipsoids in a creeping flow: Stokes' friction, mass and inertia, and how shear turns them.

use std::f64::consts::PI;

use hematite_config::{Fault, Result};

/// Duplications that bring Carlson's arguments together to round-off.
const DUPLICATIONS: i32 = 40;

/// The two axes after each.
pub(super) const CYCLIC: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];

/// Drag over velocity along each axis, for semi-axes `axes` in a fluid of viscosity `eta`: `16 pi eta / (chi + alpha_k a_k^2)`
/// (Oberbeck, J. reine angew. Math. 81, 62, 1876).
pub fn translational(axes: [f64; 3], eta: f64) -> [f64; 3] {
    let (chi, alpha) = integrals(axes);
    [0, 1, 2].map(|k| 16.0 * PI * eta / (chi + alpha[k] * axes[k] * axes[k]))
}

/// Torque over angular velocity about each axis: `16 pi eta (b^2 + c^2) / (3 (alpha_b b^2 + alpha_c c^2))` about a
/// (Perrin, J. Phys. Radium 5, 497, 1934).
pub fn rotational(axes: [f64; 3], eta: f64) -> [f64; 3] {
    let (_, alpha) = integrals(axes);
    CYCLIC.map(|[k, l]| {
        let (b2, c2) = (axes[k] * axes[k], axes[l] * axes[l]);
        16.0 * PI * eta * (b2 + c2) / (3.0 * (alpha[k] * b2 + alpha[l] * c2))
    })
}

/// Mass of a homogeneous ellipsoid.
pub fn mass(axes: [f64; 3], density: f64) -> f64 {
    4.0 / 3.0 * PI * density * axes.iter().product::<f64>()
}

/// Its principal moments of inertia, `m (b^2 + c^2) / 5` about a.
pub fn inertia(axes: [f64; 3], density: f64) -> [f64; 3] {
    let fifth = 0.2 * mass(axes, density);
    CYCLIC.map(|[k, l]| fifth * (axes[k] * axes[k] + axes[l] * axes[l]))
}

/// How the rate of strain E turns a free ellipsoid (Jeffery, Proc. R. Soc. A 102, 161, 1922): about a it turns at the
/// fluid's rate plus `Lambda E_bc`, `Lambda = (b^2 - c^2) / (b^2 + c^2)`, cyclic.
pub fn jeffery(axes: [f64; 3]) -> [f64; 3] {
    CYCLIC.map(|[k, l]| {
        let (b2, c2) = (axes[k] * axes[k], axes[l] * axes[l]);
        (b2 - c2) / (b2 + c2)
    })
}

/// The friction between a body and the velocity that it reads, such that it moves with friction `stokes` when the fluid
/// gives way with `mobility`, see [`super::region::mobility`]: `1 / stokes = 1 / gamma + mobility`.
///
/// # Errors
/// A usage fault where the fluid alone gives way more than the body may: its region is too narrow.
pub fn coupling(stokes: [f64; 3], mobility: [f64; 3]) -> Result<[f64; 3]> {
    for (axis, (friction, mobility)) in stokes.into_iter().zip(mobility).enumerate() {
        if mobility * friction >= 1.0 {
            return Err(Fault::usage(format!(
                "axis {}: a body of its size has friction {friction:.4}, but through the region over which it pushes the \
                 fluid it has less than {:.4}; choose wider regions",
                axis + 1,
                1.0 / mobility
            )));
        }
    }
    Ok([0, 1, 2].map(|k| 1.0 / (1.0 / stokes[k] - mobility[k])))
}

/// `chi = int dx / Delta`, `alpha_k = int dx / ((a_k^2 + x) Delta)` from 0 to infinity, `Delta^2 = (a^2 + x) (b^2 + x) (c^2 + x)`.
fn integrals(axes: [f64; 3]) -> (f64, [f64; 3]) {
    let [a2, b2, c2] = axes.map(|a| a * a);
    let alpha = [[b2, c2, a2], [c2, a2, b2], [a2, b2, c2]].map(|[x, y, z]| 2.0 / 3.0 * carlson_d(x, y, z));
    (2.0 * carlson_f(a2, b2, c2), alpha)
}

/// R_F by duplication (Carlson, Numer. Algorithms 10, 13, 1995).
fn carlson_f(mut x: f64, mut y: f64, mut z: f64) -> f64 {
    for _ in 0..DUPLICATIONS {
        let lambda = (x * y).sqrt() + (y * z).sqrt() + (z * x).sqrt();
        [x, y, z] = [x, y, z].map(|x| 0.25 * (x + lambda));
    }
    x.powf(-0.5)
}

/// R_D by duplication.
fn carlson_d(mut x: f64, mut y: f64, mut z: f64) -> f64 {
    let mut sum = 0.0;
    for k in 0..DUPLICATIONS {
        let lambda = (x * y).sqrt() + (y * z).sqrt() + (z * x).sqrt();
        sum += 0.25f64.powi(k) / (z.sqrt() * (z + lambda));
        [x, y, z] = [x, y, z].map(|x| 0.25 * (x + lambda));
    }
    3.0 * sum + 0.25f64.powi(DUPLICATIONS) * z.powf(-1.5)
}
