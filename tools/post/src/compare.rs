//! `post compare`.

use hematite_config::{Exit, Result};

use crate::arguments::CompareArguments;
use crate::say;

/// Compares two runs, and prints where they first differ.
pub fn run(arguments: &CompareArguments) -> Result<Exit> {
    let comparison = hematite_dump::compare(&arguments.a, &arguments.b, arguments.rtol)?;
    say::line(&comparison.to_string())?;
    Ok(if comparison.same() { Exit::Done } else { Exit::Different })
}
