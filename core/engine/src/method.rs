//! A physics as an option of runs: the sections of a config that it reads, and the plan that it makes.

use std::path::{Path, PathBuf};

use hematite_case::{Case, Lattice, Layer, Part, Partition, Population, loads};
use hematite_comm::{Comm, agree};
use hematite_config::{Document, Fault, Result};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::passage::Openings;
use crate::{Bath, Ground, Medium, Planned, ShearRate, Span, SurfaceContact, TimeConfig};

/// A physics that a run can have.
pub trait Method: Sync {
    /// The schema of an object whose fields are the sections of a run's config that the physics reads.
    fn schema(&self, generator: &mut SchemaGenerator) -> Schema;

    /// Adds the plan of the physics to `planning` if the config or the case asks for it. Methods are called in the
    /// order of a time step: first a fluid, which finds the ground. Collective.
    ///
    /// # Errors
    /// A usage fault with key, value, limit and remedy for what cannot work; when a rank is lost.
    fn plan(&self, planning: &mut Planning) -> Result<()>;
}

/// The plan of a run, while methods add to it.
pub struct Planning<'p> {
    /// The ranks.
    pub comm: &'p dyn Comm,
    /// Path of the config, to which paths in it are relative.
    pub path: &'p Path,
    /// The config.
    pub document: &'p Document,
    /// The case.
    pub case: &'p Case,
    /// Absolute path of the case.
    pub case_path: PathBuf,
    /// Length of the run, by its config or the command line.
    pub time: TimeConfig,
    /// Plans of physics so far.
    pub planned: Vec<Box<dyn Planned>>,
    /// The sections of the config as read, with defaults filled in.
    pub config: Map<String, Value>,
    /// The case and this rank's part; see [`Planning::set_ground`].
    pub ground: Option<Ground>,
    /// Steps and end of the run; see [`Planning::set_ground`].
    pub span: Option<Span>,
    /// The fluid, for members suspended in it.
    pub medium: Option<Medium>,
    /// The fluid at a temperature, for points embedded in it.
    pub bath: Option<Bath>,
    /// The expected shear rate at walls, if known.
    pub shear: Option<ShearRate>,
    /// Contact with soft surfaces, if the case also has rigid bodies.
    pub surface: Option<SurfaceContact>,
    /// Which member of an ensemble the run is, from 1; `None` for a run by itself.
    pub member: Option<u32>,
    /// Whether some physics draws random numbers.
    pub is_random: bool,
    /// Advice on keys of the config that have no effect.
    pub idle: Vec<String>,
}

impl Planning<'_> {
    /// Reads the sections of the config that `T` has as fields, and adds them to `self.config`.
    ///
    /// # Errors
    /// A usage fault that names the file and the key's path.
    pub fn read_sections<T: DeserializeOwned + Serialize + JsonSchema>(&mut self) -> Result<T> {
        let sections = self.document.sections()?;
        self.write_down(&sections)?;
        Ok(sections)
    }

    /// Advises to take out the keys given in a section of the config, except those in `but`, as the case has no
    /// `members` on which they would act.
    pub fn tell_idle(&mut self, section: &str, but: &[&str], members: &str) {
        let keys = self.document.given_in(section).filter(|key| !but.contains(key));
        self.idle.extend(keys.map(|key| {
            format!("{section}.{key}: the case has no {members}: this has no effect; take it out, or seed some")
        }));
    }

    /// The seed of random numbers for the one that the config gives: each member of an ensemble has the next one. Physics
    /// that draw random numbers take their seeds from here.
    pub fn seed(&mut self, given: u64) -> u64 {
        self.is_random = true;
        given.wrapping_add(self.member.map_or(0, |member| u64::from(member) - 1))
    }

    /// Sets the case and this rank's part, and the steps and the end of the run. One physics of a run does so.
    ///
    /// # Errors
    /// A usage fault where another physics of the run has set them.
    pub fn set_ground(&mut self, ground: Ground, span: Span) -> Result<()> {
        if self.ground.is_some() {
            return Err(Fault::usage(
                "the config asks for two physics that each fix the time step and the nodes of the run: leave one of them out",
            ));
        }
        (self.ground, self.span) = (Some(ground), Some(span));
        Ok(())
    }

    /// Adds sections of the config to `self.config`.
    ///
    /// # Errors
    /// An I/O fault when they cannot be written as JSON.
    pub fn write_down<T: Serialize>(&mut self, sections: &T) -> Result<()> {
        let value = serde_json::to_value(sections).map_err(|error| Fault::io(error.to_string()))?;
        if let Value::Object(sections) = value {
            self.config.extend(sections);
        }
        Ok(())
    }

    /// Finds this rank's part of the case, with the nodes of `layer` beyond its walls. Collective.
    ///
    /// # Errors
    /// A usage fault where the case is damaged; when a rank is lost.
    pub fn find_ground(&self, layer: Option<Layer>) -> Result<Ground> {
        let (comm, case) = (self.comm, self.case);
        let find = || {
            let populations = case.populations()?;
            let part = own_part(case, layer.as_ref(), &populations, comm)?;
            let openings = (!populations.is_empty()).then(|| Openings::read(case)).transpose()?;
            Ok((populations, part, openings))
        };
        let (populations, part, openings) = agree(comm, find())?;
        let (path, header) = (self.case_path.clone(), case.header().clone());
        Ok(Ground { case: path, header, populations, openings, layer, part })
    }

    /// The ground and the fluid, for members suspended in it; `None` where the fluid carries no members and the case has
    /// none.
    ///
    /// # Errors
    /// A usage fault without a fluid, or where the case has members that the fluid cannot carry.
    pub fn fluid(&self) -> Result<Option<(&Ground, &Medium)>> {
        match (&self.ground, &self.medium) {
            (None, _) => Err(Fault::usage("cells and bodies need a fluid around them: give \"fluid\"")),
            (Some(ground), Some(medium)) => Ok(Some((ground, medium))),
            (Some(ground), None) => match ground.populations.first() {
                None => Ok(None),
                Some(first) => Err(Fault::usage(format!(
                    "the case holds \"{}\", which this \"fluid\" cannot carry: take \"lattice_boltzmann\", or make the case \
                     without it",
                    first.name
                ))),
            },
        }
    }
}

/// This rank's part, from a stored partition or a new one; both lead to the same results.
fn own_part(case: &Case, layer: Option<&Layer>, populations: &[Population], comm: &dyn Comm) -> Result<Part> {
    let (ranks, rank) = (comm.size(), comm.rank());
    match layer {
        Some(layer) if case.partition_with_layer_stored(ranks) => return case.part_with(layer, ranks, rank),
        None if ranks == 1 || case.partition_stored(ranks) => return case.part(ranks, rank),
        _ => {}
    }
    let lattice: Lattice = match layer {
        Some(layer) => case.lattice_with(layer)?,
        None => case.lattice()?,
    };
    let loads = loads(&lattice, case.header().nodes, populations);
    Part::of(&lattice, &Partition::make_loaded(&lattice, loads.as_deref(), ranks)?, rank)
}
