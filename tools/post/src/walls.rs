//! The walls of a run's case, on the nodes of its dump.

use std::path::Path;

use hematite_case::Case;
use hematite_config::{Fault, Result, hash_file};
use hematite_dump::{Grid, RunRecord};
use hematite_stats::lookup::find;
use hematite_stats::wss::WallSite;

/// The wall sites of the nodes that a grid holds.
///
/// # Errors
/// When the case file is gone, has changed since the run, or cannot be read.
pub fn sites(record: &RunRecord, grid: &Grid) -> Result<Vec<WallSite>> {
    let path = Path::new(&record.case);
    if hash_file(path)? != record.case_sha256 {
        return Err(Fault::usage(format!("{} has changed since the run", path.display())));
    }
    let walls = Case::open(path)?.walls()?;
    let nodes = find(grid, walls.iter().map(|wall| wall.node));
    Ok(walls
        .iter()
        .zip(nodes)
        .filter_map(|(wall, node)| {
            Some(WallSite { node: node?, normal: wall.normal.map(f64::from), distance: f64::from(wall.distance) })
        })
        .collect())
}
