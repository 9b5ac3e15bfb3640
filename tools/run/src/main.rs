//! `run`: the program, with the physics that it may have.

mod methods;

use std::process::ExitCode;

fn main() -> ExitCode {
    hematite_run::main(&methods::METHODS)
}
