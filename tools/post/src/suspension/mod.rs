//! Statistics that cells and rigid bodies share.
//!
//! Each kind of member reduces its dumps to a [`Series`] in one pass. Then it lists each [`Quantity`](series::Quantity)
//! of a population and of a place across the vessel. Tables, means with errors, printed numbers and most charts follow
//! from these.

pub mod drive;
mod fluid;
pub mod means;
pub mod profile;
pub mod series;
mod setup;

use std::path::Path;

use hematite_config::{Fault, Result};
use hematite_dump::{FieldReader, Kind, Reader, RunRecord};

use crate::say;
use crate::source;

pub use fluid::Fluid;
pub use series::{Dump, Series};
pub use setup::Setup;

/// Opens the dumps of `what` in a run, which must exist; `remedy` says how to get them.
///
/// # Errors
/// A usage fault when there are none, or the file is damaged.
pub fn require<K: Kind>(run: &Path, what: &str, remedy: &str) -> Result<Reader<K>> {
    let found = Reader::find(run)?.filter(|members| !members.steps().is_empty());
    found.ok_or_else(|| {
        Fault::usage(format!("{} holds no dump of {what} ({}.vtkhdf): {remedy}", run.display(), K::FORM.what))
    })
}

/// Opens the dump of fields called `name`, which must exist, or by default the one that [`source::open`] chooses.
/// Without any, adds the statistics `lost` to `left_out`.
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

/// The mean of values; NaN without values.
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, number) = values.fold((0.0, 0.0), |(sum, number), v| (sum + v, number + 1.0));
    sum / number
}

/// The value of largest magnitude, with its sign; 0 without values.
pub fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |most: f64, v| if v.abs() > most.abs() { v } else { most })
}

/// Warns if the share of the volume of `what` outside the fluid exceeds rounding.
pub fn warn_outside(share: f64, what: &str) {
    if share > 1e-3 {
        let percent = 100.0 * share;
        say::note(&format!("warning: up to {percent:.2} % of the {what}' volume lies outside the fluid"));
    }
}
