//! The outlets whose pressure follows from the flow, in checkpoints.

use hematite_config::{Fault, Result};
use serde::{Deserialize, Serialize};

use super::{Outlet, OutletState, Outlets};

/// The state of an outlet whose pressure follows from the flow, lattice units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutletRecord {
    /// Its name.
    pub name: String,
    /// Steps from one measurement of its flow to the next.
    pub every: u64,
    /// What had come in when its flow was measured last, as the ledger on the device counts.
    pub came_in: i64,
    /// Flow rate then.
    pub flow: f64,
    /// Pressure in its compliance then.
    pub stored: f64,
    /// Whether it had a compliance. Checkpoints of earlier versions do not say so.
    #[serde(default)]
    pub has_compliance: Option<bool>,
    /// Pressures at the outlet then and when the flow is measured next.
    pub pressure: [f64; 2],
    /// Pressure and flow as a wave along the vessel then, and its trend.
    pub wave: [f64; 2],
}

/// Their states, as a checkpoint keeps them.
pub fn records(outlets: &Outlets) -> Vec<OutletRecord> {
    let record = |(outlet, state): &(Outlet, OutletState)| OutletRecord {
        name: outlet.name.clone(),
        every: outlets.every(),
        came_in: state.came_in,
        flow: state.flow,
        stored: state.stored,
        has_compliance: Some(outlet.law.storage.is_some()),
        pressure: state.pressure,
        wave: state.wave,
    };
    outlets.list.iter().map(record).collect()
}

/// Takes up the states that a checkpoint keeps, which `source` names. A compliance that is new begins as the config says.
///
/// # Errors
/// A usage fault where the run had other outlets.
pub fn restore(outlets: &mut Outlets, records: &[OutletRecord], source: &str) -> Result<()> {
    let before: Vec<&str> = records.iter().map(|record| record.name.as_str()).collect();
    let now: Vec<&str> = outlets.names().collect();
    if before != now {
        return Err(Fault::usage(format!(
            "{source}: it keeps the state of other outlets with a resistance or Windkessel, at [{}], than this run has, at [{}]: restart \
             with the same \"openings\", or begin anew",
            before.join(", "),
            now.join(", ")
        )));
    }
    if let Some(other) = records.iter().find(|record| record.every != outlets.every()) {
        return Err(Fault::usage(format!(
            "{source}: flows of outlets were measured every {} steps, with these resistances they are every {}: restart with resistances \
             closer to the old ones, or begin anew",
            other.every,
            outlets.every()
        )));
    }
    for ((outlet, state), record) in outlets.list.iter_mut().zip(records) {
        *state = OutletState {
            came_in: record.came_in,
            flow: record.flow,
            stored: if record.has_compliance == Some(false) { outlet.law.initial() } else { record.stored },
            pressure: record.pressure,
            wave: record.wave,
        };
    }
    Ok(())
}
