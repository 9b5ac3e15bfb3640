//! `mkcase CASE.json`: geometry to case. Parse, check, do, report.

mod arguments;
mod config;
mod make;
mod openings;
mod picture;
mod progress;
mod report;

use std::process::ExitCode;

use clap::Parser;
use hematite_config::{Exit, Result, guarded, print_line, schema};

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
    print_line(&text)?;
    Ok(Exit::Done)
}
