//! M1: a red cell pulled at both ends, as by optical tweezers, against Mills et al. (Mech. Chem. Biosyst. 1, 169, 2004).
//! The steady lengths do not depend on the fluid, which is thinner here than water so that they are reached soon.

use std::path::Path;

use hematite_cells::{Preset, ShapeConfig};
use hematite_config::Result;
use hematite_engine::Precision;
use hematite_units::LatticeUnits;
use hematite_units::quantity::Length;
use physics_cells::Pull;

use crate::cells::{Basin, Bath, Content, extent, placed};
use crate::{Context, FluidNumbers, Table};

/// Vertices pulled on each side: 2 % of 642.
const PULLED: usize = 13;
/// Forces, pN.
const FORCES: [f64; 5] = [25.0, 50.0, 100.0, 150.0, 190.0];

/// Error bars of Mills et al.: force in pN, axial and transverse diameter in um, low and high.
const MILLS: [(f64, [f64; 2], [f64; 2]); 6] = [
    (15.99, [8.34, 10.00], [5.94, 7.45]),
    (30.75, [8.91, 11.16], [5.32, 6.84]),
    (47.25, [10.06, 12.75], [4.49, 6.47]),
    (87.84, [11.44, 14.68], [3.60, 5.86]),
    (150.81, [12.43, 16.73], [3.46, 5.45]),
    (192.69, [12.95, 17.65], [3.44, 5.09]),
];

/// Means of Suresh et al. (Acta Biomater. 1, 15, 2005) as HemoCell has them: force, axial, transverse.
const SURESH: [(f64, f64, f64); 12] = [
    (0.0, 7.92, 7.92),
    (16.0, 9.26, 6.20),
    (30.7, 10.53, 5.72),
    (38.0, 11.14, 5.44),
    (46.5, 11.86, 5.07),
    (67.5, 12.87, 4.64),
    (87.6, 13.77, 4.64),
    (108.8, 14.35, 4.60),
    (130.0, 15.19, 4.53),
    (151.0, 15.60, 4.35),
    (172.7, 16.07, 4.60),
    (193.0, 16.30, 4.39),
];

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("M1");
    let units = LatticeUnits { dx: 0.75e-6, dt: 0.15e-6, rho0: 1025.0 };
    let viscosity = 0.25e-3 / units.rho0 / units.kinematic_viscosity();
    let numbers = FluidNumbers { precision: Precision::F32, ..FluidNumbers::trt(0.5 + 3.0 * viscosity) };
    let shape = ShapeConfig::RedCell { diameter: Length(7.82e-6), vertices: Some(642) };
    let surface = shape.surface(Path::new(""), 3, 1e-6)?.scaled(1.0 / units.dx);
    let mechanics = Preset::RedCell.mechanics(3).in_lattice(&units);
    let basin = Basin::periodic([28, 15, 15]);
    let mut at = placed(&surface, basin.middle(), 0.0);
    let forces = if context.quick { &FORCES[2..3] } else { &FORCES };
    for &force in forces {
        let pulls = Pull::apart(0, &surface, 0, PULLED, force * 1e-12 / units.force());
        let content = Content {
            kinds: vec![(surface.clone(), mechanics.clone())],
            cells: vec![(0, at)],
            pulls: pulls.to_vec(),
            ..Content::default()
        };
        let mut bath = Bath::new(context, &basin, &numbers, content, [0.0; 3])?;
        let lengths = |at: &[[f64; 3]]| {
            let [along, across, _] = extent(at).map(|l| l * units.dx * 1e6);
            vec![along, across]
        };
        let change = bath.settle(200, 2e-3, 20_000, lengths)?;
        at = bath.cell()?;
        let ours = lengths(&at);
        table.below(format!("{force} pN: change over 200 steps, um"), change, 2e-3);
        for (k, name) in [(0, "axial"), (1, "transverse")] {
            let bar = |end: usize| between(force, MILLS.iter().map(|row| (row.0, [row.1, row.2][k][end])));
            let (low, high) = (bar(0), bar(1));
            let what = format!("{force} pN: {name} diameter, um, within the bars of Mills 2004");
            table.absolute(what, 0.5 * (low + high), ours[k], 0.5 * (high - low));
            let mean = between(force, SURESH.iter().map(|row| (row.0, [row.1, row.2][k])));
            table.note(format!("{force} pN: {name} diameter, um, mean of Suresh 2005"), mean, ours[k]);
        }
    }
    Ok(table)
}

/// The value at `x` on straight lines between points.
fn between(x: f64, points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let points: Vec<(f64, f64)> = points.collect();
    let next = points.iter().position(|point| point.0 > x).unwrap_or(points.len() - 1).max(1);
    let ((x0, y0), (x1, y1)) = (points[next - 1], points[next]);
    y0 + (y1 - y0) * (x - x0) / (x1 - x0)
}
