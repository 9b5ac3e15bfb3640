//! Figures of the bodies of a run.

use hematite_config::Result;
use hematite_stats::chart::{Axis, Chart, Curve, Style};
use hematite_stats::lookup::Nodes;
use hematite_stats::map::View;
use hematite_stats::plane::Plane;
use hematite_stats::suspension::bins::Bins;
use hematite_stats::suspension::blocks::Estimate;
use hematite_stats::suspension::map::outlines;

use super::series::{Population, Series};
use super::tables::Averages;
use crate::output::Output;
use crate::pictures::suspended;
use crate::suspension::Setup;
use crate::suspension::profile::{Profile, chart, curve};
use crate::suspension::series::over_time;

/// Writes the charts for which there are statistics.
pub fn write(setup: &Setup, series: &Series, averages: &Averages, output: &mut Output) -> Result<()> {
    let means = output.origin(series.common.averaged().map(|dump| dump.at.time));
    for (bins, profile) in setup.bins.iter().zip(&averages.profiles) {
        for (what, chart) in charts(setup, bins, profile) {
            chart.write(&output.figure(format!("bodies_{what}_{}", bins.across.name())), &means)?;
        }
    }
    if series.common.dumps.len() > 1 {
        let all = output.origin(series.common.dumps.iter().map(|dump| dump.at.time));
        order(setup, series).write(&output.figure("bodies_order"), &all)?;
    }
    Ok(())
}

/// The charts of one profile, with the quantity of each.
fn charts(setup: &Setup, bins: &Bins, profile: &Profile) -> Vec<(&'static str, Chart)> {
    let [density, wall_order, flow_order, speed, spin] = [0, 1, 2, 3, 4].map(|k| profile.other(k));
    let plain = |title: &str, label: &str, unit: &'static str, means: &[Option<Estimate>]| {
        chart(title, bins, Axis::new(label, unit), vec![curve("", bins, means, Style::Marks, 0)])
    };
    let microlitre: Vec<Option<Estimate>> = density.iter().map(|e| e.map(|e| e.times(1e-9))).collect();
    let mut found = vec![
        ("hematocrit", profile.hematocrit_chart(setup, bins)),
        ("density", plain("bodies across the vessel", "bodies a \u{b5}L", "", &microlitre)),
        ("speed", plain("speed of bodies across the vessel", "speed", "m/s", speed)),
        ("spin", plain("turning of bodies across the vessel", "angular velocity", "rad/s", spin)),
    ];
    let orders = [("wall's normal", wall_order), ("flow", flow_order)];
    let known = orders.into_iter().enumerate().filter(|(_, (_, values))| values.iter().any(Option::is_some));
    let curves: Vec<Curve> = known.map(|(k, (name, values))| curve(name, bins, values, Style::Marks, k)).collect();
    if !curves.is_empty() {
        let axis = Axis::new("S = \u{27e8}3 (n\u{b7}e)\u{b2} \u{2212} 1\u{27e9} / 2", "");
        found.push(("order", chart("alignment across the vessel", bins, axis, curves)));
    }
    found
}

/// A measure of alignment.
type Measure = (&'static str, Style, fn(&Population) -> f64);

/// Alignment over time.
fn order(setup: &Setup, series: &Series) -> Chart {
    let mut curves = Vec::new();
    let values: [Measure; 3] = [
        ("nematic", Style::Line, Population::nematic_order),
        ("to the wall's normal", Style::Dashed, |p| p.wall_order),
        ("to the flow", Style::Marks, |p| p.flow_order),
    ];
    for (number, &kind) in setup.populations.iter().enumerate() {
        for (name, style, value) in values {
            let points = series.common.points(|dump| value(&dump.populations[kind]));
            let several = setup.populations.len() > 1;
            let name = if several { format!("{}, {name}", setup.names[kind]) } else { name.to_owned() };
            if points.iter().any(|point| point[1].is_finite()) {
                curves.push(Curve::new(name, points, style, number));
            }
        }
    }
    over_time("alignment over time", Axis::new("order parameter", "").from_zero(), curves)
}

/// Draws the sections of the last dump's bodies with planes, on maps of the speed of the fluid.
pub fn sections(
    setup: &Setup,
    series: &Series,
    nodes: &Nodes,
    speed: &[f64],
    planes: &[Plane],
    output: &mut Output,
) -> Result<()> {
    let Some(dump) = series.common.dumps.last() else { return Ok(()) };
    let origin = output.origin([dump.at.time]);
    for plane in planes {
        let view = View::whole(nodes, Some(plane))?;
        let found = outlines(nodes, &view, &series.last);
        let (whole, detail) = suspended((nodes, speed), &view, ("bodies", &found, &setup.names));
        whole.write(&output.figure(format!("bodies_{}", plane.name)), &origin)?;
        if let Some(detail) = detail {
            detail.write(&output.figure(format!("bodies_zoom_{}", plane.name)), &origin)?;
        }
    }
    Ok(())
}
