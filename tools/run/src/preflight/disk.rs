//! How much room on disk a run takes: of what is known to grow, before it is compressed.

use hematite_engine::Figure;

use crate::cadence::Times;
use crate::config::DumpConfig;
use crate::setup::Setup;

/// Vertices of 3-D dumps of cells: position in f64, velocity and force in f32.
const VERTEX: f64 = 3.0 * (8.0 + 4.0 + 4.0);
/// Bytes a value of a vertex in checkpoints: positions, drifts and images of cells, about.
const STATE: f64 = 3.0 * (8.0 + 4.0);
/// Moments that are counted one by one.
const COUNTED: u64 = 100_000;

/// What dumps and checkpoints take.
pub fn figures(setup: &Setup, last: u64) -> Vec<Figure> {
    let nodes = setup.ground.header.nodes as f64;
    let value = if setup.is_double() { 8.0 } else { 4.0 };
    let of_dump = |dump: &DumpConfig| {
        let components: usize = setup.fields_of(dump).unwrap_or_default().iter().map(|field| field.components()).sum();
        let count = moments(setup, &dump.times(), last);
        let is_part = dump.region != Default::default();
        let note = format!(
            "{} dump{} of {components} values a node, {} before compression",
            count,
            if count == 1 { "" } else { "s" },
            if is_part { "at most" } else { "about" }
        );
        let bytes = count as f64 * nodes * components as f64 * value;
        Figure::new("disk", bytes, "B").of(format!("dumps \"{}\"", dump.name)).noted(note)
    };
    let mut figures: Vec<Figure> = setup.config.dumps.iter().map(of_dump).collect();
    let vertices: f64 = setup
        .ground
        .populations
        .iter()
        .filter(|population| population.rigid.is_none())
        .map(|population| (population.cells.len() * population.surface.vertices.len()) as f64)
        .sum();
    let cells = (vertices > 0.0).then_some(("cells", vertices * VERTEX));
    let others = setup.planned.iter().map(|physics| (physics.name(), physics.dump_bytes()));
    for (members, bytes) in cells.into_iter().chain(others.filter(|(_, bytes)| *bytes > 0.0)) {
        figures.push(of_members(setup, members, bytes, last));
    }
    let nodes = setup.nodes();
    let state = setup.planned.iter().map(|physics| physics.state_bytes(nodes)).sum::<f64>() + vertices * STATE;
    let note = "about, before compression; the newest ones are kept";
    figures.push(Figure::new("disk", state, "B").of("a checkpoint").noted(note));
    figures
}

/// What dumps of members take, of which one takes so many bytes.
fn of_members(setup: &Setup, members: &str, bytes: f64, last: u64) -> Figure {
    let times = setup.config.cell_dumps.clone().unwrap_or_default();
    let start = u64::from(times.due(&setup.clock, 0, true) && !times.due(&setup.clock, 0, false));
    let count = moments(setup, &times, last) + start;
    let note = format!("{count} dump{}, about, before compression", if count == 1 { "" } else { "s" });
    Figure::new("disk", count as f64 * bytes, "B").of(format!("dumps of {members}")).noted(note)
}

/// How many moments of a run are due after its start.
fn moments(setup: &Setup, times: &Times, last: u64) -> u64 {
    let (mut step, mut count) = (0, u64::from(times.at.iter().any(|at| at.is_met_by(&setup.clock, 0))));
    while let Some(next) = times.next(&setup.clock, step).filter(|&next| next <= last) {
        (step, count) = (next, count + 1);
        if count == COUNTED {
            // They go on as they did.
            return (count as f64 * last as f64 / step as f64) as u64;
        }
    }
    count
}
