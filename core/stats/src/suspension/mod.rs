//! What the statistics of cells, rigid bodies and whatever else is suspended have in common: it takes a [`Member`].

pub mod bins;
pub mod blocks;
pub mod map;
pub mod occupancy;
pub mod straight;
pub mod tracks;
pub mod wall_distance;

use crate::lookup::Nodes;

/// One member of a suspension at one time: a cell, a rigid body.
pub trait Member {
    /// Number of its population.
    fn population(&self) -> usize;

    /// Lower and upper corner of the box around it, m.
    fn bounds(&self) -> ([f64; 3], [f64; 3]);

    /// The closed loops in which the plane where axis `plane.0` is `plane.1` (m) cuts it, or without a plane all of it, as
    /// seen along z, in m.
    fn loops(&self, plane: Option<(usize, f64)>) -> Vec<Vec<[f64; 3]>>;

    /// Whether the points of these loops are few, so that a smooth curve runs through them.
    fn smooth(&self, plane: Option<(usize, f64)>) -> bool;

    /// Gives the lattice positions whose cubes (2-D: squares) it fills a part of, and that part, stretch by stretch.
    fn fill(&self, nodes: &Nodes, take: &mut dyn FnMut([i64; 3], f64));
}
