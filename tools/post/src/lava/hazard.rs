//! `post lava` of an ensemble: how many of its eruptions cover each cell.

use std::collections::BTreeMap;

use hematite_config::{Exit, Fault, Result, print_line};
use hematite_stats::ensemble::mean_and_error;
use hematite_stats::lookup::Nodes;
use hematite_stats::table::{Table, write_json};
use hematite_stats::terrain::Layer;
use hematite_units::number::{exact, with_unit};
use serde::Serialize;

use super::{covered, georeference, named, open, write_layer};
use crate::arguments::{LavaArguments, Which};
use crate::ensemble::Member;
use crate::{ensemble, say, source};

/// What the members tell together, in SI.
#[derive(Serialize)]
struct Hazard {
    members: usize,
    /// Mean over the members, and its standard error.
    mean_area_m2: f64,
    mean_area_standard_error_m2: f64,
    /// Area that any member covers, and that all do.
    area_of_any_m2: f64,
    area_of_all_m2: f64,
    /// The largest standard error of a share.
    share_standard_error: f64,
}

/// Writes the share of the members whose last dump has lava in a cell, as a map and as rasters.
///
/// # Errors
/// A usage fault where members are not alike, or without dumps of lava; an I/O fault when a file cannot be written.
pub fn run(arguments: &LavaArguments) -> Result<Exit> {
    let place = &arguments.place;
    if arguments.dump != Which::Last || arguments.observed.is_some() {
        return Err(Fault::usage(format!(
            "{} is an ensemble: its map is of the last dump of each member, leave out --dump and --observed, or name the folder of a \
             member",
            place.run.display()
        )));
    }
    let members = ensemble::members(&place.run)?;
    tell_warnings(&members);
    let case = source::case(&members[0].record)?;
    let mut counts: Vec<u32> = Vec::new();
    let (mut cells, mut times) = (Vec::new(), Vec::new());
    for member in &members {
        let (reader, fields) = open(&member.folder, &member.record)?;
        let last = reader.steps().len().checked_sub(1);
        let last =
            last.ok_or_else(|| Fault::usage(format!("{} has no dump: let it make one at its end", member.name)))?;
        let read = |field| Ok::<_, Fault>(reader.read(last, field)?.to_f64());
        let is_covered = covered(&read(fields.thickness)?, &read(fields.solid)?);
        counts.resize(is_covered.len(), 0);
        counts.iter_mut().zip(&is_covered).for_each(|(count, &is)| *count += u32::from(is));
        cells.push(is_covered.iter().filter(|&&is| is).count() as f64);
        times.push(reader.steps()[last].time);
    }
    let (reader, _) = open(&members[0].folder, &members[0].record)?;
    let grid = reader.grid();
    let nodes = Nodes::new(grid)?;
    let elevation = case.field_at(&named(&members[0].record.config, "/fluid/lava/elevation"), &grid.id)?;
    let all = members.len() as f64;
    let values = counts.iter().map(|&count| (count > 0).then(|| f64::from(count) / all)).collect();
    let layer = Layer { what: "share of eruptions that cover a cell", values, unit: "", from_zero: true };
    let mut output = place.output();
    let origin = output.origin(times.iter().copied());
    write_layer("hazard", &layer, (&nodes, &elevation), &georeference(case.header()), (&mut output, &origin))?;

    let cell = grid.spacing.powi(2);
    let of_at_least = |least: usize| counts.iter().filter(|&&count| count as usize >= least).count() as f64 * cell;
    let mut table = Table::new(["share", "area_m2"]);
    for least in 1..=members.len() {
        table.push([exact(least as f64 / all), exact(of_at_least(least))]);
    }
    table.write_csv(&output.file("hazard.csv"))?;
    let areas: Vec<f64> = cells.iter().map(|n| n * cell).collect();
    // Members are two or more.
    let [mean, error] = mean_and_error(&areas).unwrap_or_default();
    let hazard = Hazard {
        members: members.len(),
        mean_area_m2: mean,
        mean_area_standard_error_m2: error,
        area_of_any_m2: of_at_least(1),
        area_of_all_m2: of_at_least(members.len()),
        share_standard_error: 0.5 / all.sqrt(),
    };
    write_json(&output.file("hazard.json"), &hazard)?;
    print_line(&format!(
        "{} eruptions: area {} +- {}, together {}; shares have standard errors of up to {:.2}",
        hazard.members,
        with_unit(hazard.mean_area_m2, "m2"),
        with_unit(hazard.mean_area_standard_error_m2, "m2"),
        with_unit(hazard.area_of_any_m2, "m2"),
        hazard.share_standard_error
    ))?;
    if hazard.share_standard_error > 0.1 {
        say::note("shares are rough: standard errors of 0.1 need 25 members, those of 0.05 need 100");
    }
    output.say()?;
    Ok(Exit::Done)
}

/// Repeats the warnings of members, each kind once.
fn tell_warnings(members: &[Member]) {
    let mut kinds: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    for member in members {
        for warning in &member.record.warnings {
            let first = || (0, format!("{}: {}", member.name, warning.text));
            kinds.entry(&warning.kind).or_insert_with(first).0 += 1;
        }
    }
    for (count, text) in kinds.values() {
        say::note(&format!("{count} of {} members warned, the first of them {text}", members.len()));
    }
}
