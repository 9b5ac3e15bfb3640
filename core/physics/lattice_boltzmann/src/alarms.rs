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

/// Above this share of what comes in over the second half of a run, what is stored then, or the amplitude of the flow through
/// an opening in the last quarter, the flow is not steady.
const UNSTEADY: f64 = 0.1;

/// Share of the mass inside below which what is stored may be rounding.
const ROUNDING: f64 = 1e-6;

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
    let inflow = inflow(openings);
    let is_due = inflow > EXCHANGED * line.inside || done == 1.0;
    let is_much = is_due && inflow > 0.0 && walls.abs() > LEAK * inflow && walls.abs() > LOSS * line.inside;
    (is_much && line.step > scene.settles())
        .then(|| leaking_walls(scene, &format!("at step {}", line.step), *walls, inflow))
}

/// The alarm of walls that gave or took the mass `walls` while `inflow` came in.
fn leaking_walls(scene: &Scene, when: &str, walls: f64, inflow: f64) -> Alarm {
    Alarm {
        kind: "walls".to_owned(),
        text: format!(
            "{when} the walls have {} {:.1} % of the mass that came in (in_kg:walls in ledger.csv): \"{}\" walls do not keep \
             mass where vessels, gaps or obstacles are a few spacings wide; take a finer lattice, or \"half_way\", which keeps it",
            if walls < 0.0 { "taken" } else { "given" },
            100.0 * walls.abs() / inflow,
            scene.plan.wall_method().name()
        ),
    }
}

/// What comes in of what passes through openings.
fn inflow(through: &[f64]) -> f64 {
    through.iter().filter(|mass| **mass > 0.0).sum()
}

/// What there is to say, at the `last` line of the ledger, of the second half of a run whose flow should be steady: it is
/// not, or its walls give or take mass. Nothing where what drives the flow keeps changing: the mass inside then swings
/// without a fault.
pub(crate) fn of_second_half(scene: &Scene, late: &Late, last: &Mass) -> Option<Alarm> {
    let half = late.half.as_ref().filter(|_| scene.plan.is_steady_throughout())?;
    let openings: Vec<&str> = scene.header.openings.iter().map(|opening| opening.name.as_str()).collect();
    let flows = last.flows_since(half);
    let through = &flows[..openings.len().min(flows.len())];
    let unsteady = of_storage(through, half, last).or_else(|| of_swings(&openings, through, &late.swings));
    if unsteady.is_some() || last.step <= scene.settles() || !scene.plan.walls_give_mass() {
        return unsteady;
    }
    let (walls, inflow) = (*flows.last()?, inflow(through));
    let when = format!("from step {} to {}", half.step, last.step);
    (inflow > 0.0 && walls.abs() > LEAK * inflow).then(|| leaking_walls(scene, &when, walls, inflow))
}

/// What there is to say of fluid that came in since the line `half` and has not gone out at the `last` line. `flows`: the
/// mean flow through each opening meanwhile.
fn of_storage(flows: &[f64], half: &Mass, last: &Mass) -> Option<Alarm> {
    let came_in = inflow(flows) * (last.step - half.step) as f64;
    let stored = last.inside - half.inside;
    (came_in > 0.0 && stored.abs() > (UNSTEADY * came_in).max(ROUNDING * last.inside)).then(|| Alarm {
        kind: "storage".to_owned(),
        text: format!(
            "from step {} to {} the mass inside has {} by {:.0} % of what came in: what goes out is not yet what comes in. This fluid \
             is compressible, so that pressure takes its time to build up along narrow vessels; run on, or take a shorter time step. Where \
             every opening prescribes a velocity, what comes in and goes out has to be the same",
            half.step,
            last.step,
            if stored > 0.0 { "grown" } else { "fallen" },
            100.0 * stored.abs() / came_in
        ),
    })
}

/// What there is to say of the opening whose flow swings most in the last quarter of the run, where `flows` are the mean
/// flows of its second half.
fn of_swings(openings: &[&str], flows: &[f64], swings: &[[f64; 2]]) -> Option<Alarm> {
    let inflow = inflow(flows);
    let width = |[least, largest]: &[f64; 2]| largest - least;
    let (opening, swing) = openings.iter().zip(swings).max_by(|(_, a), (_, b)| width(a).total_cmp(&width(b)))?;
    (inflow > 0.0 && width(swing) > 2.0 * UNSTEADY * inflow).then(|| {
        let mut shares = swing.map(|flow| 100.0 * flow.abs() / inflow);
        shares.sort_by(f64::total_cmp);
        Alarm {
            kind: "unsteady".to_owned(),
            text: format!(
                "in the last quarter of the run the flow through opening \"{opening}\" varies between {:.0} and {:.0} % of the mean flow \
                 that comes in: it still changes, or swings as pressure waves run to and fro in this compressible fluid. Run on; if it \
                 swings, give what drives it a longer \"ramp\". Dense cells in narrow vessels let it vary for good",
                shares[0], shares[1]
            ),
        }
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

    /// What is noted of `lines` of a run of 1000 steps.
    fn noted(lines: &[Mass]) -> Late {
        let mut late = Late::default();
        lines.iter().for_each(|line| late.note(line, line.step as f64 / 1000.0));
        late
    }

    #[test]
    fn what_is_stored_is_told_from_the_first_line_of_the_second_half_or_the_one_before_the_last() {
        for step in [600, 100] {
            let lines = [line(0, 9.0, [0.0; 2]), line(step, 10.0, [5.0, -3.0]), line(1000, 11.0, [10.0, -7.0])];
            let half = noted(&lines).half.expect("a line");
            let told = of_storage(&lines[2].flows_since(&half), &half, &lines[2]).expect("told");
            let text = format!("from step {step} to 1000 the mass inside has grown by 20 %");
            assert!(told.text.contains(&text), "{}", told.text);
            let even = line(1000, 10.4, [10.0, -7.6]);
            assert!(of_storage(&even.flows_since(&half), &half, &even).is_none());
        }
    }

    #[test]
    fn a_flow_that_swings_is_told_even_where_its_means_are_steady() {
        let run = |swing: f64| {
            let out = |k: u64| -(k as f64) - if k % 2 == 1 { swing } else { 0.0 };
            let lines: Vec<Mass> = (0..=20).map(|k| line(50 * k, 9.0, [k as f64, out(k)])).collect();
            let late = noted(&lines);
            let flows = lines[20].flows_since(late.half.as_ref().expect("a line"));
            of_swings(&["in", "out"], &flows, &late.swings)
        };
        let told = run(0.3).expect("told");
        assert!(told.text.contains("opening \"out\" varies between 70 and 130 %"), "{}", told.text);
        assert!(run(0.05).is_none());
    }
}
