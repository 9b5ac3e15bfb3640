//! `run`, with the toy physics alone.

use std::process::ExitCode;

fn main() -> ExitCode {
    hematite_run::main(&[&diffusion::Diffusion])
}
