//! Area and volume of red cells in shear flow over many steps (2-D: perimeter and area).

use std::path::Path;

use hematite_cells::{Preset, ShapeConfig, Surface};
use hematite_config::Result;
use hematite_solver::Precision;
use hematite_units::LatticeUnits;
use hematite_units::quantity::Length;

use crate::cells::{Basin, Bath, Content, placed};
use crate::{Context, Physics, Table};

/// Shear rate, 1/s, and dynamic viscosity, Pa s.
const RATE: f64 = 200.0;
const VISCOSITY: f64 = 1.2e-3;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("drift");
    let steps = match (context.quick, context.long) {
        (true, _) => 2_000,
        (_, true) => 100_000,
        _ => 10_000,
    };
    let fine = LatticeUnits { dx: 0.5e-6, dt: 0.1e-6, rho0: 1025.0 };
    let coarse = LatticeUnits { dx: 1e-6, dt: 0.15e-6, rho0: 1025.0 };
    for (dimension, units, extent) in [(3, fine, [22, 22, 14]), (2, coarse, [16, 16, 0])] {
        let shape = ShapeConfig::RedCell { diameter: Length(7.82e-6), vertices: None };
        let surface = shape.surface(Path::new(""), dimension, 1e-6)?.scaled(1.0 / units.dx);
        let mechanics = Preset::RedCell.mechanics(dimension).in_lattice(&units);
        let viscosity = VISCOSITY / units.rho0 / units.kinematic_viscosity();
        let physics = Physics { precision: Precision::F32, ..Physics::trt(0.5 + 3.0 * viscosity) };
        let basin = Basin::sheared(extent[0], extent[1], extent[2], RATE * units.dt);
        let content = Content {
            kinds: vec![(surface.clone(), mechanics)],
            cells: vec![(0, placed(&surface, basin.middle(), 0.5))],
            ..Content::default()
        };
        let mut bath = Bath::new(context, &basin, &physics, content, [0.0; 3])?;
        let (mut area, mut volume) = (0.0_f64, 0.0_f64);
        for _ in 0..20 {
            bath.advance(steps / 20)?;
            let now = Surface { vertices: bath.cell()?, ..surface.clone() }.centred();
            area = area.max((now.area() / surface.area() - 1.0).abs());
            volume = volume.max((now.volume() / surface.volume() - 1.0).abs());
        }
        let [first, second] = if dimension == 2 { ["perimeter", "area"] } else { ["area", "volume"] };
        let what = format!("red cell in {dimension}-D, {RATE} /s, {steps} steps: largest change of the");
        table.below(format!("{what} {first}"), area, 5e-3);
        table.below(format!("{what} {second}"), volume, 5e-3);
    }
    Ok(table)
}
