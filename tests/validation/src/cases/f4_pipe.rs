//! F4: steady flow in a round pipe that is drawn as a staircase. The pipe that the nodes make has the radius `R_eff` of
//! their number, `pi R_eff^2 = nodes`. Walls half-way follow the staircase; interpolated ones follow the circle, given
//! exactly or as the smoothed wall of the nodes has it.

use std::f64::consts::PI;

use hematite_case::{Lattice, Part, Target, walls};
use hematite_config::Result;
use physics_lattice_boltzmann::{Cut, Row, Walls, cuts};

use crate::domain::pipe;
use crate::order::order;
use crate::{Context, Flow, FluidNumbers, Table, exact};

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("F4");
    let diameters: &[usize] = if context.quick { &[10, 20, 30, 40] } else { &[10, 20, 30, 40, 80] };
    half_way(context, &mut table, diameters)?;
    let doubling: Vec<usize> = diameters.iter().copied().filter(|&diameter| diameter != 30).collect();
    interpolated(context, &mut table, &doubling)?;
    Ok(table)
}

fn half_way(context: &Context, table: &mut Table, diameters: &[usize]) -> Result<()> {
    let (mut nominal, mut effective) = (Vec::new(), Vec::new());
    for &diameter in diameters {
        let found = settled(context, diameter, &FluidNumbers::trt(2.0), |_, _| Walls::HalfWay)?;
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
            found.largest(found.effective),
            2.0 / diameter as f64,
        );
        table.below(format!("D {diameter}: change over 200 steps"), found.change, 1e-9);
    }
    table.absolute("order of the flow rate, R_eff", 1.0, order(&effective), 0.3);
    table.note("order of the flow rate, D / 2", 1.0, order(&nominal));
    Ok(())
}

/// The order found depends on the relaxation time, and on where the error happens to pass through zero: it is judged from
/// below at that of the half-way walls, together with the errors, and noted at 1.
fn interpolated(context: &Context, table: &mut Table, diameters: &[usize]) -> Result<()> {
    let (mut circle, mut smoothed, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    let mut near_one = Vec::new();
    for &diameter in diameters {
        let (d, radius) = (diameter as f64, diameter as f64 / 2.0);
        let exact = |tau| settled(context, diameter, &FluidNumbers::trt(tau), |_, part| circle_cuts(part, radius));
        near_one.push((d, exact(1.0)?.mean(radius)));
        let exact = exact(2.0)?;
        let what = format!("interpolated, D {diameter}: |u - parabola| / |parabola|");
        table.below(what, exact.mean(radius), 2.0 / (d * d));
        circle.push((d, exact.mean(radius)));

        let found = settled(context, diameter, &FluidNumbers::trt(2.0), |lattice, part| {
            Walls::Interpolated(cuts(lattice.set, part, &walls(lattice)))
        })?;
        let rate = found.rate / found.parabola_sum(found.effective);
        let what = format!("smoothed wall, D {diameter}: flow rate / parabola of R_eff");
        match diameter {
            10 => table.note(what, 1.0, rate),
            _ => table.absolute(what, 1.0, rate, 0.2 / d),
        }
        let mean = found.mean(found.effective);
        table.note(format!("smoothed wall, D {diameter}: |u - parabola of R_eff| / |parabola|"), 0.0, mean);
        smoothed.push((d, mean));
        rates.push((d, rate - 1.0));
        table.below(format!("interpolated, D {diameter}: change over 200 steps"), exact.change.max(found.change), 1e-9);
    }
    table.at_least("interpolated: order of |u - parabola|, at least", 1.8, order(&circle));
    table.note("interpolated at tau 1: order of |u - parabola|", 2.0, order(&near_one));
    table.note("smoothed wall: order of |u - parabola of R_eff|", 2.0, order(&smoothed));
    table.note("smoothed wall: order of the flow rate", 2.0, order(&rates));
    Ok(())
}

/// Where the circle of `radius` about the middle cuts each link.
fn circle_cuts(part: &Part, radius: f64) -> Walls {
    let velocities = hematite_case::VelocitySet::D3Q19.velocities();
    let mut cuts = Vec::new();
    for (links, direction) in part.links.iter().zip(1_u8..) {
        let [_, cy, cz] = velocities[usize::from(direction)].map(f64::from);
        for (_, node) in links.iter().zip(0_u32..).filter(|(link, _)| link.target() == Target::Wall) {
            let [_, y, z] = part.position[node as usize].map(|i| f64::from(i) - 0.5 - radius);
            // |x + q c|^2 = R^2.
            let (a, b, c) = (cy * cy + cz * cz, y * cy + z * cz, y * y + z * z - radius * radius);
            cuts.push(Cut { node, direction, fraction: ((b * b - a * c).sqrt() - b) / a });
        }
    }
    Walls::Interpolated(cuts)
}

struct Found {
    /// Velocity along the pipe and distance from the axis of each node.
    u: Vec<(f64, f64)>,
    /// Curvature of the parabola, `u(r) = curvature (R^2 - r^2)`.
    curvature: f64,
    rate: f64,
    /// What Hagen and Poiseuille say for the radius of the area.
    calibrated: f64,
    /// What they say for the radius as drawn.
    drawn: f64,
    effective: f64,
    change: f64,
}

impl Found {
    fn parabola(&self, radius: f64, r: f64) -> f64 {
        self.curvature * (radius * radius - r * r)
    }

    fn parabola_sum(&self, radius: f64) -> f64 {
        self.u.iter().map(|&(_, r)| self.parabola(radius, r)).sum()
    }

    /// Largest deviation from the parabola over its peak.
    fn largest(&self, radius: f64) -> f64 {
        let errors = self.u.iter().map(|&(u, r)| (u - self.parabola(radius, r)).abs());
        errors.fold(0.0, f64::max) / self.parabola(radius, 0.0)
    }

    /// Root of the mean square of the deviation over that of the parabola.
    fn mean(&self, radius: f64) -> f64 {
        let errors: f64 = self.u.iter().map(|&(u, r)| (u - self.parabola(radius, r)).powi(2)).sum();
        let whole: f64 = self.u.iter().map(|&(_, r)| self.parabola(radius, r).powi(2)).sum();
        (errors / whole).sqrt()
    }
}

fn settled(
    context: &Context,
    diameter: usize,
    numbers: &FluidNumbers,
    walls: impl Fn(&Lattice, &Part) -> Walls,
) -> Result<Found> {
    let nu = numbers.nu();
    let radius = diameter as f64 / 2.0;
    let force = 0.05 * 4.0 * nu / (radius * radius);
    let row = move |_| Row { force: [force, 0.0, 0.0], openings: Vec::new() };
    let (inside, domain) = pipe(diameter);
    let mut flow = Flow::with_walls(context, &(inside, &domain), numbers, row, walls)?;
    let effective = (flow.centre.len() as f64 / PI).sqrt();
    let r = move |at: [f64; 3]| (at[1] - radius).hypot(at[2] - radius);
    flow.start_along_x(|at| force * exact::pipe(effective, nu, 0.0, r(at)).re.max(0.0))?;
    let change = flow.settle(200, 1e-10, 20_000)?;
    let u = flow.velocity(0)?;
    let hagen = |radius: f64| PI * force * radius.powi(4) / (8.0 * nu);
    Ok(Found {
        rate: u.iter().sum(),
        u: u.into_iter().zip(flow.centre.iter().map(|&at| r(at))).collect(),
        curvature: force / (4.0 * nu),
        calibrated: hagen(effective),
        drawn: hagen(radius),
        effective,
        change,
    })
}
