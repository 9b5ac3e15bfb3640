//! The case and the field dump of a run that statistics use.

use std::path::Path;

use hematite_case::Case;
use hematite_config::{Fault, Result, hash_file, nearest};
use hematite_dump::{DumpStep, Field, FieldReader, RunRecord};
use hematite_stats::lookup::{Nodes, fits};
use hematite_stats::weights::Weights;

use crate::arguments::Which;
use crate::say;
use crate::suspension::drive::is_steady_from;

/// Opens the case of a run.
///
/// # Errors
/// A usage fault when the case file is missing, has changed since the run, or cannot be read.
pub fn case(record: &RunRecord) -> Result<Case> {
    let path = Path::new(&record.case);
    if hash_file(path)? != record.case_sha256 {
        return Err(Fault::usage(format!(
            "{} has changed since the run: put back the case of the run, or run again",
            path.display()
        )));
    }
    Case::open(path)
}

/// Opens the dump called `name`, or the one with velocity that holds the most nodes.
///
/// # Errors
/// A usage fault when there is none.
pub fn open(run: &Path, record: &RunRecord, name: Option<&str>) -> Result<FieldReader> {
    let has_velocity = |reader: &FieldReader| reader.fields().contains(&Field::VELOCITY);
    most_nodes(run, record, name, has_velocity)?.ok_or_else(|| {
        Fault::usage(format!(
            "{}: no dump holds velocity; add it to the fields of a dump and run again, or take \"post fields\"",
            run.display()
        ))
    })
}

/// Opens the dump called `name`, or the one that holds the most nodes.
///
/// # Errors
/// A usage fault when there is none.
pub fn largest(run: &Path, record: &RunRecord, name: Option<&str>) -> Result<FieldReader> {
    most_nodes(run, record, name, |_| true)?.ok_or_else(|| {
        Fault::usage(format!("{}: the run has no dumps of fields; give \"dumps\" and run again", run.display()))
    })
}

/// The dump called `name`, or that `holds` what is needed at the most nodes, if there is one.
fn most_nodes(
    run: &Path,
    record: &RunRecord,
    name: Option<&str>,
    holds: impl Fn(&FieldReader) -> bool,
) -> Result<Option<FieldReader>> {
    let open = |name: &String| FieldReader::open(&run.join(format!("{name}.vtkhdf")));
    if let Some(name) = name {
        let known = || record.dumps.iter().map(String::as_str);
        let Some(found) = record.dumps.iter().find(|dump| *dump == name) else {
            let hint = nearest(name, known()).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            let known = known().collect::<Vec<_>>().join(", ");
            return Err(Fault::usage(format!("--fields {name}: {} holds {known}{hint}", run.display())));
        };
        return open(found).map(Some);
    }
    let readers = record.dumps.iter().map(open).collect::<Result<Vec<_>>>()?;
    let rank = |reader: &FieldReader| (reader.grid().position.len(), reader.fields().len());
    // The first among equals, in the order of the config.
    Ok(readers.into_iter().filter(holds).reduce(|best, next| if rank(&next) > rank(&best) { next } else { best }))
}

/// Indices of the chosen dumps.
///
/// # Errors
/// A usage fault when there are no dumps, or none at the step.
pub fn choose(run: &Path, steps: &[DumpStep], which: Which) -> Result<Vec<usize>> {
    let Some(last) = steps.len().checked_sub(1) else {
        return Err(Fault::usage(format!("{} holds no dumps yet", run.display())));
    };
    match which {
        Which::Last => Ok(vec![last]),
        Which::All => Ok((0..=last).collect()),
        Which::Step(step) => {
            let found = steps.iter().position(|dump| dump.step == step);
            found.map(|dump| vec![dump]).ok_or_else(|| {
                let (first, last) = (steps[0].step, steps[last].step);
                Fault::usage(format!(
                    "--dump {step}: {} holds {} dumps from step {first} to {last}, none at {step}",
                    run.display(),
                    steps.len()
                ))
            })
        }
    }
}

/// The values of a field in dump number `dump`, node after node, component after component, in SI.
///
/// # Errors
/// A usage fault when the dump lacks the field, or it does not fit the nodes.
pub fn field(reader: &FieldReader, dump: usize, nodes: &Nodes, field: Field) -> Result<Vec<f64>> {
    let values = reader.read(dump, field)?.to_f64();
    fits(nodes.grid(), field.name(), &values, field.components())?;
    Ok(values)
}

/// The fields of one dump, in f64 and SI.
pub struct Values {
    /// Velocity, x, y, z a node, m/s.
    pub velocity: Vec<f64>,
    /// Pressure at each node, Pa, including the linear part of the pressure drop that drives the run, where that does not
    /// change with time.
    pub pressure: Option<Vec<f64>>,
    /// Viscous stress, xx, yy, zz, xy, yz, xz a node, Pa.
    pub stress: Option<Vec<f64>>,
    /// What nodes weigh in means.
    pub weights: Weights,
}

impl Values {
    /// Reads dump number `dump`.
    ///
    /// # Errors
    /// A usage fault when velocity is missing or a field does not fit the nodes.
    pub fn read(reader: &FieldReader, dump: usize, nodes: &Nodes, record: &RunRecord) -> Result<Self> {
        let get = |of: Field| field(reader, dump, nodes, of);
        let maybe = |field: Field| reader.fields().contains(&field).then(|| get(field)).transpose();
        let mut pressure = maybe(Field::PRESSURE)?;
        let is_steady = is_steady_from(record, reader.steps()[dump].time);
        if let Some(pressure) = pressure.as_mut().filter(|_| is_steady && record.pressure_drop != [0.0; 3]) {
            let origin = nodes.grid().origin;
            for (n, value) in pressure.iter_mut().enumerate() {
                let x = nodes.centre(n);
                *value -= (0..3).map(|a| record.pressure_drop[a] * (x[a] - origin[a])).sum::<f64>();
            }
        }
        let weights = weights(reader, dump, nodes)?;
        Ok(Self { velocity: get(Field::VELOCITY)?, pressure, stress: maybe(Field::SHEAR_STRESS)?, weights })
    }
}

/// What nodes weigh in means of dump number `dump`. Tells of nodes that had no particle when they were sampled.
///
/// # Errors
/// A usage fault when a field does not fit the nodes.
pub fn weights(reader: &FieldReader, dump: usize, nodes: &Nodes) -> Result<Weights> {
    if !Weights::are_due(reader.fields()) {
        return Ok(Weights::default());
    }
    let weights = Weights::of_particles(field(reader, dump, nodes, Field::DENSITY)?);
    let (empty, all) = (weights.empty(), nodes.grid().position.len());
    if empty > 0 {
        say::note(&format!(
            "warning: step {}: {empty} of {all} nodes had no particle in any sample: their velocity is 0 in maps, profiles \
             and flow rates, and only means over layers and the fluid leave them out; take more samples in a dump, by a \
             smaller \"sample_every\" or more steps between dumps",
            reader.steps()[dump].step
        ));
    }
    Ok(weights)
}
