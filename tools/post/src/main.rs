//! `post`: tables and figures from the dumps of a run.

mod arguments;
mod bodies;
mod cells;
mod compare;
mod config;
mod ensemble;
mod fields;
mod flow;
mod forces;
mod lava;
mod output;
mod pictures;
mod polymers;
mod say;
mod scaling;
mod source;
mod suspension;
mod timeline;
mod tracks;
mod walls;

use std::process::ExitCode;

use clap::Parser;
use hematite_config::{Exit, Result, guarded, print_line, schema};

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    guarded("post", || work(&arguments))
}

fn work(arguments: &Arguments) -> Result<Exit> {
    match &arguments.command {
        Some(Command::Flow(flow)) => flow::run(flow),
        Some(Command::Fields(fields)) => fields::run(fields),
        Some(Command::Cells(cells)) => cells::run(cells),
        Some(Command::Bodies(bodies)) => bodies::run(bodies),
        Some(Command::Polymers(polymers)) => polymers::run(polymers),
        Some(Command::Tracks(tracks)) => tracks::run(tracks),
        Some(Command::Lava(lava)) => lava::run(lava),
        Some(Command::Ensemble(ensemble)) => ensemble::run(ensemble),
        Some(Command::Scaling(scaling)) => scaling::run(scaling),
        Some(Command::Timeline(timeline)) => timeline::run(timeline),
        Some(Command::Compare(compare)) => compare::run(compare),
        None => {
            print_line(&schema::<config::PostConfig>())?;
            Ok(Exit::Done)
        }
    }
}
