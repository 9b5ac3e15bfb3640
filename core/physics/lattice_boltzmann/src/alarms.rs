//! What is warned of: flows that are too fast for the lattice or for what is prescribed, fluid that is compressed, walls that give or
//! take mass, outlets that suck in, and flows that are not steady yet.

use hematite_case::OpeningHeader;
use hematite_engine::Alarm;
use hematite_geometry::OpeningKind;
use hematite_units::groups::{self, CS2};

use crate::Passing;
use crate::directions::lets_in;
use crate::ledger::Look;
use crate::scene::{Mass, Scene};

/// Above this Mach number errors of compressibility, which grow with its square, exceed some percent.
const MACH: f64 = 0.1;
/// Above this deviation over the density at rest, the fluid's compressibility changes the flow.
const COMPRESSED: f64 = 0.05;
/// Above so many times the speed that is prescribed or expected.
const TIMES: f64 = 10.0;
/// Above this share of backflow an outlet lets in over most of its area.
const BACKFLOW: f64 = 0.5;
/// Slower backflow, over the expected speed, is none.
const SLOW: f64 = 0.01;
/// Above this share of what came in, the mass that walls gave or took changes the flow.
const LEAK: f64 = 0.02;
/// It must also be above this share of the mass inside: any leak is a large share of what came in before much has.
const LOSS: f64 = 1e-3;
/// Until this share of the mass inside has come in, only the end of the run tells: walls give mass as pressure builds up.
const EXCHANGED: f64 = 0.1;

/// Above this share of what came in over the second half of a run, the flow is not steady yet.
const STORED: f64 = 0.1;
/// In fewer steps than these no flow becomes steady.
const SHORT: u64 = 1000;

/// What there is to say of the fluid's largest speed, lattice units, after `step` steps.
pub(crate) fn of_speed(scene: &Scene, step: u64, speed: f64) -> Vec<Alarm> {
    let (mut alarms, unit) = (Vec::new(), scene.plan.units.velocity());
    // Before the first step the speed is half a step of the cells' forces: no flow.
    if step == 0 {
        return alarms;
    }
    let mach = groups::mach(speed);
    let fast = speed * unit;
    if mach > MACH {
        alarms.push(Alarm {
            kind: "mach".to_owned(),
            text: format!(
                "at step {step} the fluid's largest speed is {fast:.3e} m/s, Mach {mach:.2} on the lattice: above Mach {MACH} \
                 errors of compressibility exceed some percent; a shorter time step than {:.3e} s lowers it",
                scene.plan.units.dt
            ),
        });
    }
    if let Some(expected) = scene.expected.as_ref().filter(|expected| speed > TIMES * expected.speed) {
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

/// What there is to say of the largest deviation of the fluid's density from that at rest, lattice units, after `step` steps.
pub(crate) fn of_density(scene: &Scene, step: u64, deviation: f64) -> Option<Alarm> {
    let units = &scene.plan.units;
    (deviation > COMPRESSED).then(|| Alarm {
        kind: "density".to_owned(),
        text: format!(
            "at step {step} the fluid's density differs from that at rest by {:.0} %, its pressure by {:.3e} Pa: this fluid is \
             compressible, and above {:.0} % what comes in collects instead of flowing on. If no such pressure was meant, look for what \
             blocks the flow: a narrow vessel, or cells that are packed. If it was, a shorter time step than \
             {:.3e} s makes the fluid stiffer, with its square",
            100.0 * deviation,
            CS2 * deviation * units.stress(),
            100.0 * COMPRESSED,
            units.dt
        ),
    })
}

/// What there is to say of walls that give or take mass, at a `line` of the ledger, when the share `done` of the run is.
pub(crate) fn of_walls(scene: &Scene, line: &Mass, done: f64) -> Option<Alarm> {
    let (walls, openings) = line.through.split_last().filter(|_| scene.plan.walls_give_mass())?;
    let (step, inflow) = (line.step, openings.iter().filter(|mass| **mass > 0.0).sum::<f64>());
    let is_due = inflow > EXCHANGED * line.inside || done == 1.0;
    let much = is_due && inflow > 0.0 && walls.abs() > LEAK * inflow && walls.abs() > LOSS * line.inside;
    (much && step > scene.settles()).then(|| Alarm {
        kind: "walls".to_owned(),
        text: format!(
            "at step {step} the walls have {} {:.1} % of the mass that came in (in_kg:walls in ledger.csv): \"{}\" walls do not keep \
             mass where vessels, gaps or obstacles are a few spacings wide; take a finer lattice, or \"half_way\", which keeps it",
            if *walls < 0.0 { "taken" } else { "given" },
            100.0 * walls.abs() / inflow,
            scene.plan.wall_method().name()
        ),
    })
}

/// What there is to say, at the `last` line of the ledger, of fluid that came in since the line `halfway` and has not gone out. Nothing
/// where what drives the flow keeps changing: the mass inside then swings without a fault.
pub(crate) fn of_storage(scene: &Scene, halfway: &Mass, last: &Mass) -> Option<Alarm> {
    let passed = last.through.iter().zip(&halfway.through).map(|(last, first)| last - first);
    let inflow: f64 = passed.filter(|mass| *mass > 0.0).sum();
    let stored = last.inside - halfway.inside;
    let long = last.step - halfway.step >= SHORT;
    (scene.plan.is_steady_throughout() && long && inflow > 0.0 && stored.abs() > STORED * inflow).then(|| Alarm {
        kind: "storage".to_owned(),
        text: format!(
            "from step {} to {} the mass inside has {} by {:.0} % of what came in: what goes out is not yet what comes in. This fluid \
             is compressible, so that pressure takes its time to build up along narrow vessels; run on, or take a shorter time step. Where \
             every opening prescribes a velocity, what comes in and goes out has to be the same",
            halfway.step,
            last.step,
            if stored > 0.0 { "grown" } else { "fallen" },
            100.0 * stored.abs() / inflow
        ),
    })
}

/// What there is to say of openings at a line of the ledger.
pub(crate) fn of_openings(scene: &Scene, look: &Look) -> Vec<Alarm> {
    if look.step <= scene.settles() {
        return Vec::new();
    }
    let row = scene.plan.row(look.step);
    let slow = SLOW * scene.expected.as_ref().map_or(0.0, |expected| expected.speed);
    let openings = scene.header.openings.iter().zip(&look.passing).enumerate();
    let alarm = |(k, (opening, passing)): (usize, (&OpeningHeader, &Passing))| {
        let inwards = passing.flow() / opening.area;
        if opening.kind == OpeningKind::Wall || lets_in(scene, &row, k) != Some(false) || inwards <= slow {
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
                inwards * scene.plan.units.velocity()
            ),
        })
    };
    openings.filter_map(alarm).collect()
}
