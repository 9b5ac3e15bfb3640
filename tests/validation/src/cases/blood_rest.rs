//! Blood at rest between openings: nothing drives it, so it comes to rest and stays there.
//!
//! Channels and ducts along x, closed by a velocity opening that lets nothing through or a pressure opening at one end and a
//! pressure opening at the other, filled with red cells. What seeding and contact leave in their membranes moves them at first.

use hematite_config::Result;
use hematite_geometry::{Domain, OpeningKind, Site};
use serde_json::json;

use crate::blood::Blood;
use crate::domain::domain;
use crate::{Context, Inside, Table};

/// Lattice spacing, m.
const SPACING: f64 = 1e-6;

/// The fluid is at rest below this, mm/s.
const STILL: f64 = 0.1;

/// A vessel.
struct Vessel {
    name: &'static str,
    extent: [usize; 3],
    hematocrit: f64,
    contrast: f64,
    first: OpeningKind,
    /// Steps to come to rest, and as many to stay there.
    steps: u64,
}

const SMALL: Vessel = Vessel {
    name: "channel 16 x 32 um",
    extent: [32, 16, 1],
    hematocrit: 0.2,
    contrast: 1.0,
    first: OpeningKind::Pressure,
    steps: 15_000,
};

const CHANNEL: Vessel = Vessel {
    name: "channel 40 x 120 um",
    extent: [120, 40, 1],
    hematocrit: 0.3,
    contrast: 1.0,
    first: OpeningKind::Velocity,
    steps: 60_000,
};

const DUCT: Vessel = Vessel {
    name: "duct 30 x 16 x 16 um",
    extent: [30, 16, 16],
    hematocrit: 0.35,
    contrast: 1.0,
    first: OpeningKind::Velocity,
    steps: 150_000,
};

/// Runs the case.
///
/// # Errors
/// When the device is lost or a cell breaks.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("blood-rest");
    comes_to_rest(context, &mut table, &SMALL)?;
    // Cells five times as viscous take longer to creep to rest.
    let thick = |vessel: Vessel| Vessel { contrast: 5.0, steps: 3 * vessel.steps, ..vessel };
    if context.quick {
        return Ok(table);
    }
    let pressure = OpeningKind::Pressure;
    for vessel in [CHANNEL, DUCT] {
        comes_to_rest(context, &mut table, &vessel)?;
        comes_to_rest(context, &mut table, &thick(vessel))?;
    }
    comes_to_rest(context, &mut table, &Vessel { first: pressure, ..CHANNEL })?;
    comes_to_rest(context, &mut table, &thick(Vessel { first: pressure, ..DUCT }))?;
    Ok(table)
}

fn comes_to_rest(context: &Context, table: &mut Table, vessel: &Vessel) -> Result<()> {
    let mut blood = vessel.blood(context)?;
    let (mut largest, each) = (0.0_f64, vessel.steps / 10);
    let mut early = 0.0_f64;
    for state in 1..=20 {
        blood.advance(each)?;
        let speed = blood.velocity()?.chunks(3).map(|u| 1e3 * u[0].hypot(u[1]).hypot(u[2])).fold(0.0, f64::max);
        match state {
            1 => early = speed,
            10.. => largest = largest.max(speed),
            _ => {}
        }
    }
    let Vessel { name, contrast, steps, .. } = vessel;
    let first = if vessel.first == OpeningKind::Pressure { "pressure" } else { "velocity" };
    let what = format!("{name}, {first} to pressure, contrast {contrast}:");
    table.note(format!("{what} largest speed after {each} steps, mm/s"), 0.0, early);
    table.below(format!("{what} largest speed from step {steps} to {}, mm/s", 2 * steps), largest, STILL);
    Ok(())
}

impl Vessel {
    fn blood(&self, context: &Context) -> Result<Blood> {
        let inside = Inside { extent: self.extent, periodic: [false; 3] };
        let length = self.extent[0] as f64;
        let flat = self.extent[2] == 1;
        let paint = |at: [f64; 3]| {
            let across = inside.holds([0.5, at[1], if flat { 0.5 } else { at[2] }]);
            match at[0] {
                _ if !across => Site::WALL,
                x if x < 0.0 => Site::opening(0),
                x if x > length => Site::opening(1),
                _ => Site::FLUID,
            }
        };
        let made = domain(inside, &[("in", self.first), ("out", OpeningKind::Pressure)], paint);
        let made = Domain { spacing: SPACING, ..made };
        let red = if flat { json!({"kind": "red_cell"}) } else { json!({"kind": "red_cell", "vertices": 162}) };
        let still = match self.first {
            OpeningKind::Pressure => json!({"pressure": "0 Pa"}),
            _ => json!({"velocity": "0 mm/s"}),
        };
        let config = json!({
            "populations": [{"name": "red", "shape": red, "hematocrit": self.hematocrit}],
            "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "tau": if self.contrast == 1.0 { 1.5 } else { 1.0 }}},
            "time": {"steps": 1},
            "openings": {"in": still, "out": {"pressure": "0 Pa"}},
            "cells": {"mechanics": {"red": {"contrast": self.contrast}}},
        });
        Ok(Blood::new(context, &(inside, made), &config)?.0)
    }
}
