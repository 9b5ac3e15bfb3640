//! Figures of the cells of a run.

use std::path::PathBuf;

use hematite_config::Result;
use hematite_stats::cells::straight::Kind;
use hematite_stats::chart::{Axis, Chart, Curve, Style};
use hematite_stats::number::short;

use super::series::{Dump, Population, Series};
use super::setup::Setup;
use super::tables::{Averages, Profile, measures};
use crate::suspension::profile::{curve, hematocrit_chart};

/// Writes the figures that the statistics are enough for.
pub fn write(
    setup: &Setup,
    series: &Series,
    averages: &Averages,
    file: &mut impl FnMut(&str) -> PathBuf,
) -> Result<()> {
    for (bins, profile) in setup.bins.iter().zip(&averages.profiles) {
        let name = bins.across.name();
        let x = Axis::new(bins.across.label(), "m");
        let names = setup.names.iter().map(String::as_str);
        let populations: Vec<_> = names.zip(profile.of_population.iter().map(Vec::as_slice)).collect();
        let chart = hematocrit_chart(x, &bins.coordinate, &profile.hematocrit, &populations);
        chart.write(&file(&format!("hematocrit_{name}.png")))?;
    }
    if let Some((bins, profile)) = setup.bins.first().zip(averages.profiles.first())
        && !profile.velocity.is_empty()
        && setup.straight.is_some_and(|straight| straight.half_width().is_some())
    {
        let x = Axis::new(bins.across.label(), "m");
        velocity_profile(setup, &bins.coordinate, profile, averages, x).write(&file("velocity_profile.png"))?;
    }
    if series.dumps.len() > 1 {
        hematocrit(series).write(&file("hematocrit.png"))?;
        let taylor = Axis::new("Taylor deformation D", "").from_zero();
        of_populations(setup, series, "mean deformation", taylor, |p| p.taylor[0]).write(&file("deformation.png"))?;
        let drift = Axis::new("largest relative change", "");
        drifts(setup, series, drift).write(&file("drift.png"))?;
    }
    Ok(())
}

fn velocity_profile(setup: &Setup, x: &[f64], profile: &Profile, averages: &Averages, axis: Axis) -> Chart {
    let mut curves = Vec::new();
    let straight = setup.straight.zip(setup.straight.and_then(|straight| straight.half_width()));
    let fine = |half: f64| {
        let start = if x.first().is_some_and(|&first| first < 0.0) { -half } else { 0.0 };
        (0..=200).map(move |i| start + (half - start) * f64::from(i) / 200.0)
    };
    // The parabola of the same flow rate, whose mean velocity is two thirds or a half of its largest.
    if let Some((straight, half)) = straight
        && let Some(rate) = averages.flow_rate
    {
        let largest = rate.mean / straight.section * if matches!(straight.kind, Kind::Tube { .. }) { 2.0 } else { 1.5 };
        let points = fine(half).map(|s| [s, largest * (1.0 - (s / half).powi(2))]).collect();
        curves.push(Curve::new("parabola, same flow", points, Style::Dashed, 5));
        if let Some(fit) = averages.bluntness {
            let points = fine(half).map(|s| [s, fit.u0_m_per_s * (1.0 - (s.abs() / half).powf(fit.k))]).collect();
            curves.push(Curve::new(
                format!("fit, k = {}", short((fit.k * 100.0).round() / 100.0)),
                points,
                Style::Line,
                1,
            ));
        }
    }
    curves.push(curve("velocity", x, &profile.velocity, Style::Points, 0));
    Chart {
        title: "velocity along the vessel".to_owned(),
        x: axis.from_zero(),
        y: Axis::new("velocity", "m/s").from_zero(),
        curves,
    }
}

fn hematocrit(series: &Series) -> Chart {
    let over = |value: fn(&Dump) -> Option<f64>| -> Vec<[f64; 2]> {
        series.dumps.iter().map(|dump| [dump.at.time, value(dump).unwrap_or(f64::NAN)]).collect()
    };
    let mut curves = vec![Curve::new("tube", over(|dump| dump.hematocrit), Style::Line, 0)];
    if series.dumps.iter().any(|dump| dump.discharge.is_some()) {
        curves.push(Curve::new("discharge", over(|dump| dump.discharge), Style::Marks, 1));
    }
    Chart {
        title: "hematocrit over time".to_owned(),
        x: Axis::new("time", "s").from_zero(),
        y: Axis::new("hematocrit", "").from_zero(),
        curves,
    }
}

fn of_populations(setup: &Setup, series: &Series, title: &str, y: Axis, value: fn(&Population) -> f64) -> Chart {
    let curves = setup.names.iter().enumerate().map(|(k, name)| {
        let points = series.dumps.iter().map(|dump| [dump.at.time, value(&dump.populations[k])]).collect();
        Curve::new(name.clone(), points, Style::Line, k)
    });
    Chart { title: title.to_owned(), x: Axis::new("time", "s").from_zero(), y, curves: curves.collect() }
}

fn drifts(setup: &Setup, series: &Series, y: Axis) -> Chart {
    let [surface, enclosed] = measures(setup.dimension);
    let mut chart = of_populations(setup, series, "drift of single cells", y, |p| p.surface_drift.largest);
    let other = of_populations(setup, series, "", chart.y.clone(), |p| p.enclosed_drift.largest);
    for curve in &mut chart.curves {
        curve.name = format!("{surface}, {}", curve.name);
    }
    let dashed = |curve: Curve| Curve { name: format!("{enclosed}, {}", curve.name), style: Style::Dashed, ..curve };
    chart.curves.extend(other.curves.into_iter().map(dashed));
    chart
}
