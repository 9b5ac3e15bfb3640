//! How much room on disk a run takes: of what is known to grow, before it is compressed.

use hematite_engine::{Figure, Precision};

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
    if vertices > 0.0 {
        let first = || setup.config.dumps.first().map(DumpConfig::times).unwrap_or_default();
        let times = setup.config.cell_dumps.clone().unwrap_or_else(first);
        let count = moments(setup, &times, last) + 1;
        let note = format!("{count} dumps, about, before compression");
        figures.push(Figure::new("disk", count as f64 * vertices * VERTEX, "B").of("dumps of cells").noted(note));
    }
    let population = match setup.precision() {
        Precision::F16 => 2.0,
        Precision::F32 => 4.0,
        Precision::F64 => 8.0,
    };
    let state = setup.nodes() as f64 * setup.ground.header.set.q() as f64 * population + vertices * STATE;
    let note = "about, before compression; the newest ones are kept";
    figures.push(Figure::new("disk", state, "B").of("a checkpoint").noted(note));
    figures
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
