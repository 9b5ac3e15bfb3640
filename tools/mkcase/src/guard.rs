//! Panics as users see them: one message that asks for a report, and exit code 70.

use std::panic::{catch_unwind, set_hook};
use std::process::ExitCode;

/// Exit code of an internal error, `EX_SOFTWARE` of sysexits.h.
const INTERNAL: u8 = 70;

/// Runs a tool's `main`; a panic in it ends with a message instead of a backtrace.
pub fn guarded(tool: &'static str, main: fn() -> ExitCode) -> ExitCode {
    set_hook(Box::new(move |panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
        let place = panic.location().map(|at| format!(" ({at})")).unwrap_or_default();
        eprintln!(
            "{tool}: internal error: {}{place}\n{tool} {} has a bug; please report it with this message, the command line \
             and the config",
            text.unwrap_or("no message"),
            env!("CARGO_PKG_VERSION")
        );
    }));
    catch_unwind(main).unwrap_or(ExitCode::from(INTERNAL))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_exit_code() {
        let exit = guarded("mkcase", || panic!("on purpose"));
        assert_eq!(format!("{exit:?}"), format!("{:?}", ExitCode::from(INTERNAL)));
    }
}
