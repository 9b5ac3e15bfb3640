//! Tables and means of the bodies of a run.

use std::path::{Path, PathBuf};

use hematite_config::Result;
use hematite_dump::RunState;
use hematite_stats::bodies::profile::Across;
use hematite_stats::cells::bins::Bins;
use hematite_stats::cells::blocks::{Estimate, estimate};
use hematite_stats::number::{exact, short, with_unit};
use hematite_stats::table::Table;
use serde::Serialize;

use super::series::{Population, ProfileSeries, Series};
use super::setup::Setup;
use crate::say;
use crate::suspension::profile::{cell, error_cell, estimates, mean_cell};
use crate::suspension::{warn_outside, with_error};

/// `bodies.json`.
#[derive(Serialize)]
pub struct Summary<'a> {
    #[serde(flatten)]
    pub averages: &'a Averages,
    pub run_state: RunState,
    pub left_out: &'a [String],
}

/// Means over the dumps of a run.
#[derive(Serialize)]
pub struct Averages {
    run: String,
    average_from_s: f64,
    dumps: usize,
    /// Largest share of the bodies' volume that lay outside the fluid.
    outside_share: f64,
    populations: Vec<PopulationAverages>,
    #[serde(skip)]
    pub profiles: Vec<Profile>,
}

/// Means of one population.
#[derive(Serialize)]
struct PopulationAverages {
    name: String,
    bodies: Option<Estimate>,
    hematocrit: Option<Estimate>,
    speed_m_per_s: Option<Estimate>,
    angular_velocity_rad_per_s: Option<Estimate>,
    /// The largest eigenvalue of <(3 n n - 1)/2>; absent for spheres.
    nematic_order: Option<Estimate>,
    wall_order: Option<Estimate>,
    flow_order: Option<Estimate>,
    /// Of the last dump.
    director: Option<[f64; 3]>,
}

/// A profile across the vessel: means over dumps, a bin an entry.
pub struct Profile {
    pub hematocrit: Vec<Option<Estimate>>,
    pub of_population: Vec<Vec<Option<Estimate>>>,
    pub density: Vec<Option<Estimate>>,
    pub wall_order: Vec<Option<Estimate>>,
    pub flow_order: Vec<Option<Estimate>>,
    pub speed: Vec<Option<Estimate>>,
    pub spin: Vec<Option<Estimate>>,
}

/// Takes the means.
pub fn averages(run: &Path, setup: &Setup, series: &Series) -> Averages {
    Averages {
        run: run.display().to_string(),
        average_from_s: setup.average_from,
        dumps: series.dumps.iter().filter(|dump| dump.averaged).count(),
        outside_share: series.outside,
        populations: setup.rigid.iter().map(|&kind| population(setup, series, kind)).collect(),
        profiles: series.profiles.iter().map(|samples| profile(setup, samples)).collect(),
    }
}

fn population(setup: &Setup, series: &Series, kind: usize) -> PopulationAverages {
    let over = |value: fn(&Population) -> f64| {
        estimate(series.dumps.iter().filter(|dump| dump.averaged).map(|dump| value(&dump.populations[kind])))
    };
    PopulationAverages {
        name: setup.names[kind].clone(),
        bodies: over(|p| p.bodies as f64),
        hematocrit: over(|p| p.hematocrit),
        speed_m_per_s: over(|p| p.speed),
        angular_velocity_rad_per_s: over(|p| p.spin),
        nematic_order: over(|p| p.nematic.map_or(f64::NAN, |nematic| nematic.order)),
        wall_order: over(|p| p.wall_order),
        flow_order: over(|p| p.flow_order),
        director: series.dumps.last().and_then(|dump| Some(dump.populations[kind].nematic?.director)),
    }
}

fn profile(setup: &Setup, samples: &ProfileSeries) -> Profile {
    let of = |value: fn(&Across) -> &Vec<f64>| estimates(samples.across.iter().map(value));
    Profile {
        hematocrit: samples.hematocrit.of_all(),
        of_population: setup.rigid.iter().map(|&kind| samples.hematocrit.of(kind)).collect(),
        density: of(|across| &across.density),
        wall_order: of(|across| &across.wall_order),
        flow_order: of(|across| &across.flow_order),
        speed: of(|across| &across.speed),
        spin: of(|across| &across.spin),
    }
}

/// Writes the tables.
pub fn write(
    setup: &Setup,
    series: &Series,
    averages: &Averages,
    file: &mut impl FnMut(&str) -> PathBuf,
) -> Result<()> {
    last(setup, series).write_csv(&file("bodies.csv"))?;
    over_time(setup, series).write_csv(&file("bodies_series.csv"))?;
    for (bins, profile) in setup.bins.iter().zip(&averages.profiles) {
        let name = format!("bodies_profile_{}.csv", bins.across.name());
        profile_table(setup, bins, profile).write_csv(&file(&name))?;
    }
    Ok(())
}

/// The bodies of the last dump.
fn last(setup: &Setup, series: &Series) -> Table {
    let axes = (1..=3).flat_map(|k| ["x", "y", "z"].map(|a| format!("axis_{k}_{a}")));
    let mut table = Table::new(
        ["step", "time_s", "body", "population", "x_m", "y_m", "z_m"]
            .map(str::to_owned)
            .into_iter()
            .chain(axes)
            .chain(["semi_axis_1_m", "semi_axis_2_m", "semi_axis_3_m"].map(str::to_owned))
            .chain(["ux_m_per_s", "uy_m_per_s", "uz_m_per_s"].map(str::to_owned))
            .chain(["wx_rad_per_s", "wy_rad_per_s", "wz_rad_per_s"].map(str::to_owned)),
    );
    let Some(dump) = series.dumps.last() else { return table };
    for body in &series.last {
        let mut row = vec![dump.at.step.to_string(), exact(dump.at.time), body.id.to_string()];
        row.push(setup.names[body.kind].clone());
        let numbers = body.position.into_iter().chain(body.axes.into_iter().flatten()).chain(body.semi_axes);
        row.extend(numbers.chain(body.velocity).chain(body.angular_velocity).map(|v| cell(Some(v))));
        table.push(row);
    }
    table
}

/// Each dump and population.
fn over_time(setup: &Setup, series: &Series) -> Table {
    let mut table = Table::new([
        "step",
        "time_s",
        "averaged",
        "population",
        "bodies",
        "hematocrit",
        "speed_m_per_s",
        "angular_velocity_rad_per_s",
        "nematic_order",
        "director_x",
        "director_y",
        "director_z",
        "wall_order",
        "flow_order",
    ]);
    for dump in &series.dumps {
        for &kind in &setup.rigid {
            let p = &dump.populations[kind];
            let mut row = vec![dump.at.step.to_string(), exact(dump.at.time), u8::from(dump.averaged).to_string()];
            row.extend([setup.names[kind].clone(), p.bodies.to_string()]);
            row.extend([p.hematocrit, p.speed, p.spin].map(|v| cell(Some(v))));
            row.push(cell(p.nematic.map(|nematic| nematic.order)));
            row.extend([0, 1, 2].map(|a| cell(p.nematic.map(|nematic| nematic.director[a]))));
            row.extend([p.wall_order, p.flow_order].map(|v| cell(Some(v))));
            table.push(row);
        }
    }
    table
}

fn profile_table(setup: &Setup, bins: &Bins, profile: &Profile) -> Table {
    let columns: [(&str, &[Option<Estimate>]); 6] = [
        ("hematocrit", &profile.hematocrit),
        ("number_density_per_m3", &profile.density),
        ("wall_order", &profile.wall_order),
        ("flow_order", &profile.flow_order),
        ("speed_m_per_s", &profile.speed),
        ("angular_velocity_rad_per_s", &profile.spin),
    ];
    let mut header = vec![format!("{}_m", bins.across.name()), "nodes".to_owned()];
    header.extend(columns.iter().flat_map(|(name, _)| [(*name).to_owned(), format!("{name}_error")]));
    header.extend(setup.rigid.iter().map(|&kind| format!("hematocrit_{}", setup.names[kind])));
    let mut table = Table::new(header);
    for (b, (&coordinate, &nodes)) in bins.coordinate.iter().zip(&bins.nodes).enumerate() {
        let mut row = vec![exact(coordinate), nodes.to_string()];
        row.extend(columns.iter().flat_map(|(_, values)| [mean_cell(values, b), error_cell(values, b)]));
        row.extend(profile.of_population.iter().map(|own| mean_cell(own, b)));
        table.push(row);
    }
    table
}

impl Averages {
    /// Prints the most important numbers.
    pub fn print(&self) -> Result<()> {
        let number =
            |name: &str, e: Option<Estimate>| e.map(|e| format!(", {name} {}", with_error(e))).unwrap_or_default();
        let unit = |name: &str, e: Option<Estimate>, unit: &str| {
            e.map(|e| format!(", {name} {}", with_unit(e.mean, unit))).unwrap_or_default()
        };
        say::line(&format!("means over {} dumps from t = {} on", self.dumps, with_unit(self.average_from_s, "s")))?;
        for p in &self.populations {
            say::line(&format!(
                "population {}: {} bodies{}{}{}{}{}{}",
                p.name,
                short(p.bodies.map_or(0.0, |e| e.mean)),
                number("hematocrit", p.hematocrit),
                unit("speed", p.speed_m_per_s, "m/s"),
                unit("angular velocity", p.angular_velocity_rad_per_s, "rad/s"),
                number("nematic order", p.nematic_order),
                number("S to the wall's normal", p.wall_order),
                number("S to the flow", p.flow_order)
            ))?;
        }
        warn_outside(self.outside_share, "bodies");
        Ok(())
    }
}
