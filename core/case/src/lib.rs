//! The case: a sparse lattice of fluid nodes with its links, partitions and halos, walls and openings, in one file.
//!
//! [`Lattice::build`] makes the lattice of a [`hematite_geometry::Domain`]; [`Partition::make`] divides it; [`walls`]
//! finds its walls, [`wall_points`] points on them and [`Layer`] the nodes beyond; [`Seeding`] puts cells into it, [`grow_polymers`] polymers;
//! [`Lattice::mark`] finds its regions ([`Region`]) and the values of its fields ([`NodeField`]).
//! [`write()`] stores all of that; [`Case::open`] reads it back, and [`Case::part`] gives one rank what it holds, as
//! [`Part::of`] does from a lattice in memory.

mod balance;
mod cells;
mod coarse;
mod extract;
pub mod file;
#[cfg(test)]
mod fixture;
mod lattice;
mod layer;
mod link;
mod load;
mod metis;
mod morton;
mod narrowest;
mod node_field;
mod opening;
mod part;
mod partition;
mod polymers;
mod profile;
mod region;
mod relabel;
mod report;
mod section;
mod slices;
mod solve;
mod velocity_set;
mod wall;
mod wall_part;

pub use cells::{
    Column, Ellipsoid, Growth, Placed, Population, PopulationConfig, PopulationReport, Refusal, Seeding, SeedingConfig,
    seed,
};
pub use file::{
    Case, ChainHeader, FieldHeader, Header, OpeningHeader, PopulationHeader, RegionHeader, SCHEMA_VERSION, Suspended,
    WallPartHeader, add_partition, write,
};
pub use lattice::Lattice;
pub use layer::{ImmersedWalls, Layer};
pub use link::GlobalLink;
pub use load::{BODY_LOAD, VERTEX_LOAD, loads, loads_of, measured_loads};
pub use morton::morton;
pub use narrowest::narrowest;
pub use node_field::NodeField;
pub use opening::{Opening, OpeningSite, outward};
pub use part::{Link, Neighbour, NodeId, OpeningNode, Part, Target};
pub use partition::{HaloRange, MetisLimits, PartRange, Partition};
pub use polymers::{ChainPlan, ChainPopulation, PolymerConfig, grow_polymers, plan_polymers};
pub use region::Region;
pub use report::PartitionReport;
pub use velocity_set::VelocitySet;
pub use wall::{WallCuts, WallNode, WallPoint, wall_area, wall_cuts, wall_points, walls};
pub use wall_part::{WallPart, WallPartSite, at_rim};
