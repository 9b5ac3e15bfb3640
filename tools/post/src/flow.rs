//! `post flow`: statistics of a flow.

use std::path::Path;

use hematite_config::{Exit, Result, print_line};
use hematite_dump::{BodyReader, CellReader, DumpStep, Field, FieldReader, Kind, Ledger, Reader, RunRecord, RunState};
use hematite_stats::chart::{Axis, Chart, Curve, Style};
use hematite_stats::flux::{self, FlowRate, MassBalance};
use hematite_stats::layers;
use hematite_stats::lookup::Nodes;
use hematite_stats::plane::{AXES, Plane, flow_rate};
use hematite_stats::profile::{self, Line, profile};
use hematite_stats::summary::{Summary, summary};
use hematite_stats::table::write_json;
use hematite_stats::wall::{Statistics, WallSite};
use hematite_units::number::{short, with_unit};
use serde::Serialize;

use crate::arguments::FlowArguments;
use crate::config::{self, PostConfig, within};
use crate::forces::{self, Forces};
use crate::output::Output;
use crate::pictures;
use crate::say;
use crate::source::{self, Values};
use crate::suspension::drive::is_steady_from;
use crate::walls::Surroundings;

/// Data that the statistics share.
pub struct Work<'a> {
    pub nodes: Nodes<'a>,
    record: &'a RunRecord,
    pub planes: Vec<Plane>,
    lines: Vec<Line>,
    walls: Option<Vec<WallSite>>,
    room_per_wall: Option<f64>,
    pub cells: Option<CellReader>,
    pub bodies: Option<BodyReader>,
    pub output: Output,
}

/// Numbers of one dump.
#[derive(Serialize)]
struct StepSummary {
    step: u64,
    time_s: f64,
    flow: Summary,
    planes: Vec<FlowRate>,
    wall_shear_stress: Option<Statistics>,
    wall_pressure: Option<Statistics>,
}

/// Numbers of the run: `summary.json`.
#[derive(Serialize)]
struct RunSummary<'a> {
    run: String,
    run_state: RunState,
    dumps: &'a [StepSummary],
    mass_balance: Option<&'a MassBalance>,
    forces: Option<&'a Forces>,
    left_out: &'a [String],
}

/// Writes the statistics of a run. Prints their files and the most important numbers.
pub fn run(arguments: &FlowArguments) -> Result<Exit> {
    let record = RunRecord::read(&arguments.place.run)?;
    let run_state = say::state(&arguments.place.run, &record);
    let config = config::read(arguments.sections.config.as_deref())?;
    let reader = source::open(&arguments.place.run, &record, arguments.fields.as_deref())?;
    let chosen = source::choose(&arguments.place.run, reader.steps(), arguments.sections.dump)?;
    let mut left_out = Vec::new();
    let mut work = prepare(arguments, &config, &record, &reader, &mut left_out)?;
    let mut steps = Vec::new();
    let immersed = record.config["fluid"]["lattice_boltzmann"]["walls"] == "immersed";
    leave_out(
        &mut left_out,
        immersed,
        "wall shear stress: the force of immersed walls is spread over nodes around them, which hold only a part of the stress; run \
         with \"walls\": \"interpolated\" for it",
    );
    for &dump in &chosen {
        let suffix = if chosen.len() > 1 { format!("_step{:09}", reader.steps()[dump].step) } else { String::new() };
        let values = Values::read(&reader, dump, &work.nodes, &record)?;
        let step = reader.steps()[dump].step;
        leave_out_members(&mut left_out, work.cells.as_ref(), step);
        leave_out_members(&mut left_out, work.bodies.as_ref(), step);
        let stress = values.stress.as_deref().filter(|_| !immersed);
        steps.push(one_step(&mut work, reader.steps()[dump], &values, stress, &suffix)?);
        means_over_layers(&mut work, &reader, dump, &values, &suffix)?;
        leave_out(
            &mut left_out,
            record.pressure_drop != [0.0; 3] && !is_steady_from(&record, reader.steps()[dump].time),
            "the linear part of the pressure drop, from all pressures: it changes with time, by a waveform or a ramp",
        );
        leave_out(
            &mut left_out,
            values.pressure.is_none(),
            "pressure maps and pressure at walls: the dump holds no pressure",
        );
        leave_out(&mut left_out, values.stress.is_none(), "wall shear stress: the dump holds no shear_stress");
    }
    let balance = balance(&mut work, &arguments.place.run, &steps, &mut left_out)?;
    let forces = forces::forces(&mut work, &arguments.place.run, &config)
        .map_err(within(arguments.sections.config.as_deref()))?;
    let run = arguments.place.run.display().to_string();
    write_json(
        &work.output.file("summary.json"),
        &RunSummary {
            run,
            run_state,
            dumps: &steps,
            mass_balance: balance.as_ref(),
            forces: forces.as_ref(),
            left_out: &left_out,
        },
    )?;
    report(&work.output, steps.last(), balance.as_ref(), &left_out, forces.as_ref())?;
    Ok(Exit::Done)
}

fn prepare<'a>(
    arguments: &FlowArguments,
    config: &PostConfig,
    record: &'a RunRecord,
    reader: &'a FieldReader,
    left_out: &mut Vec<String>,
) -> Result<Work<'a>> {
    let mut nodes = Nodes::new(reader.grid())?;
    let surroundings = Surroundings::read(record, reader.grid())
        .map_err(|fault| left_out.push(format!("wall shear stress, Reynolds number and periodic faces: {fault}")))
        .ok();
    if let Some(surroundings) = &surroundings {
        nodes = surroundings.wrap(nodes);
    }
    let within = within(arguments.sections.config.as_deref());
    let planes = config.planes_in(&nodes).map_err(within)?;
    let lines = config.lines(reader.grid().dimension).map_err(within)?.unwrap_or_else(|| Line::middles(&nodes));
    for line in &lines {
        line.check().map_err(within)?;
        if !line.is_in_fluid(&nodes) {
            say::note(&format!("warning: line \"{}\" lies outside the fluid: its profile is empty", line.name));
        }
    }
    let (cells, bodies) = (Reader::find(&arguments.place.run)?, Reader::find(&arguments.place.run)?);
    let room_per_wall = surroundings.as_ref().and_then(|s| s.room_per_wall);
    let walls = surroundings.map(|s| s.walls);
    Ok(Work { nodes, record, planes, lines, walls, room_per_wall, cells, bodies, output: arguments.place.output() })
}

fn one_step(
    work: &mut Work,
    at: DumpStep,
    values: &Values,
    stress: Option<&[f64]>,
    suffix: &str,
) -> Result<StepSummary> {
    let pressure = values.pressure.as_deref();
    pictures::maps(work, at, values, suffix)?;
    pictures::cells(work, at, values, suffix)?;
    for line in work.lines.clone() {
        let samples = profile(&work.nodes, &line, &values.velocity, pressure)?;
        profile::table(&samples).write_csv(&work.output.file(format!("profile_{}{suffix}.csv", line.name)))?;
    }
    let (dx, dimension) = (work.record.dx, work.nodes.grid().dimension);
    let rate = |plane: &Plane| {
        let rate = flow_rate(&work.nodes, &values.velocity, plane)?;
        Ok(flux::through_plane(&plane.name, at.step, at.time, rate, dimension, dx))
    };
    let planes = work.planes.iter().map(rate).collect::<Result<_>>()?;
    let walls = work.walls.take();
    let wall_shear_stress = match (&walls, stress) {
        (Some(sites), Some(stress)) => pictures::wall_shear_stress(work, at, sites, stress, suffix)?,
        _ => None,
    };
    let wall_pressure = match (&walls, pressure) {
        (Some(sites), Some(pressure)) => pictures::pressure_at_walls(work, at, sites, pressure, suffix)?,
        _ => None,
    };
    let flow = summary(&values.velocity, pressure, work.room_per_wall, work.record.nu, &values.weights);
    work.walls = walls;
    Ok(StepSummary { step: at.step, time_s: at.time, flow, planes, wall_shear_stress, wall_pressure })
}

/// Writes the means of all fields over the layers of nodes normal to each axis, and draws those of the velocity.
fn means_over_layers(work: &mut Work, reader: &FieldReader, dump: usize, of_dump: &Values, suffix: &str) -> Result<()> {
    let read = |&field: &Field| {
        let pressure = of_dump.pressure.clone().filter(|_| field == Field::PRESSURE);
        Ok((field, pressure.map_or_else(|| source::field(reader, dump, &work.nodes, field), Ok)?))
    };
    let fields = reader.fields().iter().map(read).collect::<Result<Vec<_>>>()?;
    let dimension = work.nodes.grid().dimension;
    for (axis, name) in AXES.iter().enumerate().take(dimension) {
        let found = layers::layers(&work.nodes, axis, &fields, &of_dump.weights);
        layers::table(axis, &fields, &found).write_csv(&work.output.file(format!("layers_{name}{suffix}.csv")))?;
        let before = fields.iter().take_while(|(field, _)| *field != Field::VELOCITY);
        let first: usize = before.map(|(field, _)| field.components()).sum();
        let component = |c: usize| {
            let points = found.iter().map(|layer| [layer.at, layer.means[first + c]]).collect();
            Curve::new(format!("u{}", AXES[c]), points, Style::Marks, c)
        };
        let curves = (0..dimension).map(component).collect();
        let (x, y) = (Axis::new(*name, "m"), Axis::new("velocity", "m/s"));
        let chart = Chart::new("mean velocity of layers of nodes", x, y, curves);
        let origin = work.output.origin([reader.steps()[dump].time]);
        chart.write(&work.output.figure(format!("layers_{name}{suffix}")), &origin)?;
    }
    Ok(())
}

/// Writes flow rates through openings and planes to `flow_rate.csv`, and the mass balance to `mass_balance.json`.
fn balance(
    work: &mut Work,
    run: &Path,
    steps: &[StepSummary],
    left_out: &mut Vec<String>,
) -> Result<Option<MassBalance>> {
    let (units, dimension) = (work.record.units(), work.nodes.grid().dimension);
    let mut rates: Vec<FlowRate> = steps.iter().flat_map(|step| step.planes.clone()).collect();
    let mut balance = None;
    match Ledger::read(run) {
        Ok(ledger) => {
            rates.extend(flux::through_openings(&ledger.openings, &ledger.rows, &units, dimension));
            balance = flux::mass_balance(&ledger.openings, &ledger.rows, &units, dimension);
            leave_out(left_out, balance.is_none(), "mass balance: the ledger holds fewer than two times");
        }
        Err(fault) => left_out.push(format!("flow rates of openings and mass balance: {fault}")),
    }
    flux::table(&rates).write_csv(&work.output.file("flow_rate.csv"))?;
    if let Some(balance) = &balance {
        write_json(&work.output.file("mass_balance.json"), balance)?;
    }
    Ok(balance)
}

fn leave_out(left_out: &mut Vec<String>, missing: bool, what: &str) {
    if missing && !left_out.iter().any(|known| known == what) {
        left_out.push(what.to_owned());
    }
}

fn leave_out_members<K: Kind>(left_out: &mut Vec<String>, members: Option<&Reader<K>>, step: u64) {
    let (missing, what) = (members.is_some_and(|members| members.at(step).is_none()), K::FORM.what);
    leave_out(left_out, missing, &format!("{what} at step {step}: {what}.vtkhdf has no dump of that step"));
}

fn report(
    output: &Output,
    last: Option<&StepSummary>,
    balance: Option<&MassBalance>,
    left_out: &[String],
    forces: Option<&Forces>,
) -> Result<()> {
    output.say()?;
    if let Some(step) = last {
        let flow = &step.flow;
        let (max, mean) = (with_unit(flow.max_speed_m_per_s, "m/s"), with_unit(flow.mean_speed_m_per_s, "m/s"));
        print_line(&format!("step {}, t = {}, {} nodes", step.step, with_unit(step.time_s, "s"), flow.nodes))?;
        print_line(&format!("speed: mean {mean}, largest {max}"))?;
        if let (Some(re), Some(d)) = (flow.reynolds, flow.hydraulic_diameter_m) {
            print_line(&format!("Reynolds number: {} (hydraulic diameter {})", short(re), with_unit(d, "m")))?;
        }
        for plane in &step.planes {
            print_line(&format!("flow rate, plane {}: {}", plane.name, rate(plane.m3_per_s, plane.m2_per_s)))?;
        }
        if let Some(wss) = &step.wall_shear_stress {
            let [mean, p95, max] = [wss.mean_pa, wss.p95_pa, wss.max_pa].map(|v| with_unit(v, "Pa"));
            let left_out = near_openings(wss);
            print_line(&match wss.not_extrapolated == wss.points {
                true => "wall shear stress: not resolved, the fluid is too narrow for it at all walls".to_owned(),
                false => format!("wall shear stress: mean {mean}, 95th percentile {p95}, largest {max}{left_out}"),
            })?;
            if wss.not_extrapolated as f64 > NARROW * wss.points as f64 {
                say::note(&format!(
                    "warning: at {} of {} wall points there is no room for a point further in, so that the wall shear stress is that of \
                     the node, too low: take a smaller spacing",
                    wss.not_extrapolated, wss.points
                ));
            }
        }
        if let Some(pressure) = &step.wall_pressure {
            let [mean, min, max] = [pressure.mean_pa, pressure.min_pa, pressure.max_pa].map(|v| with_unit(v, "Pa"));
            let left_out = near_openings(pressure);
            print_line(&format!("pressure at walls: mean {mean}, from {min} to {max}{left_out}"))?;
        }
        if flow.not_finite > 0 {
            say::note(&format!("warning: {} values are not finite", flow.not_finite));
        }
    }
    if let Some(balance) = balance {
        for opening in &balance.openings {
            let last = rate(opening.last_m3_per_s, opening.last_m2_per_s);
            let mean = rate(opening.mean_m3_per_s, opening.mean_m2_per_s);
            let interval = with_unit(balance.last_interval_s, "s");
            let name = &opening.name;
            print_line(&format!("flow rate, opening {name}: {last} over the last {interval}, {mean} since the start"))?;
        }
        let of = |share: Option<f64>, what: &str| share.map(|share| format!(", {share:.3e} of {what}"));
        let share = of(balance.relative_defect, "what went in")
            .or_else(|| of(balance.defect_to_inside, "the mass inside"))
            .unwrap_or_default();
        print_line(&format!("mass-balance defect: {:.3e} kg{share}", balance.defect_kg))?;
    }
    for part in forces.iter().flat_map(|forces| &forces.parts) {
        let [drag, lift] = [part.drag[0], part.lift[0]].map(|mean| with_unit(mean, part.unit));
        let from = with_unit(part.from_s, "s");
        print_line(&format!("force on {}: mean drag {drag}, lift {lift}, from {from} on", part.part))?;
    }
    say::left_out(left_out);
    Ok(())
}

/// The user is told where the wall shear stress at more than this share of the wall is that of the node.
const NARROW: f64 = 0.05;

/// What statistics at walls leave out.
fn near_openings(statistics: &Statistics) -> String {
    match statistics.near_openings {
        0 => String::new(),
        all if all == statistics.points => " (all points are within half a width of openings)".to_owned(),
        near => format!(" (without {near} of {} points, within half a width of openings)", statistics.points),
    }
}

fn rate(m3_per_s: f64, m2_per_s: Option<f64>) -> String {
    match m2_per_s {
        Some(m2) => format!("{} m3/s, a depth {} m2/s", short(m3_per_s), short(m2)),
        None => format!("{} m3/s", short(m3_per_s)),
    }
}
