//! `run`: the program, with its physics.

mod methods;

use std::process::ExitCode;

fn main() -> ExitCode {
    hematite_run::main(&methods::METHODS)
}
