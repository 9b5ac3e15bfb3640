//! The maps of one dump.

use hematite_config::Result;
use hematite_dump::DumpStep;
use hematite_stats::figure::Figure;
use hematite_stats::lookup::Nodes;
use hematite_stats::map::{Quantity, View, draw_smooth, speeds};
use hematite_stats::suspension::map::{self, Outline};
use hematite_stats::table::write_json;
use hematite_stats::wall_pressure;
use hematite_stats::wss::{self, Statistics, WallSite};
use hematite_stats::wss_map;
use hematite_stats::{bodies, cells};

use crate::flow::Work;
use crate::source::Values;

/// Speed and pressure: of the whole domain in 2-D, of every plane in 3-D.
pub fn maps(work: &mut Work, at: DumpStep, values: &Values, suffix: &str) -> Result<()> {
    let speed = speeds(&values.velocity);
    let fields = [(Quantity::Speed, Some(&speed)), (Quantity::Pressure, values.pressure.as_ref())];
    let planes = match work.nodes.grid().dimension {
        3 => work.planes.iter().cloned().map(Some).collect(),
        _ => vec![None],
    };
    for (quantity, field) in fields {
        let Some(field) = field else { continue };
        for plane in &planes {
            let figure = hematite_stats::map::map(&work.nodes, field, quantity, plane.as_ref(), at.time)?;
            let plane = plane.as_ref().map(|plane| format!("_{}", plane.name)).unwrap_or_default();
            figure.write(&work.output.file(format!("{}{plane}{suffix}.png", quantity.name())))?;
        }
    }
    Ok(())
}

/// The cells and rigid bodies upon the speed, where the run has a dump of them at that step: of the whole domain, and where
/// they are small there, of a part of it.
pub fn cells(work: &mut Work, at: DumpStep, values: &Values, suffix: &str) -> Result<()> {
    let speed = speeds(&values.velocity);
    let planes = match work.nodes.grid().dimension {
        3 => work.planes.iter().cloned().map(Some).collect(),
        _ => vec![None],
    };
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
    for plane in &planes {
        let view = View::whole(&work.nodes, plane.as_ref())?;
        let mut outlines = map::outlines(&work.nodes, &view, &all);
        outlines.extend(map::outlines(&work.nodes, &view, &bodies));
        let (whole, detail) = suspended((&work.nodes, &speed), &view, (what, &outlines, &names), at.time);
        let plane = plane.as_ref().map(|plane| format!("_{}", plane.name)).unwrap_or_default();
        pictures.push((format!("{what}{plane}{suffix}.png"), whole));
        pictures.extend(detail.map(|detail| (format!("{what}_zoom{plane}{suffix}.png"), detail)));
    }
    for (name, picture) in pictures {
        picture.write(&work.output.file(name))?;
    }
    Ok(())
}

/// Names of the populations, which are the same in all dumps of a run.
fn names(work: &Work) -> Option<Vec<String>> {
    work.cells.as_ref().map(|source| source.names()).or_else(|| work.bodies.as_ref().map(|source| source.names()))
}

/// Outlines upon the speed, and where they are small, a part of the picture on its own.
pub fn suspended(
    (nodes, speed): (&Nodes, &[f64]),
    view: &View,
    (what, outlines, names): (&str, &[Outline], &[String]),
    time: f64,
) -> (Figure, Option<Figure>) {
    let picture = |view: &View| {
        let mut figure = draw_smooth(nodes, speed, Quantity::Speed, view, time);
        figure.title = format!("{what} and {}", figure.title);
        map::draw(&mut figure, nodes, view, outlines, names);
        figure
    };
    let mut whole = picture(view);
    let part = map::zoom(nodes, view, outlines, speed);
    if let Some(part) = &part {
        map::mark(&mut whole, nodes, view, part);
    }
    (whole, part.as_ref().map(picture))
}

/// Wall shear stress as table, statistics and picture; `None` without wall points.
pub fn wall_shear_stress(
    work: &mut Work,
    at: DumpStep,
    sites: &[WallSite],
    stress: &[f64],
    suffix: &str,
) -> Result<Option<Statistics>> {
    let stresses = wss::wall_shear_stress(&work.nodes, sites, stress)?;
    let Some(statistics) = wss::statistics(&stresses) else { return Ok(None) };
    wss::table(&stresses).write_csv(&work.output.file(format!("wall_shear_stress{suffix}.csv")))?;
    write_json(&work.output.file(format!("wall_shear_stress{suffix}.json")), &statistics)?;
    wss_map::picture(&work.nodes, sites, &stresses, &statistics, at.time)
        .write(&work.output.file(format!("wall_shear_stress{suffix}.png")))?;
    Ok(Some(statistics))
}

/// Pressure at walls as table, statistics and picture; `None` without wall points.
pub fn pressure_at_walls(
    work: &mut Work,
    at: DumpStep,
    sites: &[WallSite],
    pressure: &[f64],
    suffix: &str,
) -> Result<Option<Statistics>> {
    let pressures = wall_pressure::wall_pressure(&work.nodes, sites, pressure)?;
    let Some(statistics) = wall_pressure::statistics(&pressures) else { return Ok(None) };
    wall_pressure::table(&pressures).write_csv(&work.output.file(format!("wall_pressure{suffix}.csv")))?;
    write_json(&work.output.file(format!("wall_pressure{suffix}.json")), &statistics)?;
    wss_map::pressure_picture(&work.nodes, sites, &pressures, at.time)
        .write(&work.output.file(format!("wall_pressure{suffix}.png")))?;
    Ok(Some(statistics))
}
