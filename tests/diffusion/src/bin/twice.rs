//! `run`, with two physics of which each fixes the nodes and the time step, which no run can have.

use std::process::ExitCode;

fn main() -> ExitCode {
    hematite_run::main(&[&diffusion::Diffusion, &diffusion::Diffusion])
}
