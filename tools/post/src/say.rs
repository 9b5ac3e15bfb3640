//! Text for the user: results to stdout, messages to stderr.

use std::io::{ErrorKind, Write, stderr, stdout};
use std::path::Path;

use hematite_config::{Fault, Result};
use hematite_dump::{RunRecord, RunState};

/// Writes a line to stdout. A reader that closes the pipe, as in `post ... | head`, is no fault.
pub fn line(text: &str) -> Result<()> {
    match writeln!(stdout().lock(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Fault::io(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints which statistics were left out, and why.
pub fn left_out(left_out: &[String]) {
    for what in left_out {
        note(&format!("left out {what}"));
    }
}

/// Writes a message to stderr, if it is open.
pub fn note(text: &str) {
    writeln!(stderr().lock(), "post: {text}").unwrap_or_default();
}

/// Returns the state of a run. Prints it if the run is not done or gave warnings.
pub fn state(run: &Path, record: &RunRecord) -> RunState {
    let state = record.state(run);
    state.sentences().iter().for_each(|sentence| note(&format!("{}: {sentence}", run.display())));
    state
}

/// [`state`] if the folder holds a record of a run; prints a note if the record is damaged.
pub fn known_state(run: &Path) -> Option<RunState> {
    if !RunRecord::is_in(run) {
        return None;
    }
    match RunRecord::read(run) {
        Ok(record) => Some(state(run, &record)),
        Err(fault) => {
            note(&format!("how the run ended is unknown: {fault}"));
            None
        }
    }
}
