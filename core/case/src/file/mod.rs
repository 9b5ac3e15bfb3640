//! The case file: one HDF5 file, whole or absent, read by any HDF5 1.8 or later. What follows HDF5's end of the file is its seal,
//! see [`hematite_config::seal`].
//!
//! N nodes, q directions (rest included), P parts. Node numbers are global, in scan order of the domain, x fastest.
//! Integers may be stored wider than written here; readers convert.
//!
//! ```text
//! /                        attributes: schema u32 (SCHEMA_VERSION), program text,
//!                          provenance, config, geometry: JSON text
//! /lattice                 attributes: set "D2Q9" or "D3Q19", spacing f64 in m, origin f64[3] in m (lower corner of
//!                          site 0), extent u64[3] sites with padding, periodic u8[3]
//!   position  i32 [N, 3]   site of each node
//!   links     i32 [q-1, N] row i-1: node that c_i leads to; -1 the wall; -2-k opening k   (i64 past 2^31 nodes)
//! /openings/<k>            attributes: name text, kind "velocity" | "pressure" | "wall", normal f64[3] (unit, into the
//!                          fluid), area and link_area f64 in lattice units
//!   node      u32 [n]      nodes with links into it, ascending
//!   links     u32 [n]      bit i: c_i leads into it
//!   developed f32 [n]      developed-flow speed relative to the mean
//! /walls
//!   node      u32 [w]      nodes with links into the wall, ascending
//!   normal    f32 [w, 3]   unit, from the smoothed wall into the fluid
//!   distance  f32 [w]      to the smoothed wall, in lattice units
//! /walls/cuts              where the surface cuts links, exactly; absent where the case was made of none
//!   links     u32 [w]      bit i: it cuts the link along c_i, which leads into the wall
//!   fraction  f32 [l]      of the link's length up to there, from 0 to 1: by node, then by direction
//! /wall_parts/<k>          named part k of the wall; the group is absent where there are none. attribute: name text
//!   node      u32 [n]      nodes with links into it, ascending
//!   links     u32 [n]      bit i: c_i leads into it
//! /regions/<k>             named set k of nodes; the group is absent where there are none. attributes: name text, nodes u64
//!                          (how many)
//!   runs      u64 [r, 2]   first node and one past the last of each run of nodes, ascending, with gaps between them
//! /fields/<k>              a number a node; the group is absent where there are none. attributes: name text, unit text (SI)
//!   values    f64 [N]      finite
//! /walls/points            points on the smoothed wall; absent where the case was made without
//!   position  f64 [p, 3]   in lattice units: a node is at its position
//!   normal    f32 [p, 3]   unit, into the fluid
//!   area      f32 [p]      of each point's share of the wall, in 2-D length, in lattice units
//! /layer                   L nodes beyond the walls, see Layer: node N + l is its l-th; absent where the case
//!                          was made without
//!   position  i32 [L, 3]   site of each node, maybe outside of the padding
//!   links     i32 [q-1, L] as in /lattice; its numbers go up to N + L
//! /layer/partitions/<P>    as in /partitions, of the lattice with the layer: N + L nodes
//! /partitions/<P>          attribute: report JSON text
//!   order     u32 [N]      nodes by part: interior ascending, then interface ascending
//!   ranges    u64 [P, 3]   in order, for each part: first interior, first interface, end
//!   halo      u32 [h]      halo nodes by part and owner, ascending
//!   halos     u64 [g, 4]   part, owner, first and end in halo; ascending by part and owner
//! /cells/<k>               population k; the group is absent where there are no cells. attributes: name text, shape,
//!                          mechanics and report JSON text, first u64 (global number of its first cell); of rigid
//!                          bodies semi_axes f64[3] in m, from schema 2 on
//!   vertices  f64 [v, 3]   of the cell at rest about its centroid, in m, z = 0 in 2-D
//!   triangles u32 [t, 3]   corners counter-clockwise from outside; none in 2-D, where vertex k is joined to k + 1
//!   centre    f64 [n, 3]   in m, in the coordinates of origin; vertices may lie beyond a periodic seam
//!   orientation f64 [n, 4] unit quaternion (w, x, y, z) from the cell at rest
//!   scale     f64 [n]      size over full size
//! /polymers/<k>            polymers k, from schema 3 on; the group is absent where there are none. attributes: name
//!                          text, beads u64 (of each chain), ring u64 (0 or 1), bond and diameter f64 in m, report
//!                          JSON text
//!   position  f64 [n, 3]   of all beads, in m, chain after chain; chains are whole and may lie beyond a periodic seam
//! ```
//!
//! A node at (i, j, k) has its centre at origin + (i + 1/2, j + 1/2, k + 1/2) spacings. Groups that readers do not know
//! are left alone.

mod cells;
mod header;
mod layer;
mod marks;
mod polymers;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use header::{ChainHeader, FieldHeader, Header, OpeningHeader, PopulationHeader, RegionHeader, WallPartHeader};
pub use read::Case;
pub use write::{Suspended, add_partition, write};

/// Version of the layout above. Files of versions 1, which knows no rigid bodies, and 2, which knows no polymers, are
/// read as well; others are refused.
pub const SCHEMA_VERSION: u32 = 3;

/// Nodes in a chunk of the large arrays.
const CHUNK: usize = 1 << 16;
