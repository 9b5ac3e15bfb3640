//! Warnings of a run beside those of physics: members that find no room where they come in, and damaged checkpoints.

use hematite_engine::{Alarm, Fed};

use crate::setup::Setup;
use crate::system::System;

/// Share of entries without room above which a run warns that fewer members come in than were asked for.
const LATE: f64 = 0.1;
/// Least number of entries for that warning.
const ENTRIES: u64 = 10;

/// The warning that a run skips a checkpoint, for the reason `damaged`, and restarts from `step`.
pub fn of_checkpoint(damaged: &str, step: u64) -> Alarm {
    Alarm { kind: "checkpoint".to_owned(), text: format!("{damaged}: going on from step {step}") }
}

/// Warnings of members that find no room where they come in.
pub fn of_feeders(setup: &Setup, system: &System) -> Vec<Alarm> {
    let step = system.step();
    let alarm = |(what, fed): (&str, Fed)| {
        let (name, entries) = (&setup.ground.header.openings[fed.opening].name, fed.came + fed.late);
        (entries >= ENTRIES && fed.late as f64 > LATE * entries as f64).then(|| Alarm {
            kind: format!("inflow:{name}"),
            text: format!(
                "at step {step} {} of the {entries} {what} that were to come in through opening \"{name}\" have not found room there: \
                 the hematocrit that comes in is {:.0} % of what was asked for; ask for less by {what}.inflow.{name}.hematocrit, or \
                 widen the vessel there",
                fed.late,
                100.0 * fed.came as f64 / entries as f64
            ),
        })
    };
    let feeders =
        system.members().flat_map(|(what, members)| members.feeders().into_iter().map(move |fed| (what, fed)));
    feeders.filter_map(alarm).collect()
}
