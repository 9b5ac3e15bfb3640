//! `post scaling`.

use hematite_config::{Exit, Result, print_line};
use hematite_dump::{RunRecord, RunState, Timing};
use hematite_stats::scaling::{Row, Run, brief_table, scaling, table};
use hematite_stats::table::write_json;
use serde::Serialize;

use crate::arguments::ScalingArguments;
use crate::say;

/// A run in `scaling.json`.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    row: &'a Row,
    run_state: Option<&'a RunState>,
}

/// Prints the table of the runs, and writes it if asked for.
pub fn run(arguments: &ScalingArguments) -> Result<Exit> {
    let mut states = Vec::new();
    let runs = arguments
        .runs
        .iter()
        .map(|folder| {
            let record = RunRecord::read(folder)?;
            states.push((folder.display().to_string(), say::state(folder, &record)));
            let case_sha256 = record.case_sha256;
            Ok(Run { label: folder.display().to_string(), case_sha256, timing: Timing::read(folder)? })
        })
        .collect::<Result<Vec<_>>>()?;
    let rows = scaling(&runs)?;
    print_line(brief_table(&rows).aligned().trim_end())?;
    if let Some(folder) = &arguments.output {
        let (csv, json) = (folder.join("scaling.csv"), folder.join("scaling.json"));
        table(&rows).write_csv(&csv)?;
        let state = |row: &Row| states.iter().find(|(run, _)| *run == row.run).map(|(_, state)| state);
        write_json(&json, &rows.iter().map(|row| Told { row, run_state: state(row) }).collect::<Vec<_>>())?;
        say::note(&format!("wrote {} and {}", csv.display(), json.display()));
    }
    Ok(Exit::Done)
}
