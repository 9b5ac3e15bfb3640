//! Walls of a run: half-way, where the smoothed wall cuts links, or the points of immersed walls.

use std::ops::Range;

use hematite_case::{Case, Header, Layer, Part};
use hematite_comm::Comm;
use hematite_config::{Fault, Result};
use hematite_engine::Support;
use physics_lattice_boltzmann::{Around, HeldPoints, Plan, WallMethod, Walls};

use crate::config::RunConfig;
use crate::ranks::together;

/// The nodes beyond the walls, where the run's walls are immersed.
///
/// # Errors
/// A usage fault where the case was made without them.
pub fn layer(case: &Case, plan: &Plan) -> Result<Option<Layer>> {
    if plan.wall_method() != WallMethod::Immersed {
        return Ok(None);
    }
    let layer = case.layer()?;
    layer.map(Some).ok_or_else(|| {
        Fault::usage(
            "fluid.walls \"immersed\": the case holds no nodes beyond its walls: make it again with \
             \"walls\": {\"spacing\": 0.75} in its CASE.json (a domain without walls has none), or take \"half_way\" or \"interpolated\"",
        )
    })
}

/// How walls act on the fluid at the nodes of `part`. Collective.
///
/// # Errors
/// A usage fault where the case is damaged, or one of its openings has the name that ledgers give to walls.
pub fn walls(
    comm: &dyn Comm,
    case: &Case,
    config: &RunConfig,
    plan: &Plan,
    part: &Part,
    layer: Option<&Layer>,
) -> Result<Walls> {
    let walls = together(comm, || plan.walls(case, part))?;
    let Some(layer) = layer else { return Ok(walls) };
    let points = together(comm, || case.wall_points())?;
    let header = case.header();
    let around = Around {
        dimension: header.set.dimension(),
        extent: header.extent,
        periodic: header.periodic,
        support: together(comm, || Support::of(config.cells.kernel))?,
        magic: plan.magic(),
    };
    let mut builder = HeldPoints::builder(around, &points, &part.position[..part.own]);
    together(comm, || case.each_position(|positions| builder.add_nodes(positions)))?;
    builder.add_nodes(&layer.position);
    Ok(Walls::Immersed(builder.build(comm)?))
}

/// The own nodes of a part that are fluid nodes of the case, none of them in the layer beyond its walls: those of the
/// interior, then those of the interface.
pub fn fluid_nodes(header: &Header, part: &Part) -> [Range<usize>; 2] {
    let fluid = |nodes: Range<usize>| {
        let count = part.id[nodes.clone()].partition_point(|id| (id.0 as usize) < header.nodes);
        nodes.start..nodes.start + count
    };
    [fluid(0..part.interior), fluid(part.interior..part.own)]
}

/// The own nodes of a part that are in the layer, in the same order.
pub fn layer_nodes(header: &Header, part: &Part) -> [Range<usize>; 2] {
    let [interior, interface] = fluid_nodes(header, part);
    [interior.end..part.interior, interface.end..part.own]
}
