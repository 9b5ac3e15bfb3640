//! M5: an elastic capsule in simple shear, Taylor's parameter D = (L - B) / (L + B) of the ellipsoid with its moments.
//!
//! Small deformations: Barthes-Biesel and Rallison (J. Fluid Mech. 113, 251, 1981), D = 25/12 Ca with Ca = mu rate a / G
//! for the neo-Hookean law and Skalak's with C = 1, at 45 degrees. Finite ones: boundary integrals for the neo-Hookean
//! capsule, as collected by Pozrikidis and by Ramanujan and Pozrikidis (J. Fluid Mech. 361, 117, 1998).
//!
//! Two things make D larger here.
//!
//! Walls and images: a cube of side 8 a gives 1 % more than one of side 12 a.
//!
//! The kernel, which smears forces and velocities: with e the mean of |s - s'| / 2 of two of its points, the membrane
//! lags behind the fluid by e times the tangential traction over mu. Of the forces -5 mu E (1, 1), normal and
//! tangential, that hold a sphere rigid in the rate of strain E, the tangential one grows by the share 10 e / a and the
//! normal one falls by 7.5 e / a, and the radial displacement -3/8 (f_n + f_t) a / G - f_n a / (12 G) grows by 3/8 e / a
//! alone. The normal velocity lags by a multiple of (e / a)^2, which prevails while a is some spacings. Hence an
//! extrapolation of second order from small radii, and the value itself at a larger one, which is for a data-centre GPU.

use std::path::Path;

use hematite_cells::{InPlane, Mechanics, ShapeConfig, Surface};
use hematite_config::Result;
use hematite_engine::Precision;
use hematite_units::quantity::Length;

use crate::cells::{Basin, Bath, Content, Ellipse, placed};
use crate::{Context, FluidNumbers, Table};

/// D / Ca for small deformations.
const SLOPE: f64 = 25.0 / 12.0;

/// Small enough for the linear theory; the flow is steady from rate times time 0.5 on.
const SMALL: Shear = Shear { ca: 0.02, side: 12.0, until: 0.6 };

type Law = fn(f64) -> InPlane;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("M5");
    let laws: [(&str, Law); 2] =
        [("neo-Hookean", |g| InPlane::NeoHookean { g }), ("Skalak, C = 1", |g| InPlane::Skalak { g, c: 1.0 })];
    for (name, law) in &laws[..if context.quick { 1 } else { 2 }] {
        let [few, many] = [4.0, 6.0];
        let [coarse, fine] = [few, many].map(|radius| deformed(context, *law, radius, &SMALL));
        let (coarse, fine) = (coarse?.taylor / SMALL.ca, fine?);
        let (what, slope) = (format!("{name}, Ca {}", SMALL.ca), fine.taylor / SMALL.ca);
        table.note(format!("{what}, radius {few}: D / Ca"), SLOPE, coarse);
        table.note(format!("{what}, radius {many}: D / Ca"), SLOPE, slope);
        let limit = (many * many * slope - few * few * coarse) / (many * many - few * few);
        let both = format!("{what}, from radius {few} and {many}: D / Ca, Barthes-Biesel and Rallison");
        table.relative(both, SLOPE, limit, 5e-2);
        fine.judge(&mut table, &what);
    }
    if context.long {
        for (name, law) in laws {
            let radius = 16.0;
            let what = format!("{name}, Ca {}, radius {radius}", SMALL.ca);
            let found = deformed(context, law, radius, &SMALL)?;
            let slope = found.taylor / SMALL.ca;
            table.relative(format!("{what}: D / Ca, Barthes-Biesel and Rallison"), SLOPE, slope, 5e-2);
            found.judge(&mut table, &what);
        }
    }
    if context.quick {
        return Ok(table);
    }
    let finite = Shear { ca: 0.15, side: 8.0, until: 1.5 };
    let found = deformed(context, laws[0].1, 5.0, &finite)?;
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
    fn judge(&self, table: &mut Table, what: &str) {
        table.absolute(format!("{what}: angle, degrees"), 45.0, self.angle, 3.0);
        table.below(format!("{what}: change of the volume"), self.drift, 5e-3);
    }
}

/// A sphere, its vertices about one spacing apart or closer.
fn sphere(radius: f64) -> Result<Surface> {
    let vertices = if radius < 8.0 { 2562 } else { 10242 };
    ShapeConfig::Sphere { radius: Length(radius), vertices: Some(vertices) }.surface(Path::new(""), 3, 1e-6)
}

/// The capsule after some shear at Re = rate a^2 / nu = 0.1.
fn deformed(context: &Context, law: Law, radius: f64, shear: &Shear) -> Result<Deformed> {
    let (numbers, reynolds) = (FluidNumbers { precision: Precision::F32, ..FluidNumbers::trt(2.0) }, 0.1);
    let rate = reynolds * numbers.nu() / (radius * radius);
    let g = numbers.nu() * rate * radius / shear.ca;
    let side = (shear.side * radius) as usize;
    let basin = Basin::sheared(side, side, side, rate);
    let surface = sphere(radius)?;
    let mechanics =
        Mechanics { in_plane: Some(law(g)), volume: 0.1, volume_share: 1.0, contrast: 1.0, ..Mechanics::default() };
    let content = Content {
        kinds: vec![(surface.clone(), mechanics)],
        cells: vec![(0, placed(&surface, basin.middle(), 0.0))],
        ..Content::default()
    };
    let mut bath = Bath::new(context, &basin, &numbers, content, [0.0; 3])?;
    bath.advance((shear.until / rate).round() as u64)?;
    let at = bath.cell()?;
    let ellipse = Ellipse::of(&surface, &at);
    let volume = Surface { vertices: at, ..surface.clone() }.centred().volume();
    let drift = (volume / surface.volume() - 1.0).abs();
    Ok(Deformed { taylor: ellipse.taylor(), angle: ellipse.angle.to_degrees(), drift })
}
