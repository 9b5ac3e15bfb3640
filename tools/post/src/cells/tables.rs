//! Tables and means of the cells of a run.

use std::path::{Path, PathBuf};

use hematite_config::Result;
use hematite_dump::RunState;
use hematite_stats::cells::blocks::{Estimate, estimate};
use hematite_stats::cells::bluntness::{self, Bluntness};
use hematite_stats::cells::straight::Straight;
use hematite_stats::number::{exact, short, with_unit};
use hematite_stats::plane::AXES;
use hematite_stats::table::Table;
use serde::Serialize;

use super::series::{Dump, ProfileSeries, Series};
use super::setup::Setup;
use crate::say;
use crate::suspension::profile::{cell, error_cell, estimates, mean_cell};
use crate::suspension::{mean, warn_outside, with_error};

/// `cells.json`.
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
    axis: &'static str,
    average_from_s: f64,
    dumps: usize,
    vessel: Option<Straight>,
    pub tube_hematocrit: Option<Estimate>,
    pub discharge_hematocrit: Option<Estimate>,
    pub fahraeus_ratio: Option<Estimate>,
    /// m3/s; in 2-D m2/s.
    pub flow_rate: Option<Estimate>,
    poiseuille_flow_rate: Option<f64>,
    pub relative_viscosity: Option<Estimate>,
    pub cell_free_layer_m: Option<Estimate>,
    pub bluntness: Option<Bluntness>,
    /// Largest share of the cells' volume that lay outside the fluid.
    outside_share: f64,
    populations: Vec<PopulationAverages>,
    #[serde(skip)]
    pub profiles: Vec<Profile>,
}

/// Means of one population.
#[derive(Serialize)]
struct PopulationAverages {
    name: String,
    cells: Option<Estimate>,
    tube_hematocrit: Option<Estimate>,
    velocity_m_per_s: Option<Estimate>,
    taylor_deformation: Option<Estimate>,
    inclination_deg: Option<Estimate>,
    /// Over all dumps since the reference: in 2-D of perimeter and area, in 3-D of area and volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    largest_perimeter_drift: Option<f64>,
    largest_area_drift: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    largest_volume_drift: Option<f64>,
    /// Mean over cells and dumps of their roughness on the scale of the sides, and the largest.
    roughness: Option<Estimate>,
    largest_roughness: f64,
    /// Turns a second, mean over cells.
    tumbling_hz: Option<f64>,
    treading_hz: Option<f64>,
}

/// A profile across the vessel: means over dumps, a bin an entry.
pub struct Profile {
    pub hematocrit: Vec<Option<Estimate>>,
    pub of_population: Vec<Vec<Option<Estimate>>>,
    pub velocity: Vec<Option<Estimate>>,
}

/// Takes the means.
pub fn averages(run: &Path, setup: &Setup, series: &Series) -> Averages {
    let averaged = || series.dumps.iter().filter(|dump| dump.averaged);
    let over = |value: &dyn Fn(&Dump) -> Option<f64>| estimate(averaged().filter_map(value));
    let flow_rate = over(&|dump| dump.flow_rate);
    let poiseuille = setup.poiseuille();
    let profiles: Vec<Profile> = series.profiles.iter().map(|samples| profile(setup, samples)).collect();
    let blunt = setup.bins.first().zip(profiles.first()).zip(setup.straight.and_then(|s| s.half_width()));
    let points = |coordinate: &[f64], profile: &Profile| -> Vec<[f64; 2]> {
        let each = coordinate.iter().zip(&profile.velocity);
        each.filter_map(|(&s, u)| u.map(|u| [s, u.mean])).collect()
    };
    let populations = (0..setup.names.len()).map(|kind| population(setup, series, kind)).collect();
    Averages {
        run: run.display().to_string(),
        axis: AXES[setup.window.axis],
        average_from_s: setup.average_from,
        dumps: averaged().count(),
        vessel: setup.straight,
        tube_hematocrit: over(&|dump| dump.hematocrit),
        discharge_hematocrit: over(&|dump| dump.discharge),
        fahraeus_ratio: over(&fahraeus),
        flow_rate,
        poiseuille_flow_rate: poiseuille,
        relative_viscosity: flow_rate.zip(poiseuille).map(|(rate, without)| rate.under(without)),
        cell_free_layer_m: over(&|dump| dump.free_layer.map(|layer| layer.thickness)),
        bluntness: blunt.and_then(|((bins, profile), half)| bluntness::fit(&points(&bins.coordinate, profile), half)),
        outside_share: series.outside,
        populations,
        profiles,
    }
}

fn fahraeus(dump: &Dump) -> Option<f64> {
    Some(dump.hematocrit? / dump.discharge?)
}

fn population(setup: &Setup, series: &Series, kind: usize) -> PopulationAverages {
    let own = |value: &dyn Fn(&super::series::Population) -> f64| {
        estimate(series.dumps.iter().filter(|dump| dump.averaged).map(|dump| value(&dump.populations[kind])))
    };
    let largest = |value: &dyn Fn(&super::series::Population) -> f64| {
        let drifts = series.dumps.iter().map(|dump| value(&dump.populations[kind]));
        drifts.fold(0.0, |most: f64, v| if v.abs() > most.abs() { v } else { most })
    };
    let flat = setup.dimension == 2;
    let [surface, enclosed] = [largest(&|p| p.surface_drift.largest), largest(&|p| p.enclosed_drift.largest)];
    let turning = || series.rotation.iter().filter(|(_, of, _)| *of == kind);
    let rate = |value: f64| value.is_finite().then_some(value);
    PopulationAverages {
        name: setup.names[kind].clone(),
        cells: own(&|p| p.sum.number as f64),
        tube_hematocrit: own(&|p| p.hematocrit.unwrap_or(f64::NAN)),
        velocity_m_per_s: own(&|p| p.sum.flux / p.sum.volume),
        taylor_deformation: own(&|p| p.taylor[0]),
        inclination_deg: own(&|p| p.inclination),
        largest_perimeter_drift: flat.then_some(surface),
        largest_area_drift: if flat { enclosed } else { surface },
        largest_volume_drift: (!flat).then_some(enclosed),
        roughness: own(&|p| p.roughness[0]),
        largest_roughness: largest(&|p| p.roughness[1]),
        tumbling_hz: rate(mean(turning().map(|(_, _, rates)| rates.tumbling))),
        treading_hz: rate(mean(turning().map(|(_, _, rates)| rates.treading))),
    }
}

fn profile(setup: &Setup, samples: &ProfileSeries) -> Profile {
    Profile {
        hematocrit: samples.hematocrit.of_all(),
        of_population: (0..setup.names.len()).map(|kind| samples.hematocrit.of(kind)).collect(),
        velocity: estimates(samples.velocity.iter()),
    }
}

/// Writes the tables.
pub fn write(
    setup: &Setup,
    series: &Series,
    averages: &Averages,
    file: &mut impl FnMut(&str) -> PathBuf,
) -> Result<()> {
    suspension(setup, series).write_csv(&file("suspension.csv"))?;
    populations(setup, series).write_csv(&file("populations.csv"))?;
    shapes(setup, series).write_csv(&file("shapes.csv"))?;
    if !series.rotation.is_empty() {
        rotation(setup, series).write_csv(&file("rotation.csv"))?;
    }
    for (bins, profile) in setup.bins.iter().zip(&averages.profiles) {
        let name = format!("cells_profile_{}.csv", bins.across.name());
        profile_table(setup, bins, profile).write_csv(&file(&name))?;
    }
    Ok(())
}

fn suspension(setup: &Setup, series: &Series) -> Table {
    let flow_rate = if setup.dimension == 2 { "flow_rate_m2_per_s" } else { "flow_rate_m3_per_s" };
    let mut table = Table::new([
        "step",
        "time_s",
        "averaged",
        "tube_hematocrit",
        "discharge_hematocrit",
        "fahraeus_ratio",
        flow_rate,
        "relative_viscosity",
        "cell_free_layer_m",
        "cell_free_layer_deviation_m",
        "cell_free_layer_covered",
    ]);
    for dump in &series.dumps {
        let layer = dump.free_layer;
        table.push([
            dump.at.step.to_string(),
            exact(dump.at.time),
            u8::from(dump.averaged).to_string(),
            cell(dump.hematocrit),
            cell(dump.discharge),
            cell(fahraeus(dump)),
            cell(dump.flow_rate),
            cell(setup.poiseuille().zip(dump.flow_rate).map(|(without, rate)| without / rate)),
            cell(layer.map(|layer| layer.thickness)),
            cell(layer.map(|layer| layer.deviation)),
            cell(layer.map(|layer| layer.covered)),
        ]);
    }
    table
}

/// What surface and enclosed space of cells are called in so many dimensions.
pub fn measures(dimension: usize) -> [&'static str; 2] {
    if dimension == 2 { ["perimeter", "area"] } else { ["area", "volume"] }
}

fn populations(setup: &Setup, series: &Series) -> Table {
    let [surface, enclosed] = measures(setup.dimension);
    let mut table = Table::new([
        "step",
        "time_s",
        "population",
        "cells",
        "tube_hematocrit",
        "velocity_m_per_s",
        "taylor_mean",
        "taylor_deviation",
        "inclination_mean_deg",
        &format!("{surface}_drift_mean"),
        &format!("{surface}_drift_largest"),
        &format!("{enclosed}_drift_mean"),
        &format!("{enclosed}_drift_largest"),
        "roughness_mean",
        "roughness_largest",
        "length_x_m",
        "length_y_m",
        "length_z_m",
    ]);
    for dump in &series.dumps {
        for (name, p) in setup.names.iter().zip(&dump.populations) {
            let mut row = vec![dump.at.step.to_string(), exact(dump.at.time), name.clone(), p.sum.number.to_string()];
            row.push(cell(p.hematocrit));
            let values = [
                p.sum.flux / p.sum.volume,
                p.taylor[0],
                p.taylor[1],
                p.inclination,
                p.surface_drift.mean,
                p.surface_drift.largest,
                p.enclosed_drift.mean,
                p.enclosed_drift.largest,
                p.roughness[0],
                p.roughness[1],
            ];
            row.extend(values.into_iter().chain(p.extent).map(|v| cell(Some(v))));
            table.push(row);
        }
    }
    table
}

fn shapes(setup: &Setup, series: &Series) -> Table {
    let [surface, enclosed] = measures(setup.dimension);
    let mut table = Table::new([
        "step",
        "time_s",
        "cell",
        "population",
        "x_m",
        "y_m",
        "z_m",
        "ux_m_per_s",
        "uy_m_per_s",
        "uz_m_per_s",
        if setup.dimension == 2 { "perimeter_m" } else { "area_m2" },
        if setup.dimension == 2 { "area_m2" } else { "volume_m3" },
        "reduced_volume",
        &format!("{surface}_drift"),
        &format!("{enclosed}_drift"),
        "semi_axis_1_m",
        "semi_axis_2_m",
        "semi_axis_3_m",
        "taylor",
        "inclination_deg",
        "roughness",
        "length_x_m",
        "length_y_m",
        "length_z_m",
    ]);
    for row in &series.shapes {
        let s = &row.shape;
        let mut line = vec![row.at.step.to_string(), exact(row.at.time), row.id.to_string()];
        line.push(setup.names[row.population].clone());
        let values = s.centroid.into_iter().chain(s.velocity());
        let values = values.chain([s.area, s.volume, s.reduced_volume(), row.surface_drift, row.enclosed_drift]);
        let values = values.chain(s.semi_axes);
        let values = values.chain([s.taylor(), s.inclination(setup.plane).to_degrees(), s.roughness]).chain(s.extent);
        line.extend(values.map(|v| cell(Some(v))));
        table.push(line);
    }
    table
}

fn rotation(setup: &Setup, series: &Series) -> Table {
    let mut table = Table::new(["cell", "population", "mark_hz", "tumbling_hz", "treading_hz"]);
    for &(id, kind, rates) in &series.rotation {
        let numbers = [rates.mark, rates.tumbling, rates.treading].map(exact);
        table.push([id.to_string(), setup.names[kind].clone()].into_iter().chain(numbers));
    }
    table
}

fn profile_table(setup: &Setup, bins: &hematite_stats::cells::bins::Bins, profile: &Profile) -> Table {
    let header = [format!("{}_m", bins.across.name()), "nodes".into(), "hematocrit".into(), "hematocrit_error".into()];
    let mut table = Table::new(
        header
            .into_iter()
            .chain(setup.names.iter().map(|name| format!("hematocrit_{name}")))
            .chain(["velocity_m_per_s".into(), "velocity_error_m_per_s".into()]),
    );
    for (b, (&coordinate, &nodes)) in bins.coordinate.iter().zip(&bins.nodes).enumerate() {
        let mut row = vec![exact(coordinate), nodes.to_string()];
        row.extend([mean_cell(&profile.hematocrit, b), error_cell(&profile.hematocrit, b)]);
        row.extend(profile.of_population.iter().map(|own| mean_cell(own, b)));
        row.extend([mean_cell(&profile.velocity, b), error_cell(&profile.velocity, b)]);
        table.push(row);
    }
    table
}

impl Averages {
    /// Columns of the table of several runs.
    pub fn columns() -> impl Iterator<Item = &'static str> {
        [
            "tube_hematocrit",
            "discharge_hematocrit",
            "fahraeus_ratio",
            "relative_viscosity",
            "cell_free_layer_m",
            "bluntness_k",
        ]
        .into_iter()
    }

    /// Its means in those columns.
    pub fn values(&self) -> impl Iterator<Item = String> {
        let mean = |e: Option<Estimate>| e.map(|e| short(e.mean)).unwrap_or_default();
        let values = [
            mean(self.tube_hematocrit),
            mean(self.discharge_hematocrit),
            mean(self.fahraeus_ratio),
            mean(self.relative_viscosity),
            mean(self.cell_free_layer_m),
            self.bluntness.map(|b| short(b.k)).unwrap_or_default(),
        ];
        values.into_iter()
    }

    /// Prints the most important numbers.
    pub fn print(&self) -> Result<()> {
        let length = |e: Estimate| match e.standard_error {
            Some(error) => format!("{} +- {}", with_unit(e.mean, "m"), with_unit(error, "m")),
            None => with_unit(e.mean, "m"),
        };
        say::line(&format!("means over {} dumps from t = {} on", self.dumps, with_unit(self.average_from_s, "s")))?;
        for (name, value) in [
            ("tube hematocrit", self.tube_hematocrit.map(with_error)),
            ("discharge hematocrit", self.discharge_hematocrit.map(with_error)),
            ("Fahraeus ratio", self.fahraeus_ratio.map(with_error)),
            ("relative viscosity", self.relative_viscosity.map(with_error)),
            ("cell-free layer", self.cell_free_layer_m.map(length)),
            ("bluntness", self.bluntness.map(|b| format!("k = {}", short(b.k)))),
        ] {
            if let Some(value) = value {
                say::line(&format!("{name}: {value}"))?;
            }
        }
        for p in &self.populations {
            let cells = p.cells.map_or(0.0, |e| e.mean);
            let velocity =
                p.velocity_m_per_s.map(|e| format!(", velocity {}", with_unit(e.mean, "m/s"))).unwrap_or_default();
            let taylor = p.taylor_deformation.map(|e| format!(", D = {}", short(e.mean))).unwrap_or_default();
            let drifts = [
                ("perimeter", p.largest_perimeter_drift),
                ("area", Some(p.largest_area_drift)),
                ("volume", p.largest_volume_drift),
            ];
            let drift = |(of, drift): (&str, Option<f64>)| drift.map(|drift| format!("{of} {:+.2} %, ", 100.0 * drift));
            let drifts: String = drifts.into_iter().filter_map(drift).collect();
            let most = format!("most in any cell and dump: {drifts}roughness {}", short(p.largest_roughness));
            say::line(&format!("population {}: {} cells{velocity}{taylor}; {most}", p.name, short(cells)))?;
        }
        warn_outside(self.outside_share, "cells");
        Ok(())
    }
}
