//! Figures of the cells of a run.

use hematite_config::Result;
use hematite_stats::chart::{Axis, Chart, Curve, Style};
use hematite_stats::suspension::bins::Bins;
use hematite_stats::suspension::straight::Kind;
use hematite_units::number::short;

use super::series::{Flow, Series};
use super::setup::Setup;
use super::tables::{Averages, measures};
use crate::output::Output;
use crate::suspension::profile::{Profile, chart, curve};
use crate::suspension::series::over_time;

/// Writes the figures for which there are statistics.
pub fn write(setup: &Setup, series: &Series, averages: &Averages, output: &mut Output) -> Result<()> {
    let common = &setup.common;
    let means = output.origin(series.common.averaged().map(|dump| dump.at.time));
    for (bins, profile) in common.bins.iter().zip(&averages.profiles) {
        let name = format!("hematocrit_{}", bins.across.name());
        profile.hematocrit_chart(common, bins).write(&output.figure(name), &means)?;
    }
    if let Some((bins, profile)) = common.bins.first().zip(averages.profiles.first())
        && !profile.other(0).is_empty()
        && common.straight.is_some_and(|straight| straight.half_width().is_some())
    {
        velocity_profile(setup, bins, profile, averages).write(&output.figure("velocity_profile"), &means)?;
    }
    if series.common.dumps.len() > 1 {
        let all = output.origin(series.common.dumps.iter().map(|dump| dump.at.time));
        hematocrit(series).write(&output.figure("hematocrit"), &all)?;
        let taylor = Axis::new("Taylor deformation D", "").from_zero();
        let deformation = series.common.curves(common, Style::Line, |p| p.taylor[0]);
        over_time("mean deformation", taylor, deformation).write(&output.figure("deformation"), &all)?;
        drifts(setup, series).write(&output.figure("drift"), &all)?;
    }
    Ok(())
}

fn velocity_profile(setup: &Setup, bins: &Bins, profile: &Profile, averages: &Averages) -> Chart {
    let mut curves = Vec::new();
    let straight = setup.common.straight.and_then(|straight| Some((straight, straight.half_width()?)));
    let fine = |half: f64| {
        let start = if bins.coordinate.first().is_some_and(|&first| first < 0.0) { -half } else { 0.0 };
        (0..=200).map(move |i| start + (half - start) * f64::from(i) / 200.0)
    };
    // The parabola with the same flow rate: its mean velocity is two thirds (channel) or half (tube) of the largest.
    if let Some((straight, half)) = straight
        && let Some(rate) = averages.flow_rate
    {
        let largest = rate.mean / straight.section * if matches!(straight.kind, Kind::Tube { .. }) { 2.0 } else { 1.5 };
        let points = fine(half).map(|s| [s, largest * (1.0 - (s / half).powi(2))]).collect();
        curves.push(Curve::new("parabola, same flow", points, Style::Dashed, 5));
        if let Some(fit) = averages.bluntness {
            let points = fine(half).map(|s| [s, fit.u0_m_per_s * (1.0 - (s.abs() / half).powf(fit.k))]).collect();
            let name = format!("fit, k = {}", short((fit.k * 100.0).round() / 100.0));
            curves.push(Curve::new(name, points, Style::Line, 1));
        }
    }
    curves.push(curve("velocity", bins, profile.other(0), Style::Points, 0));
    chart("velocity along the vessel", bins, Axis::new("velocity", "m/s"), curves)
}

fn hematocrit(series: &Series) -> Chart {
    let over = |value: fn(&Flow) -> Option<f64>| series.common.points(|dump| value(&dump.all).unwrap_or(f64::NAN));
    let mut curves = vec![Curve::new("tube", over(|flow| flow.hematocrit), Style::Line, 0)];
    if series.common.dumps.iter().any(|dump| dump.all.discharge.is_some()) {
        curves.push(Curve::new("discharge", over(|flow| flow.discharge), Style::Marks, 1));
    }
    over_time("hematocrit over time", Axis::new("hematocrit", "").from_zero(), curves)
}

fn drifts(setup: &Setup, series: &Series) -> Chart {
    let [surface, enclosed] = measures(setup.dimension);
    let named = |what: &str, curves: Vec<Curve>| -> Vec<Curve> {
        curves.into_iter().map(|curve| Curve { name: format!("{what}, {}", curve.name), ..curve }).collect()
    };
    let common = &setup.common;
    let mut curves = named(surface, series.common.curves(common, Style::Line, |p| p.surface_drift.largest));
    curves.extend(named(enclosed, series.common.curves(common, Style::Dashed, |p| p.enclosed_drift.largest)));
    over_time("drift of single cells", Axis::new("largest relative change", ""), curves)
}
