//! F2: a channel between two pressure openings, `Umax = dp H^2 / (8 rho nu L)`, and the same flow driven by a pressure
//! drop over a period.

use hematite_config::Result;
use hematite_geometry::OpeningKind;
use hematite_solver::lattice_boltzmann::equilibrium::State;
use hematite_solver::lattice_boltzmann::{Moment, Row};
use serde_json::json;

use crate::domain::{open_channel, periodic_channel};
use crate::planned::planned;
use crate::{Boundary, Context, Flow, Physics, Table};

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("F2");
    openings(context, &mut table)?;
    drop_over_a_period(context, &mut table)?;
    Ok(table)
}

fn openings(context: &Context, table: &mut Table) -> Result<()> {
    let (length, height, largest) = (40, 20, 0.02);
    let (l, h) = (length as f64, height as f64);
    let physics = Physics { boundaries: vec![Boundary::Pressure; 2], ..Physics::trt(0.8) };
    // Openings lie half a spacing before the first and behind the last node, so that they are `length` apart.
    let drop = 8.0 * physics.nu() * l * largest / (h * h);
    let drho = 3.0 * drop;
    let row = move |_| Row { force: [0.0; 3], openings: vec![drho / 2.0, -drho / 2.0] };
    let mut flow = Flow::new(context, &open_channel(length, height, [OpeningKind::Pressure; 2]), &physics, row)?;
    let profile = move |y: f64| 4.0 * largest * y * (h - y) / (h * h);
    flow.start(|at| State { drho: drho * (0.5 - at[0] / l), u: [profile(at[1]), 0.0, 0.0] })?;
    let change = flow.settle(500, 1e-12, 30_000)?;
    table.below("openings: change over 500 steps", change, 1e-9);

    let u = flow.velocity(0)?;
    let v = flow.velocity(1)?;
    let drhos = flow.moment(Moment::Density)?;
    let column = |x: usize| -> Vec<usize> { (0..u.len()).filter(|&n| flow.centre[n][0] == x as f64 + 0.5).collect() };
    let mean = |values: &[f64], x: usize| column(x).iter().map(|&n| values[n]).sum::<f64>() / h;
    let deviation =
        |x: usize| column(x).iter().map(|&n| (u[n] - profile(flow.centre[n][1])).abs() / largest).fold(0.0, f64::max);
    let rate = 2.0 / 3.0 * largest;
    table.relative("openings: mean velocity half-way", rate, mean(&u, length / 2), 1e-2);
    table.below("openings: profile half-way, largest deviation / Umax", deviation(length / 2), 1e-2);
    let off_line = (0..length).map(|x| (mean(&drhos, x) - drho * (0.5 - (x as f64 + 0.5) / l)).abs() / drho);
    table.below("openings: p(x) off the line / dp", off_line.fold(0.0, f64::max), 1e-2);
    table.below("openings: u in the first row, largest deviation / Umax", deviation(0), 1e-2);
    table.below("openings: u in the last row, largest deviation / Umax", deviation(length - 1), 1e-2);
    let across = v.iter().fold(0.0, |most: f64, v| most.max(v.abs())) / largest;
    table.below("openings: largest cross velocity / Umax", across, 1e-2);
    let flux = [0, length / 2, length - 1].map(|x| mean(&u, x));
    table.relative("openings: flux of the last row against the first", flux[0], flux[2], 1e-6);
    Ok(())
}

/// The same force, once as a force and once as a pressure drop over the period.
fn drop_over_a_period(context: &Context, table: &mut Table) -> Result<()> {
    let height = 20;
    let channel = periodic_channel(2, height);
    let length = channel.1.extent[0] as f64 * channel.1.spacing;
    let gradient = 50.0;
    let mut rates = Vec::new();
    for drive in [
        json!({ "force": [format!("{gradient} Pa/m"), "0 Pa/m"] }),
        json!({ "pressure_drop": { "axis": "x", "drop": format!("{} Pa", gradient * length) } }),
    ] {
        let config = json!({
            "fluid": { "density": "1000 kg/m3", "viscosity": "1 mPa s", "precision": "f64" },
            "time": { "tau": 1.1, "steps": 1 },
            "drive": drive,
        });
        let (mut flow, plan) = planned(context, &channel, &config, &[])?;
        flow.start_along_x(|_| 0.0)?;
        flow.settle(500, 1e-13, 10_000)?;
        let u = flow.velocity(0)?;
        rates.push(u.iter().sum::<f64>() / u.len() as f64 * plan.units.velocity());
    }
    let height = height as f64 * channel.1.spacing;
    table.relative("pressure drop over a period: flow rate against that of the force", rates[0], rates[1], 1e-3);
    // The mean of the parabola over the nodes is that over the height and the midpoint rule's end correction.
    let parabola = gradient * (height * height / 12.0 + channel.1.spacing.powi(2) / 24.0) / 1e-3;
    table.relative("pressure drop over a period: mean velocity, m/s", parabola, rates[1], 1e-9);
    Ok(())
}
