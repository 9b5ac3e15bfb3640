//! `validation`: runs the cases and prints what they find.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use hematite_config::{Exit, Fault, Result, guarded};
use hematite_engine::Precision;
use validation::cases::{ALL, Case, named};
use validation::{Context, Table};

/// Physics against exact solutions and published numbers. Exits with 1 where a check is out of tolerance.
#[derive(Parser)]
#[command(name = "validation")]
struct Arguments {
    /// Leave out what takes long.
    #[arg(long)]
    quick: bool,
    /// Add what takes very long: red cells over 100 000 steps, vesicles that are slow to settle (some ten minutes
    /// more); a large capsule and blood in tubes, for a data-centre GPU alone.
    #[arg(long, conflicts_with = "quick")]
    long: bool,
    /// Store the populations of fluids without cells so, f16 or f32, in place of what their cases choose: the rows keep
    /// their names and tolerances, which are those of the precisions they name
    #[arg(long, value_parser = storage)]
    storage: Option<Precision>,
    /// Only these cases, e.g. --only F3,womersley
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
}

fn main() -> ExitCode {
    guarded("validation", || Ok(if call(&Arguments::parse())? == 0 { Exit::Done } else { Exit::Different }))
}

/// The number of checks out of tolerance.
fn call(arguments: &Arguments) -> Result<usize> {
    let unknown = |name: &String| Fault::usage(format!("no case \"{name}\"; there are {}", names()));
    let chosen: Vec<&Case> = if arguments.only.is_empty() {
        ALL.iter().collect()
    } else {
        arguments.only.iter().map(|name| named(name).ok_or_else(|| unknown(name))).collect::<Result<_>>()?
    };
    let start = Instant::now();
    let context = Context::with_storage(arguments.quick, arguments.long, arguments.storage)?;
    let stored = arguments.storage.map_or(String::new(), |storage| format!(", populations in {}", storage.name()));
    println!("device: {}{stored}", context.name());
    println!("{}", Table::heading());
    let (mut checks, mut failures) = (0, 0);
    for case in chosen {
        let began = Instant::now();
        let table = (case.run)(&context)?;
        print!("{table}");
        eprintln!("{}: {} in {:.1} s", case.name, case.about, began.elapsed().as_secs_f64());
        checks += table.checks.iter().filter(|check| check.tolerance.is_some()).count();
        failures += table.failures().count();
    }
    println!("{checks} checks, {failures} out of tolerance, {:.1} s", start.elapsed().as_secs_f64());
    Ok(failures)
}

fn storage(text: &str) -> std::result::Result<Precision, String> {
    let known = [Precision::F16, Precision::F32];
    known.into_iter().find(|precision| precision.name() == text).ok_or_else(|| "f16 or f32".to_owned())
}

fn names() -> String {
    ALL.iter().map(|case| case.name).collect::<Vec<_>>().join(", ")
}
