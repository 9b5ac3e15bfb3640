//! F2: a channel between two pressure openings, `Umax = dp H^2 / (8 rho nu L)` with `L` the number of nodes along it, and
//! the same flow driven by a pressure drop over a period.

use hematite_config::Result;
use hematite_geometry::OpeningKind;
use physics_lattice_boltzmann::equilibrium::State;
use physics_lattice_boltzmann::{Moment, Row};
use serde_json::json;

use crate::domain::{open_channel, periodic_channel};
use crate::planned::planned;
use crate::{Boundary, Context, Flow, FluidNumbers, Table};

/// What is left of the way to the steady flow where [`Flow::settle`] stops.
const SETTLED: f64 = 1e-7;

/// What the openings may add: they leave out terms of the order of the Mach number squared.
const OPENINGS: f64 = 1e-3;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("F2");
    openings(context, &mut table)?;
    resolution(context, &mut table)?;
    let heights: &[usize] = if context.quick { &[10, 20] } else { &[10, 20, 40] };
    for &height in heights {
        inlet(context, &mut table, height)?;
    }
    drop_over_a_period(context, &mut table)?;
    Ok(table)
}

/// A channel between pressures that should make the parabola of largest speed `largest`, and its settled flow.
struct Driven {
    flow: Flow,
    length: usize,
    height: usize,
    largest: f64,
    /// Density difference between the openings.
    drho: f64,
    change: f64,
}

impl Driven {
    fn new(context: &Context, length: usize, height: usize, largest: f64) -> Result<Self> {
        let (l, h) = (length as f64, height as f64);
        let numbers = FluidNumbers { boundaries: vec![Boundary::Pressure; 2], ..FluidNumbers::trt(0.8) };
        // Openings lie half a spacing before the first and behind the last node, so that they are `length` apart.
        let drho = 3.0 * 8.0 * numbers.nu() * l * largest / (h * h);
        let row = move |_| Row { force: [0.0; 3], openings: vec![drho / 2.0, -drho / 2.0] };
        let mut flow = Flow::new(context, &open_channel(length, height, [OpeningKind::Pressure; 2]), &numbers, row)?;
        let profile = move |y: f64| 4.0 * largest * y * (h - y) / (h * h);
        flow.start(|at| State { drho: drho * (0.5 - at[0] / l), u: [profile(at[1]), 0.0, 0.0] })?;
        let change = flow.settle(500, 1e-9, 30_000)?;
        Ok(Self { flow, length, height, largest, drho, change })
    }

    fn profile(&self, y: f64) -> f64 {
        let h = self.height as f64;
        4.0 * self.largest * y * (h - y) / (h * h)
    }

    /// Mean over the nodes of a column of `values`.
    fn mean(&self, values: &[f64], x: usize) -> f64 {
        let taken = values.iter().zip(&self.flow.centre).filter(|(_, at)| at[0] == x as f64 + 0.5);
        taken.map(|(value, _)| value).sum::<f64>() / self.height as f64
    }

    /// Largest deviation of u over the columns that `taken` chooses from the parabola, over its largest value.
    fn deviation(&self, u: &[f64], taken: impl Fn(usize) -> bool) -> f64 {
        let nodes = u.iter().zip(&self.flow.centre).filter(|(_, at)| taken(at[0] as usize));
        nodes.map(|(u, at)| (u - self.profile(at[1])).abs() / self.largest).fold(0.0, f64::max)
    }

    /// Mean velocity half-way over that of the parabola, both over nodes.
    fn ratio(&mut self) -> Result<f64> {
        let u = self.flow.velocity(0)?;
        let parabola: f64 = (0..self.height).map(|j| self.profile(j as f64 + 0.5)).sum();
        Ok(self.mean(&u, self.length / 2) * self.height as f64 / parabola)
    }
}

fn openings(context: &Context, table: &mut Table) -> Result<()> {
    let mut driven = Driven::new(context, 40, 20, 0.02)?;
    table.below("openings: change over 500 steps", driven.change, 1e-8);
    table.absolute("openings: flow rate half-way / Hagen-Poiseuille", 1.0, driven.ratio()?, OPENINGS);
    let u = driven.flow.velocity(0)?;
    let v = driven.flow.velocity(1)?;
    let drhos = driven.flow.moment(Moment::Density)?;
    let (last, l, drho) = (driven.length - 1, driven.length as f64, driven.drho);
    for (what, deviation) in [
        ("first", driven.deviation(&u, |x| x == 0)),
        ("last", driven.deviation(&u, |x| x == last)),
        ("worst", driven.deviation(&u, |_| true)),
    ] {
        table.below(format!("openings: u in the {what} row, largest deviation / Umax"), deviation, OPENINGS);
    }
    let across = v.iter().fold(0.0, |most: f64, v| most.max(v.abs())) / driven.largest;
    table.below("openings: largest cross velocity / Umax", across, OPENINGS);
    let off = drhos.iter().zip(&driven.flow.centre).map(|(ours, at)| (ours / drho - (0.5 - at[0] / l)).abs());
    table.below("openings: p(x) off the line at any node / dp", off.fold(0.0, f64::max), OPENINGS);
    let [first, last] = [0, last].map(|x| driven.mean(&u, x));
    table.relative("openings: flux of the last row against the first", first, last, SETTLED);
    Ok(())
}

/// Whatever the resolution and the length, the openings add next to nothing.
fn resolution(context: &Context, table: &mut Table) -> Result<()> {
    let all = [(20, 10, 0.02), (80, 40, 0.005), (160, 20, 0.02)];
    for &(length, height, largest) in if context.quick { &all[..1] } else { &all } {
        let ratio = Driven::new(context, length, height, largest)?.ratio()?;
        table.absolute(format!("openings: L {length}, H {height}: flow rate / Hagen-Poiseuille"), 1.0, ratio, OPENINGS);
    }
    Ok(())
}

/// A parabola comes in at a velocity opening and leaves at a pressure opening.
fn inlet(context: &Context, table: &mut Table, height: usize) -> Result<()> {
    let length = 2 * height;
    let config = json!({
        "fluid": { "lattice_boltzmann": { "density": "1000 kg/m3", "viscosity": "1 mPa s", "precision": "f64", "tau": 0.8 } },
        "time": { "steps": 1 },
        "openings": { "in": { "velocity": format!("{} mm/s", 200.0 / height as f64) }, "out": { "pressure": "0 Pa" } },
    });
    let channel = open_channel(length, height, [OpeningKind::Velocity, OpeningKind::Pressure]);
    let (mut flow, plan) = planned(context, &channel, &config, &[])?;
    let mean = 0.2 / height as f64 / plan.units.velocity();
    let h = height as f64;
    let profile = |y: f64| 6.0 * mean * y * (h - y) / (h * h);
    flow.start_along_x(|at| profile(at[1]))?;
    let change = flow.settle(500, 1e-9, 30_000)?;
    table.below(format!("velocity inlet H {height}: change over 500 steps"), change, 1e-8);
    let u = flow.velocity(0)?;
    let deviation = |x: usize| {
        let taken = u.iter().zip(&flow.centre).filter(|(_, at)| at[0] == x as f64 + 0.5);
        taken.map(|(u, at)| (u - profile(at[1])).abs()).fold(0.0, f64::max) / (1.5 * mean)
    };
    table.note(format!("velocity inlet H {height}: u in the first row, largest deviation / Umax"), 0.0, deviation(0));
    for (what, x) in [("half-way", height), ("in the last row", length - 1)] {
        let what = format!("velocity inlet H {height}: u {what}, largest deviation / Umax");
        table.below(what, deviation(x), 1.0 / (height * height) as f64);
    }
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
            "fluid": { "lattice_boltzmann": { "density": "1000 kg/m3", "viscosity": "1 mPa s", "precision": "f64", "tau": 1.1 } },
            "time": { "steps": 1 },
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
