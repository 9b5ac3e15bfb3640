//! `post scaling`.

use hematite_config::{Exit, Result};
use hematite_dump::{RunRecord, Timing};
use hematite_stats::scaling::{Run, brief_table, scaling, table};
use hematite_stats::table::write_json;

use crate::arguments::ScalingArguments;
use crate::say;

/// Prints the table of the runs, and writes it where asked.
pub fn run(arguments: &ScalingArguments) -> Result<Exit> {
    let runs = arguments
        .runs
        .iter()
        .map(|folder| {
            let case_sha256 = RunRecord::read(folder)?.case_sha256;
            Ok(Run { label: folder.display().to_string(), case_sha256, timing: Timing::read(folder)? })
        })
        .collect::<Result<Vec<_>>>()?;
    let rows = scaling(&runs)?;
    say::line(brief_table(&rows).aligned().trim_end())?;
    if let Some(folder) = &arguments.output {
        let (csv, json) = (folder.join("scaling.csv"), folder.join("scaling.json"));
        table(&rows).write_csv(&csv)?;
        write_json(&json, &rows)?;
        say::note(&format!("wrote {} and {}", csv.display(), json.display()));
    }
    Ok(Exit::Done)
}
