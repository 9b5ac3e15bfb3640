//! `post cells`: statistics of the cells of a run.

mod figures;
mod series;
mod setup;
mod tables;

use std::path::{Path, PathBuf};

use hematite_config::{Exit, Result, print_line};
use hematite_dump::{CellKind, CellReader, RunRecord};
use hematite_stats::table::Table;

use crate::arguments::CellsArguments;
use crate::config::{self, PostConfig, within};
use crate::output::Output;
use crate::say;
use crate::suspension::{self, means};
use setup::Setup;
use tables::Averages;

/// Opens the dumps of cells of a run, which must exist.
///
/// # Errors
/// As [`suspension::require`].
pub fn open(run: &Path) -> Result<CellReader> {
    suspension::require(run, "cells", "dump cells in its config and run again")
}

/// Writes the statistics of each run. Prints their files and the most important numbers.
pub fn run(arguments: &CellsArguments) -> Result<Exit> {
    let config = config::read(arguments.choice.config.as_deref())?;
    let mut all = Vec::new();
    for run in &arguments.runs {
        let averages = one_run(arguments, &config, run)?;
        all.push((run.display().to_string(), averages));
    }
    if all.len() > 1 {
        let table = runs_table(&all);
        print_line(table.aligned().trim_end())?;
        let mut output = Output::new(&arguments.runs[0], arguments.output.as_ref());
        table.write_csv(&output.file("runs.csv"))?;
        output.say()?;
    }
    Ok(Exit::Done)
}

/// The folder for the statistics of a run; `None` for the folder in the run folder.
fn folder(arguments: &CellsArguments, run: &Path) -> Option<PathBuf> {
    let output = arguments.output.as_ref()?;
    let name = run.canonicalize().ok().and_then(|run| run.file_name().map(Path::new).map(Path::to_owned));
    Some(match name {
        Some(name) if arguments.runs.len() > 1 => output.join(name),
        _ => output.clone(),
    })
}

fn one_run(arguments: &CellsArguments, config: &PostConfig, run: &Path) -> Result<Averages> {
    let record = RunRecord::read(run)?;
    let run_state = say::state(run, &record);
    let source = open(run)?;
    config.cells.check(source.dimension()).map_err(within(arguments.choice.config.as_deref()))?;
    let mut left_out = Vec::new();
    let fields = suspension::fields(run, &record, arguments.choice.fields.as_deref(), setup::LOST, &mut left_out)?;
    let setup = Setup::new(&record, &config.cells, &source, fields.as_ref(), &mut left_out)?;
    let series = series::reduce(&setup, &source, &mut left_out)?;
    let averages = tables::averages(run, &setup, &series);
    let mut output = Output::new(run, folder(arguments, run).as_ref());
    tables::write(&setup, &series, &averages, &mut output)?;
    figures::write(&setup, &series, &averages, &mut output)?;
    means::publish::<CellKind>(&averages, run_state, &left_out, &mut output)?;
    Ok(averages)
}

/// A table of the means of several runs, one row a run.
fn runs_table(all: &[(String, Averages)]) -> Table {
    let names = all.iter().take(1).flat_map(|(_, averages)| averages.columns()).map(|(name, _)| name);
    let mut table = Table::new(std::iter::once("run").chain(names));
    for (run, averages) in all {
        table.push(std::iter::once(run.clone()).chain(averages.columns().map(|(_, value)| value)));
    }
    table
}
