//! One series of field dumps of a run.

use std::path::Path;

use hematite_case::NodeId;
use hematite_comm::{Comm, Route};
use hematite_config::{Fault, Result};
use hematite_dump::{DumpStep, Field, FieldWriter, Grid, Values, rank_file};
use hematite_engine::Precision;
use hematite_units::{LatticeUnits, groups::CS2};
use physics_lattice_boltzmann::{Fluid, Moment};

use crate::config::DumpConfig;
use crate::ranks::{node_route, together};
use crate::setup::{Setup, grid};
use crate::walls::fluid_nodes;

/// One series of field dumps on this rank.
pub struct FieldDump {
    /// What is dumped when.
    pub config: DumpConfig,
    writer: FieldWriter,
    /// Which own nodes are dumped; all where none are named.
    nodes: Option<Vec<usize>>,
    /// The way of values into the ranks' files, whose nodes belonged to other ranks when the files were begun.
    route: Option<Route>,
}

impl FieldDump {
    /// Begins it in `folder` at step 0, or goes on with it from another. Collective.
    ///
    /// # Errors
    /// A usage fault where what is there holds other nodes or fields; when a file cannot be written.
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
        let f64s = setup.config.fluid.precision == Precision::F64;
        let writer = together(comm, || match goes_on {
            true => FieldWriter::go_on((folder, &config.name), (rank, ranks), &grid, &config.fields, f64s, step),
            false => FieldWriter::create(&rank_file(folder, &config.name, rank, ranks), &grid, &config.fields, f64s),
        })?;
        let route = if goes_on { route(comm, &writer, &grid.id)? } else { None };
        Ok(Self { config: config.clone(), writer, nodes, route })
    }

    /// Goes on after nodes have changed ranks. The files keep theirs. Collective.
    ///
    /// # Errors
    /// When a file cannot be read or a rank is lost.
    pub fn divide(&mut self, comm: &dyn Comm, setup: &Setup) -> Result<()> {
        let (grid, nodes) = chosen(setup, &self.config);
        self.nodes = nodes;
        self.route = route(comm, &self.writer, &grid.id)?;
        Ok(())
    }

    /// The step of the last dump, if there is one.
    pub fn last(&self) -> Option<u64> {
        self.writer.steps().last().map(|last| last.step)
    }

    /// Whether there is no dump of `step` or a later one yet.
    pub fn lacks(&self, step: u64) -> bool {
        self.last().is_none_or(|last| last < step)
    }

    /// Writes a dump. Collective.
    ///
    /// # Errors
    /// When a file cannot be written, or the device or a rank is lost.
    pub fn write(&mut self, comm: &dyn Comm, setup: &Setup, fluid: &mut Fluid, at: DumpStep) -> Result<()> {
        together(comm, || self.writer.begin(at))?;
        for &field in &self.config.fields {
            let mut values = together(comm, || self.values(setup, fluid, field))?;
            if let Some(route) = &self.route {
                values = brought(comm, route, &values, field.components())?;
            }
            together(comm, || self.writer.write(field, &values))?;
        }
        together(comm, || self.writer.end())
    }

    /// A field at the dump's nodes, in SI.
    fn values(&self, setup: &Setup, fluid: &mut Fluid, field: Field) -> Result<Values> {
        let moment = match field {
            Field::Density | Field::Pressure => Moment::Density,
            Field::Velocity => Moment::Velocity,
            Field::ShearStress => Moment::Stress,
        };
        let si = to_si(field, &setup.plan.units);
        let width = field.components();
        let row = setup.plan.row(fluid.step());
        let f64s = setup.config.fluid.precision == Precision::F64;
        let (mut wide, mut narrow) = (Vec::new(), Vec::new());
        let mut next = 0;
        fluid.moment(moment, &row, |first, numbers| {
            let mut push = |numbers: &[f64]| {
                if f64s {
                    wide.extend(numbers.iter().map(|&x| si(x)))
                } else {
                    narrow.extend(numbers.iter().map(|&x| si(x) as f32))
                }
            };
            match &self.nodes {
                None => push(&numbers),
                Some(nodes) => {
                    let last = first + numbers.len() / width;
                    while let Some(&n) = nodes.get(next).filter(|&&n| n < last) {
                        push(&numbers[(n - first) * width..][..width]);
                        next += 1;
                    }
                }
            }
            Ok(())
        })?;
        Ok(if f64s { Values::F64(wide) } else { Values::F32(narrow) })
    }
}

/// The nodes of a part that a dump holds, and which own nodes those are, unless all.
fn chosen(setup: &Setup, config: &DumpConfig) -> (Grid, Option<Vec<usize>>) {
    let grid = grid(&setup.header, &setup.part);
    let whole = config.region == Default::default();
    let chosen = (!whole).then(|| config.region.select(&grid));
    let grid = match &chosen {
        Some(nodes) => grid.take(nodes),
        None => grid,
    };
    let nodes = match (&setup.layer, chosen) {
        (None, chosen) => chosen,
        (Some(_), chosen) => {
            let fluid: Vec<usize> = fluid_nodes(&setup.header, &setup.part).into_iter().flatten().collect();
            Some(chosen.map_or(fluid.clone(), |chosen| chosen.into_iter().map(|k| fluid[k]).collect()))
        }
    };
    (grid, nodes)
}

/// The way from ranks that have the nodes `held` to the files that hold them; none where each rank's file holds its own.
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

/// Values of `width` components a node, from the ranks that have the nodes to those whose files hold them.
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

/// From lattice units of the field's moment to SI.
fn to_si(field: Field, units: &LatticeUnits) -> impl Fn(f64) -> f64 {
    let (zero, one) = match field {
        Field::Density => (units.rho0, units.rho0),
        Field::Pressure => (0.0, CS2 * units.stress()),
        Field::Velocity => (0.0, units.velocity()),
        Field::ShearStress => (0.0, units.stress()),
    };
    move |x| zero + one * x
}
