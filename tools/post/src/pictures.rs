//! The maps of one dump.

use hematite_config::Result;
use hematite_dump::DumpStep;
use hematite_stats::figure::Figure;
use hematite_stats::lookup::Nodes;
use hematite_stats::map::{Quantity, View, draw_smooth, speeds};
use hematite_stats::plane::Plane;
use hematite_stats::suspension::map::{self, Outline};
use hematite_stats::table::{Table, write_json};
use hematite_stats::wall::{self, Statistics, WallSite};
use hematite_stats::wall_pressure;
use hematite_stats::wss;
use hematite_stats::wss_map;
use hematite_stats::{bodies, cells};

use crate::flow::Work;
use crate::output::Output;
use crate::source::Values;

/// Draws maps of speed and pressure: of the whole domain in 2-D, of every plane in 3-D.
pub fn maps(work: &mut Work, at: DumpStep, values: &Values, suffix: &str) -> Result<()> {
    let speed = speeds(&values.velocity);
    let origin = work.output.origin([at.time]);
    let fields = [(Quantity::Speed, Some(&speed)), (Quantity::Pressure, values.pressure.as_ref())];
    for (quantity, field) in fields {
        let Some(field) = field else { continue };
        for (plane, name) in planes_of(&work.planes, work.nodes.grid().dimension) {
            let figure = hematite_stats::map::map(&work.nodes, field, quantity, plane)?;
            figure.write(&work.output.figure(format!("{}{name}{suffix}", quantity.name())), &origin)?;
        }
    }
    Ok(())
}

/// The planes of a 3-D domain with their suffixes of file names; for a 2-D domain, `None`, the whole domain.
pub fn planes_of(planes: &[Plane], dimension: usize) -> Vec<(Option<&Plane>, String)> {
    match dimension {
        3 => planes.iter().map(|plane| (Some(plane), format!("_{}", plane.name))).collect(),
        _ => vec![(None, String::new())],
    }
}

/// Draws cells and rigid bodies on maps of the speed, if the run has dumps of them at the same step: of the whole
/// domain, and of a part of it if members are small there.
pub fn cells(work: &mut Work, at: DumpStep, values: &Values, suffix: &str) -> Result<()> {
    let speed = speeds(&values.velocity);
    let cells = work.cells.as_ref().and_then(|source| Some((source, source.at(at.step)?)));
    let bodies = work.bodies.as_ref().and_then(|source| Some((source, source.at(at.step)?)));
    let what = if cells.is_some() { "cells" } else { "bodies" };
    let cells = cells.map(|(source, dump)| Ok((source, source.frame(dump)?))).transpose()?;
    let bodies = bodies.map(|(source, dump)| bodies::bodies(source.kinds(), &source.frame(dump)?));
    let bodies = bodies.transpose()?.unwrap_or_default();
    let all = match &cells {
        Some((source, frame)) => cells::cells(source.kinds(), frame)?,
        None => Vec::new(),
    };
    let (Some(names), true) = (names(work), cells.is_some() || !bodies.is_empty()) else { return Ok(()) };
    let mut pictures = Vec::new();
    for (plane, name) in planes_of(&work.planes, work.nodes.grid().dimension) {
        let view = View::whole(&work.nodes, plane)?;
        let mut outlines = map::outlines(&work.nodes, &view, &all);
        outlines.extend(map::outlines(&work.nodes, &view, &bodies));
        let (whole, detail) = suspended((&work.nodes, &speed), &view, (what, &outlines, &names));
        pictures.push((format!("{what}{name}{suffix}"), whole));
        pictures.extend(detail.map(|detail| (format!("{what}_zoom{name}{suffix}"), detail)));
    }
    let origin = work.output.origin([at.time]);
    for (name, picture) in pictures {
        picture.write(&work.output.figure(name), &origin)?;
    }
    Ok(())
}

/// Names of the populations, which are the same in all dumps of a run.
fn names(work: &Work) -> Option<Vec<String>> {
    work.cells.as_ref().map(|source| source.names()).or_else(|| work.bodies.as_ref().map(|source| source.names()))
}

/// A map of the speed with outlines of members, and if these are small, another map of a part.
pub fn suspended(
    (nodes, speed): (&Nodes, &[f64]),
    view: &View,
    (what, outlines, names): (&str, &[Outline], &[String]),
) -> (Figure, Option<Figure>) {
    let picture = |view: &View| {
        let mut figure = draw_smooth(nodes, speed, Quantity::Speed, view);
        figure.what = format!("{what} and {}", figure.what);
        map::draw(&mut figure, nodes, view, outlines, names);
        figure
    };
    let mut whole = picture(view);
    if let (true, Some(panel)) = (outlines.is_empty(), whole.panels.first_mut()) {
        let cut = if view.plane.is_some() { " are cut by this plane" } else { "" };
        panel.caption += &format!("; no {what}{cut}");
    }
    let part = map::zoom(nodes, view, outlines, speed);
    if let Some(part) = &part {
        map::mark(&mut whole, nodes, view, part);
        if let Some(panel) = whole.panels.first_mut() {
            panel.caption += &format!("; {what}_zoom shows what is framed");
        }
    }
    (whole, part.as_ref().map(picture))
}

/// Writes wall shear stress as table, statistics and picture; `None` without wall points.
pub fn wall_shear_stress(
    work: &mut Work,
    at: DumpStep,
    sites: &[WallSite],
    stress: &[f64],
    suffix: &str,
) -> Result<Option<Statistics>> {
    let stresses = wss::wall_shear_stress(&work.nodes, sites, stress)?;
    let (table, statistics) = (wall::table(&stresses, wss::columns()), wall::statistics(&stresses));
    let picture = || wss_map::picture(&work.nodes, sites, &stresses);
    write_at_walls(&mut work.output, at, &format!("wall_shear_stress{suffix}"), (&table, statistics), picture)
}

/// Writes pressure at walls as table, statistics and picture; `None` without wall points.
pub fn pressure_at_walls(
    work: &mut Work,
    at: DumpStep,
    sites: &[WallSite],
    pressure: &[f64],
    suffix: &str,
) -> Result<Option<Statistics>> {
    let pressures = wall_pressure::wall_pressure(&work.nodes, sites, pressure)?;
    let columns = [wall_pressure::COLUMN.to_owned()];
    let (table, statistics) = (wall::table(&pressures, columns), wall::statistics(&pressures));
    let picture = || wss_map::pressure_picture(&work.nodes, sites, &pressures);
    write_at_walls(&mut work.output, at, &format!("wall_pressure{suffix}"), (&table, statistics), picture)
}

fn write_at_walls(
    output: &mut Output,
    at: DumpStep,
    name: &str,
    (table, statistics): (&Table, Option<Statistics>),
    picture: impl Fn() -> Figure,
) -> Result<Option<Statistics>> {
    let Some(statistics) = statistics else { return Ok(None) };
    table.write_csv(&output.file(format!("{name}.csv")))?;
    write_json(&output.file(format!("{name}.json")), &statistics)?;
    let origin = output.origin([at.time]);
    picture().write(&output.figure(name), &origin)?;
    Ok(Some(statistics))
}
