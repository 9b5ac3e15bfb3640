//! What a run's case says of the nodes of its dump: where the lattice wraps, and its walls.

use std::path::Path;

use hematite_case::Case;
use hematite_config::{Fault, Result, hash_file};
use hematite_dump::{Grid, RunRecord};
use hematite_stats::lookup::{Nodes, find};
use hematite_stats::wall::WallSite;

/// The surroundings of the nodes that a grid holds.
pub struct Surroundings {
    extent: [usize; 3],
    periodic: [bool; 3],
    /// The walls beside these nodes.
    pub walls: Vec<WallSite>,
}

impl Surroundings {
    /// Reads them from the case file.
    ///
    /// # Errors
    /// When the case file is gone, has changed since the run, or cannot be read.
    pub fn read(record: &RunRecord, grid: &Grid) -> Result<Self> {
        let path = Path::new(&record.case);
        if hash_file(path)? != record.case_sha256 {
            return Err(Fault::usage(format!("{} has changed since the run", path.display())));
        }
        let case = Case::open(path)?;
        let walls = case.walls()?;
        let nodes = find(grid, walls.iter().map(|wall| wall.node));
        let walls = walls.iter().zip(nodes).filter_map(|(wall, node)| {
            Some(WallSite { node: node?, normal: wall.normal.map(f64::from), distance: f64::from(wall.distance) })
        });
        Ok(Self { extent: case.header().extent, periodic: case.header().periodic, walls: walls.collect() })
    }

    /// The nodes in a lattice that wraps as the case does.
    pub fn wrap<'a>(&self, nodes: Nodes<'a>) -> Nodes<'a> {
        nodes.wrapped(self.extent, self.periodic)
    }
}
