//! Periodic axes and walls around the nodes of a dump, from the case of the run.

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
    /// The sites beside walls.
    pub walls: Vec<WallSite>,
}

impl Surroundings {
    /// Reads the surroundings of `grid` from the case file.
    ///
    /// # Errors
    /// When the case file is missing, has changed since the run, or cannot be read.
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

    /// Makes the lattice of `nodes` wrap along the periodic axes of the case.
    pub fn wrap<'a>(&self, nodes: Nodes<'a>) -> Nodes<'a> {
        nodes.wrapped(self.extent, self.periodic)
    }
}
