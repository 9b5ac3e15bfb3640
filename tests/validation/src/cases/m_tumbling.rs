//! Tumbling: a stiff ellipse, and vesicles with other fluids inside, turn in shear flow; 2-D.
//!
//! An elliptic cylinder of semi-axes a, b in slow shear flow turns by Jeffery's equation (Proc. R. Soc. A 102, 161, 1922),
//! `dtheta/dt = -rate (a^2 sin^2 theta + b^2 cos^2 theta) / (a^2 + b^2)`, a quarter of its period
//! `2 pi (a / b + b / a) / rate` from the flow to across it. The axes are the ring's and what its hydrodynamic radius has
//! more, as in M10. The tolerance of 5 % is for the walls and images, of the order of the share of area (2 % in a box of
//! 10 a), for the bend of the ring in the flow, and for the fluid's inertia: `rate side^2 / nu` is 3 to 7, so the flow
//! about the ellipse lags behind it.
//!
//! A vesicle treads or tumbles by Keller and Skalak (J. Fluid Mech. 120, 27, 1982) for the elliptic cylinder, see
//! [`Treading`]. It keeps neither the shape of an ellipse nor each part of its membrane's length, hence 4 degrees, as in M4;
//! how long a tumble takes is noted only.

use std::f64::consts::PI;
use std::path::Path;

use hematite_cells::{Mechanics, ShapeConfig, Surface};
use hematite_config::Result;
use hematite_engine::Precision;
use hematite_units::quantity::Length;

use super::m4_vesicles::{ellipse, vesicle};
use super::m10_suspension::{SUPPORT, excess_radius, rigid};
use crate::cells::{Basin, Bath, Content, Ellipse, placed};
use crate::{Context, FluidNumbers, Table};

/// Semi-axes of the stiff ellipse, lattice spacings; vertices are one apart.
const LONG: f64 = 8.0;
const SHORT: f64 = 4.0;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("tumbling");
    stiff(context, &mut table)?;
    if !context.quick {
        treads(context, &mut table, 1.0)?;
        tumbles(context, &mut table, 10.0)?;
    }
    if context.long {
        treads(context, &mut table, 2.0)?;
        tumbles(context, &mut table, 20.0)?;
    }
    Ok(table)
}

fn ring(axes: [f64; 2]) -> Result<Surface> {
    let vertices = (PI * (axes[0] + axes[1])).round() as usize;
    let axes = axes.map(|axis| Length(2.0 * axis)).to_vec();
    ShapeConfig::Ellipsoid { axes, vertices: Some(vertices) }.surface(Path::new(""), 2, 1e-6)
}

fn stiff(context: &Context, table: &mut Table) -> Result<()> {
    let numbers = FluidNumbers { precision: Precision::F32, ..FluidNumbers::trt(2.0) };
    let surface = ring([LONG, SHORT])?;
    let mean = (LONG * SHORT).sqrt();
    let slow = FluidNumbers { precision: Precision::F64, ..numbers.clone() };
    let excess = excess_radius(context, &slow, &ring([mean; 2])?, 1.0, 48)?;
    table.note("stiff ellipse: hydrodynamic less the ring's radius, of a disc as large", 0.0, excess);
    let rate = if context.quick { 4e-4 } else { 2e-4 };
    let quarter = |long: f64, short: f64| 0.5 * PI * (long / short + short / long);
    let sides: &[f64] = if context.long { &[10.0, 16.0] } else { &[10.0] };
    for &side in sides {
        let side = (side * LONG) as usize;
        let mut turning = Turning::start(context, &numbers, side, rate, &surface, rigid(), 0.12)?;
        let [flow, across] = [turning.passes(0.0, 40.0)?, turning.passes(-0.5 * PI, 40.0)?];
        let ours = (across - flow) * rate;
        let what = format!("stiff ellipse, box of {:.0} a: quarter turn times rate", side as f64 / LONG);
        table.note(format!("{what}, the ring's axes"), quarter(LONG, SHORT), ours);
        table.relative(format!("{what}, Jeffery"), quarter(LONG + excess, SHORT + excess), ours, 5e-2);
        let [long, short] = turning.now()?.semi_axes;
        table.relative(
            format!("stiff ellipse, box of {:.0} a: aspect across the flow", side as f64 / LONG),
            LONG / SHORT,
            long / short,
            5e-2,
        );
    }
    Ok(())
}

/// Perimeter / 2 pi of vesicles, lattice spacings, their reduced area and the shear rate.
const RADIUS: f64 = 8.0;
const REDUCED: f64 = 0.8;
const RATE: f64 = 4e-4;

fn sheared_vesicle(context: &Context, contrast: f64) -> Result<Turning> {
    let numbers = FluidNumbers { precision: Precision::F32, ..FluidNumbers::trt(1.0) };
    let surface = ellipse(REDUCED, RADIUS)?;
    let side = (8.0 * RADIUS) as usize;
    Turning::start(context, &numbers, side, RATE, &surface, vesicle(0.05, contrast), 0.4)
}

fn treads(context: &Context, table: &mut Table, contrast: f64) -> Result<()> {
    let mut turning = sheared_vesicle(context, contrast)?;
    let surface = turning.surface.clone();
    let change = turning.bath.settle(1000, 1e-3, 40_000, |at| vec![Ellipse::of(&surface, at).angle])?;
    let now = turning.now()?;
    let theory = Treading::of(now.semi_axes[1] / now.semi_axes[0], contrast);
    let what = format!("vesicle, contrast {contrast}:");
    table.at_least(format!("{what} contrast at which it would tumble, Keller and Skalak"), contrast, theory.critical);
    let expected = theory.angle().unwrap_or(f64::NAN).to_degrees();
    table.absolute(format!("{what} angle, degrees, Keller and Skalak"), expected, now.angle.to_degrees(), 4.0);
    table.below(format!("{what} its change over 1000 steps, degrees"), change.to_degrees(), 0.1);
    Ok(())
}

fn tumbles(context: &Context, table: &mut Table, contrast: f64) -> Result<()> {
    let mut turning = sheared_vesicle(context, contrast)?;
    let at_start = turning.now()?;
    let theory = Treading::of(at_start.semi_axes[1] / at_start.semi_axes[0], contrast);
    let what = format!("vesicle, contrast {contrast}:");
    table.at_most(format!("{what} contrast from which it tumbles, Keller and Skalak"), contrast, theory.critical);
    let [first, last] = [turning.passes(0.0, 60.0)?, turning.passes(-PI, 60.0)?];
    let turned = (turning.from - turning.angle).to_degrees();
    table.at_least(format!("{what} turned by, degrees"), 180.0, turned);
    let half = theory.half_turn().unwrap_or(f64::NAN);
    table.note(format!("{what} half turn times rate, Keller and Skalak"), half, (last - first) * RATE);
    Ok(())
}

/// A cell in shear whose turns are counted.
struct Turning {
    bath: Bath,
    surface: Surface,
    rate: f64,
    from: f64,
    /// The angle of its long axis to the flow, half turns and all.
    angle: f64,
    step: f64,
}

impl Turning {
    /// Puts a cell into the middle of a box of `side` by `side`, turned by `angle`.
    fn start(
        context: &Context,
        numbers: &FluidNumbers,
        side: usize,
        rate: f64,
        surface: &Surface,
        mechanics: Mechanics,
        angle: f64,
    ) -> Result<Self> {
        let basin = Basin::sheared(side, side, 0, rate);
        let content = Content {
            kinds: vec![(surface.clone(), mechanics)],
            cells: vec![(0, placed(surface, basin.middle(), angle))],
            support: SUPPORT,
            ..Content::default()
        };
        let bath = Bath::new(context, &basin, numbers, content, [0.0; 3])?;
        Ok(Self { bath, surface: surface.clone(), rate, from: angle, angle, step: 0.0 })
    }

    fn now(&self) -> Result<Ellipse> {
        Ok(Ellipse::of(&self.surface, &self.bath.cell()?))
    }

    /// The step, between looks, at which the angle has come down to `wanted`; NaN where it has not within `most` / rate.
    fn passes(&mut self, wanted: f64, most: f64) -> Result<f64> {
        let every = (0.04 / self.rate).round();
        let last = self.step + most / self.rate;
        while self.step < last {
            self.bath.advance(every as u64)?;
            self.step += every;
            let before = self.angle;
            let change = self.now()?.angle - before;
            self.angle = before + change - PI * (change / PI).round();
            if before > wanted && self.angle <= wanted {
                return Ok(self.step - every * (wanted - self.angle) / (before - self.angle));
            }
        }
        Ok(f64::NAN)
    }
}

/// Keller and Skalak's vesicle: an ellipse of width over length r whose membrane moves round it turns by
/// `dtheta/dt = rate (-1/2 + b cos(2 theta))`, `b = (1 - r^2) / (1 + r^2) / 2 + 2 r k / (1 + r^2)`, where `rate k
/// cos(2 theta)` is the rate of treading that balances the work of the fluid outside and the dissipation inside,
/// `k = 1 / (z (2 + (contrast - 1) z2))`, `z = (1 / r - r) / 2`. For the cylinder the integral in their z2 is
/// `ab int ((a^2 + s) (b^2 + s))^(-3/2) ds = 2 / (a + b)^2`, hence `z2 = 2 (1 + r^2) / (1 + r)^2`, and `b < 1 / 2` above the
/// contrast `2 / (1 - r)`.
struct Treading {
    b: f64,
    critical: f64,
}

impl Treading {
    fn of(r: f64, contrast: f64) -> Self {
        let (squares, z) = (1.0 + r * r, 0.5 * (1.0 / r - r));
        let k = 1.0 / (z * (2.0 + (contrast - 1.0) * 2.0 * squares / (1.0 + r).powi(2)));
        Self { b: (0.5 * (1.0 - r * r) + 2.0 * r * k) / squares, critical: 2.0 / (1.0 - r) }
    }

    /// Where it treads.
    fn angle(&self) -> Option<f64> {
        (self.b >= 0.5).then(|| 0.5 * (0.5 / self.b).acos())
    }

    /// Time of a half turn times the shear rate, where it tumbles.
    fn half_turn(&self) -> Option<f64> {
        (self.b < 0.5).then(|| PI / (0.25 - self.b * self.b).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn treading_ends_at_the_critical_contrast() {
        for r in [0.2, 0.43, 0.7] {
            let critical = Treading::of(r, 1.0).critical;
            assert!((Treading::of(r, 1.0).angle().expect("treads") - r.atan()).abs() < 1e-12);
            assert!((Treading::of(r, critical).b - 0.5).abs() < 1e-12);
            assert!(Treading::of(r, 1.01 * critical).half_turn().is_some());
        }
    }
}
