//! Lines for the user: results to stdout, messages to stderr. A reader that has gone, as in `run --schema | head`, is no
//! fault: it has seen enough, and a run of days does not end because the reader of its messages did.

use std::io::{ErrorKind, Write, stderr, stdout};

use crate::{Fault, Result};

/// Writes a line to stdout.
///
/// # Errors
/// When stdout cannot be written for another reason than that its reader has closed it.
pub fn print_line(text: &str) -> Result<()> {
    match writeln!(stdout().lock(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Fault::io(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line to stderr, if that is possible.
pub fn note(text: &str) {
    writeln!(stderr().lock(), "{text}").unwrap_or_default();
}
