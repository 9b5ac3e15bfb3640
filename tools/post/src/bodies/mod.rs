//! `post bodies`: what the rigid bodies of a run do.

mod figures;
mod series;
mod setup;
mod tables;

use std::path::Path;

use hematite_config::{Exit, Fault, Result, read_config};
use hematite_dump::{BodyReader, RunRecord};
use hematite_stats::plane::Plane;
use hematite_stats::table::write_json;

use crate::arguments::BodiesArguments;
use crate::config::{PostConfig, within};
use crate::say;
use crate::suspension;
use setup::Setup;

/// The dumps of bodies of a run.
pub struct BodySource {
    pub reader: BodyReader,
}

impl BodySource {
    const FILE: &str = "bodies.vtkhdf";

    /// Opens them; `None` where the run has none.
    ///
    /// # Errors
    /// A usage fault when the file is damaged.
    pub fn open(run: &Path) -> Result<Option<Self>> {
        let path = run.join(Self::FILE);
        if !path.is_file() {
            return Ok(None);
        }
        Ok(Some(Self { reader: BodyReader::open(&path)? }))
    }

    /// Opens them.
    ///
    /// # Errors
    /// As [`BodySource::open`], and when there are none.
    pub fn require(run: &Path) -> Result<Self> {
        let found = Self::open(run)?.filter(|bodies| !bodies.reader.steps().is_empty());
        found.ok_or_else(|| {
            let (run, file) = (run.display(), Self::FILE);
            Fault::usage(format!(
                "{run} holds no dump of rigid bodies ({file}): run a case with a population of \"rigid\": true and dump it; \
                 for cells take post cells"
            ))
        })
    }

    /// The number of the dump at a time step.
    pub fn at(&self, step: u64) -> Option<usize> {
        self.reader.steps().iter().position(|dump| dump.step == step)
    }

    /// Names of the populations.
    pub fn names(&self) -> Vec<String> {
        self.reader.kinds().iter().map(|kind| kind.name.clone()).collect()
    }

    /// Numbers of the populations that are rigid.
    pub fn rigid(&self) -> Vec<usize> {
        let kinds = self.reader.kinds();
        (0..kinds.len()).filter(|&k| kinds[k].semi_axes != [0.0; 3]).collect()
    }
}

/// Writes the statistics of a run, and prints where they are and the most important numbers.
pub fn run(arguments: &BodiesArguments) -> Result<Exit> {
    let config: PostConfig = arguments.config.as_deref().map(read_config).transpose()?.unwrap_or_default();
    let run = &arguments.run;
    let record = RunRecord::read(run)?;
    let run_state = say::state(run, &record);
    let source = BodySource::require(run)?;
    let within = within(arguments.config.as_deref());
    let mut left_out = Vec::new();
    let lost = "profiles, sections and alignment with the wall";
    let fields = suspension::fields(run, &record, arguments.fields.as_deref(), lost, &mut left_out)?;
    let setup = Setup::new(&record, &config.bodies, &source, fields.as_ref(), &mut left_out).map_err(within)?;
    let planes = config.planes().map_err(within)?;
    let series = series::reduce(&setup, &source, &mut left_out)?;
    let averages = tables::averages(run, &setup, &series);
    let output = arguments.output.clone().unwrap_or_else(|| run.join("statistics"));
    let mut written = Vec::new();
    let mut file = |name: &str| {
        let path = output.join(name);
        written.push(path.clone());
        path
    };
    tables::write(&setup, &series, &averages, &mut file)?;
    figures::write(&setup, &series, &averages, &mut file)?;
    if let (Some(nodes), Some(speed)) = (&setup.fluid.nodes, &series.speed) {
        let planes = planes.unwrap_or_else(|| Plane::middles(nodes));
        for plane in &planes {
            plane.layers(nodes).map_err(within)?;
        }
        figures::sections(&setup, &series, nodes, speed, &planes, &mut file)?;
    }
    write_json(&file("bodies.json"), &tables::Summary { averages: &averages, run_state, left_out: &left_out })?;
    say::files(&written)?;
    averages.print()?;
    say::left_out(&left_out);
    Ok(Exit::Done)
}
