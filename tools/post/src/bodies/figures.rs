//! Figures of the bodies of a run.

use std::path::PathBuf;

use hematite_config::Result;
use hematite_stats::bodies::map::outlines;
use hematite_stats::cells::blocks::Estimate;
use hematite_stats::chart::{Axis, Chart, Curve, Style};
use hematite_stats::lookup::Nodes;
use hematite_stats::map::View;
use hematite_stats::plane::Plane;

use super::series::{Population, Series};
use super::setup::Setup;
use super::tables::{Averages, Profile};
use crate::pictures::suspended;
use crate::suspension::profile::{curve, hematocrit_chart};

/// Writes the charts that the statistics are enough for.
pub fn write(
    setup: &Setup,
    series: &Series,
    averages: &Averages,
    file: &mut impl FnMut(&str) -> PathBuf,
) -> Result<()> {
    for (bins, profile) in setup.bins.iter().zip(&averages.profiles) {
        let (name, x) = (bins.across.name(), &bins.coordinate);
        for (what, chart) in charts(setup, x, profile, &Axis::new(bins.across.label(), "m").from_zero()) {
            chart.write(&file(&format!("bodies_{what}_{name}.png")))?;
        }
    }
    if series.dumps.len() > 1 {
        order(setup, series).write(&file("bodies_order.png"))?;
    }
    Ok(())
}

/// The charts of one profile, by what they show.
fn charts(setup: &Setup, x: &[f64], profile: &Profile, axis: &Axis) -> Vec<(&'static str, Chart)> {
    let chart =
        |title: &str, y: Axis, curves: Vec<Curve>| Chart { title: title.to_owned(), x: axis.clone(), y, curves };
    let names = setup.rigid.iter().map(|&kind| setup.names[kind].as_str());
    let populations: Vec<_> = names.zip(profile.of_population.iter().map(Vec::as_slice)).collect();
    let zero = |label: &str, unit: &'static str| Axis::new(label, unit).from_zero();
    let microlitre: Vec<Option<Estimate>> = profile.density.iter().map(|e| e.map(|e| e.times(1e-9))).collect();
    let mut found = vec![
        ("hematocrit", hematocrit_chart(axis.clone(), x, &profile.hematocrit, &populations)),
        (
            "density",
            chart(
                "bodies across the vessel",
                zero("bodies a \u{b5}L", ""),
                vec![curve("", x, &microlitre, Style::Marks, 0)],
            ),
        ),
        (
            "speed",
            chart(
                "speed of bodies across the vessel",
                zero("speed", "m/s"),
                vec![curve("", x, &profile.speed, Style::Marks, 0)],
            ),
        ),
        (
            "spin",
            chart(
                "turning of bodies across the vessel",
                zero("angular velocity", "rad/s"),
                vec![curve("", x, &profile.spin, Style::Marks, 0)],
            ),
        ),
    ];
    let orders = [("wall's normal", &profile.wall_order), ("flow", &profile.flow_order)];
    let known = orders.into_iter().enumerate().filter(|(_, (_, values))| values.iter().any(Option::is_some));
    let curves: Vec<Curve> = known.map(|(k, (name, values))| curve(name, x, values, Style::Marks, k)).collect();
    if !curves.is_empty() {
        found.push(("order", chart("alignment across the vessel", zero("S = <(3 (n e)^2 - 1)/2>", ""), curves)));
    }
    found
}

/// A measure of alignment.
type Measure = (&'static str, Style, fn(&Population) -> f64);

/// Alignment over time.
fn order(setup: &Setup, series: &Series) -> Chart {
    let mut curves = Vec::new();
    let values: [Measure; 3] = [
        ("nematic", Style::Line, |p| p.nematic.map_or(f64::NAN, |nematic| nematic.order)),
        ("to the wall's normal", Style::Dashed, |p| p.wall_order),
        ("to the flow", Style::Marks, |p| p.flow_order),
    ];
    for (number, &kind) in setup.rigid.iter().enumerate() {
        for (name, style, value) in values {
            let points: Vec<[f64; 2]> =
                series.dumps.iter().map(|dump| [dump.at.time, value(&dump.populations[kind])]).collect();
            let name = if setup.rigid.len() > 1 { format!("{}, {name}", setup.names[kind]) } else { name.to_owned() };
            if points.iter().any(|point| point[1].is_finite()) {
                curves.push(Curve::new(name, points, style, number));
            }
        }
    }
    Chart {
        title: "alignment over time".to_owned(),
        x: Axis::new("time", "s").from_zero(),
        y: Axis::new("order parameter", "").from_zero(),
        curves,
    }
}

/// Draws the sections of the last dump's bodies with planes upon the speed of the fluid.
pub fn sections(
    setup: &Setup,
    series: &Series,
    nodes: &Nodes,
    speed: &[f64],
    planes: &[Plane],
    file: &mut impl FnMut(&str) -> PathBuf,
) -> Result<()> {
    let Some(dump) = series.dumps.last() else { return Ok(()) };
    for plane in planes {
        let view = View::whole(nodes, Some(plane))?;
        let found = outlines(nodes, &view, &series.last);
        let (whole, detail) = suspended((nodes, speed), &view, ("bodies", &found, &setup.names), dump.at.time);
        whole.write(&file(&format!("bodies_{}.png", plane.name)))?;
        if let Some(detail) = detail {
            detail.write(&file(&format!("bodies_zoom_{}.png", plane.name)))?;
        }
    }
    Ok(())
}
