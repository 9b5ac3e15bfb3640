//! What the statistics of cells and of rigid bodies have in common.

pub mod profile;

use std::path::Path;

use hematite_config::{Fault, Result};
use hematite_dump::{DumpStep, Field, FieldReader, RunRecord};
use hematite_stats::cells::bins::Bins;
use hematite_stats::cells::blocks::Estimate;
use hematite_stats::cells::straight::Straight;
use hematite_stats::cells::wall_distance::wall_distances;
use hematite_stats::lookup::{Nodes, fits};
use hematite_stats::number::short;
use hematite_stats::wss::WallSite;
use hematite_units::quantity::Time;

use crate::say;
use crate::source;
use crate::walls::Surroundings;

/// Opens the dump of fields called `name`, which must be there, or else the one that [`source::open`] chooses. Without any,
/// much can still be said: `lost` names what cannot.
///
/// # Errors
/// A usage fault when there is no dump of that name, or it is damaged.
pub fn fields(
    run: &Path,
    record: &RunRecord,
    name: Option<&str>,
    lost: &str,
    left_out: &mut Vec<String>,
) -> Result<Option<FieldReader>> {
    match source::open(run, record, name) {
        Ok(fields) => Ok(Some(fields)),
        Err(fault) if name.is_some() => Err(fault),
        Err(fault) => {
            left_out.push(format!("{lost}: {fault}"));
            Ok(None)
        }
    }
}

/// The fluid of a run, as far as a dump of fields holds it.
pub struct Fluid<'a> {
    fields: Option<&'a FieldReader>,
    /// All fluid nodes of the case; `None` where no dump of fields holds them.
    pub nodes: Option<Nodes<'a>>,
    /// Empty where the case cannot be read.
    pub walls: Vec<WallSite>,
}

impl<'a> Fluid<'a> {
    /// `lost` names what cannot be said without all fluid nodes.
    ///
    /// # Errors
    /// A usage fault when the nodes of the dump are no lattice.
    pub fn new(
        record: &RunRecord,
        fields: Option<&'a FieldReader>,
        lost: &str,
        left_out: &mut Vec<String>,
    ) -> Result<Self> {
        let unknown = Self { fields, nodes: None, walls: Vec::new() };
        let Some(grid) = fields.map(FieldReader::grid) else { return Ok(unknown) };
        if grid.position.len() as u64 != record.nodes {
            left_out.push(format!("{lost}: no dump of fields holds all fluid nodes"));
            return Ok(unknown);
        }
        let nodes = Nodes::new(grid)?;
        match Surroundings::read(record, grid) {
            Ok(around) => Ok(Self { nodes: Some(around.wrap(nodes)), walls: around.walls, ..unknown }),
            Err(fault) => {
                left_out.push(format!("walls and periodic faces: {fault}"));
                Ok(Self { nodes: Some(nodes), ..unknown })
            }
        }
    }

    /// Bins across a straight vessel, and by the distance from the wall, as far as they are known.
    pub fn bins(&self, straight: Option<&Straight>) -> Vec<Bins> {
        let Some(nodes) = &self.nodes else { return Vec::new() };
        let across = straight.and_then(|straight| Bins::across(nodes, straight));
        let distance = wall_distances(nodes, &self.walls);
        let by_wall = (!distance.is_empty()).then(|| Bins::by_wall(nodes, &distance));
        across.into_iter().chain(by_wall).collect()
    }

    /// The velocity of all nodes at a time step, x, y, z a node, m/s; `None` where no dump holds it.
    ///
    /// # Errors
    /// A usage fault when the dump is damaged.
    pub fn velocity(&self, step: u64) -> Result<Option<Vec<f64>>> {
        let (Some(fields), Some(nodes)) = (self.fields, &self.nodes) else { return Ok(None) };
        let Some(dump) = fields.steps().iter().position(|dump| dump.step == step) else { return Ok(None) };
        let velocity = fields.read(dump, Field::Velocity)?.to_f64();
        fits(nodes.grid(), "velocity", &velocity, 3)?;
        Ok(Some(velocity))
    }
}

/// The time from which means are taken over the dumps of `what`, s: by default the middle of them.
///
/// # Errors
/// A usage fault when it is after the last dump.
pub fn average_from(what: &str, wanted: Option<Time>, steps: &[DumpStep]) -> Result<f64> {
    let (first, last) = (steps[0].time, steps[steps.len() - 1].time);
    let from = wanted.map_or(0.5 * (first + last), |time| time.si());
    if from > last {
        return Err(Fault::usage(format!(
            "key \"{what}.average_from\": {from} s is after the last dump of {what}, at {last} s; begin earlier"
        )));
    }
    Ok(from)
}

/// Not a number where there are no values.
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, number) = values.fold((0.0, 0.0), |(sum, number), v| (sum + v, number + 1.0));
    sum / number
}

/// A mean, and its error with two significant digits where it is known.
pub fn with_error(e: Estimate) -> String {
    match e.standard_error {
        Some(0.0) => format!("{} +- 0", short(e.mean)),
        Some(error) => format!("{} +- {error:.1e}", short(e.mean)),
        None => short(e.mean),
    }
}

/// Warns when a share of the volume of `what` lies outside the fluid that is no mere rounding.
pub fn warn_outside(share: f64, what: &str) {
    if share > 1e-3 {
        let percent = 100.0 * share;
        say::note(&format!("warning: up to {percent:.2} % of the {what}' volume lies outside the fluid"));
    }
}
