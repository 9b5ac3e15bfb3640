//! One series of field dumps of a run.

use std::path::Path;

use hematite_case::NodeId;
use hematite_comm::{Comm, Route};
use hematite_config::{Fault, Result};
use hematite_dump::{DumpStep, Field, FieldWriter, Grid, Values, rank_file};
use hematite_engine::LEAST_CONVERTED;
use rayon::prelude::*;

use crate::config::DumpConfig;
use crate::ranks::{node_route, together};
use crate::setup::Setup;
use crate::system::System;

/// One series of field dumps on this rank.
pub struct FieldDump {
    /// The config: what is dumped and when.
    pub config: DumpConfig,
    fields: Vec<Field>,
    writer: FieldWriter,
    /// Fields of the case that are dumped, with their values at own nodes.
    of_case: Vec<(Field, Vec<f64>)>,
    /// Indices of the own nodes that are dumped; `None` for all.
    nodes: Option<Vec<usize>>,
    /// The route of values to the ranks' files, if nodes belonged to other ranks when the files were begun.
    route: Option<Route>,
}

impl FieldDump {
    /// Begins the series in `folder`, or with `goes_on` continues it from step `step`. Collective.
    ///
    /// # Errors
    /// A usage fault where the existing file holds other nodes or fields; when a file cannot be written.
    pub fn open(
        comm: &dyn Comm,
        setup: &Setup,
        folder: &Path,
        config: &DumpConfig,
        goes_on: bool,
        step: u64,
    ) -> Result<Self> {
        let (grid, nodes) = chosen(setup, config);
        let (rank, ranks) = (comm.rank(), comm.size());
        let (f64s, fields) = (setup.is_double(), setup.fields_of(config)?);
        let writer = together(comm, || match goes_on {
            true => FieldWriter::go_on((folder, &config.name), (rank, ranks), &grid, &fields, f64s, step),
            false => FieldWriter::create(&rank_file(folder, &config.name, rank, ranks), &grid, &fields, f64s),
        })?;
        let route = if goes_on { route(comm, &writer, &grid.id)? } else { None };
        let of_case = together(comm, || of_case(setup, &fields))?;
        Ok(Self { config: config.clone(), fields, writer, of_case, nodes, route })
    }

    /// Adapts to nodes that have changed ranks. The files keep their nodes. Collective.
    ///
    /// # Errors
    /// When a file cannot be read or a rank is lost.
    pub fn divide(&mut self, comm: &dyn Comm, setup: &Setup) -> Result<()> {
        let (grid, nodes) = chosen(setup, &self.config);
        self.nodes = nodes;
        self.of_case = together(comm, || of_case(setup, &self.fields))?;
        self.route = route(comm, &self.writer, &grid.id)?;
        Ok(())
    }

    /// The dumps so far.
    pub fn steps(&self) -> &[DumpStep] {
        self.writer.steps()
    }

    /// The step of the last dump, if there is one.
    pub fn last(&self) -> Option<u64> {
        self.steps().last().map(|last| last.step)
    }

    /// Whether there is no dump at `step` or later yet.
    pub fn lacks(&self, step: u64) -> bool {
        self.last().is_none_or(|last| last < step)
    }

    /// Writes a dump. Collective.
    ///
    /// # Errors
    /// When a file cannot be written, or the device or a rank is lost.
    pub fn write(&mut self, comm: &dyn Comm, setup: &Setup, system: &mut System, at: DumpStep) -> Result<()> {
        together(comm, || self.writer.begin(at))?;
        for &field in &self.fields {
            let mut values = together(comm, || self.values(setup, system, field))?;
            if let Some(route) = &self.route {
                values = brought(comm, route, &values, field.components())?;
            }
            together(comm, || self.writer.write(field, &values))?;
        }
        together(comm, || self.writer.end())
    }

    /// The values of a field at the nodes of the dump, in SI.
    fn values(&self, setup: &Setup, system: &mut System, field: Field) -> Result<Values> {
        let (width, f64s) = (field.components(), setup.is_double());
        let (mut wide, mut narrow) = (Vec::new(), Vec::new());
        let mut push = |numbers: &[f64]| {
            if f64s {
                wide.extend_from_slice(numbers);
            } else {
                narrow.par_extend(numbers.par_iter().with_min_len(LEAST_CONVERTED).map(|&x| x as f32));
            }
        };
        let mut next = 0;
        let mut take = |first: usize, numbers: &[f64]| {
            match &self.nodes {
                None => push(numbers),
                Some(nodes) => {
                    let last = first + numbers.len() / width;
                    while let Some(&n) = nodes.get(next).filter(|&&n| n < last) {
                        push(&numbers[(n - first) * width..][..width]);
                        next += 1;
                    }
                }
            }
            Ok(())
        };
        match self.of_case.iter().find(|(of_case, _)| *of_case == field) {
            Some((_, values)) => take(0, values)?,
            None => {
                let physics = setup.physics_of(field).and_then(|k| system.physics.get_mut(k)).ok_or_else(|| {
                    Fault::usage(format!(
                        "the run has no field \"{}\" to dump: leave it out of \"fields\"",
                        field.name()
                    ))
                })?;
                physics.field(field, &mut take)?;
            }
        }
        Ok(if f64s { Values::F64(wide) } else { Values::F32(narrow) })
    }
}

/// The fields of the case among `fields`, with their values at own nodes.
fn of_case(setup: &Setup, fields: &[Field]) -> Result<Vec<(Field, Vec<f64>)>> {
    let of_case = fields.iter().filter(|&&field| setup.physics_of(field).is_none());
    of_case.map(|&field| Ok((field, setup.field_of_case(field.name())?))).collect()
}

/// The nodes of this rank's part that a dump holds, and their indices among own nodes; `None` for all.
fn chosen(setup: &Setup, config: &DumpConfig) -> (Grid, Option<Vec<usize>>) {
    let grid = setup.ground.grid();
    let whole = config.region == Default::default();
    let chosen = (!whole).then(|| config.region.select(&grid));
    let grid = match &chosen {
        Some(nodes) => grid.take(nodes),
        None => grid,
    };
    let nodes = match (&setup.ground.layer, chosen) {
        (None, chosen) => chosen,
        (Some(_), chosen) => {
            let fluid: Vec<usize> = setup.ground.fluid_nodes().into_iter().flatten().collect();
            Some(chosen.map_or(fluid.clone(), |chosen| chosen.into_iter().map(|k| fluid[k]).collect()))
        }
    };
    (grid, nodes)
}

/// The route of values from the ranks with the nodes `held` to the files that hold these nodes; `None` if the file of
/// each rank holds its own nodes.
fn route(comm: &dyn Comm, writer: &FieldWriter, held: &[NodeId]) -> Result<Option<Route>> {
    let wanted = together(comm, || writer.node_ids())?;
    if !comm.any(held != wanted)? {
        return Ok(None);
    }
    let mut counts = [held.len() as i64, wanted.len() as i64];
    comm.sum(&mut counts)?;
    let others = || {
        let path = writer.path().display();
        Fault::usage(format!("{path} holds other nodes than the run dumps now: use another folder"))
    };
    if counts[0] != counts[1] {
        return Err(others());
    }
    node_route(comm, held, &wanted)
        .map(Some)
        .map_err(|fault| if fault.exit == others().exit { others() } else { fault })
}

/// Sends values of `width` components a node along the route. Returns the values for this rank's file.
fn brought(comm: &dyn Comm, route: &Route, values: &Values, width: usize) -> Result<Values> {
    Ok(match values {
        Values::F32(values) => {
            let bytes = route.bring(comm, bytemuck::cast_slice(values), width * size_of::<f32>())?;
            Values::F32(bytemuck::pod_collect_to_vec(&bytes))
        }
        Values::F64(values) => {
            let bytes = route.bring(comm, bytemuck::cast_slice(values), width * size_of::<f64>())?;
            Values::F64(bytemuck::pod_collect_to_vec(&bytes))
        }
    })
}
