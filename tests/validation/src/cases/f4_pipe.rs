//! F4: steady flow in a round pipe whose wall is a staircase. The pipe that the nodes make has the radius `R_eff` of
//! their number, `pi R_eff^2 = nodes`.

use std::f64::consts::PI;

use hematite_config::Result;
use hematite_solver::lattice_boltzmann::Row;

use crate::domain::pipe;
use crate::exact;
use crate::order::order;
use crate::{Context, Flow, Physics, Table};

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("F4");
    let diameters: &[usize] = if context.quick { &[10, 20, 30, 40] } else { &[10, 20, 30, 40, 80] };
    let (mut nominal, mut effective) = (Vec::new(), Vec::new());
    for &diameter in diameters {
        let found = flow_rate(context, diameter)?;
        let calibrated = found.rate / found.calibrated;
        let drawn = found.rate / found.drawn;
        table.note(format!("D {diameter}: flow rate / Hagen-Poiseuille of R_eff"), 1.0, calibrated);
        if diameter == 30 {
            table.absolute("D 30: flow rate / Hagen-Poiseuille of D / 2", 1.0, drawn, 1e-2);
        } else {
            table.note(format!("D {diameter}: flow rate / Hagen-Poiseuille of D / 2"), 1.0, drawn);
            nominal.push((diameter as f64, drawn - 1.0));
            effective.push((diameter as f64, calibrated - 1.0));
        }
        table.below(
            format!("D {diameter}: largest |u - parabola of R_eff| / Umax"),
            found.profile,
            2.0 / diameter as f64,
        );
        table.below(format!("D {diameter}: change over 200 steps"), found.change, 1e-9);
    }
    table.absolute("order of the flow rate, R_eff", 1.0, order(&effective), 0.3);
    table.note("order of the flow rate, D / 2", 1.0, order(&nominal));
    Ok(table)
}

struct Found {
    rate: f64,
    /// What Hagen and Poiseuille say for the radius of the area.
    calibrated: f64,
    /// What they say for the radius as drawn.
    drawn: f64,
    profile: f64,
    change: f64,
}

fn flow_rate(context: &Context, diameter: usize) -> Result<Found> {
    let physics = Physics::trt(2.0);
    let nu = physics.nu();
    let radius = diameter as f64 / 2.0;
    let force = 0.05 * 4.0 * nu / (radius * radius);
    let row = move |_| Row { force: [force, 0.0, 0.0], openings: Vec::new() };
    let mut flow = Flow::new(context, &pipe(diameter), &physics, row)?;
    let effective = (flow.centre.len() as f64 / PI).sqrt();
    let r = move |at: [f64; 3]| (at[1] - radius).hypot(at[2] - radius);
    flow.start_along_x(|at| force * exact::pipe(effective, nu, 0.0, r(at)).re.max(0.0))?;
    let change = flow.settle(200, 1e-10, 20_000)?;
    let u = flow.velocity(0)?;
    let parabola = |radius: f64, r: f64| force * (radius * radius - r * r) / (4.0 * nu);
    let errors = u.iter().zip(&flow.centre).map(|(u, &at)| (u - parabola(effective, r(at))).abs());
    let hagen = |radius: f64| PI * force * radius.powi(4) / (8.0 * nu);
    Ok(Found {
        rate: u.iter().sum(),
        calibrated: hagen(effective),
        drawn: hagen(radius),
        profile: errors.fold(0.0, f64::max) / parabola(effective, 0.0),
        change,
    })
}
