//! The viscous stress of plane Poiseuille flow: `sigma_xy = nu du/dy = G (H/2 - y)`, which the second moment of the
//! non-equilibrium populations meets exactly.

use hematite_config::Result;
use hematite_engine::Precision;
use physics_lattice_boltzmann::{Moment, Row};

use crate::domain::periodic_channel;
use crate::{Context, Flow, FluidNumbers, Table};

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("stress");
    let height = 10;
    for dimension in [2, 3] {
        for (precision, tolerance) in [(Precision::F64, 1e-9), (Precision::F32, 1e-4)] {
            for (tau, magic) in [(0.8, 3.0 / 16.0), (0.6, 0.01)] {
                let numbers = FluidNumbers { tau, magic, precision, boundaries: Vec::new() };
                let h = height as f64;
                let force = 8.0 * numbers.nu() * 0.02 / (h * h);
                let row = move |_| Row { force: [force, 0.0, 0.0], openings: Vec::new() };
                let mut flow = Flow::new(context, &periodic_channel(dimension, height), &numbers, row)?;
                flow.start_along_x(|at| force / (2.0 * numbers.nu()) * at[1] * (h - at[1]))?;
                flow.settle(200, 1e-13, (40.0 * h * h / (9.87 * numbers.nu())) as u64)?;

                let stress = flow.moment(Moment::Stress)?;
                let wall = force * h / 2.0;
                let shear = stress.iter().skip(3).step_by(6);
                let expected = flow.centre.iter().map(|at| force * (h / 2.0 - at[1]));
                let error = shear.clone().zip(expected).fold(0.0, |most: f64, (s, e)| most.max((s - e).abs())) / wall;
                let what = format!("{dimension}-D {} tau {tau} magic {magic}:", precision.name());
                table.below(format!("{what} |sigma_xy - G (H/2 - y)| / wall stress"), error, tolerance);
            }
        }
    }
    Ok(table)
}
