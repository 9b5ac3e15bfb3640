//! Periodic axes and walls around the nodes of a dump, from the case of the run.

use std::f64::consts::PI;

use hematite_case::Case;
use hematite_cells::vector::{dot, length, minus, plus, times};
use hematite_config::Result;
use hematite_dump::{Grid, RunRecord};
use hematite_geometry::OpeningKind;
use hematite_stats::lookup::{Nodes, find};
use hematite_stats::wall::WallSite;

use crate::source;

/// The surroundings of the nodes that a grid holds.
pub struct Surroundings {
    extent: [usize; 3],
    periodic: [bool; 3],
    /// The sites beside walls.
    pub walls: Vec<WallSite>,
    /// Volume of a node over the area of all walls, m; none where the grid holds a part of the nodes.
    pub room_per_wall: Option<f64>,
}

/// The part of a vessel near one of its openings, in lattice spacings.
struct NearOpening {
    middle: [f64; 3],
    normal: [f64; 3],
    /// Largest distance from the plane of the opening: half its width.
    depth: f64,
    /// Largest distance from the middle along that plane.
    radius: f64,
}

impl NearOpening {
    fn holds(&self, at: [i32; 3]) -> bool {
        let from = minus(at.map(f64::from), self.middle);
        let along = dot(from, self.normal);
        along.abs() <= self.depth && dot(from, from) - along * along <= self.radius * self.radius
    }
}

/// What lies near the openings through which fluid passes, of which the grid holds nodes.
fn near_openings(case: &Case, grid: &Grid) -> Result<Vec<NearOpening>> {
    let flat = case.header().set.dimension() == 2;
    let mut near = Vec::new();
    for opening in case.openings()?.iter().filter(|opening| opening.kind != OpeningKind::Wall) {
        let nodes = find(grid, opening.nodes.iter().map(|site| site.node));
        let places: Vec<[f64; 3]> = nodes.into_iter().flatten().map(|n| grid.position[n].map(f64::from)).collect();
        if places.is_empty() {
            continue;
        }
        let middle = times(1.0 / places.len() as f64, places.iter().fold([0.0; 3], |sum, place| plus(sum, *place)));
        let farthest = places.iter().map(|place| length(minus(*place, middle))).fold(0.0, f64::max);
        let depth = if flat { 0.5 * opening.area } else { (opening.area / PI).sqrt() };
        near.push(NearOpening { middle, normal: opening.normal, depth, radius: farthest + depth });
    }
    Ok(near)
}

impl Surroundings {
    /// Reads the surroundings of `grid` from the case file.
    ///
    /// # Errors
    /// When the case file is missing, has changed since the run, or cannot be read.
    pub fn read(record: &RunRecord, grid: &Grid) -> Result<Self> {
        let case = source::case(record)?;
        let walls = case.walls()?;
        let nodes = find(grid, walls.iter().map(|wall| wall.node));
        let openings = near_openings(&case, grid)?;
        let near = |node: usize| openings.iter().any(|opening| opening.holds(grid.position[node]));
        let walls = walls.iter().zip(nodes).filter_map(|(wall, node)| {
            let (normal, distance) = (wall.normal.map(f64::from), f64::from(wall.distance));
            node.map(|node| WallSite { node, normal, distance, near_opening: near(node) })
        });
        let header = case.header();
        let is_whole = grid.position.len() == header.nodes;
        let room = header.spacing.powi(header.set.dimension() as i32);
        let openings = case.openings()?;
        let moving = openings.iter().filter(|opening| opening.kind == OpeningKind::Wall).map(|wall| wall.area);
        let of_openings = moving.sum::<f64>() * header.spacing.powi(header.set.dimension() as i32 - 1);
        let room_per_wall = header.geometry.wall_area.filter(|_| is_whole).map(|area| room / (area + of_openings));
        Ok(Self { extent: header.extent, periodic: header.periodic, walls: walls.collect(), room_per_wall })
    }

    /// Makes the lattice of `nodes` wrap along the periodic axes of the case.
    pub fn wrap<'a>(&self, nodes: Nodes<'a>) -> Nodes<'a> {
        nodes.wrapped(self.extent, self.periodic)
    }
}
