//! Tables and means of the cells of a run.

use std::path::Path;

use hematite_config::{Result, print_line};
use hematite_stats::cells::bluntness::{self, Bluntness};
use hematite_stats::plane::{AXES, xyz};
use hematite_stats::suspension::blocks::{Estimate, estimate};
use hematite_stats::suspension::straight::Straight;
use hematite_stats::table::Table;
use hematite_units::number::{exact, short, with_unit};
use serde::Serialize;

use super::series::{Dump, Population, Series};
use super::setup::Setup;
use crate::output::Output;
use crate::suspension::means::{self, Means, Number, print_span, with_error};
use crate::suspension::profile::{self, Column, Profile, cell};
use crate::suspension::series::{Quantity, member_row};
use crate::suspension::{mean, warn_outside};

/// Means over the dumps of a run.
#[derive(Serialize)]
pub struct Averages {
    run: String,
    axis: &'static str,
    average_from_s: f64,
    dumps: usize,
    vessel: Option<Straight>,
    tube_hematocrit: Option<Estimate>,
    discharge_hematocrit: Option<Estimate>,
    fahraeus_ratio: Option<Estimate>,
    /// Flow rate along the axis, m3/s; in 2-D m2/s.
    pub flow_rate: Option<Estimate>,
    poiseuille_flow_rate: Option<f64>,
    relative_viscosity: Option<Estimate>,
    cell_free_layer_m: Option<Estimate>,
    pub bluntness: Option<Bluntness>,
    /// Largest share of the volume of cells outside the fluid, over all dumps.
    outside_share: f64,
    populations: Vec<Means>,
    /// Profiles of hematocrit and velocity.
    #[serde(skip)]
    pub profiles: Vec<Profile>,
}

/// Names of the surface and the interior of cells in `dimension` dimensions.
pub fn measures(dimension: usize) -> [&'static str; 2] {
    if dimension == 2 { ["perimeter", "area"] } else { ["area", "volume"] }
}

/// The quantities of a population. Drifts count in all dumps since the reference, even in dumps that means leave out.
fn quantities(dimension: usize) -> Vec<Quantity<Population>> {
    let [surface, enclosed] = measures(dimension);
    let [x, y, z] = xyz("length_", "_m");
    vec![
        Quantity::averaged("cells", |p| p.sum.number as f64),
        Quantity::averaged("tube_hematocrit", |p| p.hematocrit.unwrap_or(f64::NAN)),
        Quantity::averaged("velocity_m_per_s", |p| p.sum.flux / p.sum.volume),
        Quantity::new("taylor_mean", |p: &Population| p.taylor[0]).mean("taylor_deformation"),
        Quantity::new("taylor_deviation", |p| p.taylor[1]),
        Quantity::new("inclination_mean_deg", |p: &Population| p.inclination).mean("inclination_deg"),
        Quantity::new(format!("{surface}_drift_mean"), |p| p.surface_drift.mean),
        Quantity::new(format!("{surface}_drift_largest"), |p: &Population| p.surface_drift.largest)
            .largest(format!("largest_{surface}_drift")),
        Quantity::new(format!("{enclosed}_drift_mean"), |p| p.enclosed_drift.mean),
        Quantity::new(format!("{enclosed}_drift_largest"), |p: &Population| p.enclosed_drift.largest)
            .largest(format!("largest_{enclosed}_drift")),
        Quantity::new("roughness_mean", |p: &Population| p.roughness[0]).mean("roughness"),
        Quantity::new("roughness_largest", |p: &Population| p.roughness[1]).largest("largest_roughness"),
        Quantity::new(x, |p| p.extent[0]),
        Quantity::new(y, |p| p.extent[1]),
        Quantity::new(z, |p| p.extent[2]),
    ]
}

/// Computes the means over dumps.
pub fn averages(run: &Path, setup: &Setup, series: &Series) -> Averages {
    let (common, dumps) = (&setup.common, &series.common);
    let over = |value: &dyn Fn(&Dump) -> Option<f64>| estimate(dumps.averaged().filter_map(value));
    let flow_rate = over(&|dump| dump.all.flow_rate);
    let poiseuille = setup.poiseuille();
    let profiles: Vec<Profile> = dumps.profiles.iter().map(|samples| samples.profile(common)).collect();
    let blunt = common.bins.first().zip(profiles.first()).zip(common.straight.and_then(|s| s.half_width()));
    let points = |coordinate: &[f64], profile: &Profile| -> Vec<[f64; 2]> {
        let each = coordinate.iter().zip(profile.other(0));
        each.filter_map(|(&s, u)| u.map(|u| [s, u.mean])).collect()
    };
    Averages {
        run: run.display().to_string(),
        axis: AXES[setup.window.axis],
        average_from_s: common.average_from,
        dumps: dumps.averaged().count(),
        vessel: common.straight,
        tube_hematocrit: over(&|dump| dump.all.hematocrit),
        discharge_hematocrit: over(&|dump| dump.all.discharge),
        fahraeus_ratio: over(&fahraeus),
        flow_rate,
        poiseuille_flow_rate: poiseuille,
        relative_viscosity: flow_rate.zip(poiseuille).map(|(rate, without)| rate.under(without)),
        cell_free_layer_m: over(&|dump| dump.all.free_layer.map(|layer| layer.thickness)),
        bluntness: blunt.and_then(|((bins, profile), half)| bluntness::fit(&points(&bins.coordinate, profile), half)),
        outside_share: dumps.outside,
        populations: populations(setup, series),
        profiles,
    }
}

fn fahraeus(dump: &Dump) -> Option<f64> {
    Some(dump.all.hematocrit? / dump.all.discharge?)
}

fn populations(setup: &Setup, series: &Series) -> Vec<Means> {
    let mut populations = Means::of(&setup.common, &series.common, &quantities(setup.dimension));
    for (kind, own) in populations.iter_mut().enumerate() {
        let turning = || series.rotation.iter().filter(|(_, of, _)| *of == kind);
        let rate = |value: f64| Number::Plain(value.is_finite().then_some(value));
        own.numbers.extend([
            ("tumbling_hz".to_owned(), rate(mean(turning().map(|(_, _, rates)| rates.tumbling)))),
            ("treading_hz".to_owned(), rate(mean(turning().map(|(_, _, rates)| rates.treading)))),
        ]);
    }
    populations
}

/// Writes the tables.
pub fn write(setup: &Setup, series: &Series, averages: &Averages, output: &mut Output) -> Result<()> {
    suspension(setup, series).write_csv(&output.file("suspension.csv"))?;
    let populations = series.common.table(&setup.common, false, &quantities(setup.dimension));
    populations.write_csv(&output.file("populations.csv"))?;
    shapes(setup, series).write_csv(&output.file("shapes.csv"))?;
    if !series.rotation.is_empty() {
        rotation(setup, series).write_csv(&output.file("rotation.csv"))?;
    }
    for (bins, profile) in setup.common.bins.iter().zip(&averages.profiles) {
        let column = |name: &str, error: &str, means| Column { name: name.into(), error: Some(error.into()), means };
        let hematocrit = column("hematocrit", "hematocrit_error", &profile.hematocrit);
        let velocity = column("velocity_m_per_s", "velocity_error_m_per_s", profile.other(0));
        let columns =
            std::iter::once(hematocrit).chain(profile.columns_of_populations(&setup.common)).chain([velocity]);
        let name = format!("cells_profile_{}.csv", bins.across.name());
        profile::table(bins, columns).write_csv(&output.file(name))?;
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
    for dump in &series.common.dumps {
        let flow = &dump.all;
        let start = [dump.at.step.to_string(), exact(dump.at.time), u8::from(dump.averaged).to_string()];
        let numbers = [
            flow.hematocrit,
            flow.discharge,
            fahraeus(dump),
            flow.flow_rate,
            setup.poiseuille().zip(flow.flow_rate).map(|(without, rate)| without / rate),
            flow.free_layer.map(|layer| layer.thickness),
            flow.free_layer.map(|layer| layer.deviation),
            flow.free_layer.map(|layer| layer.covered),
        ];
        table.push(start.into_iter().chain(numbers.map(cell)));
    }
    table
}

fn shapes(setup: &Setup, series: &Series) -> Table {
    let [surface, enclosed] = measures(setup.dimension);
    let [area, volume] = if setup.dimension == 2 { ["perimeter_m", "area_m2"] } else { ["area_m2", "volume_m3"] };
    let drifts = [surface, enclosed].map(|measure| format!("{measure}_drift"));
    let header = ["step", "time_s", "cell", "population"].map(str::to_owned).into_iter();
    let header = header.chain(xyz("", "_m")).chain(xyz("u", "_m_per_s"));
    let header = header.chain([area, volume, "reduced_volume"].map(str::to_owned)).chain(drifts);
    let header = header.chain(["semi_axis_1_m", "semi_axis_2_m", "semi_axis_3_m"].map(str::to_owned));
    let header = header.chain(["taylor", "inclination_deg", "roughness"].map(str::to_owned));
    let mut table = Table::new(header.chain(xyz("length_", "_m")));
    for row in &series.shapes {
        let s = &row.shape;
        let values = s.centroid.into_iter().chain(s.velocity());
        let values = values.chain([s.area, s.volume, s.reduced_volume(), row.surface_drift, row.enclosed_drift]);
        let values = values.chain(s.semi_axes);
        let values = values.chain([s.taylor(), s.inclination(setup.plane).to_degrees(), s.roughness]).chain(s.extent);
        table.push(member_row(row.at, row.id, &setup.common.names[row.population], values));
    }
    table
}

fn rotation(setup: &Setup, series: &Series) -> Table {
    let mut table = Table::new(["cell", "population", "mark_hz", "tumbling_hz", "treading_hz"]);
    for &(id, kind, rates) in &series.rotation {
        let numbers = [rates.mark, rates.tumbling, rates.treading].map(exact);
        table.push([id.to_string(), setup.common.names[kind].clone()].into_iter().chain(numbers));
    }
    table
}

impl Averages {
    /// The columns of this run in the table of several runs.
    pub fn columns(&self) -> [(&'static str, String); 7] {
        let mean = |e: Option<Estimate>| e.map(|e| short(e.mean)).unwrap_or_default();
        [
            ("tube_hematocrit", mean(self.tube_hematocrit)),
            ("discharge_hematocrit", mean(self.discharge_hematocrit)),
            ("fahraeus_ratio", mean(self.fahraeus_ratio)),
            ("relative_viscosity", mean(self.relative_viscosity)),
            ("cell_free_layer_m", mean(self.cell_free_layer_m)),
            ("bluntness_k", self.bluntness.map(|b| short(b.k)).unwrap_or_default()),
            ("bluntness_residual", self.bluntness.map(|b| short(b.residual)).unwrap_or_default()),
        ]
    }
}

/// The exponent of a fit, and how good the fit is.
fn blunt(fit: Bluntness) -> String {
    let percent = 100.0 * fit.residual;
    format!("k = {}, fit to {percent:.1} % of its peak (root mean square of the residuals)", short(fit.k))
}

impl means::Averages for Averages {
    fn print(&self) -> Result<()> {
        let length = |e: Estimate| match e.standard_error {
            Some(error) => format!("{} +- {}", with_unit(e.mean, "m"), with_unit(error, "m")),
            None => with_unit(e.mean, "m"),
        };
        print_span(self.dumps, self.average_from_s)?;
        for (name, value) in [
            ("tube hematocrit", self.tube_hematocrit.map(with_error)),
            ("discharge hematocrit", self.discharge_hematocrit.map(with_error)),
            ("Fahraeus ratio", self.fahraeus_ratio.map(with_error)),
            ("relative viscosity", self.relative_viscosity.map(with_error)),
            ("cell-free layer", self.cell_free_layer_m.map(length)),
            ("bluntness", self.bluntness.map(blunt)),
        ] {
            if let Some(value) = value {
                print_line(&format!("{name}: {value}"))?;
            }
        }
        for p in &self.populations {
            let taylor = p.mean("taylor_deformation").map(|e| format!(", D = {}", short(e.mean))).unwrap_or_default();
            let drift = |of: &str| {
                let drift = p.plain(&format!("largest_{of}_drift"))?;
                Some(format!("{of} {:+.2} %, ", 100.0 * drift))
            };
            let drifts: String = ["perimeter", "area", "volume"].into_iter().filter_map(drift).collect();
            let roughness = short(p.plain("largest_roughness").unwrap_or_default());
            let told = p.told("cells", &[("velocity", "velocity_m_per_s", "m/s")]);
            print_line(&format!("{told}{taylor}; most in any cell and dump: {drifts}roughness {roughness}"))?;
        }
        warn_outside(self.outside_share, "cells");
        Ok(())
    }
}
