//! The outlets whose pressure follows from the flow, in checkpoints.

use std::path::Path;

use hematite_config::{Fault, Result};
use hematite_dump::OutletRecord;
use physics_lattice_boltzmann::{OutletState, Outlets};

/// Their states, as a checkpoint keeps them.
pub fn records(outlets: &Outlets) -> Vec<OutletRecord> {
    let record = |(name, state): (&str, &OutletState)| OutletRecord {
        name: name.to_owned(),
        every: outlets.every(),
        came_in: state.came_in,
        flow: state.flow,
        stored: state.stored,
        pressure: state.pressure,
        wave: state.wave,
    };
    outlets.names().zip(outlets.states()).map(record).collect()
}

/// Takes up the states that the checkpoint at `path` keeps.
///
/// # Errors
/// A usage fault where the run had other outlets.
pub fn restore(outlets: &mut Outlets, records: &[OutletRecord], path: &Path) -> Result<()> {
    let before: Vec<&str> = records.iter().map(|record| record.name.as_str()).collect();
    let now: Vec<&str> = outlets.names().collect();
    if before != now || records.iter().any(|record| record.every != outlets.every()) {
        return Err(Fault::usage(format!(
            "{}: it keeps the state of other outlets with a resistance or Windkessel, at [{}], than this run has, at [{}]: restart with \
             the same \"openings\", or begin anew",
            path.display(),
            before.join(", "),
            now.join(", ")
        )));
    }
    let state = |record: &OutletRecord| OutletState {
        came_in: record.came_in,
        flow: record.flow,
        stored: record.stored,
        pressure: record.pressure,
        wave: record.wave,
    };
    outlets.restore(&records.iter().map(state).collect::<Vec<_>>());
    Ok(())
}
