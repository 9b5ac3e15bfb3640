//! M10: viscosity of dilute suspensions in 2-D, from the mean shear rate at two walls that move.
//!
//! Each run holds one body in the middle of a periodic layer; the share of area phi is that of a disc with the
//! hydrodynamic radius, over the layer. The radius is measured on its own: a disc with the same fluid inside is pulled
//! through a square array of its images, and its speed compared with Sangani and Acrivos (Int. J. Multiphase Flow 8, 193,
//! 1982). It depends on what is inside, since the kernel spreads the membrane over nodes there too: a fluid inside that is
//! more viscous slips less against it.
//! Dilute limits of `(eta / eta_0 - 1) / phi`: 2 for rigid discs and for circular vesicles that do not stretch, whatever is
//! inside.

use std::f64::consts::PI;
use std::path::Path;

use hematite_cells::{Bending, InPlane, Mechanics, Rest, ShapeConfig, Surface};
use hematite_config::Result;
use hematite_engine::{Precision, Support};
use hematite_units::quantity::Length;
use physics_cells::Pull;

use crate::cells::{Basin, Bath, Content, placed};
use crate::{Context, FluidNumbers, Table};

/// Radius of the ring, lattice spacings; vertices are one apart.
const RADIUS: f64 = 8.0;
const VERTICES: usize = 50;
/// Of the kernels the one that feels least where the lattice is: the ring turns by a small part of a spacing.
pub(super) const SUPPORT: Support = Support::Four;

/// Modulus of bending: vesicles settle within viscosity RADIUS^3 / KAPPA.
const KAPPA: f64 = 0.3;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("M10");
    let numbers = FluidNumbers { precision: Precision::F64, ..FluidNumbers::trt(2.0) };
    let shape = ShapeConfig::Disc { radius: Length(RADIUS), vertices: Some(VERTICES) };
    let ring = shape.surface(Path::new(""), 2, 1e-6)?;
    let bodies =
        [("rigid disc", rigid()), ("vesicle, contrast 1", vesicle(1.0)), ("vesicle, contrast 5", vesicle(5.0))];
    // The fluid inside that is more viscous makes the vesicle slow to settle.
    let chosen = if context.long {
        3
    } else if context.quick {
        1
    } else {
        2
    };
    let mut measured: Option<(f64, f64)> = None;
    for (name, mechanics) in &bodies[..chosen] {
        let contrast = mechanics.contrast;
        let excess = match measured {
            Some((of, excess)) if of == contrast => excess,
            _ => {
                let [other, excess] = [64, 104].map(|side| excess_radius(context, &numbers, &ring, contrast, side));
                let (other, excess) = (other?, excess?);
                let what = format!("contrast {contrast}: hydrodynamic radius");
                table.note(
                    format!("{what} less the ring's, lattice spacings, from an array of period 104"),
                    0.0,
                    excess,
                );
                table.relative(format!("{what}, period 64 against 104"), RADIUS + excess, RADIUS + other, 5e-3);
                measured = Some((contrast, excess));
                excess
            }
        };
        let mut found = Vec::new();
        for side in [64, 104] {
            let (eta, radius) = layer(context, &numbers, &ring, mechanics, side)?;
            let phi = PI * (radius + excess).powi(2) / (side * side) as f64;
            found.push((phi, (eta - 1.0) / phi));
            table.note(format!("{name}, phi {:.2} %: (eta / eta_0 - 1) / phi", 100.0 * phi), 2.0, (eta - 1.0) / phi);
        }
        let (dense, dilute) = (found[0], found[1]);
        let limit = dilute.1 - dilute.0 * (dense.1 - dilute.1) / (dense.0 - dilute.0);
        table.relative(format!("{name}: (eta / eta_0 - 1) / phi, from both to phi = 0"), 2.0, limit, 5e-2);
    }
    Ok(table)
}

pub(super) fn rigid() -> Mechanics {
    Mechanics {
        in_plane: Some(InPlane::Linear { k: 0.1 }),
        bending: Some(Bending::Ring { kappa: KAPPA, rest: Rest::Shape }),
        global_area: 0.2,
        volume: 0.03,
        volume_share: 1.0,
        contrast: 1.0,
        ..Mechanics::default()
    }
}

fn vesicle(contrast: f64) -> Mechanics {
    Mechanics { bending: Some(Bending::Ring { kappa: KAPPA, rest: Rest::Flat }), contrast, ..rigid() }
}

/// Mean distance of the ring's vertices from their middle.
fn radius_of(at: &[[f64; 3]]) -> f64 {
    let n = at.len() as f64;
    let middle = [0, 1].map(|a| at.iter().map(|x| x[a]).sum::<f64>() / n);
    at.iter().map(|x| (x[0] - middle[0]).hypot(x[1] - middle[1])).sum::<f64>() / n
}

/// Hydrodynamic radius less the ring's, from the speed U at which a force F pulls the ring through the fluid, of mean
/// velocity 0, in a square array of period `side`: `4 pi mu U / F = -ln(phi) / 2 - 0.738 + phi - 0.887 phi^2 + 2.038 phi^3`,
/// phi the share of the disc.
pub(super) fn excess_radius(
    context: &Context,
    numbers: &FluidNumbers,
    ring: &Surface,
    contrast: f64,
    side: usize,
) -> Result<f64> {
    let basin = Basin::periodic([side, side, 1]);
    let total = 1e-4;
    let count = ring.vertices.len();
    let pull = Pull { kind: 0, vertices: (0..count as u32).collect(), force: [total / count as f64, 0.0, 0.0] };
    let content = Content {
        kinds: vec![(ring.clone(), Mechanics { contrast, ..rigid() })],
        cells: vec![(0, placed(ring, basin.middle(), 0.0))],
        pulls: vec![pull],
        support: SUPPORT,
    };
    let back = -total / (side * side) as f64;
    let mut bath = Bath::new(context, &basin, numbers, content, [back, 0.0, 0.0])?;
    bath.advance(6000)?;
    let place = |at: &[[f64; 3]]| at.iter().map(|x| x[0]).sum::<f64>() / at.len() as f64;
    let before = bath.cell()?;
    bath.advance(2000)?;
    let after = bath.cell()?;
    let speed = (place(&after) - place(&before)) / 2000.0;
    let wanted = 4.0 * PI * numbers.nu() * speed / total;
    let mobility = |radius: f64| {
        let phi = PI * radius * radius / (side * side) as f64;
        -0.5 * phi.ln() - 0.738 + phi - 0.887 * phi.powi(2) + 2.038 * phi.powi(3)
    };
    let radius = radius_of(&ring.vertices);
    let (mut low, mut high) = (0.5 * radius, 2.0 * radius);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if mobility(middle) > wanted { low = middle } else { high = middle }
    }
    Ok(low - 0.5 * (radius_of(&before) + radius_of(&after)))
}

/// Viscosity of a layer with one body over that of the fluid alone, and the ring's radius: the shear stress at the walls
/// is that of the fluid there, which is free of bodies. Stops when it changes by less than 5e-4 of what the body adds
/// within the time that momentum takes to the walls.
fn layer(
    context: &Context,
    numbers: &FluidNumbers,
    ring: &Surface,
    mechanics: &Mechanics,
    side: usize,
) -> Result<(f64, f64)> {
    let rate = 1e-5;
    let basin = Basin::sheared(side, side, 0, rate);
    let content = Content {
        kinds: vec![(ring.clone(), mechanics.clone())],
        cells: vec![(0, placed(ring, basin.middle(), 0.0))],
        support: SUPPORT,
        ..Content::default()
    };
    let mut bath = Bath::new(context, &basin, numbers, content, [0.0; 3])?;
    let steps = (side * side) as f64 / (PI * PI * numbers.nu());
    let mut eta = 0.0;
    for _ in 0..60 {
        bath.advance(steps as u64)?;
        let [lower, upper] = bath.wall_rates(&basin)?;
        let before = std::mem::replace(&mut eta, 0.5 * (lower + upper) / rate);
        if (eta - before).abs() < 5e-4 * (eta - 1.0) {
            break;
        }
    }
    Ok((eta, radius_of(&bath.cell()?)))
}
