//! `post cells`: what the cells of a run do.

mod figures;
mod series;
mod setup;
mod tables;

use std::path::{Path, PathBuf};

use hematite_config::{Exit, Fault, Result, read_config};
use hematite_dump::{CellReader, RunRecord};
use hematite_stats::table::{Table, write_json};

use crate::arguments::CellsArguments;
use crate::config::{PostConfig, within};
use crate::say;
use crate::suspension;
use setup::Setup;
use tables::Averages;

/// The dumps of cells of a run.
pub struct CellSource {
    pub reader: CellReader,
}

impl CellSource {
    const FILE: &str = "cells.vtkhdf";

    /// Opens them; `None` where the run has none.
    ///
    /// # Errors
    /// A usage fault when the file is damaged.
    pub fn open(run: &Path) -> Result<Option<Self>> {
        let path = run.join(Self::FILE);
        if !path.is_file() {
            return Ok(None);
        }
        Ok(Some(Self { reader: CellReader::open(&path)? }))
    }

    /// Opens them.
    ///
    /// # Errors
    /// As [`CellSource::open`], and when there are none.
    pub fn require(run: &Path) -> Result<Self> {
        let found = Self::open(run)?.filter(|cells| !cells.reader.steps().is_empty());
        found.ok_or_else(|| {
            let (run, file) = (run.display(), Self::FILE);
            Fault::usage(format!("{run} holds no dump of cells ({file}): dump cells in its config and run again"))
        })
    }

    /// The number of the dump at a time step.
    pub fn at(&self, step: u64) -> Option<usize> {
        self.reader.steps().iter().position(|dump| dump.step == step)
    }

    /// Names of the populations.
    pub fn names(&self) -> Vec<String> {
        self.reader.kinds().iter().map(|kind| kind.name.clone()).collect()
    }
}

/// Writes the statistics of each run, and prints where they are and the most important numbers.
pub fn run(arguments: &CellsArguments) -> Result<Exit> {
    let config: PostConfig = arguments.config.as_deref().map(read_config).transpose()?.unwrap_or_default();
    let mut all = Vec::new();
    for run in &arguments.runs {
        let output = folder(arguments, run);
        all.push((run.display().to_string(), one_run(arguments, &config, run, &output)?));
    }
    if all.len() > 1 {
        let table = runs_table(&all);
        say::line(table.aligned().trim_end())?;
        let path = arguments.output.clone().unwrap_or_else(|| folder(arguments, &arguments.runs[0])).join("runs.csv");
        table.write_csv(&path)?;
        say::line(&path.display().to_string())?;
    }
    Ok(Exit::Done)
}

/// Where the statistics of a run go.
fn folder(arguments: &CellsArguments, run: &Path) -> PathBuf {
    match &arguments.output {
        None => run.join("statistics"),
        Some(output) if arguments.runs.len() == 1 => output.clone(),
        Some(output) => match run.canonicalize().ok().as_deref().and_then(Path::file_name) {
            Some(name) => output.join(name),
            None => output.clone(),
        },
    }
}

fn one_run(arguments: &CellsArguments, config: &PostConfig, run: &Path, output: &Path) -> Result<Averages> {
    let record = RunRecord::read(run)?;
    let run_state = say::state(run, &record);
    let source = CellSource::require(run)?;
    let within = within(arguments.config.as_deref());
    config.cells.check(source.reader.dimension()).map_err(within)?;
    let mut left_out = Vec::new();
    let lost = "profiles, discharge hematocrit and viscosity";
    let fields = suspension::fields(run, &record, arguments.fields.as_deref(), lost, &mut left_out)?;
    let setup = Setup::new(&record, &config.cells, &source, fields.as_ref(), &mut left_out)?;
    let series = series::reduce(&setup, &source, &mut left_out)?;
    let averages = tables::averages(run, &setup, &series);
    let mut written = Vec::new();
    let mut file = |name: &str| {
        let path = output.join(name);
        written.push(path.clone());
        path
    };
    tables::write(&setup, &series, &averages, &mut file)?;
    figures::write(&setup, &series, &averages, &mut file)?;
    write_json(&file("cells.json"), &tables::Summary { averages: &averages, run_state, left_out: &left_out })?;
    say::files(&written)?;
    averages.print()?;
    say::left_out(&left_out);
    Ok(averages)
}

/// The means of several runs, a run a row.
fn runs_table(all: &[(String, Averages)]) -> Table {
    let names: Vec<&str> = Averages::columns().collect();
    let mut table = Table::new(std::iter::once("run").chain(names));
    for (run, averages) in all {
        table.push(std::iter::once(run.clone()).chain(averages.values()));
    }
    table
}
