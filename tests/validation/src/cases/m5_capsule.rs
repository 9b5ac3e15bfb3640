//! M5: an elastic capsule in simple shear, Taylor's parameter D = (L - B) / (L + B) of the ellipsoid with its moments.
//!
//! Small deformations: Barthes-Biesel and Rallison (J. Fluid Mech. 113, 251, 1981), D = 25/12 Ca with Ca = mu rate a / G
//! for the neo-Hookean law and Skalak's with C = 1, at 45 degrees. Finite ones: boundary integrals for the neo-Hookean
//! capsule, as collected by Pozrikidis and by Ramanujan and Pozrikidis (J. Fluid Mech. 361, 117, 1998).
//!
//! The kernel spreads the membrane's forces over nodes outside it too, so that the fluid sees a sphere of radius
//! a_h > a, measured on its own from the drag in a cubic array. The stresslet of a capsule that hardly deforms is that of
//! a rigid sphere, 20/3 pi mu a_h^3 times the strain rate, and as large as the first moment of the membrane's forces,
//! G a^2 times the strain and a number: D goes with mu rate a_h^3 / (G a^2) = Ca (a_h / a)^3.
//!
//! Walls and images add to it too: at radius 5, Re 0.1, a cube of side 8 a gives 1 % more than one of side 12 a, and
//! walls 8 a apart with images 12 a apart 2 %. Hence 12 a.

use std::f64::consts::PI;
use std::path::Path;

use hematite_cells::{InPlane, Mechanics, ShapeConfig, Surface};
use hematite_config::Result;
use hematite_solver::Precision;
use hematite_solver::suspension::Pull;
use hematite_units::quantity::Length;

use crate::cells::{Basin, Bath, Content, Ellipse, placed};
use crate::{Context, Physics, Table};

/// D / Ca for small deformations.
const SLOPE: f64 = 25.0 / 12.0;

type Law = fn(f64) -> InPlane;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("M5");
    let laws: [(&str, Law); 2] =
        [("neo-Hookean", |g| InPlane::NeoHookean { g }), ("Skalak, C = 1", |g| InPlane::Skalak { g, c: 1.0 })];
    let radius = 5.0;
    let [wide, excess] = [6.0, 10.0].map(|period| excess_radius(context, radius, period));
    let (wide, excess) = (wide?, excess?);
    table.note(format!("radius {radius}: hydrodynamic radius less the capsule's, from an array"), 0.0, excess);
    table.relative("hydrodynamic radius, period 6 a against 10 a", radius + excess, radius + wide, 1e-2);
    let enlarged = (1.0 + excess / radius).powi(3);
    for (name, law) in &laws[..if context.quick { 1 } else { 2 }] {
        let what = format!("{name}, Ca 0.02, radius {radius}:");
        let small = Shear { ca: 0.02, side: 12.0, until: 0.6 };
        let found = deformed(context, *law, radius, &small)?;
        table.note(format!("{what} D / Ca"), SLOPE, found.taylor / small.ca);
        let ours = found.taylor / (small.ca * enlarged);
        table.relative(format!("{what} D / Ca with a_h, Barthes-Biesel and Rallison"), SLOPE, ours, 5e-2);
        found.judge(&mut table, &what, 5e-3);
    }
    if context.long {
        for (name, law) in laws {
            for radius in [10.0, 16.0] {
                let what = format!("{name}, Ca 0.02, radius {radius}:");
                let small = Shear { ca: 0.02, side: 12.0, until: 0.6 };
                let found = deformed(context, law, radius, &small)?;
                let (ours, name) = (found.taylor / small.ca, format!("{what} D / Ca, Barthes-Biesel and Rallison"));
                if radius > 12.0 {
                    table.relative(name, SLOPE, ours, 5e-2);
                } else {
                    table.note(name, SLOPE, ours);
                }
                found.judge(&mut table, &what, 5e-3);
            }
        }
    }
    if context.quick {
        return Ok(table);
    }
    let finite = Shear { ca: 0.15, side: 8.0, until: 1.5 };
    let found = deformed(context, laws[0].1, radius, &finite)?;
    table.absolute("neo-Hookean, Ca 0.15: D, boundary integrals", 0.26, found.taylor, 0.02);
    table.note("neo-Hookean, Ca 0.15: angle, degrees", 45.0, found.angle);
    table.below("neo-Hookean, Ca 0.15: change of the volume", found.drift, 1e-2);
    Ok(table)
}

/// A shear flow.
struct Shear {
    /// Capillary number, of the nominal radius.
    ca: f64,
    /// Side of the box over the radius.
    side: f64,
    /// Rate times time at the end.
    until: f64,
}

/// A capsule in the end.
struct Deformed {
    taylor: f64,
    /// Of its longer axis to the flow, degrees.
    angle: f64,
    /// Relative change of the volume.
    drift: f64,
}

impl Deformed {
    fn judge(&self, table: &mut Table, what: &str, drift: f64) {
        table.absolute(format!("{what} angle, degrees"), 45.0, self.angle, 3.0);
        table.below(format!("{what} change of the volume"), self.drift, drift);
    }
}

fn physics() -> Physics {
    Physics { precision: Precision::F32, ..Physics::trt(2.0) }
}

/// A sphere, its vertices about one spacing apart or closer.
fn sphere(radius: f64) -> Result<Surface> {
    let vertices = if radius < 8.0 { 2562 } else { 10242 };
    ShapeConfig::Sphere { radius: Length(radius), vertices: Some(vertices) }.surface(Path::new(""), 3)
}

fn mechanics(in_plane: InPlane) -> Mechanics {
    Mechanics { in_plane: Some(in_plane), volume: 0.1, volume_share: 1.0, contrast: 1.0, ..Mechanics::default() }
}

/// The capsule after some shear at Re = rate a^2 / nu = 0.1.
fn deformed(context: &Context, law: Law, radius: f64, shear: &Shear) -> Result<Deformed> {
    let (physics, reynolds) = (physics(), 0.1);
    let rate = reynolds * physics.nu() / (radius * radius);
    let g = physics.nu() * rate * radius / shear.ca;
    let side = (shear.side * radius) as usize;
    let basin = Basin::sheared(side, side, side, rate);
    let surface = sphere(radius)?;
    let content = Content {
        kinds: vec![(surface.clone(), mechanics(law(g)))],
        cells: vec![(0, placed(&surface, basin.middle(), 0.0))],
        ..Content::default()
    };
    let mut bath = Bath::new(context, &basin, &physics, content, [0.0; 3])?;
    bath.advance((shear.until / rate).round() as u64)?;
    let at = bath.cell()?;
    let ellipse = Ellipse::of(&surface, &at);
    let volume = Surface { vertices: at, ..surface.clone() }.centred().volume();
    let drift = (volume / surface.volume() - 1.0).abs();
    Ok(Deformed { taylor: ellipse.taylor(), angle: ellipse.angle.to_degrees(), drift })
}

/// Hydrodynamic radius less the capsule's, from the speed U at which a force F pulls the capsule through the fluid, of
/// mean velocity 0, in a cubic array of period `period` radii (Hasimoto, J. Fluid Mech. 5, 317, 1959):
/// `6 pi mu a U / F = 1 - 1.7601 c^(1/3) + c - 1.5593 c^2`, c the share of the sphere. A sphere's drag is even over its
/// surface, as the pull is, so that the membrane keeps its shape. The mean over one spacing of the lattice.
fn excess_radius(context: &Context, radius: f64, period: f64) -> Result<f64> {
    let physics = physics();
    let side = (period * radius) as usize;
    let (basin, surface) = (Basin::periodic([side; 3]), sphere(radius)?);
    let count = surface.vertices.len();
    // About one spacing in 500 steps; the fluid takes side^2 / (4 pi^2 nu) steps to settle.
    let total = 6.0 * PI * physics.nu() * radius * 2e-3;
    let force = [total / count as f64, 0.0, 0.0];
    let content = Content {
        kinds: vec![(surface.clone(), mechanics(InPlane::NeoHookean { g: 0.1 }))],
        cells: vec![(0, placed(&surface, basin.middle(), 0.0))],
        pulls: vec![Pull { kind: 0, vertices: (0..count as u32).collect(), force }],
        ..Content::default()
    };
    let back = -total / (side as f64).powi(3);
    let mut bath = Bath::new(context, &basin, &physics, content, [back, 0.0, 0.0])?;
    let place = |at: Vec<[f64; 3]>| at.iter().map(|x| x[0]).sum::<f64>() / count as f64;
    let settling = (side * side) as f64 / (4.0 * PI * PI * physics.nu());
    bath.advance((6.0 * settling) as u64)?;
    let (before, steps) = (place(bath.cell()?), 600);
    bath.advance(steps)?;
    let speed = (place(bath.cell()?) - before) / steps as f64;
    let slowness = |a: f64| {
        let share = 4.0 / 3.0 * PI * (a / side as f64).powi(3);
        (1.0 - 1.7601 * share.cbrt() + share - 1.5593 * share * share) / (6.0 * PI * physics.nu() * a)
    };
    let (mut low, mut high) = (0.5 * radius, 2.0 * radius);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if slowness(middle) > speed / total { low = middle } else { high = middle }
    }
    Ok(low - radius)
}
