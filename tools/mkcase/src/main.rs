//! `mkcase CASE.json`: geometry to case. Parse, check, do, report.

mod arguments;
mod config;
mod make;
mod picture;
mod progress;
mod report;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;
use hematite_config::{Exit, Fault, Result, guarded, schema};

use arguments::Arguments;
use config::CaseConfig;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    guarded("mkcase", || call(&arguments))
}

fn call(arguments: &Arguments) -> Result<Exit> {
    let text = match &arguments.config {
        Some(config) => make::make(config, arguments)?,
        None => schema::<CaseConfig>(),
    };
    // A reader that closes the pipe (`| head`) is no fault.
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Fault::io(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(Exit::Done),
    }
}
