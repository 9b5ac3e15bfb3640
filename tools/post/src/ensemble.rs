//! `post ensemble`: means over the members of an ensemble.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hematite_config::{Exit, Fault, Result, hash_file};
use hematite_dump::{ChainReader, ChangeRecord, RestartRecord, RunRecord};
use hematite_stats::chart::{Axis, Chart, Curve, Style};
use hematite_stats::ensemble::{Averaged, POPULATION, average, populations, with_all_bins};
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
    const UNITS: [(&str, &str); 21] = [
        ("_kg_m_per_s", "kg m/s"),
        ("_kg_per_m3", "kg/m3"),
        ("_m3_per_s", "m3/s"),
        ("_m2_per_s2", "m2/s2"),
        ("_m2_per_s", "m2/s"),
        ("_m_per_s", "m/s"),
        ("_rad_per_s", "rad/s"),
        ("_N_m_per_m", "N m/m"),
        ("_N_per_m", "N/m"),
        ("_per_m3", "1/m3"),
        ("_per_m", "1/m"),
        ("_N_m", "N m"),
        ("_m2", "m2"),
        ("_m3", "m3"),
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

/// The table of densities, in which each member has the bins that are not empty.
const DENSITIES: &str = "bonds.csv";

/// Averages one table of all members, and draws it where its rows follow an axis. Returns whether it can be averaged.
fn one(output: &mut Output, members: &[Member], path: &Path, name: &str) -> Result<bool> {
    let read = members.iter().map(|member| Table::read_csv(&member.folder.join(path))).collect::<Result<Vec<_>>>()?;
    match averaged(name, read) {
        Ok(averaged) => {
            averaged.table.write_csv(&output.file(name))?;
            draw(output, &averaged, name.trim_end_matches(".csv"), members.len())?;
            Ok(true)
        }
        Err(why) => {
            say::note(&format!("warning: {name} is left out: {why}"));
            output.discard(name);
            Ok(false)
        }
    }
}

/// The average of a table over members, or why it has none.
fn averaged(name: &str, mut members: Vec<Table>) -> std::result::Result<Averaged, &'static str> {
    if name == DENSITIES {
        members = with_all_bins(&members).ok_or("its bins have other widths or places in each member")?;
    }
    if !have_same_times(&members) {
        return Err(
            "its lines are of other times in each member, as their steps adapt; give \"every\" in \"monitor\" and the end of \
             the run as times",
        );
    }
    average(&members).ok_or("members differ in its rows or columns")
}

/// Most that times of a row may differ among members, as a share of the time between rows: steps that adapt reach a time with
/// the first step at or after it.
const SAME_TIME: f64 = 0.1;

/// Whether rows of the same number are of the same time in all members; so they are where tables have no times. Where
/// time falls back, another series begins, such as that of the next population.
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
        let gaps = of(row).zip(of(row - 1)).map(|(now, before)| now - before);
        high - low <= SAME_TIME * gaps.filter(|gap| *gap > 0.0).fold(f64::INFINITY, f64::min)
    })
}

/// The rows of a population; all where a table names none.
fn rows_of<'a>(table: &'a Table, population: &str) -> impl Iterator<Item = &'a Vec<String>> {
    let column = table.header.iter().position(|name| name == POPULATION);
    table.rows.iter().filter(move |row| column.is_none_or(|k| row[k] == population))
}

/// Draws each column in which members differ over the axis of the table, a curve for each population: over the time,
/// else over the first column beside populations.
fn draw(output: &mut Output, averaged: &Averaged, stem: &str, members: usize) -> Result<()> {
    let Averaged { table, means } = averaged;
    let time = table.header.iter().position(|name| name == "time_s");
    let Some(axis) = time.or_else(|| table.header.iter().position(|name| name != POPULATION)) else { return Ok(()) };
    if means.contains(&axis) || !populations(table).iter().all(|name| grows(table, name, axis)) {
        return Ok(());
    }
    for &column in means {
        let (name, curves) = (&table.header[column], curves(table, axis, column));
        if !curves.iter().flat_map(|curve| &curve.points).any(|point| point[1].is_finite()) {
            continue;
        }
        let (across, up) = (axis_of(&table.header[axis]), axis_of(name));
        let title = format!("{}: {}, mean of {members} members with its standard error", output.run, up.label);
        let chart = Chart::new("", across, up, curves);
        let figure = output.figure(format!("{stem}_{}", name.replace([':', '/'], "_")));
        chart.page(&title).write(&figure, &title, TOOL)?;
    }
    Ok(())
}

/// The number in a cell.
fn number(row: &[String], column: usize) -> f64 {
    row[column].parse().unwrap_or(f64::NAN)
}

/// Whether a column grows from row to row of a population, of which there are two at least.
fn grows(table: &Table, population: &str, column: usize) -> bool {
    let along: Vec<f64> = rows_of(table, population).map(|row| number(row, column)).collect();
    along.len() > 1 && along.windows(2).all(|pair| pair[0] < pair[1])
}

/// A curve for each population: a mean with its standard error, in the next column, over an axis.
fn curves(table: &Table, axis: usize, column: usize) -> Vec<Curve> {
    let names = populations(table);
    let curve = |(k, &name): (usize, &&str)| {
        let rows = || rows_of(table, name);
        let points = rows().map(|row| [number(row, axis), number(row, column)]).collect();
        let errors = rows().map(|row| number(row, column + 1)).collect();
        let said = if names.len() > 1 { name } else { "" };
        Curve { errors, ..Curve::new(said, points, Style::Marks, k + 1) }
    };
    names.iter().enumerate().map(curve).collect()
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

    /// Radii of two populations at times.
    fn radii(times: [f64; 3]) -> Table {
        let mut table = Table::new(["population", "time_s", "radius_m"]);
        for (name, radius) in [("flex", "1"), ("stiff", "2")] {
            times.iter().for_each(|time| table.push([name, &time.to_string(), radius]));
        }
        table
    }

    #[test]
    fn each_population_has_times_of_its_own() {
        let members = |time: f64| vec![radii([1.0, 2.0, 3.0]), radii([1.0, time, 3.0])];
        assert_eq!(averaged("radii.csv", members(2.05)).map(|of| of.table.rows.len()), Ok(6));
        let why = averaged("radii.csv", members(2.4)).expect_err("other times");
        assert!(why.contains("of other times in each member"), "{why}");
        let mut renamed = members(2.0);
        renamed[1].rows.iter_mut().for_each(|row| row[0].push('2'));
        assert_eq!(averaged("radii.csv", renamed), Err("members differ in its rows or columns"));
    }

    #[test]
    fn bonds_have_the_bins_of_all_members() {
        let member = |middles: [&str; 2]| {
            let mut table = Table::new(["population", "length_m", "density_per_m"]);
            middles.iter().for_each(|middle| table.push(["flex", middle, "0.5"]));
            table
        };
        let found = averaged("bonds.csv", vec![member(["8.5", "9.5"]), member(["9.5", "10.5"])]).expect("aligned bins");
        let rows: Vec<[&str; 2]> = found.table.rows.iter().map(|row| [row[1].as_str(), row[2].as_str()]).collect();
        assert_eq!(rows, [["8.5", "0.25"], ["9.5", "0.5"], ["10.5", "0.25"]]);
        let why = averaged("bonds.csv", vec![member(["8.5", "9.5"]), member(["9", "10"])]).expect_err("bins apart");
        assert!(why.contains("other widths or places"), "{why}");
    }

    #[test]
    fn each_population_has_its_curve() {
        let mut means = radii([1.0, 2.0, 3.0]);
        means.header.push("radius_m_standard_error".to_owned());
        means.rows.iter_mut().for_each(|row| row.push("0.5".to_owned()));
        assert!(["flex", "stiff"].iter().all(|name| grows(&means, name, 1)) && !grows(&means, "flex", 2));
        let curves = curves(&means, 1, 2);
        let names: Vec<&str> = curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, ["flex", "stiff"]);
        assert_eq!(curves[1].points, [[1.0, 2.0], [2.0, 2.0], [3.0, 2.0]]);
        assert_eq!(curves[1].errors, [0.5; 3]);
        assert_ne!(curves[0].colour, curves[1].colour);
    }

    #[test]
    fn columns_tell_their_units() {
        for (name, unit) in [
            ("density_per_m", "1/m"),
            ("force_x_N_per_m", "N/m"),
            ("density_kg_per_m3", "kg/m3"),
            ("velocity_correlation_m2_per_s2", "m2/s2"),
            ("mean_square_m2", "m2"),
            ("momentum_x_kg_m_per_s", "kg m/s"),
            ("number_density_per_m3", "1/m3"),
            ("torque_z_N_m_per_m", "N m/m"),
            ("angular_velocity_rad_per_s", "rad/s"),
            ("nodes", ""),
        ] {
            assert_eq!(axis_of(name).unit, unit, "{name}");
        }
    }
}
