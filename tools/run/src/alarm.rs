//! What a run warns of beside what physics warn of: members that find no room where they come in, and damaged checkpoints.

use hematite_engine::{Alarm, Fed};

use crate::setup::Setup;
use crate::system::System;

/// Above this share of turns in which members of a feeder find no room, fewer come in than were asked for.
const LATE: f64 = 0.1;
/// So many turns tell of that.
const TURNS: u64 = 10;

/// What there is to say of a `damaged` checkpoint, in words, that a run passed over to go on from `step`.
pub fn of_checkpoint(damaged: &str, step: u64) -> Alarm {
    Alarm { kind: "checkpoint".to_owned(), text: format!("{damaged}: going on from step {step}") }
}

/// What there is to say of feeders.
pub fn of_feeders(setup: &Setup, system: &System) -> Vec<Alarm> {
    let step = system.step();
    let alarm = |(what, fed): (&str, Fed)| {
        let (name, turns) = (&setup.ground.header.openings[fed.opening].name, fed.came + fed.late);
        (turns >= TURNS && fed.late as f64 > LATE * turns as f64).then(|| Alarm {
            kind: format!("inflow:{name}"),
            text: format!(
                "at step {step} {} of the {turns} {what} that were to come in through opening \"{name}\" have not found room there: \
                 the hematocrit that comes in is {:.0} % of what was asked for; ask for less by {what}.inflow.{name}.hematocrit, or \
                 widen the vessel there",
                fed.late,
                100.0 * fed.came as f64 / turns as f64
            ),
        })
    };
    let feeders =
        system.members().flat_map(|(what, members)| members.feeders().into_iter().map(move |fed| (what, fed)));
    feeders.filter_map(alarm).collect()
}
