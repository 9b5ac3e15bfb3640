//! How a run ended and what became of its blood.

use std::fmt;
use std::path::Path;

use hematite_cells::ROUGH;
use hematite_config::Result;
use hematite_dump::{CellReader, EndState, Ledger, RunRecord, Timing};
use hematite_stats::cells::cells;
use hematite_stats::cells::shape::Shape;

/// Membranes drift by less than this share of their area and volume.
const DRIFT: f64 = 0.01;
/// Mass that no opening accounts for, over that inside, is less than this.
const LOST: f64 = 1e-6;

/// One line of the table.
pub struct Outcome {
    name: String,
    found: Option<Found>,
}

struct Found {
    nodes: u64,
    step: u64,
    steps: u64,
    end: Option<EndState>,
    reason: String,
    milliseconds: f64,
    cells: u64,
    came_in: u64,
    went_out: u64,
    largest_speed: f64,
    lost: f64,
    /// Of the mean area and volume of cells, the last dump over the second, less 1.
    drift: Option<[f64; 2]>,
    /// Share of cells in the last dump that have creases.
    creased: Option<f64>,
}

impl Outcome {
    /// What the run folder `run` holds.
    pub fn read(name: &str, run: &Path) -> Self {
        Self { name: name.to_owned(), found: found(run).ok() }
    }

    /// Failed, or done with so many time steps: there is nothing to go on with.
    pub fn is_over(&self, steps: u64) -> bool {
        self.found.as_ref().is_some_and(|found| match found.end {
            Some(EndState::Failed) => true,
            Some(EndState::Done) => found.step >= steps,
            Some(EndState::Stopped) | None => false,
        })
    }

    /// Whether all is well so far.
    pub fn sound(&self) -> bool {
        self.found.as_ref().is_none_or(|found| {
            let drifts = found.drift.is_some_and(|drift| drift.iter().any(|share| share.abs() >= DRIFT));
            found.end != Some(EndState::Failed) && found.lost < LOST && !drifts
        })
    }

    /// The table's first lines.
    pub fn heading() -> &'static str {
        "| run | nodes | ms a step | steps | cells | came in | went out | area | volume | creased | mm/s at most | mass lost | end |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|"
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(found) = &self.found else { return write!(f, "| {} | | | | | | | | | | | | not begun |", self.name) };
        let share = |k: usize| found.drift.map_or("-".to_owned(), |drift| format!("{:+.2} %", 100.0 * drift[k]));
        let end = match found.end {
            None => "goes on".to_owned(),
            Some(EndState::Done) => "done".to_owned(),
            Some(EndState::Stopped) => format!("to go: {}", found.steps - found.step),
            Some(EndState::Failed) => format!("failed: {}", found.reason),
        };
        write!(
            f,
            "| {} | {} | {:.3} | {} | {} | {} | {} | {} | {} | {} | {:.1} | {:.0e} | {end} |",
            self.name,
            found.nodes,
            found.milliseconds,
            found.step,
            found.cells,
            found.came_in,
            found.went_out,
            share(0),
            share(1),
            found.creased.map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share)),
            1e3 * found.largest_speed,
            found.lost,
        )
    }
}

fn found(run: &Path) -> Result<Found> {
    let record = RunRecord::read(run)?;
    let ledger = Ledger::read(run)?;
    let (first, last) = (ledger.rows.first(), ledger.rows.last());
    let lost = first.zip(last).map_or(0.0, |(first, last)| {
        let came: f64 = last.through.iter().sum::<f64>() - first.through.iter().sum::<f64>();
        (last.inside - first.inside - came).abs() / first.inside
    });
    let speeds = ledger.columns.iter().find(|column| column.quantity() == "largest_speed_m_per_s");
    let largest_speed = speeds.and_then(|column| ledger.values(column)).map_or(0.0, |all| all.fold(0.0, f64::max));
    let counted = |of: fn(&hematite_dump::CellCount) -> u64| last.map_or(0, |row| row.cells.iter().map(of).sum());
    let milliseconds = Timing::read(run).map_or(0.0, |timing| 1e3 * timing.wall / timing.steps.max(1) as f64);
    let membranes = membranes(&run.join("cells.vtkhdf")).ok().flatten();
    Ok(Found {
        nodes: record.nodes,
        step: last.map_or(0, |row| row.step),
        steps: record.steps.unwrap_or_default(),
        end: record.end.as_ref().map(|end| end.state),
        reason: record.end.and_then(|end| end.reason).unwrap_or_default(),
        milliseconds,
        cells: counted(|cells| cells.inside),
        came_in: counted(|cells| cells.inserted),
        went_out: counted(|cells| cells.left),
        largest_speed,
        lost,
        drift: membranes.map(|(drift, _)| drift),
        creased: membranes.map(|(_, creased)| creased),
    })
}

/// By how much the mean area and volume of cells differ between the second dump and the last, and the share of cells with creases in
/// the last. At the first, cells that are seeded smaller have still to grow.
fn membranes(path: &Path) -> Result<Option<([f64; 2], f64)>> {
    let reader = CellReader::open(path)?;
    let dumps = reader.steps().len();
    if dumps < 3 {
        return Ok(None);
    }
    let shapes = |dump: usize| -> Result<Vec<Shape>> {
        Ok(cells(reader.kinds(), &reader.frame(dump)?)?.iter().map(Shape::of).collect())
    };
    let mean = |shapes: &[Shape], of: fn(&Shape) -> f64| shapes.iter().map(of).sum::<f64>() / shapes.len() as f64;
    let (first, last) = (shapes(1)?, shapes(dumps - 1)?);
    let drift =
        [|shape: &Shape| shape.area, |shape: &Shape| shape.volume].map(|of| mean(&last, of) / mean(&first, of) - 1.0);
    Ok(Some((drift, mean(&last, |shape| f64::from(u8::from(shape.roughness > ROUGH))))))
}
