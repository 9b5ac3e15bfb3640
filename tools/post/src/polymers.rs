//! `post polymers`: shapes, relaxation and motion of chains.

use std::collections::{BTreeMap, HashMap};

use hematite_case::Header;
use hematite_config::{Exit, Fault, Result, print_line};
use hematite_dump::{ChainReader, DumpStep, RestartRecord, RunRecord};
use hematite_stats::chart::{Axis, Chart, Curve, Style};
use hematite_stats::plane::AXES;
use hematite_stats::polymers::{History, Layers, Snapshot, Summary, layers, modes};
use hematite_stats::suspension::blocks::Estimate;
use hematite_stats::table::{Table, write_json};
use hematite_units::number::{exact, with_unit};

use crate::arguments::PolymersArguments;
use crate::output::Output;
use crate::{say, source};

/// Least frames from which statistics are made.
const LEAST: usize = 2;

/// Share of the run that is left out by default: chains relax from how they were put into the case.
const LEFT_OUT: f64 = 0.25;

/// Relaxation times that frames should span.
const SPANNED: f64 = 10.0;

/// Writes the statistics of a run.
///
/// # Errors
/// A usage fault without chains or frames; an I/O fault when a file cannot be written.
pub fn run(arguments: &PolymersArguments) -> Result<Exit> {
    let run = &arguments.place.run;
    let record = RunRecord::read(run)?;
    let missing = || {
        Fault::usage(format!(
            "{} holds no polymers.vtkhdf: run a case with \"polymers\" in a fluid of particles, and dump them by \"cell_dumps\"",
            run.display()
        ))
    };
    let source = ChainReader::find(run)?.ok_or_else(missing)?;
    say::known_state(run);
    if let Some(restart) = record.restarts.iter().rfind(|restart| physical(restart).next().is_some()) {
        let keys: Vec<&str> = physical(restart).collect();
        say::note(&format!(
            "the run went on at step {} with changes ({}): means over both may mean nothing; --from {} leaves out what was before",
            restart.step,
            keys.join(", "),
            restart.step
        ));
    }
    let case = source::case(&record)?;
    let from = first(arguments, &source)?;
    let read = read(&source, case.header(), from)?;
    let mut output = arguments.place.output();
    let summaries: Vec<Summary> = read.histories.iter().map(History::summary).collect();
    let names = source.names();
    let rings: Vec<bool> = source.kinds().iter().map(|kind| kind.ring).collect();
    write(&read, (&names, &rings), &summaries, case.header(), &mut output)?;
    output.say()?;
    for (name, summary) in names.iter().zip(&summaries) {
        tell(name, summary)?;
    }
    Ok(Exit::Done)
}

/// The keys of a restart's changes that change how chains move.
fn physical(restart: &RestartRecord) -> impl Iterator<Item = &str> {
    let sections = ["fluid", "polymers", "drive", "openings"];
    let keys = restart.changed.iter().map(|change| change.key.as_str());
    keys.filter(move |key| sections.iter().any(|section| key.split('.').next() == Some(section)))
}

/// The first frame that counts.
fn first(arguments: &PolymersArguments, source: &ChainReader) -> Result<usize> {
    let steps = source.steps();
    let from = match arguments.from {
        Some(step) => steps.partition_point(|at| at.step < step),
        None => (LEFT_OUT * steps.len() as f64) as usize,
    };
    if steps.len() < from + LEAST {
        let last = steps.last().map_or(0, |at| at.step);
        let count = steps.len() - from.min(steps.len());
        let earlier = arguments.from.map_or_else(String::new, |step| {
            format!(", or give an earlier --from than {step} (the last dump is at step {last})")
        });
        return Err(Fault::usage(format!(
            "{count} dumps of polymers count, at least {LEAST} are needed: dump more often, e.g. \"cell_dumps\": {{\"every\": \
             100}}{earlier}"
        )));
    }
    Ok(from)
}

/// The chains of a run, by population.
struct Read {
    histories: Vec<History>,
    /// Of each population, for each axis.
    layers: Vec<[Layers; 3]>,
}

/// The numbers of the dumps from number `from` on that are evenly apart: dumps that lie between are left out.
fn even_frames(steps: &[DumpStep], from: usize) -> Result<Vec<usize>> {
    let counted = &steps[from..];
    let mut intervals: BTreeMap<u64, usize> = BTreeMap::new();
    for pair in counted.windows(2) {
        *intervals.entry(pair[1].step - pair[0].step).or_default() += 1;
    }
    let interval = intervals.into_iter().max_by_key(|&(_, often)| often).map_or(1, |(interval, _)| interval);
    let phase = |n: usize| counted[n].step % interval;
    let mut phases: BTreeMap<u64, usize> = BTreeMap::new();
    (0..counted.len()).for_each(|n| *phases.entry(phase(n)).or_default() += 1);
    let usual = phases.into_iter().max_by_key(|&(_, often)| often).map_or(0, |(phase, _)| phase);
    let frames: Vec<usize> = (0..counted.len()).filter(|&n| phase(n) == usual).collect();
    if let Some(gap) = frames.windows(2).find(|pair| counted[pair[1]].step - counted[pair[0]].step != interval) {
        return Err(Fault::usage(format!(
            "dumps of polymers are {interval} steps apart but for those at steps {} and {}: give a later --from, so that all that count \
             are evenly apart",
            counted[gap[0]].step, counted[gap[1]].step
        )));
    }
    if 2 * frames.len() <= counted.len() {
        return Err(Fault::usage(format!(
            "only {} of {} dumps of polymers are evenly apart: dump them by \"cell_dumps\": {{\"every\": ...}}",
            frames.len(),
            counted.len()
        )));
    }
    if frames.len() < counted.len() {
        say::note(&format!(
            "{} dumps are not {interval} steps from others and are left out",
            counted.len() - frames.len()
        ));
    }
    Ok(frames.into_iter().map(|n| from + n).collect())
}

/// Reads the frames from number `from` on.
fn read(source: &ChainReader, header: &Header, from: usize) -> Result<Read> {
    let (kinds, dimension) = (source.kinds(), source.dimension());
    let steps = source.steps();
    let frames = even_frames(steps, from)?;
    let mut places: HashMap<u64, usize> = HashMap::new();
    let histories = kinds.iter().map(|kind| History {
        beads: kind.beads,
        dimension,
        times: frames.iter().map(|&n| steps[n].time).collect(),
        chains: Vec::new(),
    });
    let mut histories: Vec<History> = histories.collect();
    let empty =
        || [0, 1, 2].map(|a| Layers { beads: vec![0.0; header.extent[a]], centres: vec![0.0; header.extent[a]] });
    let mut counted: Vec<[Layers; 3]> = kinds.iter().map(|_| empty()).collect();
    let share = 1.0 / frames.len() as f64;
    for (t, &n) in frames.iter().enumerate() {
        let frame = source.frame(n)?;
        let missing = |what: String| Fault::usage(format!("polymers.vtkhdf at step {}: {what}", steps[n].step));
        if t > 0 && frame.id.len() != places.len() {
            return Err(missing(format!("{} chains, the first dump has {}", frame.id.len(), places.len())));
        }
        for (chain, beads) in frame.beads(kinds).into_iter().enumerate() {
            let k = frame.kind[chain] as usize;
            let moved = |at: &[f64; 3]| -> [f64; 3] {
                std::array::from_fn(|a| {
                    at[a] + f64::from(frame.image[chain][a]) * header.extent[a] as f64 * header.spacing
                })
            };
            let positions: Vec<[f64; 3]> = frame.position[beads.clone()].iter().map(moved).collect();
            let snapshot = Snapshot::of(&positions, &frame.velocity[beads], kinds[k].ring, dimension);
            for (a, counts) in counted[k].iter_mut().enumerate().take(dimension) {
                let off = |x: f64| x - header.origin[a];
                let (spacing, periodic) = (header.spacing, header.periodic[a]);
                layers(&mut counts.beads, positions.iter().map(|x| off(x[a])), spacing, periodic, share);
                layers(&mut counts.centres, [off(snapshot.centre[a])].into_iter(), spacing, periodic, share);
            }
            let id = frame.id[chain];
            if t == 0 {
                places.insert(id, histories[k].chains.len());
                histories[k].chains.push(Vec::with_capacity(frames.len()));
            }
            let known = places.get(&id).and_then(|&place| histories[k].chains.get_mut(place));
            known.ok_or_else(|| missing(format!("chain {id} was not there before")))?.push(snapshot);
        }
    }
    Ok(Read { histories, layers: counted })
}

/// Writes all tables and figures.
fn write(
    read: &Read,
    (names, rings): (&[String], &[bool]),
    summaries: &[Summary],
    header: &Header,
    output: &mut Output,
) -> Result<()> {
    summary_table(names, summaries).write_csv(&output.file("polymers.csv"))?;
    let by_name: serde_json::Map<String, serde_json::Value> = names
        .iter()
        .zip(summaries)
        .map(|(name, summary)| (name.clone(), serde_json::to_value(summary).unwrap_or_default()))
        .collect();
    write_json(&output.file("polymers.json"), &by_name)?;
    let mut radii = Table::new(["population", "time_s", "radius_of_gyration_m", "end_to_end_m"]);
    let mut correlations =
        Table::new(["population", "lag_s", "end_to_end_correlation", "velocity_correlation_m2_per_s2"]);
    let mut moved = Table::new(["population", "lag_s", "mean_square_displacement_m2", "about_the_mean_m2"]);
    let mut of_modes = Table::new(["population", "mode", "mean_square_m2", "ideal_m2", "relaxation_time_s"]);
    let [mut radius, mut correlated, mut wandered] = [const { Vec::<Curve>::new() }; 3];
    let dimension = read.histories.first().map_or(3, |history| history.dimension);
    for (k, (name, history)) in names.iter().zip(&read.histories).enumerate() {
        let rg = history.means(|at| at.squared_radius);
        let ends = history.means(|at| at.end_to_end.iter().map(|x| x * x).sum());
        for ((&time, rg), end) in history.times.iter().zip(&rg).zip(&ends) {
            radii.push([name.clone(), exact(time), exact(rg.sqrt()), exact(end.sqrt())]);
        }
        let points = history.times.iter().zip(&rg).map(|(&time, rg)| [time, rg.sqrt()]).collect();
        radius.push(Curve::new(name, points, Style::Line, k));
        let seconds = history.interval();
        let (end_to_end, velocities) = (history.end_to_end(), history.velocities());
        for ((lag, c), (_, v)) in end_to_end.iter().zip(&velocities) {
            correlations.push([name.clone(), exact(*lag as f64 * seconds), exact(*c), exact(*v)]);
        }
        let points = end_to_end.iter().map(|&(lag, c)| [lag as f64 * seconds, c]).collect();
        correlated.push(Curve::new(name, points, Style::Line, k));
        let displaced = history.displacements();
        for d in &displaced {
            let about: f64 = (0..3).map(|a| 2.0 * d.lag_s * d.dispersion_m2_per_s[a]).sum();
            let square: f64 = d.mean_square_m2.iter().sum();
            moved.push([name.clone(), exact(d.lag_s), exact(square), exact(about)]);
        }
        let points = displaced.iter().map(|d| [d.lag_s, d.mean_square_m2.iter().sum()]).collect();
        wandered.push(Curve::new(name, points, Style::Marks, k));
        let bond = summaries[k].bond_m.powi(2) + summaries[k].bond_spread_m.powi(2);
        for p in 1..=history.modes() {
            let (correlation, square) = history.mode(p);
            let time = hematite_stats::polymers::correlation::relaxation(&correlation).map(|frames| frames * seconds);
            let ideal = modes::of_ideal(bond, history.beads, p, rings[k]);
            of_modes.push([name.clone(), p.to_string(), exact(square), exact(ideal), known(time)]);
        }
    }
    radii.write_csv(&output.file("radii.csv"))?;
    correlations.write_csv(&output.file("correlations.csv"))?;
    moved.write_csv(&output.file("displacements.csv"))?;
    of_modes.write_csv(&output.file("modes.csv"))?;
    let origin = output.origin(read.histories.iter().flat_map(|history| history.times.iter().copied()));
    let time = || Axis::new("time", "s");
    Chart::new("radius of gyration", time(), Axis::new("radius of gyration", "m").from_zero(), radius)
        .write(&output.figure("radius_of_gyration"), &origin)?;
    Chart::new("correlation of end-to-end vectors", Axis::new("lag", "s"), Axis::new("correlation", ""), correlated)
        .write(&output.figure("end_to_end_correlation"), &origin)?;
    let square = Axis::new("mean square displacement", "m\u{b2}").logarithmic();
    Chart::new("mean square displacement of centres", Axis::new("lag", "s").logarithmic(), square, wandered)
        .write(&output.figure("displacement_of_centres"), &origin)?;
    for a in (0..dimension).filter(|&a| !header.periodic[a]) {
        profile(read, names, header, a).write_csv(&output.file(format!("beads_{}.csv", AXES[a])))?;
        let curve = |(k, name): (usize, &String)| {
            let place = |n: usize| header.origin[a] + (n as f64 + 0.5) * header.spacing;
            let points = read.layers[k][a].beads.iter().enumerate().map(|(n, &beads)| [place(n), beads]).collect();
            Curve::new(name, points, Style::Line, k)
        };
        let curves = names.iter().enumerate().map(curve).collect();
        let y = Axis::new("beads in a layer", "").from_zero();
        Chart::new("beads across the domain", Axis::new(AXES[a], "m"), y, curves)
            .write(&output.figure(format!("beads_{}", AXES[a])), &origin)?;
    }
    Ok(())
}

/// A number that may not be known: empty then.
fn known(value: Option<f64>) -> String {
    value.map_or_else(String::new, exact)
}

fn summary_table(names: &[String], summaries: &[Summary]) -> Table {
    let mut table = Table::new([
        "population",
        "chains",
        "beads",
        "frames",
        "squared_radius_of_gyration_m2",
        "squared_radius_of_gyration_error_m2",
        "squared_end_to_end_m2",
        "squared_end_to_end_error_m2",
        "hydrodynamic_radius_m",
        "anisotropy",
        "alignment_with_x",
        "bond_m",
        "bond_spread_m",
        "bend_cosine",
        "persistence_length_m",
        "relaxation_time_s",
        "diffusion_m2_per_s",
        "diffusion_error_m2_per_s",
        "diffusion_by_velocity_m2_per_s",
    ]);
    for (name, of) in names.iter().zip(summaries) {
        let mean = |estimate: &Option<Estimate>| known(estimate.map(|of| of.mean));
        let error = |estimate: &Option<Estimate>| known(estimate.and_then(|of| of.standard_error));
        table.push([
            name.clone(),
            of.chains.to_string(),
            of.beads.to_string(),
            of.frames.to_string(),
            mean(&of.squared_radius_of_gyration_m2),
            error(&of.squared_radius_of_gyration_m2),
            mean(&of.squared_end_to_end_m2),
            error(&of.squared_end_to_end_m2),
            known(of.hydrodynamic_radius_m),
            mean(&of.anisotropy),
            mean(&of.alignment_with_x),
            exact(of.bond_m),
            exact(of.bond_spread_m),
            known(of.bend_cosine),
            known(of.persistence_length_m),
            known(of.relaxation_time_s),
            mean(&of.diffusion_m2_per_s),
            error(&of.diffusion_m2_per_s),
            known(of.diffusion_by_velocity_m2_per_s),
        ]);
    }
    table
}

/// Beads and centres of chains in layers along an axis, in the mean.
fn profile(read: &Read, names: &[String], header: &Header, axis: usize) -> Table {
    let mut table =
        Table::new(["population".to_owned(), format!("{}_m", AXES[axis]), "beads".into(), "centres".into()]);
    for (name, layers) in names.iter().zip(&read.layers) {
        let of = &layers[axis];
        for (n, (beads, centres)) in of.beads.iter().zip(&of.centres).enumerate() {
            let place = header.origin[axis] + (n as f64 + 0.5) * header.spacing;
            table.push([name.clone(), exact(place), exact(*beads), exact(*centres)]);
        }
    }
    table
}

/// Prints the most important numbers of a population.
fn tell(name: &str, summary: &Summary) -> Result<()> {
    let root = |estimate: &Option<Estimate>| estimate.map_or_else(String::new, |of| with_unit(of.mean.sqrt(), "m"));
    print_line(&format!(
        "population {name}: {} chains of {} beads in {} dumps; radius of gyration {}, end to end {}, bonds {} +- {}",
        summary.chains,
        summary.beads,
        summary.frames,
        root(&summary.squared_radius_of_gyration_m2),
        root(&summary.squared_end_to_end_m2),
        with_unit(summary.bond_m, "m"),
        with_unit(summary.bond_spread_m, "m")
    ))?;
    if let Some(of) = summary.diffusion_m2_per_s {
        let error = of.standard_error.map_or_else(String::new, |error| format!(" +- {error:.1e}"));
        print_line(&format!("population {name}: diffusion coefficient of the centres {:.4e}{error} m2/s", of.mean))?;
    }
    match (summary.relaxation_time_s, summary.relaxations) {
        (Some(time), Some(spanned)) => {
            print_line(&format!("population {name}: relaxation time {}", with_unit(time, "s")))?;
            if spanned < SPANNED {
                say::note(&format!(
                    "{name}: the dumps span {spanned:.1} relaxation times, {SPANNED} or more make means that hold: run longer"
                ));
            }
        }
        _ if summary.beads > 1 => say::note(&format!(
            "{name}: no relaxation time: chains keep their direction for most of the dumps, or lose it between two; run longer, or \
             dump more often"
        )),
        _ => {}
    }
    Ok(())
}
