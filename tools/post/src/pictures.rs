//! The maps of one dump.

use hematite_config::Result;
use hematite_dump::DumpStep;
use hematite_stats::map::{Quantity, map, speeds};
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
