//! `post bodies`: statistics of the rigid bodies of a run.

mod figures;
mod series;
mod tables;

use hematite_cells::vector::plus;
use hematite_config::{Exit, Result};
use hematite_dump::{BodyKind, BodyReader, RunRecord};

use crate::arguments::BodiesArguments;
use crate::config::{self, within};
use crate::say;
use crate::suspension::drive::{driven_axis, largest_component};
use crate::suspension::{self, Fluid, Setup, means};

/// Writes the statistics of a run. Prints their files and the most important numbers.
pub fn run(arguments: &BodiesArguments) -> Result<Exit> {
    let config = config::read(arguments.choice.config.as_deref())?;
    let run = &arguments.place.run;
    let record = RunRecord::read(run)?;
    let run_state = say::state(run, &record);
    let remedy = "run a case with a population of \"rigid\": true and dump it; for cells take post cells";
    let source: BodyReader = suspension::require(run, "rigid bodies", remedy)?;
    let within = within(arguments.choice.config.as_deref());
    let mut left_out = Vec::new();
    let lost = "profiles, sections and alignment with the wall";
    let fields = suspension::fields(run, &record, arguments.choice.fields.as_deref(), lost, &mut left_out)?;
    let fluid = Fluid::new(&record, fields.as_ref(), "profiles, sections and alignment", &mut left_out)?;
    let axis = config.bodies.axis.map(|axis| axis as usize);
    let axis = axis.map_or_else(|| main_axis(&record, &source), |axis| Ok(Some(axis)))?;
    let kinds = source.kinds();
    let rigid = (0..kinds.len()).filter(|&k| kinds[k].semi_axes != [0.0; 3]).collect();
    let setup = Setup::new(&record, &source, rigid, fluid, axis, config.bodies.average_from).map_err(within)?;
    // Before the slow part.
    let _checked = config.planes().map_err(within)?;
    let series = series::reduce(&setup, &source, &mut left_out)?;
    let averages = tables::averages(run, &setup, &series);
    let mut output = arguments.place.output();
    tables::write(&setup, &series, &averages, &mut output)?;
    figures::write(&setup, &series, &averages, &mut output)?;
    if let (Some(nodes), Some(speed)) = (&setup.fluid.nodes, &series.speed) {
        let planes = config.planes_in(nodes).map_err(within)?;
        figures::sections(&setup, &series, nodes, speed, &planes, &mut output)?;
    }
    means::publish::<BodyKind>(&averages, run_state, &left_out, &mut output)?;
    Ok(Exit::Done)
}

/// The axis of the pressure gradient, or else that along which walls move, or else that along which bodies move fastest
/// in the last dump.
fn main_axis(record: &RunRecord, source: &BodyReader) -> Result<Option<usize>> {
    if let Some(axis) = driven_axis(record) {
        return Ok(Some(axis));
    }
    let frame = source.frame(source.steps().len() - 1)?;
    Ok(largest_component(frame.velocity.iter().map(|u| u.map(f64::from)).fold([0.0; 3], plus)))
}
