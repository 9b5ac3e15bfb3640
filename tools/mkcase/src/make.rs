//! Makes a case, phase by phase.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use hematite_case::{
    ChainPlan, ChainPopulation, ImmersedWalls, Lattice, Layer, Partition, Population, PopulationConfig,
    PopulationReport, Seeding, Suspended, grow_polymers, loads, narrowest, plan_polymers, wall_points, write,
};
use hematite_config::{Fault, Provenance, Result, read_config};
use hematite_geometry::{Domain, ThinWalls, build_marked, field_inputs, inputs, thin_walls};

use crate::arguments::Arguments;
use crate::config::CaseConfig;
use crate::openings::unlike_vessels;
use crate::picture::{self, Picture, PictureOf};
use crate::progress::Progress;
use crate::report::Report;

/// Makes the case of a config, writes it unless this is a check, and returns the report for the user.
///
/// # Errors
/// A usage fault for mistakes in the config or its files; an I/O fault when the case cannot be written.
pub fn make(path: &Path, arguments: &Arguments) -> Result<String> {
    let config: CaseConfig = read_config(path)?;
    let within = |fault: Fault| fault.within(path.display());
    let parts = parts(arguments, &config);
    let mut sources = vec![path.to_owned()];
    sources.extend(inputs(path, &config.geometry));
    let drawn = sources.len();
    sources.extend(
        field_inputs(path, &config.fields).into_iter().filter(|file| !sources.contains(file)).collect::<Vec<_>>(),
    );
    sources.extend(cell_inputs(path, &config.cells));
    let output = output(path, arguments, &sources)?;
    let drawn_of = arguments.picture.unwrap_or(if arguments.check { PictureOf::None } else { PictureOf::Case });
    if drawn_of == PictureOf::Parts && parts.is_empty() {
        return Err(within(Fault::usage(
            "--picture parts: no partition is stored: say how many ranks by --parts, or \"parts\" in the config",
        )));
    }
    let picture = match drawn_of {
        PictureOf::None => None,
        _ => Some(picture::place(&output, &sources)?),
    };
    let progress = Progress::new(arguments.quiet);

    progress.say("reading and labelling the geometry");
    let CaseConfig { geometry, openings, wall_parts, regions, fields, .. } = &config;
    let built = build_marked(path, geometry, openings, wall_parts, regions, fields);
    let (mut domain, marking) = built.map_err(within)?;
    if config.cells.iter().any(|population| !population.rigid) {
        let thin = thin(&domain);
        domain.report.warnings.extend(thin);
    }
    progress.say(format!("linking {} fluid nodes", domain.report.fluid));
    let mut lattice = Lattice::build(&domain).map_err(within)?;
    let unlike = unlike_vessels(&lattice, &domain);
    lattice.geometry.warnings.extend(unlike);
    drop(domain);
    if !regions.is_empty() || !fields.is_empty() {
        progress.say("finding regions and fields");
    }
    lattice.mark(&marking).map_err(within)?;
    drop(marking);
    progress.say("measuring the narrowest place");
    lattice.geometry.narrowest = narrowest(&lattice);
    let smoothed = smoothed_away(&lattice);
    lattice.geometry.warnings.extend(smoothed);
    let (populations, cells) = populate(path, &lattice, &config, arguments.check, &progress).map_err(within)?;
    let (polymers, chains) = polymerize(&lattice, &config, arguments.check, &progress).map_err(within)?;
    let immersed = immersed_walls(&lattice, &config, &populations, &parts, &progress).map_err(within)?;
    let loads = loads(&lattice, lattice.nodes(), &populations);
    let mut partitions = Vec::with_capacity(parts.len());
    for parts in parts {
        progress.say(format!("dividing it into {parts}"));
        partitions.push(Partition::make_loaded(&lattice, loads.as_deref(), parts).map_err(within)?);
    }
    if !arguments.check {
        progress.say(format!("writing {}", output.display()));
        // Without the time, so that the same call makes the same bytes: checkpoints know their case by its hash.
        let inputs: Vec<&Path> = sources.iter().map(PathBuf::as_path).collect();
        let provenance = Provenance::of("mkcase", &inputs)?.undated();
        let stored =
            serde_json::to_value(&config).map_err(|error| Fault::io(format!("{}: {error}", path.display())))?;
        let suspended = Suspended { cells: &populations, polymers: &polymers };
        write(&output, &lattice, suspended, &immersed, &partitions, &provenance, &stored)?;
    }
    if let Some(place) = &picture {
        progress.say(format!("drawing {}", place.display()));
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let partition = partitions.last().filter(|_| drawn_of == PictureOf::Parts);
        Picture { name, lattice: &lattice, populations: &populations, partition }.write(place)?;
    }
    drop(progress);
    Ok(Report {
        output: &output,
        written: !arguments.check,
        picture: picture.as_deref(),
        inputs: &sources[1..drawn],
        lattice: &lattice,
        cells: &cells,
        polymers: &chains,
        immersed: &immersed,
        partitions: &partitions,
    }
    .to_string())
}

/// Fluid that smooth walls make larger or smaller by more than this share is told of,
const RESIZED: f64 = 0.05;
/// and so are vessels of fewer pixels or voxels across: smoothing may narrow them.
const ACROSS: f64 = 3.0;

/// A warning where walls that are smoothed between pixels or voxels change the size of vessels.
fn smoothed_away(lattice: &Lattice) -> Option<String> {
    let resampled = lattice.geometry.resampled.as_ref()?;
    let across = lattice.geometry.narrowest.as_ref().filter(|narrowest| !narrowest.is_wider);
    let across = across.map(|narrowest| narrowest.spacings * lattice.spacing / resampled.voxel);
    let growth = resampled.growth();
    let voxels = if lattice.set.dimension() == 2 { "pixels" } else { "voxels" };
    let remedy = format!(
        "vessels of fewer than three {voxels} across lose area where their walls are smoothed; take finer \
         {voxels}, or the {voxels} as they are (their edge as \"spacing\"), and compare"
    );
    if growth.abs() > RESIZED {
        let than = if growth < 0.0 { "smaller" } else { "larger" };
        Some(format!("the fluid is {:.0} % {than} than its {voxels}: {remedy}", 100.0 * growth.abs()))
    } else {
        let across = across.filter(|across| *across < ACROSS)?;
        Some(format!("the narrowest place is only {across:.1} {voxels} across: {remedy}"))
    }
}

/// A note on thin walls, from which a run keeps cells farther away than from others.
fn thin(domain: &Domain) -> Option<String> {
    let ThinWalls { sites, first } = thin_walls(domain)?;
    let at: Vec<String> = first.iter().take(domain.dimension).map(|x| format!("{x:.4e}")).collect();
    Some(format!(
        "{sites} wall site{} only one site thin, the first near ({}) m: a run keeps cells farther off such walls than off \
         others, so that they do not pierce cells; clean specks and lines out of the geometry where they are noise, or take a \
         finer lattice by \"refine\"",
        if sites == 1 { " is" } else { "s are" },
        at.join(", ")
    ))
}

/// What immersed walls need: their points, and, if the config has the key "walls", the nodes beyond them and partitions
/// with these nodes.
fn immersed_walls(
    lattice: &Lattice,
    config: &CaseConfig,
    populations: &[Population],
    parts: &[usize],
    progress: &Progress,
) -> Result<ImmersedWalls> {
    let points = match config.wall_points() {
        Some(spacing) => wall_points(lattice, spacing)?,
        None => return Ok(ImmersedWalls::default()),
    };
    let layer = if config.walls.is_some() { Layer::around(lattice)? } else { None };
    let mut partitions = Vec::new();
    if let Some(layer) = layer.as_ref().filter(|_| parts.iter().any(|&parts| parts > 1)) {
        let joined = layer.join(lattice.clone());
        let loads = loads(&joined, lattice.nodes(), populations);
        for &parts in parts.iter().filter(|&&parts| parts > 1) {
            progress.say(format!("dividing it into {parts} with the nodes beyond its walls"));
            partitions.push(Partition::make_loaded(&joined, loads.as_deref(), parts)?);
        }
    }
    Ok(ImmersedWalls { points, layer, partitions })
}

/// The files that the cells are made from.
fn cell_inputs(path: &Path, cells: &[PopulationConfig]) -> Vec<PathBuf> {
    cells.iter().flat_map(|population| population.inputs(path)).collect()
}

/// Seeds the cells. Returns them and lines for the report: the outcome, or in a check what is asked for.
fn populate(
    path: &Path,
    lattice: &Lattice,
    config: &CaseConfig,
    check: bool,
    progress: &Progress,
) -> Result<(Vec<Population>, Vec<String>)> {
    if config.cells.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    progress.say("checking the cells");
    let seeding = Seeding::plan(lattice, path, &config.cells, &config.seeding)?;
    if check {
        return Ok((Vec::new(), seeding.outlook()));
    }
    let populations = seeding.place(&|message| progress.say(message))?;
    let report = |population: &Population| serde_json::from_value::<PopulationReport>(population.report.clone()).ok();
    let reports: Vec<String> = populations.iter().filter_map(report).map(|report| report.lines()).collect();
    let lines = reports.iter().flat_map(|report| report.lines().map(str::to_owned)).collect();
    Ok((populations, lines))
}

/// Grows the polymers. Returns them and lines for the report: the outcome, or in a check what is asked for.
fn polymerize(
    lattice: &Lattice,
    config: &CaseConfig,
    check: bool,
    progress: &Progress,
) -> Result<(Vec<ChainPopulation>, Vec<String>)> {
    if config.polymers.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    if !config.cells.is_empty() {
        return Err(Fault::usage(
            "keys \"cells\" and \"polymers\" are both given, but no fluid carries both: leave one of them out, or make two cases",
        ));
    }
    let plans = plan_polymers(lattice, &config.polymers)?;
    if check {
        let notes = plans.iter().flat_map(|plan| plan.notes.clone());
        return Ok((Vec::new(), plans.iter().map(ChainPlan::outlook).chain(notes).collect()));
    }
    let polymers = grow_polymers(lattice, &plans, config.seeding.seed, &|message| progress.say(message))?;
    let lines = |population: &ChainPopulation| {
        serde_json::from_value::<Vec<String>>(population.report["lines"].clone()).unwrap_or_default()
    };
    let lines = polymers.iter().flat_map(lines).collect();
    Ok((polymers, lines))
}

/// The numbers of parts, ascending, each once.
fn parts(arguments: &Arguments, config: &CaseConfig) -> Vec<usize> {
    let asked = arguments.parts.as_ref().unwrap_or(&config.parts);
    let mut parts: Vec<usize> = asked.iter().map(|n| n.get()).collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// The path of the case. Refuses files from which the case is made, and existing files that are no case.
fn output(path: &Path, arguments: &Arguments, sources: &[PathBuf]) -> Result<PathBuf> {
    let output = arguments.output.clone().unwrap_or_else(|| path.with_extension("h5"));
    let same = |input: &PathBuf| match (input.canonicalize(), output.canonicalize()) {
        (Ok(input), Ok(output)) => input == output,
        _ => false,
    };
    if sources.iter().any(same) {
        return Err(Fault::usage(format!(
            "{} would be overwritten by its own case; name another file with -o",
            output.display()
        )));
    }
    replaceable(&output).map_err(|fault| fault.within(output.display()))?;
    Ok(output)
}

/// Refuses to overwrite a file that is no case. Only an HDF5 file, or one that is cut off within HDF5's signature, is
/// replaced.
fn replaceable(output: &Path) -> Result<()> {
    const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";
    let unreadable = |error| Fault::usage(format!("cannot be read: {error}; name another file with -o"));
    let metadata = match output.metadata() {
        // Other errors show when the case is written.
        Err(_) => return Ok(()),
        Ok(metadata) => metadata,
    };
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "is a folder" } else { "is no plain file" };
        return Err(Fault::usage(format!("{what}; name a file with -o")));
    }
    let mut start = Vec::new();
    let file = File::open(output).map_err(unreadable)?;
    file.take(SIGNATURE.len() as u64).read_to_end(&mut start).map_err(unreadable)?;
    if SIGNATURE.starts_with(&start) {
        return Ok(());
    }
    Err(Fault::usage("is there already and is no HDF5 file, so no case: move it away, or name another file with -o"))
}
