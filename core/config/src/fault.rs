//! Faults as users see them: one message and one exit code.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::process::ExitCode;

use crate::note;

/// Exit codes of `mkcase`, `run` and `post`. Stable: scripts rely on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The work is done.
    Done = 0,
    /// `post compare` found a difference.
    Different = 1,
    /// Bad usage, bad config or bad input; nothing was written.
    Usage = 2,
    /// Stopped early with a checkpoint (signal or wall time): submit again with `--restart`.
    Stopped = 3,
    /// Numerical failure: the fluid is beyond the method, or a cell or body broke. The last state is kept apart.
    Numerical = 4,
    /// No usable GPU, hardware or software.
    NoGpu = 5,
    /// Reading or writing failed.
    Io = 6,
    /// A rank was lost.
    LostRank = 7,
    /// A bug of ours (`EX_SOFTWARE` of sysexits.h).
    Internal = 70,
}

/// What went wrong, in one message that names the file, key, value, limit and remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Exit code of the tool.
    pub exit: Exit,
    /// The message for the user.
    pub message: String,
}

/// A result whose error is a [`Fault`].
pub type Result<T> = std::result::Result<T, Fault>;

impl Fault {
    /// Bad usage, config or input. A message that quotes a long piece of input is shortened to its beginning and end.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: shortened(message.into()) }
    }

    /// A numerical failure.
    pub fn numerical(message: impl Into<String>) -> Self {
        Self { exit: Exit::Numerical, message: message.into() }
    }

    /// No usable GPU.
    pub fn no_gpu(message: impl Into<String>) -> Self {
        Self { exit: Exit::NoGpu, message: message.into() }
    }

    /// Reading or writing failed.
    pub fn io(message: impl Into<String>) -> Self {
        Self { exit: Exit::Io, message: message.into() }
    }

    /// A rank was lost.
    pub fn lost_rank(message: impl Into<String>) -> Self {
        Self { exit: Exit::LostRank, message: message.into() }
    }

    /// Prints the message to stderr behind the tool's name; nothing where there is none.
    pub fn print(&self, tool: &str) {
        if !self.message.is_empty() {
            note(&format!("{tool}: error: {self}"));
        }
    }

    /// Drops the message, for a fault that has been printed.
    #[must_use]
    pub fn said(self) -> Self {
        Self { message: String::new(), ..self }
    }

    /// Puts `context: ` before the message, unless it begins with that.
    #[must_use]
    pub fn within(mut self, context: impl fmt::Display) -> Self {
        let context = format!("{context}: ");
        if !self.message.starts_with(&context) {
            self.message.insert_str(0, &context);
        }
        if self.exit == Exit::Usage {
            self.message = shortened(self.message);
        }
        self
    }
}

/// How many characters of a long line are kept at its beginning and at its end,
const KEPT: [usize; 2] = [500, 300];
/// and how many lines of a long message, as of one with a list.
const LINES: [usize; 2] = [110, 10];

fn shortened(message: String) -> String {
    let lines: Vec<String> = message.split('\n').map(|line| around(&line.chars().collect::<Vec<_>>(), KEPT)).collect();
    let [first, last] = LINES;
    if lines.len() <= first + last {
        return lines.join("\n");
    }
    [&lines[..first], &["...".to_owned()], &lines[lines.len() - last..]].concat().join("\n")
}

/// The first and the last characters of a line.
fn around(line: &[char], [first, last]: [usize; 2]) -> String {
    if line.len() <= first + last {
        return line.iter().collect();
    }
    let (begin, end) = (&line[..first], &line[line.len() - last..]);
    begin.iter().copied().chain(" ... ".chars()).chain(end.iter().copied()).collect()
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// Runs a tool: a fault ends it with its message and exit code, a panic with a message that asks for a report instead
/// of a backtrace.
pub fn guarded(tool: &'static str, work: impl FnOnce() -> Result<Exit>) -> ExitCode {
    set_hook(Box::new(move |panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
        let place = panic.location().map(|at| format!(" ({at})")).unwrap_or_default();
        note(&format!(
            "{tool}: internal error: {}{place}\n{tool} {} has a bug; please report it with this message, the command line \
             and the config",
            text.unwrap_or("no message"),
            env!("CARGO_PKG_VERSION")
        ));
    }));
    catch_unwind(AssertUnwindSafe(|| finish(tool, work()))).unwrap_or(ExitCode::from(Exit::Internal as u8))
}

/// Returns the tool's exit code. Prints the message of a fault, if it has one, to stderr behind the tool's name.
fn finish(tool: &str, outcome: Result<Exit>) -> ExitCode {
    let exit = outcome.unwrap_or_else(|fault| {
        fault.print(tool);
        fault.exit
    });
    ExitCode::from(exit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_quotes_are_cut() {
        let quote = "é".repeat(100_000);
        let fault = Fault::usage(format!("case.json: \"{quote}\" is no length; write one with a unit"));
        assert!(fault.message.len() < 2000 && fault.message.starts_with("case.json: \"éé"), "{fault}");
        assert!(fault.message.ends_with("éé\" is no length; write one with a unit"), "{fault}");
        assert!(fault.within(&quote).message.len() < 2000);
        let plain = "e".repeat(800);
        assert_eq!(Fault::usage(plain.clone()).message, plain);
    }

    #[test]
    fn a_panic_becomes_an_exit_code() {
        let exit = guarded("mkcase", || panic!("on purpose"));
        assert_eq!(format!("{exit:?}"), format!("{:?}", ExitCode::from(70)));
    }
}
