//! Statistics that cells, rigid bodies and other suspended members share: they take any [`Member`].

pub mod bins;
pub mod blocks;
pub mod map;
pub mod occupancy;
pub mod straight;
pub mod tracks;
pub mod wall_distance;

use crate::lookup::Nodes;

/// One member of a suspension at one time: a cell or a rigid body.
pub trait Member {
    /// Number of its population.
    fn population(&self) -> usize;

    /// Lower and upper corner of the bounding box, m.
    fn bounds(&self) -> ([f64; 3], [f64; 3]);

    /// Closed loops, in m, in which the plane at `plane.1` (m) on axis `plane.0` cuts the member. Without a plane, the
    /// outline of the whole member as seen along z.
    fn loops(&self, plane: Option<(usize, f64)>) -> Vec<Vec<[f64; 3]>>;

    /// Whether the points of these loops are so few that a smooth curve should be drawn through them.
    fn smooth(&self, plane: Option<(usize, f64)>) -> bool;

    /// Calls `take` with each lattice position of whose cube (2-D: square) the member fills a part, and with the share
    /// that it fills. A position may come several times; its shares add up.
    fn fill(&self, nodes: &Nodes, take: &mut dyn FnMut([i64; 3], f64));
}
