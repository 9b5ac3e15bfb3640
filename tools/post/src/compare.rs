//! `post compare`.

use hematite_config::{Exit, Result, print_line};
use hematite_dump::RunRecord;

use crate::arguments::CompareArguments;
use crate::say;

/// Compares two runs, and prints where they first differ.
pub fn run(arguments: &CompareArguments) -> Result<Exit> {
    for run in [&arguments.a, &arguments.b] {
        say::state(run, &RunRecord::read(run)?);
    }
    let comparison = hematite_dump::compare(&arguments.a, &arguments.b, arguments.rtol)?;
    print_line(&comparison.to_string())?;
    Ok(if comparison.same() { Exit::Done } else { Exit::Different })
}
