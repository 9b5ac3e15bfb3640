//! Warnings of a run beside those of physics: members that find no room where they come in, or that are to come in where
//! the fluid leaves, damaged checkpoints, and output that was lost.

use hematite_engine::{Alarm, Fed, Mass};

use crate::cadence::StepsOrTime;
use crate::setup::Setup;
use crate::system::System;

/// Share of entries without room above which a run warns that fewer members come in than were asked for.
const LATE: f64 = 0.1;
/// Least number of entries for that warning.
const ENTRIES: u64 = 10;
/// Share of the mass inside that has left through an opening, net, above which it is told that nothing comes in there:
/// where nothing came in yet, and where something did, as at the start of a column of cells.
const LEFT: [f64; 2] = [1e-3, 1e-2];

/// The warning that a run skips a checkpoint, for the reason `damaged`, and restarts from `step`.
pub fn of_checkpoint(damaged: &str, step: u64) -> Alarm {
    Alarm { kind: "checkpoint".to_owned(), text: format!("{damaged}: going on from step {step}") }
}

/// The warning that a run goes on from `step` although output files `lost` what it had written.
pub fn of_loss(lost: &str, step: u64) -> Alarm {
    Alarm { kind: "lost_output".to_owned(), text: format!("{lost}: going on from step {step} without") }
}

/// Warnings at the end of a run of dumps that were never due. Where steps have one length, they are refused or told before
/// the run.
pub fn of_dumps(setup: &Setup, system: &System) -> Vec<Alarm> {
    let (step, clock) = (system.step(), system.clock());
    let not_due = |at: &StepsOrTime| match *at {
        StepsOrTime::Steps(at) => at > step,
        StepsOrTime::Time(at) => !clock.has_reached(at.si(), step),
    };
    let alarm = |(key, at): (String, StepsOrTime)| Alarm {
        kind: format!("dump:{key}"),
        text: format!(
            "{key}: the run ended at step {step}, {:.6e} s, before the dump at {}: take more steps, or an earlier dump",
            clock.at(step),
            at.as_moment()
        ),
    };
    if setup.longest.is_none() {
        return Vec::new();
    }
    let has_members = system.members().next().is_some();
    let moments = setup.config.moments().into_iter().filter(|(key, _)| has_members || !key.starts_with("cell_dumps"));
    moments.filter(|(_, at)| not_due(at)).map(alarm).collect()
}

/// Warnings of members that find no room where they come in.
pub fn of_feeders(setup: &Setup, system: &System) -> Vec<Alarm> {
    let step = system.step();
    let alarm = |(what, fed): (&str, Fed)| {
        let (name, entries) = (&setup.ground.header.openings[fed.opening].name, fed.came + fed.late);
        (entries >= ENTRIES && fed.late as f64 > LATE * entries as f64).then(|| Alarm {
            kind: format!("inflow:{what}:{name}"),
            text: format!(
                "at step {step} {} of the {entries} {what} that were to come in through opening \"{name}\" have not found room there: \
                 the hematocrit that comes in is {:.0} % of what was asked for; ask for less by {what}.inflow.{name}.hematocrit, or \
                 widen the vessel there",
                fed.late,
                100.0 * fed.came as f64 / entries as f64
            ),
        })
    };
    feeders(system).filter_map(alarm).collect()
}

/// Warnings of members that are to come in where the fluid leaves. `mass`: that of the system's step.
pub fn of_outflow(setup: &Setup, system: &System, mass: &Mass) -> Vec<Alarm> {
    let (step, entries) = (system.step(), setup.entries());
    let alarm = |(what, fed): (&str, Fed)| {
        let name = &setup.ground.header.openings[fed.opening].name;
        let through = entries.iter().zip(&mass.through).find(|(entry, _)| *entry == name).map_or(0.0, |(_, kg)| *kg);
        let left = LEFT[usize::from(fed.came + fed.late > 0)];
        (through < -left * mass.inside).then(|| Alarm {
            kind: format!("outflow:{what}:{name}"),
            text: format!(
                "at step {step} {:.3e} kg of the fluid has left through opening \"{name}\", net of what came in: no {what} come in \
                 there while it does. Name the openings through which the fluid comes in by {what}.inflow",
                -through
            ),
        })
    };
    feeders(system).filter_map(alarm).collect()
}

/// What comes in, by physics and opening.
fn feeders(system: &System) -> impl Iterator<Item = (&'static str, Fed)> {
    system.members().flat_map(|(what, members)| members.feeders().into_iter().map(move |fed| (what, fed)))
}
