//! M4: shapes of vesicles at rest in 2-D, and their angle in shear flow.
//!
//! At rest they take the shape of least bending energy `kappa / 2 oint c^2 ds` at fixed perimeter P and area A; numbers
//! by minimisation over Fourier modes. In shear flow they tread near the angle of Keller and Skalak (J. Fluid Mech. 120,
//! 27, 1982) for the elliptic cylinder, see [`keller_skalak`]; their membrane keeps its length as a whole, not each part
//! of it, and lies some degrees lower the longer the vesicle is, hence a tolerance of 4 degrees.

use std::f64::consts::PI;
use std::path::Path;

use hematite_cells::{Bending, InPlane, Mechanics, Rest, ShapeConfig, Surface};
use hematite_config::Result;
use hematite_engine::Precision;
use hematite_units::quantity::Length;

use crate::cells::{Basin, Bath, Content, Ellipse, extent, placed};
use crate::{Context, FluidNumbers, Table};

/// Reduced area, energy R0 / (pi kappa), length, largest thickness and thickness in the middle over R0 = P / 2 pi.
const AT_REST: [(f64, f64, [f64; 3]); 3] = [
    (0.90, 1.30880, [2.43918, 1.40828, 1.40828]),
    (0.80, 1.63681, [2.57228, 1.11955, 1.11724]),
    (0.65, 2.17117, [2.67992, 0.86827, 0.76142]),
];

/// Perimeter / 2 pi, lattice spacings; vertices are one apart.
const RADIUS: f64 = 16.0;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("M4");
    let shapes = if context.quick { &AT_REST[1..2] } else { &AT_REST };
    for &(reduced, energy, lengths) in shapes {
        at_rest(context, &mut table, reduced, energy, lengths)?;
    }
    if !context.quick {
        in_shear(context, &mut table)?;
    }
    Ok(table)
}

fn at_rest(context: &Context, table: &mut Table, reduced: f64, energy: f64, lengths: [f64; 3]) -> Result<()> {
    let surface = ellipse(reduced, RADIUS)?;
    let kappa = 0.05;
    let mechanics = vesicle(kappa, 1.0);
    let basin = Basin::periodic([64, 48, 1]);
    let at = placed(&surface, basin.middle(), 0.0);
    let content = Content { kinds: vec![(surface.clone(), mechanics)], cells: vec![(0, at)], ..Content::default() };
    let numbers = FluidNumbers { precision: Precision::F32, ..FluidNumbers::trt(1.0) };
    let mut bath = Bath::new(context, &basin, &numbers, content, [0.0; 3])?;
    let change = bath.settle(1000, 2e-4, 30_000, |at| measures(&surface, at).to_vec())?;
    let [area, ours, length, largest, middle] = measures(&surface, &bath.cell()?);
    let what = format!("at rest, reduced area {reduced}:");
    table.absolute(format!("{what} reduced area in the end"), reduced, area, 1e-3);
    table.below(format!("{what} change over 1000 steps"), change, 2e-4);
    table.relative(format!("{what} bending energy R0 / (pi kappa)"), energy, ours, 1e-2);
    for (name, exact, ours) in
        [("length", lengths[0], length), ("largest thickness", lengths[1], largest), ("waist", lengths[2], middle)]
    {
        table.relative(format!("{what} {name} / R0"), exact, ours, 2e-2);
    }
    Ok(())
}

/// Reduced area, bending energy, length, largest thickness and thickness in the middle, as in [`AT_REST`].
fn measures(surface: &Surface, at: &[[f64; 3]]) -> [f64; 5] {
    let now = Surface { vertices: at.to_vec(), ..surface.clone() };
    let (perimeter, area) = (now.area(), now.volume());
    let r0 = perimeter / (2.0 * PI);
    let n = at.len();
    let side = |a: usize, b: usize| [at[b][0] - at[a][0], at[b][1] - at[a][1]];
    let energy: f64 = (0..n)
        .map(|k| {
            let (a, b) = (side((k + n - 1) % n, k), side(k, (k + 1) % n));
            let turn = (a[0] * b[1] - a[1] * b[0]).atan2(a[0] * b[0] + a[1] * b[1]);
            let length = 0.5 * (a[0].hypot(a[1]) + b[0].hypot(b[1]));
            0.5 * turn * turn / length
        })
        .sum();
    // Along its own long axis.
    let ellipse = Ellipse::of(surface, at);
    let turned = placed(&now.centred(), [0.0; 3], -ellipse.angle);
    let [length, thickness, _] = extent(&turned);
    // Where the sides cross the middle.
    let crossing = |k: usize| {
        let (a, b) = (turned[k], turned[(k + 1) % n]);
        (a[0] * b[0] <= 0.0).then(|| (a[1] + (b[1] - a[1]) * a[0] / (a[0] - b[0])).abs())
    };
    let middle: f64 = (0..n).filter_map(crossing).sum();
    [4.0 * PI * area / perimeter.powi(2), energy * r0 / PI, length / r0, thickness / r0, middle / r0]
}

/// An ellipse of that reduced area, with the perimeter 2 pi `radius`.
pub(super) fn ellipse(reduced: f64, radius: f64) -> Result<Surface> {
    let of_aspect = |aspect: f64| {
        let (vertices, axes) = ((2.0 * PI * radius).round() as usize, vec![Length(2.0), Length(2.0 * aspect)]);
        ShapeConfig::Ellipsoid { axes, vertices: Some(vertices) }.surface(Path::new(""), 2, 1e-6)
    };
    let (mut low, mut high) = (0.05, 1.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        let surface = of_aspect(middle)?;
        if 4.0 * PI * surface.volume() / surface.area().powi(2) < reduced { low = middle } else { high = middle }
    }
    let surface = of_aspect(low)?;
    let perimeter = surface.area();
    Ok(surface.scaled(2.0 * PI * radius / perimeter))
}

pub(super) fn vesicle(kappa: f64, contrast: f64) -> Mechanics {
    Mechanics {
        in_plane: Some(InPlane::Linear { k: 0.05 }),
        bending: Some(Bending::Ring { kappa, rest: Rest::Flat }),
        global_area: 2.0,
        volume: 0.4,
        volume_share: 1.0,
        contrast,
        ..Mechanics::default()
    }
}

/// A vesicle in shear flow in a box of 8 R0, with the same fluid inside as outside.
fn in_shear(context: &Context, table: &mut Table) -> Result<()> {
    let (radius, rate, kappa) = (12.0, 2e-4, 0.05);
    let numbers = FluidNumbers { precision: Precision::F32, ..FluidNumbers::trt(1.0) };
    let side = (8.0 * radius) as usize;
    let basin = Basin::sheared(side, side, 0, rate);
    for reduced in [0.9, 0.8] {
        let surface = ellipse(reduced, radius)?;
        let content = Content {
            kinds: vec![(surface.clone(), vesicle(kappa, 1.0))],
            cells: vec![(0, placed(&surface, basin.middle(), 0.4))],
            ..Content::default()
        };
        let mut bath = Bath::new(context, &basin, &numbers, content, [0.0; 3])?;
        let change = bath.settle(1000, 1e-3, 30_000, |at| vec![Ellipse::of(&surface, at).angle])?;
        let ours = Ellipse::of(&surface, &bath.cell()?);
        let expected = keller_skalak(ours.semi_axes[1] / ours.semi_axes[0]).to_degrees();
        let what = format!("in shear, reduced area {reduced}, contrast 1:");
        let angle = ours.angle.to_degrees();
        table.absolute(format!("{what} angle, degrees, Keller and Skalak"), expected, angle, 4.0);
        table.below(format!("{what} its change over 1000 steps, degrees"), change.to_degrees(), 0.1);
    }
    Ok(())
}

/// The angle to the flow at which the membrane of an elliptic cylinder treads where inside and outside are equally
/// viscous. Keller and Skalak's torque balance is
/// `0 = -1/2 + cos(2 theta) ((1 - r^2) / (1 + r^2) / 2 + 2 r K / (1 + r^2))`, r the width over the length, with the rate of
/// treading `K cos(2 theta)` that balances work and dissipation, `K = 1 / (z (2 + (contrast - 1) z2))`,
/// `z = (1 / r - r) / 2`; with contrast 1 it is solved by `tan(theta) = r`.
fn keller_skalak(r: f64) -> f64 {
    r.atan()
}
