//! `endurance`: blood in many vessels for very many time steps, as a table of how each run ended.

mod outcome;
mod plan;
mod vessels;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::Parser;
use hematite_config::{Exit, Fault, Result, guarded};
use validation::beside;

use crate::outcome::Outcome;
use crate::plan::{ALL, Row};

/// Blood in many vessels for very many time steps, with the shipped defaults. Exits with 1 where a run fails, loses mass or
/// cells, or where membranes drift by 1 % or more.
///
/// Runs stay in the folder of --output, and a later call goes on with those that are not done.
#[derive(Parser)]
#[command(name = "endurance")]
struct Arguments {
    /// Folder of the cases and runs.
    #[arg(short, long, default_value = "runs/endurance")]
    output: PathBuf,
    /// Only rows whose names hold one of these, e.g. --only retina,tube
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// No rows whose names hold one of these
    #[arg(long, value_delimiter = ',')]
    skip: Vec<String>,
    /// Folder of retina-a.ppm, retina-b.ppm and vase.vti; without it their rows are left out.
    #[arg(long)]
    geometries: Option<PathBuf>,
    /// Begin and go on with runs for so many seconds; those that are not done then keep a checkpoint.
    #[arg(long, default_value_t = 86_400)]
    seconds: u64,
    /// Runs at a time.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    together: u32,
    /// Time steps of each, instead of the row's.
    #[arg(long)]
    steps: Option<u64>,
    /// List the rows and stop.
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    guarded("endurance", || call(&Arguments::parse()))
}

fn call(arguments: &Arguments) -> Result<Exit> {
    let holds = |row: &Row, names: &[String]| names.iter().any(|name| row.name().contains(name));
    let named = |row: &&Row| (arguments.only.is_empty() || holds(row, &arguments.only)) && !holds(row, &arguments.skip);
    let there = |row: &&Row| arguments.geometries.is_some() || !row.vessel.is_from_file();
    let rows: Vec<&Row> = ALL.iter().filter(named).filter(there).collect();
    if rows.is_empty() {
        return Err(Fault::usage("no row of these names; --list names them, --geometries DIR adds those of files"));
    }
    if arguments.list {
        rows.iter().for_each(|row| println!("{}: {} steps", row.name(), row.steps));
        return Ok(Exit::Done);
    }
    let deadline = Instant::now() + Duration::from_secs(arguments.seconds);
    let waiting = Mutex::new(rows.iter());
    let next = || waiting.lock().map_or(None, |mut rows| rows.next());
    let work = || -> Result<()> {
        while let Some(row) = next() {
            go_on(row, arguments, deadline)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| -> Result<()> {
        let workers: Vec<_> = (0..arguments.together).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|_| Err(Fault::io("a worker panicked"))))
    })?;
    println!("{}", Outcome::heading());
    let mut bad = 0;
    for row in rows {
        let outcome = Outcome::read(&row.name(), &arguments.output.join(row.name()));
        println!("{outcome}");
        bad += usize::from(!outcome.sound());
    }
    println!("{bad} runs failed or drifted");
    Ok(if bad == 0 { Exit::Done } else { Exit::Different })
}

/// Makes the case of a row where it is missing, and runs it or goes on with it until it is done or the time is over.
fn go_on(row: &Row, arguments: &Arguments, deadline: Instant) -> Result<()> {
    let left = deadline.saturating_duration_since(Instant::now()).as_secs();
    let folder = &arguments.output;
    let (name, run) = (row.name(), folder.join(row.name()));
    if left == 0 || Outcome::read(&name, &run).is_over(arguments.steps.unwrap_or(row.steps)) {
        return Ok(());
    }
    let case = row.write(folder, arguments.geometries.as_deref(), arguments.steps)?;
    if !case.with_extension("h5").is_file() {
        let made = call_tool("mkcase", &[&case.to_string_lossy()], &case.with_extension("mkcase.log"))?;
        if !made {
            return Err(Fault::usage(format!("mkcase {} failed: see the log beside it", case.display())));
        }
    }
    let (config, run) = (folder.join(format!("{name}.json")), run.to_string_lossy().into_owned());
    let walltime = format!("{}", left.max(1));
    let mut options =
        vec![config.to_string_lossy().into_owned(), "-o".into(), run.clone(), "--walltime".into(), walltime];
    if Path::new(&run).join("run.json").is_file() {
        options.push("--restart".into());
    }
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let done = call_tool("run", &options, &folder.join(format!("{name}.log")))?;
    eprintln!("{name}: {}", if done { "done" } else { "stopped or failed: see its log" });
    Ok(())
}

/// Calls a tool of this build, whose output goes to `log`. Gives whether it exits with 0.
fn call_tool(name: &str, arguments: &[&str], log: &Path) -> Result<bool> {
    let tool = beside(name)?;
    let failed = |error: std::io::Error| Fault::io(format!("{}, {}: {error}", tool.display(), log.display()));
    let file = std::fs::OpenOptions::new().create(true).append(true).open(log).map_err(failed)?;
    let copy = file.try_clone().map_err(failed)?;
    let ended =
        Command::new(&tool).args(arguments).arg("--quiet").stdout(copy).stderr(file).status().map_err(failed)?;
    Ok(ended.success())
}
