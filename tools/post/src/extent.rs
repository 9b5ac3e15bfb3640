//! How far the lattice of a run reaches before it repeats.

use std::path::Path;

use hematite_case::Case;
use hematite_config::Result;
use hematite_dump::RunRecord;

/// Metres after which the lattice repeats along x, y, z; 0 where it does not.
///
/// # Errors
/// When the case file is gone or cannot be read.
pub fn periods(record: &RunRecord) -> Result<[f64; 3]> {
    let case = Case::open(Path::new(&record.case))?;
    let header = case.header();
    Ok(std::array::from_fn(|a| if header.periodic[a] { header.extent[a] as f64 * header.spacing } else { 0.0 }))
}
