//! M5: an elastic capsule in simple shear, Taylor's parameter D = (L - B) / (L + B) of the ellipsoid with its moments.
//!
//! Small deformations: Barthes-Biesel and Rallison (J. Fluid Mech. 113, 251, 1981), D = 25/12 Ca with Ca = mu rate a / G
//! for the neo-Hookean law and Skalak's with C = 1, at 45 degrees. Finite ones: boundary integrals for the neo-Hookean
//! capsule, as collected by Pozrikidis and by Ramanujan and Pozrikidis (J. Fluid Mech. 361, 117, 1998).

use std::path::Path;

use hematite_cells::{InPlane, Mechanics, ShapeConfig};
use hematite_config::Result;
use hematite_solver::Precision;
use hematite_units::quantity::Length;

use crate::cells::{Basin, Bath, Content, Ellipse, placed};
use crate::{Context, Physics, Table};

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("M5");
    let small = 0.02;
    type Law = fn(f64) -> InPlane;
    let laws: [(&str, Law); 2] =
        [("neo-Hookean", |g| InPlane::NeoHookean { g }), ("Skalak, C = 1", |g| InPlane::Skalak { g, c: 1.0 })];
    for (name, law) in &laws[..if context.quick { 1 } else { 2 }] {
        let [few, many] = [4.0, 8.0];
        let [coarse, ..] = deformed(context, *law, few, small, 0.35)?;
        let [d, angle, drift] = deformed(context, *law, many, small, 0.35)?;
        // The kernel makes the capsule larger by a share of the spacing, an error of about first order. It is not that
        // alone: radii 4, 5, 6, 7, 8, 10 give 2.446, 2.346, 2.286, 2.248, 2.230, 2.198, whose limit is 1.97 to 2.13 by
        // which of them are taken.
        let exact = 25.0 / 12.0;
        table.note(format!("{name}, Ca {small}, radius {few}: D / Ca"), exact, coarse / small);
        table.note(format!("{name}, Ca {small}, radius {many}: D / Ca"), exact, d / small);
        let limit = (many * d - few * coarse) / (many - few) / small;
        table.relative(
            format!("{name}, Ca {small}, from radius {few} and {many}: D / Ca, Barthes-Biesel and Rallison"),
            exact,
            limit,
            5e-2,
        );
        table.absolute(format!("{name}, Ca {small}: angle, degrees"), 45.0, angle, 3.0);
        table.below(format!("{name}, Ca {small}: change of the volume"), drift, 5e-3);
    }
    if context.quick {
        return Ok(table);
    }
    let [d, angle, drift] = deformed(context, laws[0].1, 5.0, 0.15, 1.5)?;
    table.absolute("neo-Hookean, Ca 0.15: D, boundary integrals", 0.26, d, 0.02);
    table.note("neo-Hookean, Ca 0.15: angle, degrees", 45.0, angle);
    table.below("neo-Hookean, Ca 0.15: change of the volume", drift, 1e-2);
    Ok(table)
}

/// Taylor's parameter, the angle in degrees and the relative change of the volume after `shear` units of rate times time.
fn deformed(context: &Context, law: impl Fn(f64) -> InPlane, radius: f64, ca: f64, shear: f64) -> Result<[f64; 3]> {
    let reynolds = 0.1;
    let physics = Physics { precision: Precision::F32, ..Physics::trt(1.0) };
    let rate = reynolds * physics.nu() / (radius * radius);
    let g = physics.nu() * rate * radius / ca;
    let side = (8.0 * radius) as usize;
    let basin = Basin::sheared(side, side, side, rate);
    let shape = ShapeConfig::Sphere { radius: Length(radius), vertices: Some(642) };
    let surface = shape.surface(Path::new(""), 3)?;
    let mechanics =
        Mechanics { in_plane: Some(law(g)), volume: 0.1, volume_share: 1.0, contrast: 1.0, ..Mechanics::default() };
    let content = Content {
        kinds: vec![(surface.clone(), mechanics)],
        cells: vec![(0, placed(&surface, basin.middle(), 0.0))],
        ..Content::default()
    };
    let mut bath = Bath::new(context, &basin, &physics, content, [0.0; 3])?;
    bath.advance((shear / rate).round() as u64)?;
    let at = bath.cell()?;
    let ellipse = Ellipse::of(&surface, &at);
    let volume = hematite_cells::Surface { vertices: at, ..surface.clone() }.centred().volume();
    Ok([ellipse.taylor(), ellipse.angle.to_degrees(), (volume / surface.volume() - 1.0).abs()])
}
