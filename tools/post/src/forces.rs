//! Forces on walls, from the ledger of a run: `forces.csv`, the figure `forces` and means.

use std::path::Path;

use hematite_config::{Fault, Result};
use hematite_dump::Ledger;
use hematite_stats::forces::{self, Directions, ForceSummary};
use serde::Serialize;

use crate::config::PostConfig;
use crate::flow::Work;

/// Statistics of the forces of a run.
#[derive(Serialize)]
pub struct Forces {
    directions: Directions,
    /// Statistics of each part of the wall.
    pub parts: Vec<ForceSummary>,
}

/// Writes table and figure. `None` if the ledger has no forces or cannot be read, which other statistics report.
///
/// # Errors
/// A usage fault for vectors without a direction; when a file cannot be written.
pub fn forces(work: &mut Work, run: &Path, config: &PostConfig) -> Result<Option<Forces>> {
    let dimension = work.nodes.grid().dimension;
    let directions = config.forces.directions(dimension)?;
    let Ok(ledger) = Ledger::read(run) else { return Ok(None) };
    let parts = forces::forces(&ledger, dimension, &directions);
    if parts.iter().all(|part| part.rows.is_empty()) {
        return if config.forces.is_default() {
            Ok(None)
        } else {
            Err(Fault::usage(
                "key \"forces\": the ledger of the run holds no force: name parts of the wall in \"wall_parts\" of its CASE.json or \
                 \"forces\" of its RUN.json, or take the key out",
            ))
        };
    }
    forces::table(&parts, dimension).write_csv(&work.output.file("forces.csv"))?;
    let origin = work.output.origin(parts.iter().flat_map(|part| &part.rows).map(|row| row.time));
    forces::chart(&parts, dimension).write(&work.output.figure("forces"), &origin)?;
    Ok(Some(Forces { directions, parts: forces::summary(&parts, dimension) }))
}
