//! Text for the user: results to stdout, messages to stderr.

use std::io::{ErrorKind, Write, stderr, stdout};

use hematite_config::{Fault, Result};

/// Writes a line to stdout. A reader that has gone away, as in `post ... | head`, is no fault.
pub fn line(text: &str) -> Result<()> {
    match writeln!(stdout().lock(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Fault::io(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a message to stderr, where anybody listens.
pub fn note(text: &str) {
    writeln!(stderr().lock(), "post: {text}").unwrap_or_default();
}
