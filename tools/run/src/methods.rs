//! The physics of a run, by its config: the one place that names them.

use std::path::Path;

use hematite_case::{Case, Lattice, Layer, Part, Partition, Population, loads};
use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::passage::Openings;
use hematite_engine::{Ground, Planned};
use physics_bodies::PlannedBodies;
use physics_cells::PlannedCells;
use physics_lattice_boltzmann::{FlowConfig, PlannedFlow};

use crate::config::RunConfig;
use crate::ranks::together;

/// The physics of a run and where it takes place.
pub struct Planning {
    /// The physics, in the order of a time step.
    pub planned: Vec<Box<dyn Planned>>,
    /// The case and this rank's part.
    pub ground: Ground,
    /// The time step, s.
    pub dt: f64,
    /// Time steps asked for.
    pub steps: u64,
}

/// What a run's config at `path` says of the fluid.
pub fn flow<'c>(path: &'c Path, config: &'c RunConfig) -> FlowConfig<'c> {
    FlowConfig {
        path,
        fluid: &config.fluid,
        time: &config.time,
        openings: &config.openings,
        drive: &config.drive,
        forces: config.forces.as_ref(),
        initial: &config.initial,
        kernel: config.cells.kernel,
    }
}

/// Makes the plans of all physics that a config asks for, on a case, whose `flow` is planned. Collective.
///
/// # Errors
/// A usage fault with key, value, limit and remedy for whatever cannot work; when a rank is lost.
pub fn plan(
    comm: &dyn Comm,
    config: &RunConfig,
    stored: &Case,
    path: &Path,
    mut flow: PlannedFlow,
) -> Result<Planning> {
    let layer = together(comm, || flow.layer(stored))?;
    let ground = together(comm, || ground(comm, stored, path, layer))?;
    flow.divide(comm, &ground)?;
    let (dt, steps, medium) = (flow.time_step(), flow.steps(), flow.medium());
    let mut members: Vec<Box<dyn Planned>> = Vec::new();
    if let Some(bodies) = PlannedBodies::new(comm, &config.bodies, &medium, &ground)? {
        flow.immerse(&[], 1, None);
        members.push(Box::new(bodies));
    }
    if let Some(cells) = PlannedCells::new(comm, &config.cells, &medium, &ground, flow.shear().as_ref())? {
        flow.immerse(&cells.contrasts(), config.cells.mark_every, cells.grown());
        members.insert(0, Box::new(cells));
    }
    let planned = std::iter::once(Box::new(flow) as Box<dyn Planned>).chain(members).collect();
    Ok(Planning { planned, ground, dt, steps })
}

fn ground(comm: &dyn Comm, stored: &Case, path: &Path, layer: Option<Layer>) -> Result<Ground> {
    let populations = stored.populations()?;
    let part = own_part(stored, layer.as_ref(), &populations, comm)?;
    let openings = (!populations.is_empty()).then(|| Openings::read(stored)).transpose()?;
    Ok(Ground { case: path.to_owned(), header: stored.header().clone(), populations, openings, layer, part })
}

/// This rank's part, from a stored partition or one made now; both give the same results.
fn own_part(case: &Case, layer: Option<&Layer>, populations: &[Population], comm: &dyn Comm) -> Result<Part> {
    let (ranks, rank) = (comm.size(), comm.rank());
    match layer {
        Some(layer) if case.partition_with_layer_stored(ranks) => return case.part_with(layer, ranks, rank),
        None if ranks == 1 || case.partition_stored(ranks) => return case.part(ranks, rank),
        _ => {}
    }
    let lattice: Lattice = match layer {
        Some(layer) => case.lattice_with(layer)?,
        None => case.lattice()?,
    };
    let loads = loads(&lattice, case.header().nodes, populations);
    Part::of(&lattice, &Partition::make_loaded(&lattice, loads.as_deref(), ranks)?, rank)
}
