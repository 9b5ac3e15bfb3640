//! Messages to the user about runs.

use std::path::Path;

use hematite_dump::{RunRecord, RunState};

/// Prints which statistics were left out, and why.
pub fn left_out(left_out: &[String]) {
    for what in left_out {
        note(&format!("left out {what}"));
    }
}

/// Writes a message to stderr.
pub fn note(text: &str) {
    hematite_config::note(&format!("post: {text}"));
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
