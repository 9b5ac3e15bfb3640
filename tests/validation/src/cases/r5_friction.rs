//! R5: rigid bodies and the fluid: momentum, and Stokes' friction through a region that the body shares with the fluid.
//!
//! A body dragged through a periodic box moves as if its friction with the fluid that it reads, gamma, and the fluid's own
//! with its region were in series: `1 / gamma_eff = 1 / gamma + M`, `M = 1 / (6 pi eta a_h)`. In a cube of side L it is slower by
//! `2.837297 / (6 pi eta L)`, the next term `4 pi / 3 (a / L)^3` (Hasimoto, J. Fluid Mech. 5, 317, 1959, for spheres; without
//! it for others); turning, by `1 / (6 eta L^3)`. With gamma as `friction::coupling` has it ellipsoids have the frictions of
//! Oberbeck and Perrin, whatever their place and inclination. The fluid's mean is kept by a body force.

use std::f64::consts::PI;

use hematite_config::Result;
use hematite_engine::{FORCE_SCALE, Precision};
use physics_bodies::{Kind, State, friction, region};

use crate::bodies::{Raft, at_rest, ellipsoid, seen_by, turn};
use crate::cells::Basin;
use crate::{Context, FluidNumbers, Table};

const HASIMOTO: f64 = 2.837_297;

/// Speed of dragged bodies, lattice units: they hardly move along a spacing.
const SPEED: f64 = 5e-4;

/// Box of one body and steps until the flow in it is steady.
const SIDE: usize = 24;
const STEPS: u64 = 240;

/// A place relative to the nodes.
const SOMEWHERE: [f64; 3] = [0.25, 0.4, 0.1];

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("R5");
    let exact = Lab { context, numbers: FluidNumbers::trt(2.0) };
    exact.momentum(&mut table)?;
    exact.answers(&mut table)?;
    let lab = Lab { context, numbers: FluidNumbers { precision: Precision::F32, ..exact.numbers } };
    lab.in_series(&mut table)?;
    lab.boxes(&mut table)?;
    lab.places(&mut table)?;
    lab.inclined(&mut table)?;
    Ok(table)
}

struct Lab<'a> {
    context: &'a Context,
    numbers: FluidNumbers,
}

impl Lab<'_> {
    /// Bodies given a push: what they lose the fluid has.
    fn momentum(&self, table: &mut Table) -> Result<()> {
        let basin = Basin::periodic([24; 3]);
        let kinds = vec![ellipsoid([1.5, 1.5, 0.75], &self.numbers)?, ellipsoid([1.0, 1.0, 2.0], &self.numbers)?];
        let place = |id: u32, axis: u32| 4.3 + 8.0 * f64::from(id / 3_u32.pow(axis) % 3);
        let body = |id: u32| {
            let at = [0, 1, 2].map(|axis| place(id, axis));
            let start = at_rest(&basin.inside, id, id % 2, at, turn([0.6, 0.0, 0.8], f64::from(id)));
            let push = |k: u32| 0.02 * f64::from((id * (2 * k + 3) + k) % 5) - 0.03;
            State { velocity: [0, 1, 2].map(push), spin: [2, 0, 1].map(push), ..start }
        };
        let mut raft = Raft::new(self.context, &basin, &self.numbers, kinds, (0..27).map(body).collect(), [0.0; 3])?;
        let energy = |raft: &Raft| -> Result<f64> {
            Ok(raft.states()?.iter().map(|state| raft.kind(state).kinetic_energy(state)).sum())
        };
        raft.advance(1)?;
        let (first, moving) = (raft.momentum(self.context)?, energy(&raft)?);
        let steps = if self.context.quick { 50.0 } else { 200.0 };
        raft.advance(steps as u64)?;
        let last = raft.momentum(self.context)?;
        let change = (0..3).map(|a| (last[a] - first[a]).abs()).fold(0.0, f64::max);
        // Each node of each region rounds its share once a step.
        let roundings: f64 = steps * 27.0 * 200.0;
        table.at_most("27 bodies given a push: kinetic energy left, share", 0.2, energy(&raft)? / moving);
        table.below("27 bodies: change of the momentum of all, quanta", change * FORCE_SCALE, 3.0 * roundings.sqrt());
        Ok(())
    }

    fn eta(&self) -> f64 {
        self.numbers.nu()
    }

    /// Drags, or turns, a body in a periodic cube until it is steady; gives it and its kind.
    fn dragged(
        &self,
        side: usize,
        steps: u64,
        kind: Kind,
        offset: [f64; 3],
        orientation: [f64; 4],
    ) -> Result<(State, Kind)> {
        let basin = Basin::periodic([side; 3]);
        let at = basin.middle().map(|x| x + 0.5);
        let body = at_rest(&basin.inside, 0, 0, [0, 1, 2].map(|a| at[a] + offset[a]), orientation);
        let back = kind.force.map(|f| -f / (side as f64).powi(3));
        let mut raft = Raft::new(self.context, &basin, &self.numbers, vec![kind.clone()], vec![body], back)?;
        raft.advance(steps)?;
        Ok((raft.states()?.swap_remove(0), kind))
    }

    /// Velocity over force of a sphere without bounds, from one in a box.
    fn mobility_of_sphere(&self, kind: Kind, offset: [f64; 3], q: [f64; 4]) -> Result<f64> {
        let (state, kind) = self.dragged(SIDE, STEPS, kind, offset, q)?;
        let (v, f2) = (kind.velocity(&state), kind.force.iter().map(|f| f * f).sum::<f64>());
        let ours = (0..3).map(|a| v[a] * kind.force[a]).sum::<f64>() / f2 - 1.0 / kind.gamma_t[0];
        let size = 6.0 * PI * self.eta();
        // 1 / a_h from what it is in the box, again and again for the cubic term.
        let l = SIDE as f64;
        let radius = |x: f64| 1.0 / (size * (ours + (HASIMOTO - 4.0 * PI / 3.0 * x * x / (l * l)) / (size * l)));
        Ok(1.0 / (size * (0..20).fold(1.0, |x, _| radius(x))))
    }

    /// A sphere of radius 1, dragged along (3, 2, 6) / 7.
    fn sphere(&self) -> Result<Kind> {
        let mut kind = ellipsoid([1.0; 3], &self.numbers)?;
        let drag = 6.0 * PI * self.eta() * SPEED;
        kind.force = [3.0, 2.0, 6.0].map(|n| drag * n / 7.0);
        Ok(kind)
    }

    /// What a body near a wall tells the nodes, and what it feels.
    fn answers(&self, table: &mut Table) -> Result<()> {
        let basin = Basin::sheared(24, 24, 24, 2e-3);
        let mut kind = ellipsoid([2.0, 2.0, 1.0], &self.numbers)?;
        (kind.force, kind.torque) = ([3e-3, -1e-3, 2e-3], [2e-3, 1e-3, -3e-3]);
        for (what, height) in [("far from walls", 12.2), ("region cut by a wall", 2.2)] {
            let body = at_rest(&basin.inside, 0, 0, [12.3, height, 11.6], turn([0.0, 0.6, 0.8], 0.7));
            let mut raft = Raft::new(self.context, &basin, &self.numbers, vec![kind.clone()], vec![body], [0.0; 3])?;
            raft.advance(20)?;
            let (state, answers) = (raft.states()?.swap_remove(0), raft.answers(self.context)?);
            let at = raft.place(&state);
            let (mut force, mut torque) = ([0.0; 3], [0.0; 3]);
            for (centre, f) in raft.flow.centre.iter().zip(answers) {
                let r = [0, 1, 2].map(|a| centre[a] - at[a]);
                for a in 0..3 {
                    let (b, c) = ((a + 1) % 3, (a + 2) % 3);
                    force[a] += f[a];
                    torque[a] += r[b] * f[c] - r[c] * f[b];
                }
            }
            let left = |sum: [f64; 3], whole: [f64; 3], other: [f64; 3]| {
                FORCE_SCALE * norm([0, 1, 2].map(|a| sum[a] + whole[a] - other[a]))
            };
            let (force, torque) = (left(force, state.force, kind.force), left(torque, state.torque, kind.torque));
            // Each node rounds its share; torques have arms of up to the longest half width.
            let roundings = 3.0 * (8.0 * kind.half_widths.iter().product::<f64>() / 4.0).sqrt();
            table.below(format!("{what}: forces on nodes and drag, sum, quanta"), force, roundings);
            table.below(format!("{what}: their torques about it, likewise"), torque, roundings * kind.half_widths[0]);
        }
        Ok(())
    }

    /// Friction with the fluid read and the region's own in series.
    fn in_series(&self, table: &mut Table) -> Result<()> {
        let kind = self.sphere()?;
        let size = 6.0 * PI * self.eta();
        let region = region::lattice_mobility(kind.half_widths, self.eta(), self.numbers.magic).translation[0];
        let mut radii = Vec::new();
        for share in [0.5, 1.5, 5.0] {
            let kind = Kind { gamma_t: [share * size; 3], ..kind.clone() };
            let ours = self.mobility_of_sphere(kind, SOMEWHERE, turn([0.0, 0.0, 1.0], 0.3))?;
            let what = format!("gamma {share} of Stokes', radius 1: hydrodynamic radius of the region");
            table.relative(what, 1.0 / (size * region), 1.0 / (size * ours), 2e-2);
            radii.push(1.0 / (size * ours));
        }
        table.below("its scatter over three gamma, largest over smallest less 1", scatter(&radii), 3e-2);
        let ideal = region::mobility(kind.half_widths, self.eta()).translation[0];
        table.note("the same, were the lattice a continuum", 1.0 / (size * ideal), radii[1]);
        Ok(())
    }

    /// Hasimoto's law, with the radius that the region has.
    fn boxes(&self, table: &mut Table) -> Result<()> {
        let mut kind = ellipsoid([2.0; 3], &self.numbers)?;
        kind.force = self.sphere()?.force;
        let mobility = region::lattice_mobility(kind.half_widths, self.eta(), self.numbers.magic).translation[0];
        let radius = 1.0 / (6.0 * PI * self.eta() * mobility);
        let sides: &[usize] = match (self.context.quick, self.context.long) {
            (true, _) => &[24],
            (_, false) => &[24, 28, 32],
            (_, true) => &[24, 28, 32, 40, 48, 64],
        };
        for &side in sides {
            let x = radius / side as f64;
            let steps = STEPS * (side * side) as u64 / (SIDE * SIDE) as u64;
            let (state, kind) = self.dragged(side, steps, kind.clone(), SOMEWHERE, turn([0.0, 0.0, 1.0], 0.3))?;
            let ours = norm(kind.velocity(&state)) / norm(kind.force) - 1.0 / kind.gamma_t[0];
            let theirs = 1.0 - HASIMOTO * x + 4.0 * PI / 3.0 * x.powi(3);
            let what = format!("radius 2, box of {side}: the fluid's mobility over that without bounds, Hasimoto");
            table.relative(what, theirs, ours / mobility, 1e-2);
        }
        Ok(())
    }

    /// Places between nodes, and orientations of the region.
    fn places(&self, table: &mut Table) -> Result<()> {
        let (mut radii, size) = (Vec::new(), 6.0 * PI * self.eta());
        let offsets =
            [[0.0; 3], [0.5; 3], [0.5, 0.0, 0.0], [0.25; 3], [0.1, 0.4, 0.3], [0.5, 0.5, 0.0], [0.3, 0.0, 0.2]];
        let offsets = if self.context.quick { &offsets[..2] } else { &offsets };
        for offset in offsets {
            let mobility = self.mobility_of_sphere(self.sphere()?, *offset, turn([0.0, 0.0, 1.0], 0.0))?;
            radii.push(1.0 / (size * mobility));
        }
        table.below("scatter of the region's radius over places", scatter(&radii), 3e-2);
        let mut radii = Vec::new();
        let d = 0.5_f64.sqrt();
        let turns = [
            (0.0, [0.0, 0.0, 1.0]),
            (0.785, [d, 0.0, d]),
            (0.4, [0.0, 1.0, 0.0]),
            (1.1, [0.6, 0.0, 0.8]),
            (0.955, [d, d, 0.0]),
        ];
        let turns = if self.context.quick { &turns[..2] } else { &turns };
        for &(angle, axis) in turns {
            let mobility = self.mobility_of_sphere(self.sphere()?, SOMEWHERE, turn(axis, angle))?;
            radii.push(1.0 / (size * mobility));
        }
        table.below("scatter over its orientations", scatter(&radii), 3e-2);
        Ok(())
    }

    /// Spheroids dragged along x and turned, at angles of their axis to x.
    fn inclined(&self, table: &mut Table) -> Result<()> {
        let bodies: &[(&str, [f64; 3])] = match (self.context.quick, self.context.long) {
            (true, _) => &[("2", [2.0, 1.0, 1.0])],
            (_, false) => &[("2", [2.0, 1.0, 1.0]), ("1/2", [1.0, 2.0, 2.0])],
            (_, true) => &[
                ("2", [2.0, 1.0, 1.0]),
                ("1/2", [1.0, 2.0, 2.0]),
                ("3", [2.4, 0.8, 0.8]),
                ("1/3", [0.8, 2.4, 2.4]),
                ("1/4", [0.6, 2.4, 2.4]),
                ("three axes", [2.4, 1.5, 0.8]),
            ],
        };
        let angles: &[f64] = if self.context.quick { &[45.0] } else { &[0.0, 30.0, 60.0, 90.0] };
        for &(name, axes) in bodies {
            let kind = ellipsoid(axes, &self.numbers)?;
            let (stokes, perrin) = (friction::translational(axes, self.eta()), friction::rotational(axes, self.eta()));
            let l = SIDE as f64;
            for (k, &angle) in angles.iter().enumerate() {
                let q = turn([0.0, 0.0, 1.0], angle.to_radians());
                let offset = SOMEWHERE.map(|x| (x + 0.37 * k as f64) % 1.0);
                let boxed = 1.0 / (6.0 * PI * self.eta() * l / HASIMOTO);
                let force = [stokes[0] * SPEED, 0.0, 0.0];
                let (state, moved) = self.dragged(SIDE, STEPS, Kind { force, ..kind.clone() }, offset, q)?;
                let v = moved.velocity(&state);
                let n = seen_by(q, [1.0, 0.0, 0.0]);
                let along: f64 = (0..3).map(|a| n[a] * n[a] / stokes[a]).sum::<f64>() - boxed;
                let m = seen_by(q, [0.0, 1.0, 0.0]);
                let across: f64 = (0..3).map(|a| n[a] * m[a] / stokes[a]).sum();
                let what = format!("aspect {name} at {angle} degrees:");
                table.relative(format!("{what} velocity over force"), along, v[0] / force[0], 2e-2);
                let aside = format!("{what} drift aside over along");
                table.absolute(aside, across / along, v[1] / v[0], 1e-2);
                let torque = [perrin[0], perrin[0], perrin[0]].map(|g| SPEED * g);
                let (state, turned) = self.dragged(SIDE, STEPS, Kind { torque, ..kind.clone() }, offset, q)?;
                let omega = turned.angular_velocity(&state);
                let t = seen_by(state.orientation, torque);
                let theirs = [0, 1, 2].map(|a| t[a] / perrin[a] - t[a] / (6.0 * self.eta() * l.powi(3)));
                let omega = seen_by(state.orientation, omega);
                let error = norm([0, 1, 2].map(|a| omega[a] - theirs[a])) / norm(theirs);
                table.below(format!("{what} angular velocity under a torque, relative error"), error, 4e-2);
            }
        }
        Ok(())
    }
}

fn norm(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn scatter(values: &[f64]) -> f64 {
    let (low, high) = values.iter().fold((f64::MAX, 0.0), |(low, high): (f64, f64), &x| (low.min(x), high.max(x)));
    high / low - 1.0
}
