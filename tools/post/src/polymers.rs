//! `post polymers`: shapes, relaxation and motion of chains.

use std::collections::{BTreeMap, HashMap};

use hematite_case::Header;
use hematite_config::{Exit, Fault, Result, print_line};
use hematite_dump::{ChainReader, DumpStep, RestartRecord, RunRecord};
use hematite_stats::chart::{Axis, Chart, Curve, Style};
use hematite_stats::plane::{AXES, xyz};
use hematite_stats::polymers::correlation::relaxation;
use hematite_stats::polymers::{
    Diffusion, History, Layers, Relaxation, Snapshot, Summary, bond_lengths, layers, modes,
};
use hematite_stats::suspension::blocks::Estimate;
use hematite_stats::table::{Table, lag, write_json};
use hematite_units::number::{exact, round_up, with_unit};

use crate::arguments::PolymersArguments;
use crate::output::Output;
use crate::suspension::drive::drives;
use crate::{say, source};

/// Least frames from which statistics are made.
const LEAST: usize = 2;

/// Share of the run that is left out by default: chains relax from how they were put into the case.
const LEFT_OUT: f64 = 0.25;

/// Width of classes of lengths of bonds, in the first of them.
const CLASS: f64 = 0.008;

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
    let periodic = case.header().periodic;
    tell_axes(&record, source.dimension(), periodic);
    let mut output = arguments.place.output();
    let summaries: Vec<Summary> = read.histories.iter().map(History::summary).collect();
    let names = source.names();
    let rings: Vec<bool> = source.kinds().iter().map(|kind| kind.ring).collect();
    write(&read, (&names, &rings), &summaries, case.header(), &mut output)?;
    output.say()?;
    for (name, summary) in names.iter().zip(&summaries) {
        tell(name, summary, periodic)?;
    }
    Ok(Exit::Done)
}

/// Tells along which axes walls end the motion of chains, and along which a flow adds to it.
fn tell_axes(record: &RunRecord, dimension: usize, periodic: [bool; 3]) {
    let axes = |chosen: &dyn Fn(usize) -> bool| {
        (0..dimension).filter(|&a| chosen(a)).map(|a| AXES[a]).collect::<Vec<_>>().join(" and ")
    };
    let walled = axes(&|a| !periodic[a]);
    if !walled.is_empty() {
        say::note(&format!(
            "the domain ends along {walled}, and with it the motion of chains: the mean of the diffusion coefficients leaves {walled} out"
        ));
    }
    let drives = drives(record);
    let driven = axes(&|a| periodic[a] && drives[a]);
    if !driven.is_empty() {
        say::note(&format!(
            "the run drives a flow along {driven}: chains that it carries at different speeds disperse, which the diffusion coefficient \
             along {driven} and the mean have in them"
        ));
    }
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
    bonds: Vec<Lengths>,
}

/// How often bonds of a population have which length.
#[derive(Default)]
struct Lengths {
    /// Width of a class, m; 0 until the first bond.
    width: f64,
    /// Bonds in the classes that hold some, by how many widths lie below.
    counts: BTreeMap<u64, u64>,
}

impl Lengths {
    fn add(&mut self, length: f64) {
        if self.width == 0.0 {
            self.width = round_up(CLASS * length);
        }
        if self.width > 0.0 {
            *self.counts.entry((length / self.width) as u64).or_default() += 1;
        }
    }

    /// The middle of each class, m, and the probability density of lengths in it, 1/m.
    fn density(&self) -> Vec<[f64; 2]> {
        let all = self.counts.values().sum::<u64>() as f64;
        let of = |(&class, &count): (&u64, &u64)| [(class as f64 + 0.5) * self.width, count as f64 / all / self.width];
        self.counts.iter().map(of).collect()
    }
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
    if 2 * frames.len() <= counted.len() {
        return Err(Fault::usage(format!(
            "only {} of {} dumps of polymers are evenly apart: dump them after a whole number of steps, e.g. \"cell_dumps\": \
             {{\"every\": {interval}}}; a time that is none makes uneven dumps",
            frames.len(),
            counted.len()
        )));
    }
    if let Some(gap) = frames.windows(2).find(|pair| counted[pair[1]].step - counted[pair[0]].step != interval) {
        return Err(Fault::usage(format!(
            "dumps of polymers are {interval} steps apart but for those at steps {} and {}: give a later --from, so that all that count \
             are evenly apart, or run again with \"cell_dumps\" after a whole number of steps, if it gives a time that is none",
            counted[gap[0]].step, counted[gap[1]].step
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
        periodic: header.periodic,
        times: frames.iter().map(|&n| steps[n].time).collect(),
        chains: Vec::new(),
    });
    let mut histories: Vec<History> = histories.collect();
    let empty =
        || [0, 1, 2].map(|a| Layers { beads: vec![0.0; header.extent[a]], centres: vec![0.0; header.extent[a]] });
    let mut counted: Vec<[Layers; 3]> = kinds.iter().map(|_| empty()).collect();
    let mut bonds: Vec<Lengths> = kinds.iter().map(|_| Lengths::default()).collect();
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
            bond_lengths(&positions, kinds[k].ring).for_each(|length| bonds[k].add(length));
            let id = frame.id[chain];
            if t == 0 {
                places.insert(id, histories[k].chains.len());
                histories[k].chains.push(Vec::with_capacity(frames.len()));
            }
            let known = places.get(&id).and_then(|&place| histories[k].chains.get_mut(place));
            known.ok_or_else(|| missing(format!("chain {id} was not there before")))?.push(snapshot);
        }
    }
    Ok(Read { histories, layers: counted, bonds })
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
    let moved = ["population", "lag_s", "pairs", "mean_square_displacement_m2", "about_the_mean_m2"]
        .map(str::to_owned)
        .into_iter();
    let mut moved = Table::new(moved.chain(xyz("mean_square_", "_m2")));
    let mut of_bonds = Table::new(["population", "length_m", "density_per_m"]);
    let mut of_modes = Table::new(["population", "mode", "mean_square_m2", "ideal_m2", "relaxation_time_s"]);
    let [mut radius, mut correlated, mut wandered, mut lengths] = [const { Vec::<Curve>::new() }; 4];
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
        for ((frames, c), (_, v)) in end_to_end.iter().zip(&velocities) {
            correlations.push([name.clone(), lag(*frames as f64 * seconds), exact(*c), exact(*v)]);
        }
        let points = end_to_end.iter().map(|&(lag, c)| [lag as f64 * seconds, c]).collect();
        correlated.push(Curve::new(name, points, Style::Line, k));
        let displaced = history.displacements();
        for d in &displaced {
            let about: f64 = (0..3).map(|a| 2.0 * d.lag_s * d.dispersion_m2_per_s[a]).sum();
            let square: f64 = d.mean_square_m2.iter().sum();
            let row = [name.clone(), lag(d.lag_s), d.pairs.to_string(), exact(square), exact(about)].into_iter();
            moved.push(row.chain(d.mean_square_m2.map(exact)));
        }
        let points = displaced.iter().map(|d| [d.lag_s, d.mean_square_m2.iter().sum()]).collect();
        wandered.push(Curve::new(name, points, Style::Marks, k));
        let bond = summaries[k].bond_m.powi(2) + summaries[k].bond_spread_m.powi(2);
        for p in 1..=history.modes() {
            let (correlation, square) = history.mode(p);
            let time = relaxation(&correlation).frames().map(|frames| frames * seconds);
            let ideal = modes::of_ideal(bond, history.beads, p, rings[k]);
            of_modes.push([name.clone(), p.to_string(), exact(square), exact(ideal), known(time)]);
        }
        let density = read.bonds[k].density();
        for [length, density] in &density {
            of_bonds.push([name.clone(), lag(*length), lag(*density)]);
        }
        if !density.is_empty() {
            lengths.push(Curve::new(name, density, Style::Line, k));
        }
    }
    radii.write_csv(&output.file("radii.csv"))?;
    correlations.write_csv(&output.file("correlations.csv"))?;
    moved.write_csv(&output.file("displacements.csv"))?;
    of_modes.write_csv(&output.file("modes.csv"))?;
    of_bonds.write_csv(&output.file("bonds.csv"))?;
    let origin = output.origin(read.histories.iter().flat_map(|history| history.times.iter().copied()));
    let time = || Axis::new("time", "s");
    Chart::new("radius of gyration", time(), Axis::new("radius of gyration", "m").from_zero(), radius)
        .write(&output.figure("radius_of_gyration"), &origin)?;
    Chart::new("correlation of end-to-end vectors", Axis::new("lag", "s"), Axis::new("correlation", ""), correlated)
        .write(&output.figure("end_to_end_correlation"), &origin)?;
    let square = Axis::new("mean square displacement", "m\u{b2}").logarithmic();
    Chart::new("mean square displacement of centres", Axis::new("lag", "s").logarithmic(), square, wandered)
        .write(&output.figure("displacement_of_centres"), &origin)?;
    if !lengths.is_empty() {
        let density = Axis::new("probability density", "1/m").from_zero();
        Chart::new("lengths of bonds", Axis::new("length", "m"), density, lengths)
            .write(&output.figure("bond_lengths"), &origin)?;
    }
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
    let first = [
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
        "bond_error_m",
        "bond_spread_m",
        "bend_cosine",
        "bend_cosine_error",
        "persistence_length_m",
        "persistence_length_error_m",
        "relaxation_time_s",
        "relaxation_time_error_s",
        "diffusion_m2_per_s",
        "diffusion_error_m2_per_s",
        "diffusion_by_velocity_m2_per_s",
    ];
    let both = |what: &str, unit: &str| {
        AXES.map(|axis| [format!("{what}_{axis}_{unit}"), format!("{what}_{axis}_error_{unit}")])
    };
    let by_axis = [both("diffusion", "m2_per_s"), both("squared_radius_of_gyration", "m2")];
    let header = first.map(str::to_owned).into_iter().chain(by_axis.into_iter().flatten().flatten());
    let mut table = Table::new(header);
    for (name, of) in names.iter().zip(summaries) {
        let mean = |estimate: &Option<Estimate>| known(estimate.map(|of| of.mean));
        let error = |estimate: &Option<Estimate>| known(estimate.and_then(|of| of.standard_error));
        let diffusion = of.diffusion;
        let first = [
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
            known(of.bond_error_m),
            exact(of.bond_spread_m),
            known(of.bend_cosine),
            known(of.bend_cosine_error),
            known(of.persistence_length_m),
            known(of.persistence_length_error_m),
            known(of.relaxation_time_s),
            known(of.relaxation_time_error_s),
            mean(&diffusion.mean),
            error(&diffusion.mean),
            known(of.diffusion_by_velocity_m2_per_s),
        ];
        let by_axis = diffusion.along.into_iter().chain(of.squared_radii_of_gyration_m2);
        table.push(first.into_iter().chain(by_axis.flat_map(|along| [mean(&along), error(&along)])));
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

/// Prints the most important numbers of a population, along the axes that are `periodic`.
fn tell(name: &str, summary: &Summary, periodic: [bool; 3]) -> Result<()> {
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
    tell_diffusion(name, &summary.diffusion, periodic)?;
    if let (Some(time), Some(spanned)) = (summary.relaxation_time_s, summary.relaxations) {
        print_line(&format!(
            "population {name}: relaxation time {}{}",
            with_unit(time, "s"),
            relaxation_error(summary)
        ))?;
        if spanned < SPANNED {
            say::note(&format!(
                "{name}: the dumps span {spanned:.1} relaxation times, {SPANNED} or more make means that hold: run longer"
            ));
        }
    }
    match summary.relaxation {
        Some(Relaxation::Slow) => say::note(&format!(
            "{name}: no relaxation time: chains keep their direction for most of the dumps; run longer"
        )),
        Some(Relaxation::Fast(_)) => say::note(&format!(
            "{name}: no relaxation time: chains lose their direction within a few dumps; dump more often"
        )),
        Some(Relaxation::Frames(_)) | None => {}
    }
    if summary.diffusion.lags_s.is_none() {
        say::note(&format!(
            "{name}: no diffusion coefficient: the dumps do not span three relaxation times, and displacements do not grow in \
             proportion to time; run longer"
        ));
    }
    Ok(())
}

/// The error of a relaxation time as it is told, or why there is none.
fn relaxation_error(summary: &Summary) -> String {
    match summary.relaxation_time_error_s {
        Some(error) => format!(" +- {}", with_unit(error, "s")),
        None if summary.chains < 2 => " (one chain only: no error)".to_owned(),
        None => " (there is none without some of the chains: no error)".to_owned(),
    }
}

/// A diffusion coefficient with its error, or why there is none.
fn coefficient(of: Estimate) -> String {
    match of.standard_error {
        Some(error) => format!("{:.4e} +- {error:.1e} m2/s", of.mean),
        None => format!("{:.4e} m2/s (one block only: no error)", of.mean),
    }
}

fn tell_diffusion(name: &str, diffusion: &Diffusion, periodic: [bool; 3]) -> Result<()> {
    let along: Vec<String> = AXES
        .iter()
        .zip(periodic)
        .zip(diffusion.along)
        .filter(|((_, periodic), _)| *periodic)
        .filter_map(|((axis, _), of)| Some(format!("along {axis} {}", coefficient(of?))))
        .collect();
    let Some(mean) = diffusion.mean else { return Ok(()) };
    let each = if along.len() > 1 { format!("; {}", along.join(", ")) } else { String::new() };
    print_line(&format!("population {name}: diffusion coefficient of the centres {}{each}", coefficient(mean)))?;
    if let Some([first, last]) = diffusion.lags_s.filter(|_| !diffusion.relaxed) {
        say::note(&format!(
            "{name}: the diffusion coefficient is by displacements over {} to {}, in which they grow in proportion to time, but shorter \
             than chains need to relax",
            with_unit(first, "s"),
            with_unit(last, "s")
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_errors_say_why() {
        let of = |standard_error| Estimate { mean: 3.2e-11, standard_error, samples: 4, blocks: 4 };
        assert_eq!(coefficient(of(Some(4e-12))), "3.2000e-11 +- 4.0e-12 m2/s");
        assert_eq!(coefficient(of(None)), "3.2000e-11 m2/s (one block only: no error)");
        let told = |chains, relaxation_time_error_s| {
            relaxation_error(&Summary { chains, relaxation_time_error_s, ..Summary::default() })
        };
        assert_eq!(told(4, Some(2e-3)), " +- 2 ms");
        assert_eq!(told(1, None), " (one chain only: no error)");
        assert_eq!(told(4, None), " (there is none without some of the chains: no error)");
    }
}
