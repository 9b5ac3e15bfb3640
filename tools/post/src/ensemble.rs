//! `post ensemble`: means over the members of an ensemble.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hematite_config::{Exit, Fault, Result};
use hematite_dump::{ChainReader, RunRecord};
use hematite_stats::chart::{Axis, Chart, Curve, Style};
use hematite_stats::ensemble::{Averaged, average};
use hematite_stats::table::Table;
use hematite_stats::title::TOOL;
use serde_json::Value;

use crate::arguments::EnsembleArguments;
use crate::output::Output;
use crate::say;

/// What folders of members begin with.
const MEMBER: &str = "member-";

/// A member that is done.
pub struct Member {
    /// Name of its folder.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// What was run.
    pub record: RunRecord,
}

/// Averages the ledger and all tables in the `statistics` folders of the members.
pub fn run(arguments: &EnsembleArguments) -> Result<Exit> {
    let place = &arguments.place;
    let members = members(&place.run)?;
    say::note(&format!("{} members", members.len()));
    if ChainReader::find(&members[0].folder)?.is_some() {
        say::note(
            "all members began with the same chains, those of the case: errors hold where chains have forgotten how they began; post \
             polymers MEMBER --from STEP leaves out what was before",
        );
    }
    let mut output = place.output();
    one(&mut output, &members, Path::new("ledger.csv"), "ledger.csv")?;
    let names = tables(&members);
    for name in &names {
        one(&mut output, &members, &Path::new("statistics").join(name), name)?;
    }
    if names.is_empty() {
        say::note(
            "only the ledger is averaged: no member has other tables; make them by \"post flow MEMBER\" and the like for each \
             member, then call this again",
        );
    }
    output.say()?;
    Ok(Exit::Done)
}

/// Whether a folder holds members, and no run of its own.
pub fn is_one(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let holds_members = entries.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().starts_with(MEMBER));
    holds_members && !RunRecord::is_in(folder)
}

/// The members that are done, by number.
///
/// # Errors
/// A usage fault where they are fewer than two, or differ by more than the seed.
pub fn members(folder: &Path) -> Result<Vec<Member>> {
    let fault = |error: std::io::Error| Fault::usage(format!("{}: {error}", folder.display()));
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(MEMBER) && entry.path().is_dir() {
            found.push((name, entry.path()));
        }
    }
    found.sort();
    let mut members = Vec::new();
    for (name, folder) in found {
        let record = if RunRecord::is_in(&folder) { Some(RunRecord::read(&folder)?) } else { None };
        let state = record.as_ref().map_or("not begun", |record| record.state(&folder).state);
        match record {
            Some(record) if state == "done" => members.push(Member { name, folder, record }),
            _ => say::note(&format!("warning: {name} is left out: it is {state}")),
        }
    }
    if members.len() < 2 {
        return Err(Fault::usage(format!(
            "{} holds {} members that are done, a mean with its error needs two: name the folder of a run with --ensemble, or finish \
             it with run --ensemble N --restart",
            folder.display(),
            members.len()
        )));
    }
    are_alike(&members)?;
    Ok(members)
}

/// Refuses members of different runs: all but seeds must be the same.
fn are_alike(members: &[Member]) -> Result<()> {
    let of = |member: &Member| {
        (member.record.case_sha256.clone(), without_seeds(&member.record.config), member.record.steps)
    };
    let first = of(&members[0]);
    match members.iter().find(|member| of(member) != first) {
        None => Ok(()),
        Some(other) => Err(Fault::usage(format!(
            "{} and {} are members of different runs: their cases, configs or numbers of steps differ by more than the seed; do \
             them again with run --ensemble N --force",
            members[0].name, other.name
        ))),
    }
}

/// A config without its seeds.
fn without_seeds(config: &Value) -> Value {
    match config {
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, _)| *key != "seed");
            Value::Object(kept.map(|(key, value)| (key.clone(), without_seeds(value))).collect())
        }
        other => other.clone(),
    }
}

/// Names of the tables that all members have.
fn tables(members: &[Member]) -> Vec<String> {
    let of = |member: &Member| -> BTreeSet<String> {
        let entries = fs::read_dir(member.folder.join("statistics")).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name.ends_with(".csv"))
            .collect()
    };
    let mut sets = members.iter().map(of);
    let first = sets.next().unwrap_or_default();
    let (mut common, mut all) = (first.clone(), first);
    for set in sets {
        common.retain(|name| set.contains(name));
        all.extend(set);
    }
    for name in all.difference(&common) {
        say::note(&format!("warning: {name} is left out: some members lack it"));
    }
    common.into_iter().collect()
}

/// The axis of a column, from its name with the unit at its end: `velocity_x_m_per_s`.
fn axis_of(name: &str) -> Axis {
    // The longest ends first.
    const UNITS: [(&str, &str); 12] = [
        ("_kg_m_per_s", "kg m/s"),
        ("_kg_per_m3", "kg/m3"),
        ("_m3_per_s", "m3/s"),
        ("_m2_per_s", "m2/s"),
        ("_m_per_s", "m/s"),
        ("_Pa", "Pa"),
        ("_kg", "kg"),
        ("_K", "K"),
        ("_J", "J"),
        ("_N", "N"),
        ("_m", "m"),
        ("_s", "s"),
    ];
    let found = UNITS.iter().find_map(|&(end, unit)| Some((name.strip_suffix(end)?, unit)));
    let (label, unit) = found.unwrap_or((name, ""));
    Axis::new(label.replace('_', " "), unit)
}

/// Averages one table of all members, and draws it where its rows follow an axis.
fn one(output: &mut Output, members: &[Member], path: &Path, name: &str) -> Result<()> {
    let read = members.iter().map(|member| Table::read_csv(&member.folder.join(path))).collect::<Result<Vec<_>>>()?;
    let Some(averaged) = average(&read) else {
        say::note(&format!("warning: {name} is left out: members differ in its rows or columns"));
        return Ok(());
    };
    averaged.table.write_csv(&output.file(name))?;
    draw(output, &averaged, name.trim_end_matches(".csv"), members.len())
}

/// Draws each column in which members differ over the axis of the table: the time of a ledger, else the first column.
fn draw(output: &mut Output, averaged: &Averaged, stem: &str, members: usize) -> Result<()> {
    let Averaged { table, means } = averaged;
    let axis = table.header.iter().position(|name| name == "time_s").unwrap_or(0);
    let number = |row: &Vec<String>, column: usize| row[column].parse::<f64>().unwrap_or(f64::NAN);
    let along: Vec<f64> = table.rows.iter().map(|row| number(row, axis)).collect();
    if means.contains(&axis) || along.len() < 2 || !along.windows(2).all(|pair| pair[0] < pair[1]) {
        return Ok(());
    }
    for &column in means {
        let name = &table.header[column];
        let points = along.iter().zip(&table.rows).map(|(&x, row)| [x, number(row, column)]).collect();
        let mut curve = Curve::new("", points, Style::Marks, 1);
        curve.errors = table.rows.iter().map(|row| number(row, column + 1)).collect();
        let (across, up) = (axis_of(&table.header[axis]), axis_of(name));
        let title = format!("{}: {}, mean of {members} members with its standard error", output.run, up.label);
        let chart = Chart::new("", across, up, vec![curve]);
        let figure = output.figure(format!("{stem}_{}", name.replace([':', '/'], "_")));
        chart.page(&title).write(&figure, &title, TOOL)?;
    }
    Ok(())
}
