//! Blood in straight tubes: M8, the effects of Fahraeus and of Fahraeus and Lindqvist.
//!
//! Red cells of 642 vertices on a lattice of 0.5 um, a tube hematocrit of 0.3, periodic, driven by a body force that gives
//! a mean speed over the diameter (pseudo-shear rate) of about 500 /s, where the viscosity of blood no longer depends on
//! it. Measured over the last third of the time: after some 25 diameters the layer at the wall is made (Katanov, Gompper
//! and Fedosov, Microvasc. Res. 99, 57, 2015). Apparent viscosity: the flow rate of the fluid alone through the same nodes
//! over that of blood.

use std::time::Instant;

use hematite_config::Result;
use hematite_dump::Grid;
use hematite_geometry::Domain;
use physics_lattice_boltzmann::Row;
use serde_json::json;

use crate::blood::Blood;
use crate::domain::{pipe, tube};
use crate::exact::{self, fahraeus, relative_viscosity};
use crate::vessel::{State, Vessel, last_third};
use crate::{Context, Flow, FluidNumbers, Inside, Table};

/// Lattice spacing, m.
const DX: f64 = 0.5e-6;
/// Time step, s.
const DT: f64 = 0.1e-6;
/// Density, kg/m3, and dynamic viscosity of plasma, Pa s.
const RHO: f64 = 1025.0;
const MU: f64 = 1.2e-3;
/// Mean speed over diameter, 1/s.
const RATE: f64 = 500.0;
/// Diameters of flow in all, and states taken in each.
const DIAMETERS: u64 = 30;
const STATES: u64 = 5;
/// Steps that tell how long it will take.
const FIRST: u64 = 96;

/// A tube 20 um wide; without `--long` one so short and for so few steps that only conservation can be told.
///
/// # Errors
/// When the device is lost.
pub fn narrow(context: &Context) -> Result<Table> {
    let mut table = Table::new("blood-tube-20");
    if context.long {
        developed(context, &mut table, 40, 120)?;
    } else {
        conserved(context, &mut table, if context.quick { 96 } else { 400 })?;
    }
    Ok(table)
}

/// A tube 40 um wide, with `--long` only.
///
/// # Errors
/// When the device is lost.
pub fn wide(context: &Context) -> Result<Table> {
    let mut table = Table::new("blood-tube-40");
    if context.long {
        developed(context, &mut table, 80, 160)?;
    }
    Ok(table)
}

/// `length` and `diameter` in lattice spacings.
fn developed(context: &Context, table: &mut Table, diameter: usize, length: usize) -> Result<()> {
    let um = 1e6 * DX * diameter as f64;
    let drive = Drive::of(um);
    let (mut blood, grid, inside) = drive.blood(context, diameter, length)?;
    let vessel = Vessel::new(&grid, &inside)?;
    let plasma = drive.plasma(context, diameter)?;
    let seeded = vessel.state(&mut blood)?;
    let name = format!("blood-tube-{um:.0}");
    eprintln!(
        "{name}: {} nodes, {} vertices; {}",
        grid.position.len(),
        blood.vertices()?,
        vessel.line(&seeded, plasma)
    );
    let begun = Instant::now();
    blood.advance(FIRST)?;
    let (each, number) = ((1.0 / (RATE * DT * STATES as f64)).round() as u64, DIAMETERS * STATES);
    let speed = begun.elapsed().as_secs_f64() / FIRST as f64;
    eprintln!(
        "{name}: {:.3} ms a step, {:.0} s for {} steps",
        1e3 * speed,
        speed * (each * number) as f64,
        each * number
    );
    let states = vessel.follow(&mut blood, number, each, |mean, seconds| {
        let (viscosity, ratio) = (relative_viscosity(um, mean.discharge), fahraeus(um, mean.discharge));
        let pries = format!("Pries: viscosity {viscosity:.4}, HT / HD {ratio:.4}");
        eprintln!("{name}: {seconds:.0} s, last third at {}; {pries}", vessel.line(mean, plasma));
    })?;
    let last = last_third(&states);
    let mean = State::mean(last);
    let (first, second) = last.split_at(last.len() / 2);
    let change = State::mean(second).mean_speed / State::mean(first).mean_speed - 1.0;
    vessel.report(table, &seeded, &mean, 2.0);
    table.below("change of the flow rate from one half of the last third to the other", change, 2e-2);
    table.note("mean speed / diameter, 1/s", RATE, mean.mean_speed / (1e-6 * um));
    table.relative(
        format!("apparent viscosity / plasma's, Pries at HD {:.3}", mean.discharge),
        relative_viscosity(um, mean.discharge),
        plasma / mean.mean_speed,
        0.15,
    );
    table.note("HT / HD, Pries", fahraeus(um, mean.discharge), mean.tube / mean.discharge);
    conservation(table, &seeded, &mean);
    Ok(())
}

/// A tube 12 um wide and as long, for `steps` steps.
fn conserved(context: &Context, table: &mut Table, steps: u64) -> Result<()> {
    let (mut blood, grid, inside) = Drive::of(12.0).blood(context, 24, 24)?;
    let vessel = Vessel::new(&grid, &inside)?;
    let seeded = vessel.state(&mut blood)?;
    blood.advance(steps)?;
    let now = vessel.state(&mut blood)?;
    table.note("12 um wide: mean speed, m/s, and at the start", seeded.mean_speed, now.mean_speed);
    conservation(table, &seeded, &now);
    Ok(())
}

fn conservation(table: &mut Table, seeded: &State, now: &State) {
    table.below("largest difference of the mass flows through two sections", now.unevenness(), 5e-3);
    table.relative("tube hematocrit, as seeded", seeded.tube, now.tube, 5e-3);
}

/// What drives the flow.
struct Drive {
    /// Body force, Pa/m.
    force: f64,
    /// Expected mean speed of blood, m/s.
    speed: f64,
}

impl Drive {
    /// That gives the wanted pseudo-shear rate by the law of Pries, at a tube hematocrit of 0.3.
    fn of(um: f64) -> Self {
        let (diameter, mut discharge) = (1e-6 * um, 0.3);
        for _ in 0..20 {
            discharge = 0.3 / fahraeus(um, discharge);
        }
        let speed = RATE * diameter;
        Self { force: 32.0 * MU * relative_viscosity(um, discharge) * speed / diameter.powi(2), speed }
    }

    /// Blood that starts as a parabola.
    fn blood(&self, context: &Context, diameter: usize, length: usize) -> Result<(Blood, Grid, Inside)> {
        let (inside, domain) = tube(length, diameter);
        let config = json!({
            "populations": [{"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.3}],
            "fluid": {"lattice_boltzmann": {"density": format!("{RHO} kg/m3"), "viscosity": format!("{} mPa s", 1e3 * MU)}},
            "time": {"step": format!("{} us", 1e6 * DT), "steps": 1},
            "drive": {"force": [format!("{} Pa/m", self.force), "0 Pa/m", "0 Pa/m"]},
        });
        let (mut blood, grid) = Blood::new(context, &(inside, Domain { spacing: DX, ..domain }), &config)?;
        let (peak, radius) = (2.0 * self.speed * DT / DX, 0.5 * diameter as f64);
        let shape = |at: [f64; 3]| 1.0 - ((at[1] - radius).powi(2) + (at[2] - radius).powi(2)) / (radius * radius);
        blood.flow.start_along_x(|at| peak * shape(at))?;
        Ok((blood, grid, inside))
    }

    /// Mean speed of the fluid alone in a tube of the same nodes, m/s.
    fn plasma(&self, context: &Context, diameter: usize) -> Result<f64> {
        let nu = MU / RHO * DT / (DX * DX);
        let force = [self.force / RHO * DT * DT / DX, 0.0, 0.0];
        let row = move |_| Row { force, openings: Vec::new() };
        let mut flow = Flow::new(context, &pipe(diameter), &FluidNumbers::trt(0.5 + 3.0 * nu), row)?;
        let radius = 0.5 * diameter as f64;
        let r = |at: [f64; 3]| (at[1] - radius).hypot(at[2] - radius);
        flow.start_along_x(|at| force[0] * exact::pipe(radius, nu, 0.0, r(at)).re)?;
        flow.settle(200, 1e-9, 40_000)?;
        let speeds = flow.velocity(0)?;
        Ok(speeds.iter().sum::<f64>() / speeds.len() as f64 * DX / DT)
    }
}
