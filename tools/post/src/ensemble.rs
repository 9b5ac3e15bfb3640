//! `post ensemble`: means over the members of an ensemble.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hematite_config::{Exit, Fault, Result, hash_file};
use hematite_dump::{ChainReader, ChangeRecord, RestartRecord, RunRecord};
use hematite_stats::chart::{Axis, Chart, Curve, Style};
use hematite_stats::ensemble::{Averaged, average};
use hematite_stats::table::Table;
use hematite_stats::title::TOOL;
use serde_json::Value;

use crate::arguments::EnsembleArguments;
use crate::output::{Output, sources};
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
    let mut averaged = usize::from(one(&mut output, &members, Path::new("ledger.csv"), "ledger.csv")?);
    let Tables { common, is_none } = tables(&members, &output)?;
    for name in &common {
        averaged += usize::from(one(&mut output, &members, &Path::new(STATISTICS).join(name), name)?);
    }
    if is_none {
        say::note(
            "no member has tables beside its ledger; make them by \"post flow MEMBER\" and the like for each member, then call this \
             again",
        );
    }
    output.say()?;
    if averaged == 0 {
        return Err(Fault::usage(format!("{}: no table of the members can be averaged", place.run.display())));
    }
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

/// Refuses members of different runs: all but seeds must be the same, also what changed at restarts.
fn are_alike(members: &[Member]) -> Result<()> {
    let of = |Member { record, .. }: &Member| {
        let changes = |restart: &RestartRecord| {
            let of_physics = restart.changed.iter().filter(|change| change.is_of_physics()).cloned();
            (restart.step, of_physics.collect::<Vec<ChangeRecord>>())
        };
        let changes: Vec<_> = record.restarts.iter().map(changes).filter(|(_, changed)| !changed.is_empty()).collect();
        (record.case_sha256.clone(), without_seeds(&record.config), record.steps, changes)
    };
    let first = of(&members[0]);
    match members.iter().find(|member| of(member) != first) {
        None => Ok(()),
        Some(other) => Err(Fault::usage(format!(
            "{} and {} are members of different runs: their cases, configs, numbers of steps or changes at restarts differ by more \
             than the seed; do them again with run --ensemble N --force",
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

/// The folder of a member with its tables.
const STATISTICS: &str = "statistics";

/// Tables of the members beside their ledgers.
struct Tables {
    /// Names of those that all members have of their present state.
    common: Vec<String>,
    /// Whether no member has any.
    is_none: bool,
}

/// The tables of the members. Says which are left out, and removes what an earlier call made of them.
fn tables(members: &[Member], output: &Output) -> Result<Tables> {
    let mut sets = Vec::new();
    for member in members {
        let (state, folder) = (hash_file(&RunRecord::path(&member.folder))?, member.folder.join(STATISTICS));
        let sources = sources(&folder);
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let tables = names.filter(|name| name.ends_with(".csv"));
        // Whether each is of the present state.
        let mut set = BTreeMap::new();
        for name in tables {
            let is_present = sources.get(&name) == Some(&state);
            set.insert(name, is_present);
        }
        sets.push(set);
    }
    let all: BTreeSet<&String> = sets.iter().flat_map(BTreeMap::keys).collect();
    let mut common = Vec::new();
    for name in &all {
        let lacks = sets.iter().position(|set| !set.contains_key(*name));
        let old = sets.iter().position(|set| set.get(*name) == Some(&false));
        let why = match (lacks, old) {
            (Some(k), _) => format!("{} lacks it", members[k].name),
            (None, Some(k)) => format!(
                "that of {} was made before its run went on or began anew, or by an earlier version; make it again by post",
                members[k].name
            ),
            (None, None) => {
                common.push((*name).clone());
                continue;
            }
        };
        say::note(&format!("warning: {name} is left out: {why}"));
        output.discard(name);
    }
    Ok(Tables { common, is_none: all.is_empty() })
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

/// Averages one table of all members, and draws it where its rows follow an axis. Returns whether it can be averaged.
fn one(output: &mut Output, members: &[Member], path: &Path, name: &str) -> Result<bool> {
    let read = members.iter().map(|member| Table::read_csv(&member.folder.join(path))).collect::<Result<Vec<_>>>()?;
    let left_out = |why: &str| {
        say::note(&format!("warning: {name} is left out: {why}"));
        output.discard(name);
        Ok(false)
    };
    if !have_same_times(&read) {
        return left_out(
            "its lines are of other times in each member, as their steps adapt; give \"every\" in \"monitor\" and the end of the run as \
             times",
        );
    }
    let Some(averaged) = average(&read) else { return left_out("members differ in its rows or columns") };
    averaged.table.write_csv(&output.file(name))?;
    draw(output, &averaged, name.trim_end_matches(".csv"), members.len())?;
    Ok(true)
}

/// Most that times of a row may differ among members, as a share of the time between rows: steps that adapt reach a time with
/// the first step at or after it.
const SAME_TIME: f64 = 0.1;

/// Whether rows of the same number are of the same time in all members; so they are where tables have no times.
fn have_same_times(members: &[Table]) -> bool {
    let times = |table: &Table| -> Vec<f64> {
        let column = table.header.iter().position(|name| name == "time_s");
        column.map(|k| table.rows.iter().filter_map(|row| row[k].parse().ok()).collect()).unwrap_or_default()
    };
    let times: Vec<Vec<f64>> = members.iter().map(times).collect();
    let rows = times.iter().map(Vec::len).min().unwrap_or(0);
    (1..rows).all(|row| {
        let of = |row: usize| times.iter().map(move |times| times[row]);
        let (low, high) = (of(row).fold(f64::INFINITY, f64::min), of(row).fold(f64::NEG_INFINITY, f64::max));
        let apart = of(row).zip(of(row - 1)).map(|(now, before)| now - before).fold(f64::INFINITY, f64::min);
        high - low <= SAME_TIME * apart
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn table(times: [f64; 3]) -> Table {
        let mut table = Table::new(["step", "time_s"]);
        times
            .into_iter()
            .zip(0..)
            .for_each(|(time, step): (f64, i32)| table.push([step.to_string(), time.to_string()]));
        table
    }

    #[test]
    fn rows_are_of_the_same_time_or_not() {
        assert!(
            have_same_times(&[table([0.0, 10.0, 20.1]), table([0.0, 10.4, 20.0])]),
            "steps that adapt reach a time late"
        );
        assert!(!have_same_times(&[table([0.0, 10.0, 20.0]), table([0.0, 11.6, 25.0])]));
        let without = || Table::new(["y_m"]);
        assert!(have_same_times(&[without(), without()]));
    }
}
