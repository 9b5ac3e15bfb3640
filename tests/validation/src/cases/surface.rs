//! A straight tube off the lattice, given as a surface of triangles, with interpolated walls: what its ends measure,
//! and Poiseuille flow in it.

use std::f64::consts::PI;
use std::fmt::Write;

use hematite_config::{Fault, Result};
use hematite_geometry::{Domain, build};
use physics_lattice_boltzmann::Moment;
use serde_json::json;

use crate::planned::planned;
use crate::{Context, Inside, Table};

/// Diameter in spacings.
const WIDTH: f64 = 20.0;
/// The tube's direction, and two across it.
const ALONG: [f64; 3] = [0.8, 0.36, 0.48];
const ACROSS: [[f64; 3]; 2] = [[-0.6, 0.48, 0.64], [0.0, 0.8, -0.6]];
/// Sides of the tube's polygon: its area is 0.02 % below that of the circle.
const SIDES: usize = 192;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("surface");
    let length = if context.quick { 60.0 } else { 90.0 };
    let domain = made(length)?;
    let inside = Inside { extent: domain.extent.map(|n| n - 2), periodic: [false; 3] };
    // The inner box begins one site within the domain.
    let corner = domain.origin.map(|x| x / domain.spacing + 1.0);
    let mean = 0.005;
    // With tau 0.8, a lattice of 10 um and this fluid a velocity of 1 m/s is 1 in lattice units.
    let config = json!({
        "fluid": { "lattice_boltzmann": { "density": "1000 kg/m3", "viscosity": "1 mPa s", "walls": "interpolated", "precision": "f64", "tau": 0.8 } },
        "time": { "steps": 1 },
        "openings": { "end-0": { "velocity": format!("{mean} m/s"), "ramp": "20 ms" }, "end-1": { "pressure": "0 Pa" } },
    });
    let (mut flow, _) = planned(context, &(inside, domain), &config, &[])?;
    let (change, rate) = flow.settle_from_rest()?;
    let radius = WIDTH / 2.0;
    let section = PI * radius * radius;
    let (velocity, density) = (flow.moment(Moment::Velocity)?, flow.moment(Moment::Density)?);
    let (mut peak, mut worst) = (0.0_f64, 0.0_f64);
    let mut line = Line::default();
    for (n, centre) in flow.centre.iter().enumerate() {
        let at = [0, 1, 2].map(|axis| centre[axis] + corner[axis]);
        let along: f64 = (0..3).map(|axis| at[axis] * ALONG[axis]).sum();
        // One width from both openings, which are 2 spacings within the ends, the flow is developed.
        if (along - length / 2.0).abs() > length / 2.0 - WIDTH - 2.0 {
            continue;
        }
        let square = at.iter().map(|x| x * x).sum::<f64>() - along * along;
        let speed: f64 = (0..3).map(|axis| velocity[3 * n + axis] * ALONG[axis]).sum();
        let exact = 2.0 * rate / section * (1.0 - square / (radius * radius));
        peak = peak.max(speed);
        worst = worst.max((speed - exact).abs() / (2.0 * rate / section));
        line.add(along, density[n]);
    }
    let nu = 0.1;
    let gradient = -line.slope() / 3.0;
    table.absolute("inflow / mean times section", 1.0, rate / (mean * section), 0.01);
    table.absolute("largest speed / exact", 1.0, peak / (2.0 * rate / section), 0.01);
    table.below("farthest from the parabola / largest speed", worst, 0.01);
    table.absolute("pressure gradient / exact", 1.0, gradient / (8.0 * nu * rate / (section * radius * radius)), 0.01);
    table.below("change over 500 steps", change, 1e-6);
    Ok(table)
}

/// The tube as OBJ with open ends, on a lattice of 10 um; its openings are at the ends.
fn made(length: f64) -> Result<Domain> {
    let mut text = String::new();
    for k in 0..2 * SIDES {
        let (sin, cos) = (2.0 * PI * (k % SIDES) as f64 / SIDES as f64).sin_cos();
        let along = if k < SIDES { 0.0 } else { length };
        let place = |axis: usize| along * ALONG[axis] + WIDTH / 2.0 * (cos * ACROSS[0][axis] + sin * ACROSS[1][axis]);
        _ = writeln!(text, "v {} {} {}", place(0), place(1), place(2));
    }
    for k in 0..SIDES {
        let (a, b) = (k + 1, (k + 1) % SIDES + 1);
        _ = writeln!(text, "f {a} {b} {} {}", b + SIDES, a + SIDES);
    }
    let folder = tempfile::tempdir().map_err(|error| Fault::io(format!("cannot make a temporary folder: {error}")))?;
    let file = folder.path().join("tube.obj");
    std::fs::write(&file, text).map_err(|error| Fault::io(format!("{}: {error}", file.display())))?;
    let geometry = json!({
        "surface": { "file": "tube.obj", "unit": "10 um", "ends": { "largest": "velocity", "others": "pressure" } },
        "spacing": "10 um",
    });
    let geometry = serde_json::from_value(geometry).map_err(|error| Fault::usage(format!("geometry: {error}")))?;
    build(&folder.path().join("case.json"), &geometry, &[])
}

/// A line of least squares.
#[derive(Default)]
struct Line {
    n: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
}

impl Line {
    fn add(&mut self, x: f64, y: f64) {
        self.n += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.xy += x * y;
    }

    fn slope(&self) -> f64 {
        (self.n * self.xy - self.x * self.y) / (self.n * self.xx - self.x * self.x)
    }
}
