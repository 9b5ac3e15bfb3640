//! The maps of one dump.

use hematite_config::Result;
use hematite_dump::DumpStep;
use hematite_stats::cells;
use hematite_stats::map::{Quantity, View, draw_smooth, map, speeds};
use hematite_stats::table::write_json;
use hematite_stats::wss::{self, Statistics, WallSite};
use hematite_stats::wss_map;

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
            let figure = map(&work.nodes, field, quantity, plane.as_ref(), at.time)?;
            let plane = plane.as_ref().map(|plane| format!("_{}", plane.name)).unwrap_or_default();
            let path = work.file(format!("{}{plane}{suffix}.png", quantity.name()));
            figure.write(&path)?;
        }
    }
    Ok(())
}

/// The cells upon the speed, where the run has a dump of them at that step: of the whole domain, and where they are small there,
/// of a part of it.
pub fn cells(work: &mut Work, at: DumpStep, values: &Values, suffix: &str) -> Result<()> {
    let Some(source) = &work.cells else { return Ok(()) };
    let Some(dump) = source.at(at.step) else { return Ok(()) };
    let (frame, names) = (source.reader.frame(dump)?, source.names());
    let kinds = source.reader.kinds().to_vec();
    let all = cells::cells(&kinds, &frame)?;
    let speed = speeds(&values.velocity);
    let planes = match work.nodes.grid().dimension {
        3 => work.planes.iter().cloned().map(Some).collect(),
        _ => vec![None],
    };
    for plane in &planes {
        let view = View::whole(&work.nodes, plane.as_ref())?;
        let outlines = cells::map::outlines(&work.nodes, &view, &all);
        let picture = |view: &View| {
            let mut figure = draw_smooth(&work.nodes, &speed, Quantity::Speed, view, at.time);
            figure.title = format!("cells and {}", figure.title);
            cells::map::draw(&mut figure, &work.nodes, view, &outlines, &names);
            figure
        };
        let mut whole = picture(&view);
        let part = cells::map::zoom(&work.nodes, &view, &outlines, &speed);
        let detail = part.as_ref().map(picture);
        if let Some(part) = &part {
            cells::map::mark(&mut whole, &work.nodes, &view, part);
        }
        let plane = plane.as_ref().map(|plane| format!("_{}", plane.name)).unwrap_or_default();
        let path = work.file(format!("cells{plane}{suffix}.png"));
        whole.write(&path)?;
        if let Some(detail) = detail {
            let path = work.file(format!("cells_zoom{plane}{suffix}.png"));
            detail.write(&path)?;
        }
    }
    Ok(())
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
    let path = work.file(format!("wall_shear_stress{suffix}.csv"));
    wss::table(&stresses).write_csv(&path)?;
    let path = work.file(format!("wall_shear_stress{suffix}.json"));
    write_json(&path, &statistics)?;
    let path = work.file(format!("wall_shear_stress{suffix}.png"));
    wss_map::picture(&work.nodes, sites, &stresses, &statistics, at.time).write(&path)?;
    Ok(Some(statistics))
}
