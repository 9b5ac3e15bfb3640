//! Blood in a straight channel, 2-D: the layer without cells at the walls, the blunt profile, the effect of Fahraeus.
//!
//! Red cells fill 0.42 of a channel 20 um wide, periodic, driven by a body force that gives a mean speed over the width of
//! about 500 /s. Measured over the last third of the time. Long: on half the lattice spacing, for longer.

use hematite_config::Result;
use hematite_dump::Grid;
use hematite_geometry::Domain;
use serde_json::json;

use crate::blood::Blood;
use crate::domain::{domain, fluid_where};
use crate::vessel::{State, Vessel, last_third};
use crate::{Context, Inside, Table};

/// Width of the channel, m.
const WIDTH: f64 = 20e-6;
/// Density, kg/m3, and dynamic viscosity of plasma, Pa s.
const RHO: f64 = 1025.0;
const MU: f64 = 1.2e-3;
/// Mean speed over width, 1/s, and the viscosity of blood over that of plasma that this is reckoned with.
const RATE: f64 = 500.0;
const VISCOSITY: f64 = 2.0;
/// Of the lumen inside cells.
const HEMATOCRIT: f64 = 0.42;

/// How finely and for how long.
struct Extent {
    /// Lattice spacings in the width.
    across: usize,
    /// Length over width.
    length: usize,
    /// Vertices of a cell: one a lattice spacing.
    vertices: usize,
    /// Time step, s.
    dt: f64,
    /// States taken, widths of flow between them.
    states: u64,
    widths: f64,
}

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("blood-channel");
    let coarse = Extent { across: 20, length: 3, vertices: 20, dt: 0.2e-6, states: 20, widths: 0.2 };
    let extent = match (context.quick, context.long) {
        (true, _) => Extent { states: 6, widths: 0.05, ..coarse },
        (_, true) => Extent { across: 40, length: 5, vertices: 40, dt: 0.1e-6, states: 150, widths: 0.2 },
        _ => coarse,
    };
    let (mut blood, grid, inside) = extent.blood(context)?;
    let vessel = Vessel::new(&grid, &inside)?;
    // Plane Poiseuille flow, which walls half-way give exactly.
    let plasma = force() * WIDTH * WIDTH / (12.0 * MU);
    let seeded = vessel.state(&mut blood)?;
    let each = (extent.widths / (RATE * extent.dt)).round() as u64;
    let states = vessel.follow(&mut blood, extent.states, each, |mean, seconds| {
        if !context.quick {
            eprintln!("blood-channel: {seconds:.0} s, last third at {}", vessel.line(mean, plasma));
        }
    })?;
    let mean = State::mean(last_third(&states));
    if !context.quick {
        vessel.report(&mut table, &seeded, &mean, 1.5);
        table.below("largest difference of the mean mass flows through two sections", mean.unevenness(), 5e-3);
        table.note("mean speed / width, 1/s", RATE, mean.mean_speed / WIDTH);
    }
    table.at_least("apparent viscosity / plasma's, at least", 1.2, plasma / mean.mean_speed);
    table.relative("tube hematocrit at the end, as seeded", seeded.tube, vessel.state(&mut blood)?.tube, 5e-3);
    Ok(table)
}

/// Body force, Pa/m.
fn force() -> f64 {
    12.0 * MU * VISCOSITY * RATE / WIDTH
}

impl Extent {
    /// Blood that starts as a parabola.
    fn blood(&self, context: &Context) -> Result<(Blood, Grid, Inside)> {
        let dx = WIDTH / self.across as f64;
        let inside = Inside { extent: [self.length * self.across, self.across, 1], periodic: [true, false, false] };
        let channel = Domain { spacing: dx, ..domain(inside, &[], |at| fluid_where(inside.holds(at))) };
        let config = json!({
            "populations": [
                {"name": "red", "shape": {"kind": "red_cell", "vertices": self.vertices}, "hematocrit": HEMATOCRIT},
            ],
            "fluid": {"lattice_boltzmann": {"density": format!("{RHO} kg/m3"), "viscosity": format!("{} mPa s", 1e3 * MU)}},
            "time": {"step": format!("{} us", 1e6 * self.dt), "steps": 1},
            "drive": {"force": [format!("{} Pa/m", force()), "0 Pa/m"]},
        });
        let (mut blood, grid) = Blood::new(context, &(inside, channel), &config)?;
        let (peak, across) = (1.5 * RATE * WIDTH * self.dt / dx, self.across as f64);
        blood.flow.start_along_x(|at| 4.0 * peak * at[1] * (across - at[1]) / (across * across))?;
        Ok((blood, grid, inside))
    }
}
