//! Tables and means of the bodies of a run.

use std::path::Path;

use hematite_config::{Result, print_line};
use hematite_stats::plane::xyz;
use hematite_stats::table::Table;
use serde::Serialize;

use super::series::{Population, Series};
use crate::output::Output;
use crate::suspension::means::{self, Means, Number, print_span};
use crate::suspension::profile::{self, Column, Profile};
use crate::suspension::series::{Quantity, member_row};
use crate::suspension::{Setup, warn_outside};

/// Means over the dumps of a run.
#[derive(Serialize)]
pub struct Averages {
    run: String,
    average_from_s: f64,
    dumps: usize,
    /// Largest share of the volume of bodies outside the fluid, over all dumps.
    outside_share: f64,
    populations: Vec<Means>,
    /// Profiles of hematocrit and of the quantities in [`OTHERS`].
    #[serde(skip)]
    pub profiles: Vec<Profile>,
}

/// Columns of quantities in profiles beside hematocrit, in the order of samples.
const OTHERS: [&str; 5] =
    ["number_density_per_m3", "wall_order", "flow_order", "speed_m_per_s", "angular_velocity_rad_per_s"];

/// The quantities of a population.
fn quantities() -> [Quantity<Population>; 10] {
    fn director(p: &Population, axis: usize) -> f64 {
        p.nematic.map_or(f64::NAN, |nematic| nematic.director[axis])
    }
    let [x, y, z] = xyz("director_", "");
    [
        Quantity::averaged("bodies", |p| p.bodies as f64),
        Quantity::averaged("hematocrit", |p| p.hematocrit),
        Quantity::averaged("speed_m_per_s", |p| p.speed),
        Quantity::averaged("angular_velocity_rad_per_s", |p| p.spin),
        Quantity::averaged("nematic_order", Population::nematic_order),
        Quantity::new(x, |p| director(p, 0)),
        Quantity::new(y, |p| director(p, 1)),
        Quantity::new(z, |p| director(p, 2)),
        Quantity::averaged("wall_order", |p| p.wall_order),
        Quantity::averaged("flow_order", |p| p.flow_order),
    ]
}

/// Computes the means over dumps.
pub fn averages(run: &Path, setup: &Setup, series: &Series) -> Averages {
    let common = &series.common;
    let mut populations = Means::of(setup, common, &quantities());
    for (&kind, own) in setup.populations.iter().zip(&mut populations) {
        let director = common.dumps.last().and_then(|dump| Some(dump.populations[kind].nematic?.director));
        own.numbers.push(("director".to_owned(), Number::Direction(director)));
    }
    Averages {
        run: run.display().to_string(),
        average_from_s: setup.average_from,
        dumps: common.averaged().count(),
        outside_share: common.outside,
        populations,
        profiles: common.profiles.iter().map(|samples| samples.profile(setup)).collect(),
    }
}

/// Writes the tables.
pub fn write(setup: &Setup, series: &Series, averages: &Averages, output: &mut Output) -> Result<()> {
    last(setup, series).write_csv(&output.file("bodies.csv"))?;
    series.common.table(setup, true, &quantities()).write_csv(&output.file("bodies_series.csv"))?;
    for (bins, profile) in setup.bins.iter().zip(&averages.profiles) {
        let column = |(name, means)| Column { name: str::to_owned(name), error: Some(format!("{name}_error")), means };
        let columns = std::iter::once(("hematocrit", profile.hematocrit.as_slice()));
        let columns = columns.chain(OTHERS.into_iter().enumerate().map(|(k, name)| (name, profile.other(k))));
        let columns = columns.map(column).chain(profile.columns_of_populations(setup));
        let name = format!("bodies_profile_{}.csv", bins.across.name());
        profile::table(bins, columns).write_csv(&output.file(name))?;
    }
    Ok(())
}

/// A table of the bodies in the last dump.
fn last(setup: &Setup, series: &Series) -> Table {
    let header = ["step", "time_s", "body", "population"].map(str::to_owned).into_iter().chain(xyz("", "_m"));
    let header = header.chain((1..=3).flat_map(|k| xyz(&format!("axis_{k}_"), "")));
    let header = header.chain((1..=3).map(|k| format!("semi_axis_{k}_m")));
    let mut table = Table::new(header.chain(xyz("u", "_m_per_s")).chain(xyz("w", "_rad_per_s")));
    let Some(dump) = series.common.dumps.last() else { return table };
    for body in &series.last {
        let numbers = body.position.into_iter().chain(body.axes.into_iter().flatten()).chain(body.semi_axes);
        let numbers = numbers.chain(body.velocity).chain(body.angular_velocity);
        table.push(member_row(dump.at, body.id, &setup.names[body.kind], numbers));
    }
    table
}

impl means::Averages for Averages {
    fn print(&self) -> Result<()> {
        print_span(self.dumps, self.average_from_s)?;
        for population in &self.populations {
            print_line(&population.told(
                "bodies",
                &[
                    ("hematocrit", "hematocrit", ""),
                    ("speed", "speed_m_per_s", "m/s"),
                    ("angular velocity", "angular_velocity_rad_per_s", "rad/s"),
                    ("nematic order", "nematic_order", ""),
                    ("S to the wall's normal", "wall_order", ""),
                    ("S to the flow", "flow_order", ""),
                ],
            ))?;
        }
        warn_outside(self.outside_share, "bodies");
        Ok(())
    }
}
