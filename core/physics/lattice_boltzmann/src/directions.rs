//! Whether openings are prescribed to let fluid in or out.

use hematite_geometry::OpeningKind;

use crate::Row;
use crate::config::Profile;
use crate::scene::Scene;

/// Whether opening `k` is prescribed to let fluid in (or out) at the time step whose row is `row`; none where nothing says so.
///
/// A velocity opening does as its mean velocity or flow rate says, one with an oscillating profile says nothing. Outlets with a
/// resistance or a Windkessel let out. Other pressure openings let out where velocity openings let in
/// more than out, if none has a lower pressure; and without velocity openings, where all pressures are steady, those of the
/// lowest pressure let out and those of the highest let in.
pub fn lets_in(scene: &Scene, row: &Row, k: usize) -> Option<bool> {
    let openings = &scene.header.openings;
    let terms = row.openings.len() / openings.len();
    let value = |k: usize| row.openings[k * terms];
    let of_kind = |kind: OpeningKind| (0..openings.len()).filter(move |&k| openings[k].kind == kind);
    match openings[k].kind {
        OpeningKind::Wall => None,
        OpeningKind::Velocity => sign(inflow(scene, row, k)?),
        OpeningKind::Pressure if follows_the_flow(scene, k) => Some(false),
        OpeningKind::Pressure => {
            let pressures = || of_kind(OpeningKind::Pressure).map(value);
            let (lowest, highest) = (pressures().fold(f64::MAX, f64::min), pressures().fold(f64::MIN, f64::max));
            let own = value(k);
            if of_kind(OpeningKind::Velocity).next().is_some() {
                let inflows = of_kind(OpeningKind::Velocity).map(|k| inflow(scene, row, k));
                let total: f64 = inflows.sum::<Option<f64>>()?;
                return (total > 0.0 && own <= lowest).then_some(false);
            }
            let steady = of_kind(OpeningKind::Pressure).all(|k| scene.plan.is_steady(k));
            match steady && lowest < highest {
                true if own == lowest => Some(false),
                true if own == highest => Some(true),
                _ => None,
            }
        }
    }
}

/// The flow rate prescribed at a velocity opening, into the domain, m3/s or, in 2-D, m2/s; none where a table says it.
fn inflow(scene: &Scene, row: &Row, k: usize) -> Option<f64> {
    let opening = &scene.header.openings[k];
    let condition = scene.conditions.get(&opening.name)?;
    let dx = scene.header.spacing;
    let area = opening.area * if scene.header.set.dimension() == 3 { dx * dx } else { dx };
    let mean = condition.flow_rate.map(|rate| rate.si()).or(condition.velocity.map(|speed| speed.si() * area))?;
    let terms = row.openings.len() / scene.header.openings.len();
    // An oscillating profile has several factors, none of which is the flow rate.
    (condition.profile != Profile::Womersley).then(|| mean * row.openings[k * terms])
}

/// Whether the pressure of opening `k` follows from the flow out.
fn follows_the_flow(scene: &Scene, k: usize) -> bool {
    let condition = scene.conditions.get(&scene.header.openings[k].name);
    condition.is_some_and(|condition| condition.resistance.is_some() || condition.windkessel.is_some())
}

fn sign(flow: f64) -> Option<bool> {
    (flow != 0.0).then_some(flow > 0.0)
}
