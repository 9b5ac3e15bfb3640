//! Shows progress on stderr: a spinner on a terminal, plain lines elsewhere, nothing when quiet.

use std::io::IsTerminal;
use std::time::Duration;

use hematite_config::note;
use indicatif::ProgressBar;

/// Shows the current phase.
pub enum Progress {
    /// Says nothing.
    Quiet,
    /// A line a phase.
    Lines,
    /// One line that changes.
    Spinner(ProgressBar),
}

impl Progress {
    /// The display that suits stderr.
    pub fn new(quiet: bool) -> Self {
        if quiet {
            return Self::Quiet;
        }
        if !std::io::stderr().is_terminal() {
            return Self::Lines;
        }
        let spinner = ProgressBar::new_spinner();
        spinner.enable_steady_tick(Duration::from_millis(100));
        Self::Spinner(spinner)
    }

    /// Begins a phase.
    pub fn say(&self, message: impl Into<String>) {
        match self {
            Self::Quiet => {}
            Self::Lines => note(&format!("mkcase: {}", message.into())),
            Self::Spinner(spinner) => spinner.set_message(message.into()),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Self::Spinner(spinner) = self {
            spinner.finish_and_clear();
        }
    }
}
