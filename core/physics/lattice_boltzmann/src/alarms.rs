//! What is warned of: flows that are too fast for the lattice or for what is prescribed, fluid that is compressed, walls that give or
//! take mass, outlets that suck in, and flows that are not steady yet.

use hematite_case::OpeningHeader;
use hematite_engine::Alarm;
use hematite_geometry::OpeningKind;
use hematite_units::groups::{self, CS2};

use crate::Passing;
use crate::directions::lets_in;
use crate::ledger::Look;
use crate::scene::{Late, Mass, Scene};

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

/// Above this share of what comes in, what is stored over the second half of a run, or by how much the flow through an
/// opening differs between its last eighth and the one before, the flow is not steady yet.
const UNSTEADY: f64 = 0.1;

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

/// What there is to say, at the `last` line of the ledger, of a flow that is not steady yet; `late` holds the lines of
/// [`Late::SHARES`]. Nothing where what drives the flow keeps changing: the mass inside then swings without a fault.
pub(crate) fn of_unsteady_flow(scene: &Scene, late: &Late, last: &Mass) -> Option<Alarm> {
    let [half, three_quarters, seven_eighths] = late.lines.as_slice() else { return None };
    let openings: Vec<&str> = scene.header.openings.iter().map(|opening| opening.name.as_str()).collect();
    let alarm = || of_storage(half, last).or_else(|| of_change(&openings, [three_quarters, seven_eighths, last]));
    scene.plan.is_steady_throughout().then(alarm).flatten()
}

/// What there is to say of fluid that came in since the line `half` and has not gone out at the `last` line.
fn of_storage(half: &Mass, last: &Mass) -> Option<Alarm> {
    let passed = last.through.iter().zip(&half.through).map(|(last, first)| last - first);
    let inflow: f64 = passed.filter(|mass| *mass > 0.0).sum();
    let stored = last.inside - half.inside;
    (inflow > 0.0 && stored.abs() > UNSTEADY * inflow).then(|| Alarm {
        kind: "storage".to_owned(),
        text: format!(
            "from step {} to {} the mass inside has {} by {:.0} % of what came in: what goes out is not yet what comes in. This fluid \
             is compressible, so that pressure takes its time to build up along narrow vessels; run on, or take a shorter time step. Where \
             every opening prescribes a velocity, what comes in and goes out has to be the same",
            half.step,
            last.step,
            if stored > 0.0 { "grown" } else { "fallen" },
            100.0 * stored.abs() / inflow
        ),
    })
}

/// What there is to say of the opening whose mean flow differs most between the times from the first line to the second
/// and from the second to the third.
fn of_change(openings: &[&str], [first, second, third]: [&Mass; 3]) -> Option<Alarm> {
    let rates = |from: &Mass, to: &Mass| -> Vec<f64> {
        let steps = to.step.saturating_sub(from.step) as f64;
        from.through.iter().zip(&to.through).map(|(from, to)| (to - from) / steps).collect()
    };
    let (before, after) = (rates(first, second), rates(second, third));
    let inflow = |rates: &[f64]| rates.iter().filter(|rate| **rate > 0.0).sum::<f64>();
    let inflow = inflow(&before).max(inflow(&after));
    let changes = openings.iter().zip(before.iter().zip(&after).map(|(before, after)| after - before));
    let (opening, change) = changes.max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()))?;
    // No line may lie between two of these times; rates are no numbers then.
    (inflow.is_finite() && change.abs() > UNSTEADY * inflow).then(|| Alarm {
        kind: "unsteady".to_owned(),
        text: format!(
            "the mean flow through opening \"{}\" differs between steps {} to {} and {} to {} by {:.0} % of what comes in: the flow still \
             changes, or swings as pressure waves run to and fro. Run on; if it swings, give the run a longer \"ramp\"",
            opening,
            first.step,
            second.step,
            second.step,
            third.step,
            100.0 * change.abs() / inflow
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A line with as much inside, and as much through an inlet and an outlet since the start.
    fn line(step: u64, inside: f64, through: [f64; 2]) -> Mass {
        Mass { step, inside, through: through.to_vec() }
    }

    #[test]
    fn what_is_stored_is_told() {
        let half = line(100, 10.0, [5.0, -3.0]);
        let told = of_storage(&half, &line(200, 11.0, [10.0, -7.0])).expect("told");
        assert!(told.text.contains("from step 100 to 200 the mass inside has grown by 20 %"), "{}", told.text);
        assert!(of_storage(&half, &line(200, 10.4, [10.0, -7.6])).is_none());
    }

    #[test]
    fn a_flow_that_changes_is_told_and_one_without_lines_between_is_not() {
        let lines = [line(600, 9.0, [6.0, -5.0]), line(700, 9.0, [7.0, -6.0]), line(800, 9.0, [8.0, -7.2])];
        let told = of_change(&["in", "out"], lines.each_ref()).expect("told");
        assert!(
            told.text.contains("opening \"out\" differs between steps 600 to 700 and 700 to 800 by 20 %"),
            "{}",
            told.text
        );
        let steady = line(800, 9.0, [8.0, -7.05]);
        assert!(of_change(&["in", "out"], [&lines[0], &lines[1], &steady]).is_none());
        assert!(of_change(&["in", "out"], [&lines[1], &lines[1], &lines[2]]).is_none());
        assert!(of_change(&["in", "out"], [&lines[0], &lines[1], &lines[1]]).is_none());
    }
}
