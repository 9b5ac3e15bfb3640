//! Area and volume of red cells in shear flow over many steps (2-D: perimeter and area); whether membranes stay smooth under the
//! shear stress of arterioles.

use std::path::Path;

use hematite_cells::{Preset, ROUGH, ShapeConfig, Surface, roughness};
use hematite_config::Result;
use hematite_engine::Precision;
use hematite_units::LatticeUnits;
use hematite_units::quantity::Length;

use crate::cells::{Basin, Bath, Content, placed};
use crate::{Context, FluidNumbers, Table};

/// Shear rate, 1/s, and dynamic viscosity, Pa s.
const RATE: f64 = 200.0;
const VISCOSITY: f64 = 1.2e-3;
/// The shear rate at which membranes are to stay smooth: a stress of 4.8 Pa.
const FAST: f64 = 4000.0;

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
        let numbers = FluidNumbers { precision: Precision::F32, ..FluidNumbers::trt(0.5 + 3.0 * viscosity) };
        let basin = Basin::sheared(extent[0], extent[1], extent[2], RATE * units.dt);
        let content = Content {
            kinds: vec![(surface.clone(), mechanics)],
            cells: vec![(0, placed(&surface, basin.middle(), 0.5))],
            ..Content::default()
        };
        let mut bath = Bath::new(context, &basin, &numbers, content.clone(), [0.0; 3])?;
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
        if context.quick {
            continue;
        }
        let sides: Vec<[usize; 2]> = surface.edges().into_iter().map(|side| side.map(|v| v as usize)).collect();
        let mut without = content.clone();
        without.kinds[0].1.fairing = 0.0;
        let mut rough = [0.0_f64; 2];
        for (content, rough) in [content, without].into_iter().zip(&mut rough) {
            let basin = Basin::sheared(extent[0], extent[1], extent[2], FAST * units.dt);
            let mut bath = Bath::new(context, &basin, &numbers, content, [0.0; 3])?;
            for _ in 0..20 {
                bath.advance(steps / 20)?;
                *rough = rough.max(roughness(&bath.cell()?, &sides));
            }
        }
        let what = format!("red cell in {dimension}-D, {FAST} /s, {steps} steps: largest roughness");
        table.below(what.clone(), rough[0], ROUGH);
        table.note(format!("{what} without fairing"), 0.0, rough[1]);
    }
    Ok(table)
}
