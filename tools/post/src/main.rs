//! `post`: from the dumps of a run to tables and figures.

mod arguments;
mod compare;
mod config;
mod flow;
mod pictures;
mod say;
mod scaling;
mod source;
mod walls;

use std::panic::catch_unwind;
use std::process::ExitCode;

use clap::Parser;
use hematite_config::{Exit, Fault, Result, finish, schema};

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = catch_unwind(|| work(&arguments)).unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Fault::io(format!(
            "post failed in a way it should not: {}; please report this with the command line",
            what.unwrap_or("no message")
        )))
    });
    finish("post", outcome)
}

fn work(arguments: &Arguments) -> Result<Exit> {
    match &arguments.command {
        Some(Command::Flow(flow)) => flow::run(flow),
        Some(Command::Scaling(scaling)) => scaling::run(scaling),
        Some(Command::Compare(compare)) => compare::run(compare),
        None => {
            say::line(&schema::<config::PostConfig>())?;
            Ok(Exit::Done)
        }
    }
}
