//! `post fields`: all fields at nodes, of any physics.

use hematite_config::{Exit, Result, print_line};
use hematite_dump::{Field, RunRecord};
use hematite_stats::field::{self, ComponentSummary};
use hematite_stats::layers;
use hematite_stats::lookup::Nodes;
use hematite_stats::map::{Quantity, map};
use hematite_stats::plane::{AXES, Plane};
use hematite_units::number::short;

use crate::arguments::FieldsArguments;
use crate::config::{self, within};
use crate::output::Output;
use crate::pictures::planes_of;
use crate::walls::Surroundings;
use crate::{say, source};

/// Writes maps, means over layers and numbers of each component of each field of a dump.
pub fn run(arguments: &FieldsArguments) -> Result<Exit> {
    let run = &arguments.place.run;
    let record = RunRecord::read(run)?;
    say::state(run, &record);
    let config = config::read(arguments.sections.config.as_deref())?;
    let reader = source::largest(run, &record, arguments.fields.as_deref())?;
    let chosen = source::choose(run, reader.steps(), arguments.sections.dump)?;
    let mut nodes = Nodes::new(reader.grid())?;
    match Surroundings::read(&record, reader.grid()) {
        Ok(surroundings) => nodes = surroundings.wrap(nodes),
        Err(fault) => say::note(&format!("warning: planes do not go on beyond periodic faces: {fault}")),
    }
    let planes = config.planes_in(&nodes).map_err(within(arguments.sections.config.as_deref()))?;
    let mut output = arguments.place.output();
    let mut summaries = Vec::new();
    for &dump in &chosen {
        let at = reader.steps()[dump];
        let suffix = if chosen.len() > 1 { format!("_step{:09}", at.step) } else { String::new() };
        let read = |&field: &Field| Ok((field, source::field(&reader, dump, &nodes, field)?));
        let fields = reader.fields().iter().map(read).collect::<Result<Vec<_>>>()?;
        let weights = source::weights(&reader, dump, &nodes)?;
        for (field, values) in &fields {
            for c in 0..field.components() {
                draw(&mut output, (&nodes, &planes), (*field, c, values), at.time, &suffix)?;
                summaries.push(field::component((at.step, at.time), *field, c, values, &weights));
            }
        }
        for (axis, name) in AXES.iter().enumerate().take(nodes.grid().dimension) {
            let found = layers::layers(&nodes, axis, &fields, &weights);
            let table = layers::table(axis, &fields, &found);
            table.write_csv(&output.file(format!("fields_along_{name}{suffix}.csv")))?;
        }
    }
    field::table(&summaries).write_csv(&output.file("fields.csv"))?;
    output.say()?;
    summaries.iter().filter(|of| Some(of.step) == summaries.last().map(|last| last.step)).try_for_each(tell)?;
    Ok(Exit::Done)
}

/// Draws a component: the whole domain in 2-D, every plane in 3-D.
fn draw(
    output: &mut Output,
    (nodes, planes): (&Nodes, &[Plane]),
    (field, c, values): (Field, usize, &[f64]),
    time: f64,
    suffix: &str,
) -> Result<()> {
    let values: Vec<f64> = values.iter().skip(c).step_by(field.components()).copied().collect();
    let (quantity, origin) = (Quantity::Component(field, c), output.origin([time]));
    for (plane, name) in planes_of(planes, nodes.grid().dimension) {
        let figure = map(nodes, &values, quantity, plane)?;
        figure.write(&output.figure(format!("{}{name}{suffix}", quantity.name())), &origin)?;
    }
    Ok(())
}

fn tell(of: &ComponentSummary) -> Result<()> {
    let unit = if of.unit == "1" { String::new() } else { format!(" {}", of.unit) };
    let [mean, lowest, highest] = [of.mean, of.lowest, of.highest].map(short);
    print_line(&format!("{}: mean {mean}, from {lowest} to {highest}{unit}", of.name))?;
    if of.not_finite > 0 {
        say::note(&format!("warning: {} values of {} are not finite", of.not_finite, of.name));
    }
    Ok(())
}
