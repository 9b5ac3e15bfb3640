//! R1: free spheroids in shear flow between moving walls.
//!
//! With r the length along the axis over that across, phi the angle of the axis from the gradient in the plane of shear, theta
//! from the vorticity, Jeffery (Proc. R. Soc. A 102, 161, 1922) has `dphi/dt = rate (r^2 cos^2 phi + sin^2 phi) / (r^2 + 1)`,
//! the period `2 pi (r + 1 / r) / rate` and a constant `C = tan theta (r^2 cos^2 phi + sin^2 phi)^(1/2) / r`; about the
//! vorticity the body rolls at half the rate. Without the strain's torque any body turns at half the rate, whatever its
//! angle. Reynolds' number of the longer semi-axis is below 0.1 and the box 10 of them wide.

use std::f64::consts::PI;

use hematite_config::Result;
use hematite_engine::Precision;
use physics_bodies::rotation::axes_of;
use physics_bodies::{Kind, friction, region};

use crate::bodies::{Raft, at_rest, ellipsoid, turn};
use crate::cells::Basin;
use crate::{Context, FluidNumbers, Table};

/// The longer semi-axis, the box and the shear rate, lattice units.
const LONG: f64 = 2.4;
const SIDE: usize = 24;
const RATE: f64 = 5e-3;

/// Angle before looks begin: by then the fluid and the body are in step.
const AHEAD: f64 = 0.3;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("R1");
    let numbers = FluidNumbers { precision: Precision::F32, ..FluidNumbers::trt(2.0) };
    table.below("Reynolds' number of the semi-axis", RATE * LONG * LONG / numbers.nu(), 0.1);
    let ratios: &[(&str, f64)] = match (context.quick, context.long) {
        (true, _) => &[("2", 2.0)],
        (_, true) => &[("2", 2.0), ("1/2", 0.5), ("3", 3.0), ("1/3", 1.0 / 3.0)],
        _ => &[("2", 2.0), ("1/2", 0.5)],
    };
    for &(name, ratio) in ratios {
        tumbles(context, &mut table, &numbers, name, ratio)?;
    }
    rolls(context, &mut table, &numbers)?;
    turns_evenly(context, &mut table, &numbers)?;
    thin(context, &mut table, &numbers)?;
    if !context.quick {
        for &(name, ratio) in ratios {
            keeps_its_orbit(context, &mut table, &numbers, name, ratio)?;
        }
    }
    Ok(table)
}

/// Semi-axes, the axis of symmetry first.
fn axes(ratio: f64) -> [f64; 3] {
    let (along, across) = (LONG * ratio.min(1.0), LONG / ratio.max(1.0));
    [along, across, across]
}

/// A spheroid in the middle of the box, a little off the nodes.
fn spheroid(
    context: &Context,
    numbers: &FluidNumbers,
    ratio: f64,
    orientation: [f64; 4],
    strain: bool,
) -> Result<Raft> {
    let mut kind = ellipsoid(axes(ratio), numbers)?;
    if !strain {
        kind.lambda = [0.0; 3];
    }
    let basin = Basin::sheared(SIDE, SIDE, SIDE, RATE);
    let middle = basin.middle();
    let body = at_rest(&basin.inside, 0, 0, [0, 1, 2].map(|a| middle[a] + [0.1, 0.3, 0.2][a]), orientation);
    Raft::new(context, &basin, numbers, vec![kind], vec![body], [0.0; 3])
}

/// The only body's axis of symmetry and angular velocity.
fn now(raft: &Raft) -> Result<([f64; 3], [f64; 3])> {
    let state = raft.states()?.swap_remove(0);
    Ok((axes_of(state.orientation)[0], raft.kind(&state).angular_velocity(&state)))
}

/// dphi/dt over the rate.
fn jeffery(ratio: f64, phi: f64) -> f64 {
    let (r2, (sin, cos)) = (ratio * ratio, phi.sin_cos());
    (r2 * cos * cos + sin * sin) / (r2 + 1.0)
}

fn tumbles(context: &Context, table: &mut Table, numbers: &FluidNumbers, name: &str, ratio: f64) -> Result<()> {
    let mut raft = spheroid(context, numbers, ratio, turn([0.0, 0.0, 1.0], 0.5 * PI + AHEAD), true)?;
    let every = (0.06 / RATE).round();
    let (mut step, mut phi, mut largest) = (0.0, -AHEAD, 0.0f64);
    let (mut passed, mut extremes) = (Vec::new(), [f64::MAX, 0.0f64]);
    while passed.len() < 2 && step * RATE < 40.0 {
        raft.advance(every as u64)?;
        step += every;
        let (axis, omega) = now(&raft)?;
        let (before, angle) = (phi, axis[0].atan2(axis[1]));
        phi = angle + PI * ((before - angle) / PI).round();
        let wanted = PI * passed.len() as f64;
        if phi >= wanted {
            passed.push(step - every * (phi - wanted) / (phi - before));
        }
        if !passed.is_empty() {
            let (ours, theirs) = (-omega[2] / RATE, jeffery(ratio, phi));
            largest = largest.max((ours / theirs - 1.0).abs());
            extremes = [extremes[0].min(ours), extremes[1].max(ours)];
        }
    }
    let [first, last] = [0, 1].map(|k| passed.get(k).copied().unwrap_or(f64::NAN));
    let what = format!("aspect {name}:");
    table.relative(
        format!("{what} period times rate"),
        2.0 * PI * (ratio + 1.0 / ratio),
        2.0 * (last - first) * RATE,
        2e-2,
    );
    table.below(format!("{what} dphi/dt along the orbit, largest relative error"), largest, 3e-2);
    let theirs = [jeffery(ratio, 0.0), jeffery(ratio, 0.5 * PI)];
    table.note(format!("{what} slowest turn over rate"), theirs[0].min(theirs[1]), extremes[0]);
    table.note(format!("{what} fastest turn over rate"), theirs[0].max(theirs[1]), extremes[1]);
    Ok(())
}

fn rolls(context: &Context, table: &mut Table, numbers: &FluidNumbers) -> Result<()> {
    let mut raft = spheroid(context, numbers, 2.0, turn([0.0, 1.0, 0.0], 0.5 * PI), true)?;
    raft.advance((3.0 / RATE) as u64)?;
    let (axis, omega) = now(&raft)?;
    table.relative("aspect 2, axis along the vorticity: turn over rate", 0.5, -omega[2] / RATE, 1e-2);
    table.below("aspect 2, axis along the vorticity: what it leaves it by", axis[0].hypot(axis[1]), 1e-3);
    Ok(())
}

fn turns_evenly(context: &Context, table: &mut Table, numbers: &FluidNumbers) -> Result<()> {
    let mut raft = spheroid(context, numbers, 2.0, turn([0.0, 0.0, 1.0], 0.5 * PI), false)?;
    raft.advance((1.0 / RATE) as u64)?;
    let mut largest = 0.0f64;
    for _ in 0..10 {
        raft.advance((0.2 / RATE) as u64)?;
        largest = largest.max((-now(&raft)?.1[2] / RATE / 0.5 - 1.0).abs());
    }
    table.below("aspect 2, no torque of strain: turn over half the rate, largest error", largest, 1e-2);
    Ok(())
}

/// A disc whose region is one layer of nodes thick at the start, where they see no gradient across it, at rest in the middle.
fn thin(context: &Context, table: &mut Table, numbers: &FluidNumbers) -> Result<()> {
    let ratio = 1.0 / 3.0;
    let half_widths = [1.0, 2.0 * LONG, 2.0 * LONG];
    let (eta, axes) = (numbers.nu(), axes(ratio));
    let region = region::lattice_mobility(half_widths, eta, numbers.magic);
    let gamma_r = friction::coupling(friction::rotational(axes, eta), region.rotation)?;
    let kind = Kind { half_widths, gamma_r, ..ellipsoid(axes, numbers)? };
    let basin = Basin::sheared(SIDE, SIDE + 1, SIDE, RATE);
    let body = at_rest(&basin.inside, 0, 0, [12.5; 3], [1.0, 0.0, 0.0, 0.0]);
    let mut raft = Raft::new(context, &basin, numbers, vec![kind], vec![body], [0.0; 3])?;
    let strain = 1.0;
    raft.advance((strain / RATE).round() as u64)?;
    let (axis, _) = now(&raft)?;
    // tan phi = r tan(rate t / (r + 1 / r)), from the flow on.
    let theirs = ((strain / (ratio + 1.0 / ratio)).tan() / ratio).atan();
    table.absolute(
        "aspect 1/3, region a layer thick: turn in a shear of 1, radians",
        theirs,
        (-axis[1]).atan2(axis[0]),
        5e-2,
    );
    Ok(())
}

fn keeps_its_orbit(context: &Context, table: &mut Table, numbers: &FluidNumbers, name: &str, ratio: f64) -> Result<()> {
    // The axis from x to theta off z, along the gradient.
    let theta = 0.25 * PI;
    let wanted = [0.0, theta.sin(), theta.cos()];
    let half = [0, 1, 2].map(|a| (wanted[a] + [1.0, 0.0, 0.0][a]) / 2.0_f64.sqrt());
    let mut raft = spheroid(context, numbers, ratio, turn(half, PI), true)?;
    let constant = |[x, y, z]: [f64; 3]| (y * y + x * x / (ratio * ratio)).sqrt() / z.abs();
    let (mut largest, mut start) = (0.0f64, None);
    let half_period = PI * (ratio + 1.0 / ratio) / RATE;
    for _ in 0..16 {
        raft.advance((half_period / 16.0) as u64)?;
        let c = constant(now(&raft)?.0);
        largest = largest.max((c / *start.get_or_insert(c) - 1.0).abs());
    }
    table.note(
        format!("aspect {name}, axis out of the plane: constant of the orbit"),
        constant(wanted),
        start.unwrap_or(0.0),
    );
    table.below(format!("aspect {name}, axis out of the plane: its change over half a period"), largest, 3e-2);
    Ok(())
}
