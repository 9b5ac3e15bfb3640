//! Straight vessels at an angle to the lattice, from a velocity inlet to a pressure outlet, cut along the lattice or
//! across themselves. The flow is developed: its largest speed is 3/2 of the mean in 2-D and twice the mean in 3-D, where
//! the mean is what comes in over the vessel's section.

use std::f64::consts::PI;

use hematite_config::Result;
use hematite_geometry::{Domain, OpeningKind, Site};
use serde_json::json;

use crate::domain::domain;
use crate::planned::planned;
use crate::{Context, Inside, Table};

/// Where a vessel ends.
#[derive(Clone, Copy, PartialEq)]
enum Cut {
    /// At faces across x.
    Lattice,
    /// At planes across itself.
    Vessel,
}

/// A vessel in the plane of x and y whose axis makes `angle` with x.
struct Vessel {
    dimension: usize,
    /// Its width or diameter, spacings.
    width: f64,
    /// Its length along the axis, spacings.
    length: f64,
    angle: f64,
    cut: Cut,
    /// Mean speed at the inlet, lattice units.
    mean: f64,
}

/// What a vessel's steady flow is over the exact one.
struct Found {
    /// What comes in, over the prescribed mean times the section.
    inflow: f64,
    /// The largest speed from the inlet to two widths behind it.
    inlet: f64,
    /// Behind that, with the outlet.
    rest: f64,
    /// Change over 500 steps.
    change: f64,
}

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("oblique");
    let (flat, round): (&[f64], &[f64]) = match context.quick {
        true => (&[45.0], &[]),
        false => (&[0.0, 15.0, 30.0, 45.0, 60.0, 70.0, 75.0], &[0.0, 30.0, 45.0, 60.0]),
    };
    for (dimension, angles, tolerance) in [(2, flat, 0.04), (3, round, 0.06)] {
        for &angle in angles {
            let radians = angle.to_radians();
            for cut in [Cut::Lattice, Cut::Vessel] {
                let (width, straight) = if dimension == 2 { (20.0, 120.0) } else { (20.0, 80.0) };
                // A cut along the lattice takes `tan(angle)` widths of each end.
                let length = straight + 2.0 * width * radians.tan();
                let vessel = Vessel { dimension, width, length, angle: radians, cut, mean: 0.005 };
                let found = vessel.run(context)?;
                let ends = if cut == Cut::Lattice { "lattice" } else { "vessel" };
                let what = format!("{dimension}-D, {angle} degrees, cut across the {ends}:");
                table.absolute(format!("{what} inflow / mean times section"), 1.0, found.inflow, tolerance);
                // Flow that comes in across the lattice has to turn, and is faster where it does than developed flow.
                match cut {
                    Cut::Vessel => {
                        table.absolute(
                            format!("{what} largest speed near the inlet / exact"),
                            1.0,
                            found.inlet,
                            tolerance,
                        );
                    }
                    Cut::Lattice if context.quick => {}
                    Cut::Lattice => {
                        let finer = vessel.finer().run(context)?;
                        let what = format!("{what} largest speed near the inlet against half the spacing");
                        table.absolute(what, finer.inlet, found.inlet, tolerance);
                    }
                }
                table.absolute(format!("{what} largest speed elsewhere / exact"), 1.0, found.rest, tolerance);
                table.below(format!("{what} change over 500 steps"), found.change, 1e-6);
            }
        }
    }
    Ok(table)
}

impl Vessel {
    /// The same vessel and flow on a lattice of half the spacing.
    fn finer(&self) -> Self {
        Self { width: 2.0 * self.width, length: 2.0 * self.length, mean: self.mean / 2.0, ..*self }
    }

    fn run(&self, context: &Context) -> Result<Found> {
        // A lattice of 10 um and water: with tau 0.8 a velocity of 1 m/s is 1 in lattice units.
        let mean = self.mean;
        let walls = if self.dimension == 2 { "half_way" } else { "interpolated" };
        let config = json!({
            "fluid": { "lattice_boltzmann": { "density": "1000 kg/m3", "viscosity": "1 mPa s", "walls": walls, "precision": "f64", "tau": 0.8 } },
            "time": { "steps": 1 },
            // A start at once would leave sound that takes long to die down.
            "openings": { "in": { "velocity": format!("{mean} m/s"), "ramp": "20 ms" }, "out": { "pressure": "0 Pa" } },
        });
        let (mut flow, _) = planned(context, &self.made(), &config, &[])?;
        let (change, rate) = flow.settle_from_rest()?;
        let (x, y, z) = (flow.velocity(0)?, flow.velocity(1)?, flow.velocity(2)?);
        let (peak, section) = match self.dimension {
            2 => (1.5, self.width),
            _ => (2.0, PI * self.width * self.width / 4.0),
        };
        let cut = if self.cut == Cut::Lattice { section / self.angle.cos() } else { section };
        let exact = peak * rate / section;
        let mut found = Found { inflow: rate / (mean * cut), inlet: 0.0, rest: 0.0, change };
        for (n, &at) in flow.centre.iter().enumerate() {
            let speed = (x[n] * x[n] + y[n] * y[n] + z[n] * z[n]).sqrt() / exact;
            let far = self.behind_inlet(at) > 2.0 * self.width;
            let place = if far { &mut found.rest } else { &mut found.inlet };
            *place = place.max(speed);
        }
        Ok(found)
    }

    /// Room around the axis at its beginning.
    fn margin(&self) -> f64 {
        (self.width / 2.0 / self.angle.cos()).ceil() + 2.0
    }

    /// Where a point lies along the axis and how far off it.
    fn on_axis(&self, at: [f64; 3]) -> [f64; 2] {
        let (sin, cos) = self.angle.sin_cos();
        // An axis on no node and no half-way wall is like any other.
        let (dx, dy) = (at[0] - self.start(), at[1] - self.margin() - 0.13);
        let dz = if self.dimension == 3 { at[2] - self.width / 2.0 - 1.07 } else { 0.0 };
        [cos * dx + sin * dy, (cos * dy - sin * dx).hypot(dz)]
    }

    /// Where the axis begins along x.
    fn start(&self) -> f64 {
        if self.cut == Cut::Lattice { 0.0 } else { (self.width / 2.0 * self.angle.sin()).ceil() + 2.0 }
    }

    /// Distance from the plane of the inlet.
    fn behind_inlet(&self, at: [f64; 3]) -> f64 {
        if self.cut == Cut::Lattice { at[0] } else { self.on_axis(at)[0] }
    }

    fn made(&self) -> (Inside, Domain) {
        let (sin, cos) = self.angle.sin_cos();
        let extent = |along: f64| (along * self.length).ceil() as usize;
        let depth = if self.dimension == 3 { self.width.ceil() as usize + 3 } else { 1 };
        let beyond = if self.cut == Cut::Lattice { 0 } else { 2 * self.start() as usize };
        let inside = Inside {
            extent: [extent(cos) + beyond, extent(sin) + 2 * self.margin() as usize, depth],
            periodic: [false; 3],
        };
        let last = inside.extent[0] as f64;
        let paint = |at: [f64; 3]| {
            // A face of the lattice is open where the fluid ends at it.
            let beside = [at[0].clamp(0.5, last - 0.5), at[1], at[2]];
            let [along, off] = self.on_axis(if self.cut == Cut::Lattice { beside } else { at });
            let (before, behind) = match self.cut {
                Cut::Lattice => (at[0] < 0.0, at[0] > last),
                Cut::Vessel => (along < 0.0, along > self.length),
            };
            match (off < self.width / 2.0, before, behind) {
                (false, ..) => Site::WALL,
                (true, true, _) => Site::opening(0),
                (true, _, true) => Site::opening(1),
                _ => Site::FLUID,
            }
        };
        let mut made = domain(inside, &[("in", OpeningKind::Velocity), ("out", OpeningKind::Pressure)], paint);
        if self.cut == Cut::Vessel {
            made.openings[0].normal = Some([cos, sin, 0.0]);
            made.openings[1].normal = Some([-cos, -sin, 0.0]);
        }
        (inside, made)
    }
}
