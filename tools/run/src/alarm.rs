//! What a run warns of: flows that are too fast for the lattice or for what is prescribed, and outlets that suck in.

use hematite_geometry::OpeningKind;
use hematite_units::groups;

use crate::directions::lets_in;
use crate::measured::Look;
use crate::setup::Setup;
use crate::suspended::Suspended;

/// Above this Mach number errors of compressibility, which grow with its square, exceed some percent.
const MACH: f64 = 0.1;
/// Above so many times the speed that is prescribed or expected.
const TIMES: f64 = 10.0;
/// Above this share of backflow an outlet lets in over most of its area.
const BACKFLOW: f64 = 0.5;
/// Slower backflow, over the expected speed, is none.
const SLOW: f64 = 0.01;
/// Above this share of what came in, what walls gave or took is part of the flow.
const LEAK: f64 = 0.02;

/// Above this share of turns in which cells or bodies of a feeder find no room, fewer come in than were asked for.
const LATE: f64 = 0.1;
/// So many turns tell of that.
const TURNS: u64 = 10;

/// A warning: said once of each kind.
pub struct Alarm {
    /// What tells it from others: "mach", "speed", "backflow:OPENING", "walls", "inflow:OPENING", "checkpoint".
    pub kind: String,
    /// What to say.
    pub text: String,
}

/// What there is to say of a `damaged` checkpoint, in words, that a run passed over to go on from `step`.
pub fn of_checkpoint(damaged: &str, step: u64) -> Alarm {
    Alarm { kind: "checkpoint".to_owned(), text: format!("{damaged}: going on from step {step}") }
}

/// What there is to say of the fluid's largest speed, lattice units, after `step` steps.
pub fn of_speed(setup: &Setup, step: u64, speed: f64) -> Vec<Alarm> {
    let (mut alarms, unit) = (Vec::new(), setup.plan.units.velocity());
    let mach = groups::mach(speed);
    let fast = speed * unit;
    if mach > MACH {
        alarms.push(Alarm {
            kind: "mach".to_owned(),
            text: format!(
                "at step {step} the fluid's largest speed is {fast:.3e} m/s, Mach {mach:.2} on the lattice: above Mach {MACH} \
                 errors of compressibility exceed some percent; a shorter time step than {:.3e} s lowers it",
                setup.plan.units.dt
            ),
        });
    }
    if let Some(expected) = setup.expected.as_ref().filter(|expected| speed > TIMES * expected.speed) {
        alarms.push(Alarm {
            kind: "speed".to_owned(),
            text: format!(
                "at step {step} the fluid's largest speed is {fast:.3e} m/s, {:.0} times the {:.3e} m/s {}: unless the vessel is that \
                 much narrower somewhere, the flow is not what was meant",
                speed / expected.speed,
                expected.speed * unit,
                expected.from
            ),
        });
    }
    alarms
}

/// What there is to say of walls that give or take mass, by what came in through each opening and, last, at walls since the start.
pub fn of_walls(setup: &Setup, step: u64, came_in: &[f64]) -> Option<Alarm> {
    let (walls, openings) = came_in.split_last().filter(|_| setup.plan.walls_give_mass())?;
    let inflow: f64 = openings.iter().filter(|mass| **mass > 0.0).sum();
    (inflow > 0.0 && walls.abs() > LEAK * inflow).then(|| Alarm {
        kind: "walls".to_owned(),
        text: format!(
            "at step {step} the walls have {} {:.1} % of the mass that came in (in_kg:walls in ledger.csv): \"{}\" walls do not keep \
             mass where gaps and obstacles are a few spacings wide; take a finer lattice, or \"half_way\", which keeps it",
            if *walls < 0.0 { "taken" } else { "given" },
            100.0 * walls.abs() / inflow,
            setup.plan.wall_method().name()
        ),
    })
}

/// What there is to say of openings at a line of the ledger.
pub fn of_openings(setup: &Setup, look: &Look) -> Vec<Alarm> {
    let row = setup.plan.row(look.step);
    let slow = SLOW * setup.expected.as_ref().map_or(0.0, |expected| expected.speed);
    let openings = setup.header.openings.iter().zip(&look.passing).enumerate();
    let alarm = |(k, (opening, passing)): (usize, (&hematite_case::OpeningHeader, &_))| {
        let passing: &hematite_solver::lattice_boltzmann::Passing = passing;
        if opening.kind == OpeningKind::Wall || lets_in(setup, &row, k) != Some(false) || look.fluid.speed <= slow {
            return None;
        }
        let share = passing.backflow(Some(false));
        (share > BACKFLOW).then(|| Alarm {
            kind: format!("backflow:{}", opening.name),
            text: format!(
                "at step {} fluid comes in over {:.0} % of opening \"{}\", which is prescribed to let out (mean velocity into the \
                 domain {:.3e} m/s): lengthen the vessel in front of it, or look at pressures and \"ramp\"",
                look.step,
                100.0 * share,
                opening.name,
                passing.flow() / opening.area * setup.plan.units.velocity()
            ),
        })
    };
    openings.filter_map(alarm).collect()
}

/// What there is to say of feeders after `step` steps.
pub fn of_feeders(setup: &Setup, step: u64, suspended: &Suspended) -> Vec<Alarm> {
    let what = suspended.name();
    let alarm = |&(opening, entered, late): &(usize, u64, u64)| {
        let (name, turns) = (&setup.header.openings[opening].name, entered + late);
        (turns >= TURNS && late as f64 > LATE * turns as f64).then(|| Alarm {
            kind: format!("inflow:{name}"),
            text: format!(
                "at step {step} {late} of the {turns} {what} that were to come in through opening \"{name}\" have not found room there: \
                 the hematocrit that comes in is {:.0} % of what was asked for; ask for less by {what}.inflow.{name}.hematocrit, or \
                 widen the vessel there",
                100.0 * entered as f64 / turns as f64
            ),
        })
    };
    suspended.feeders().iter().filter_map(alarm).collect()
}
