//! Prepares a run before the first time step: config, case, plans of the physics, this rank's part.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use hematite_case::Case;
use hematite_comm::Comm;
use hematite_config::{Document, Fault, Result, join, nearest, note, sibling};
use hematite_dump::{Column, Field};
use hematite_engine::{Clock, End, FluidNeeds, Ground, Method, Planned, Planning, Precision, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};

use crate::cadence::{self, StepsOrTime};
use crate::cli::Cli;
use crate::config::{DumpConfig, RunConfig, said};
use crate::cores;
use crate::ranks::together;

/// A run that has passed all checks that need no GPU.
pub struct Setup {
    /// Path of the config.
    pub path: PathBuf,
    /// The keys of the config that belong to the run itself, checked.
    pub config: RunConfig,
    /// The whole config as read, with defaults filled in.
    pub whole: Value,
    /// The case and this rank's part of it.
    pub ground: Ground,
    /// The physics, in the order of a time step.
    pub planned: Vec<Box<dyn Planned>>,
    /// The times of steps, for steps that adapt to the state up to their first change.
    pub clock: Clock,
    /// The longest step, s, if steps adapt to the state.
    pub longest: Option<f64>,
    /// The end of the run.
    pub end: End,
    /// The run folder.
    pub folder: PathBuf,
    /// Advice on keys of the config that have no effect.
    idle: Vec<String>,
}

impl Setup {
    /// Reads and checks a run of some of the `methods`.
    pub fn new(cli: &Cli, comm: &dyn Comm, methods: &[&dyn Method]) -> Result<Self> {
        let path = cli.config.clone().ok_or_else(|| Fault::usage("which RUN.json?"))?;
        let (document, config, case, stored) = together(comm, || resolve(cli, &path, methods))?;
        let nodes = stored.header().nodes;
        if comm.size() > nodes {
            return Err(Fault::usage(format!(
                "{} ranks, but the case has only {nodes} fluid nodes: use fewer ranks",
                comm.size()
            )));
        }
        let folder = cli.folder(&path);
        let planned = Self::planned(cli, comm, methods, (&path, &document, config, case, &stored), &folder);
        let setup = planned.map_err(|fault| fault.within(path.display()))?;
        if folder == path || folder.is_file() {
            return Err(Fault::usage(format!("{} is a file: name a run folder with -o", folder.display())));
        }
        Ok(setup)
    }

    fn planned(
        cli: &Cli,
        comm: &dyn Comm,
        methods: &[&dyn Method],
        (path, document, mut config, case, stored): (&Path, &Document, RunConfig, PathBuf, &Case),
        folder: &Path,
    ) -> Result<Self> {
        let mut planning = Planning {
            comm,
            path,
            document,
            case: stored,
            case_path: case,
            time: config.time.clone(),
            planned: Vec::new(),
            config: Map::new(),
            ground: None,
            span: None,
            medium: None,
            bath: None,
            shear: None,
            surface: None,
            member: cli.member,
            is_random: false,
            idle: idle_of(&config, stored),
        };
        methods.iter().try_for_each(|method| method.plan(&mut planning))?;
        if cli.member.is_some() && !planning.is_random {
            return Err(Fault::usage(
                "--ensemble: nothing in this run is random, so all members would be the same; for cells or bodies in other places, \
                 make cases with other values of \"seed\"",
            ));
        }
        let asks_for_dumps = !config.dumps.is_empty();
        let none = || {
            Fault::usage(
                "the config asks for no physics: give \"fluid\": {\"METHOD\": {...}}; --schema lists the methods",
            )
        };
        let Span { clock, longest, end } = planning.span.ok_or_else(none)?;
        config.check(end, &clock, [cli.steps.is_some(), longest.is_some()], stored.header().set.dimension())?;
        if !asks_for_dumps && planning.planned.iter().all(|planned| planned.fields().is_empty()) {
            config.dumps.clear();
        }
        planning.write_down(&config)?;
        if let Some(unread) = document.first_but(&planning.config) {
            return Err(Fault::usage(format!(
                "\"{unread}\" belongs to a physics that the run does not have: take it out"
            )));
        }
        // Refuses cells and bodies that the fluid does not carry, also where no method asked for them.
        let _fluid = planning.fluid()?;
        let Planning { mut planned, config: whole, ground, idle, .. } = planning;
        let needs: Vec<FluidNeeds> = planned.iter().filter_map(|physics| physics.fluid_needs()).collect();
        if let Some(needs) = needs.into_iter().reduce(FluidNeeds::and) {
            planned.iter_mut().for_each(|physics| physics.provide(&needs));
        }
        let (path, folder) = (path.to_owned(), folder.to_owned());
        let ground = ground.ok_or_else(none)?;
        let whole = Value::Object(whole);
        let setup = Self { path, config, whole, ground, planned, clock, longest, end, folder, idle };
        for dump in &setup.config.dumps {
            if setup.fields_of(dump)?.is_empty() {
                return Err(Fault::usage(format!(
                    "dumps: \"{}\" has no field to dump, as the physics of this run have none at nodes: take it out; \
                     \"cell_dumps\" says when polymers are dumped",
                    dump.name
                )));
            }
        }
        setup.refuse_double_columns()?;
        setup.refuse_empty_dumps(comm)?;
        Ok(setup)
    }

    /// Refuses two columns of the ledger with the same name, which nothing could tell apart later.
    fn refuse_double_columns(&self) -> Result<()> {
        let mut known = HashSet::new();
        match self.columns().into_iter().find(|column| !known.insert(column.clone())) {
            None => Ok(()),
            Some(double) => Err(Fault::usage(format!(
                "two physics of the run have a ledger column \"{double}\": leave one of them out"
            ))),
        }
    }

    /// The last step in which members grow; `None` if none grow.
    pub fn grown(&self) -> Option<u64> {
        self.planned.iter().filter_map(|physics| physics.fluid_needs()?.grown).max()
    }

    /// The fields of physics at nodes.
    pub fn fields(&self) -> Vec<Field> {
        self.planned.iter().flat_map(|physics| physics.fields()).collect()
    }

    /// The fields of a dump, in the order of the physics, then those of the case and its regions.
    ///
    /// # Errors
    /// A usage fault for a name that neither the physics nor the case have.
    pub fn fields_of(&self, dump: &DumpConfig) -> Result<Vec<Field>> {
        let mut known = self.fields();
        let Some(asked) = &dump.fields else { return Ok(known) };
        let regions = &self.ground.header.regions;
        let is_both = |name: &&String| {
            regions.iter().any(|region| region.name == **name)
                && known.iter().any(|field| field.name() == name.as_str())
        };
        if let Some(both) = asked.iter().find(is_both) {
            return Err(Fault::usage(format!(
                "the fields of dump \"{}\": \"{both}\" is a field of the physics and a region of the case: rename the region",
                dump.name
            )));
        }
        for of_case in self.ground.header.fields.iter().map(|field| Field::of_case(&field.name, &field.unit)) {
            // A field of a physics comes before the field of the case from which it begins.
            if known.iter().all(|field| field.name() != of_case.name()) {
                known.push(of_case);
            }
        }
        for region in regions {
            if known.iter().all(|field| field.name() != region.name) {
                known.push(Field::of_case(&region.name, "1"));
            }
        }
        let names = || known.iter().map(|field| field.name());
        if let Some(unknown) = asked.iter().find(|name| !names().any(|known| known == *name)) {
            let hint = nearest(unknown, names()).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            let known: Vec<&str> = names().collect();
            return Err(Fault::usage(format!(
                "the fields of dump \"{}\": there is no \"{unknown}\", but {}{hint}",
                dump.name,
                known.join(", ")
            )));
        }
        Ok(known.into_iter().filter(|field| asked.iter().any(|name| name == field.name())).collect())
    }

    /// The index of the physics that has a field, in the order of a time step; `None` for a field of the case.
    pub fn physics_of(&self, field: Field) -> Option<usize> {
        self.planned.iter().position(|planned| planned.fields().contains(&field))
    }

    /// A field of the case at this rank's own nodes, in SI; a region is 1 at its nodes and 0 elsewhere.
    ///
    /// # Errors
    /// A usage fault when the case has neither field nor region of this name, or is damaged.
    pub fn field_of_case(&self, name: &str) -> Result<Vec<f64>> {
        let (ground, own) = (&self.ground, self.ground.part.own);
        if ground.header.fields.iter().any(|field| field.name == name) {
            return ground.file()?.field_at(name, ground.own_ids());
        }
        let mut values = vec![0.0; own];
        let nodes = ground.region(name)?;
        nodes.into_iter().filter(|&n| (n as usize) < own).for_each(|n| values[n as usize] = 1.0);
        Ok(values)
    }

    /// Whether fields are dumped in double precision.
    pub fn is_double(&self) -> bool {
        self.precision() == Precision::F64
    }

    /// Storage and arithmetic.
    pub fn precision(&self) -> Precision {
        self.planned.iter().find_map(|physics| physics.precision()).unwrap_or_default()
    }

    /// The columns of measurements in the ledger.
    pub fn columns(&self) -> Vec<Column> {
        self.planned.iter().flat_map(|physics| physics.columns()).collect()
    }

    /// Names of the places where mass comes in.
    pub fn entries(&self) -> Vec<String> {
        self.planned.iter().flat_map(|physics| physics.entries()).collect()
    }

    /// Nodes of the whole lattice, those beyond immersed walls included.
    pub fn nodes(&self) -> u64 {
        (self.ground.header.nodes + self.ground.layer.as_ref().map_or(0, hematite_case::Layer::nodes)) as u64
    }

    /// Prints a description of the run on rank 0.
    pub fn report(&self, comm: &dyn Comm, quiet: bool) {
        if comm.rank() > 0 || quiet {
            return;
        }
        let header = &self.ground.header;
        note(&format!(
            "case      {} ({:?}, {} fluid nodes, spacing {:.4e} m)",
            self.ground.case.display(),
            header.set,
            header.nodes,
            header.spacing
        ));
        for (what, text) in self.planned.iter().flat_map(|physics| physics.report()) {
            note(&format!("{what:<9} {text}"));
        }
        note(&format!("ranks     {}", comm.size()));
        let physics = self.planned.iter().flat_map(|physics| physics.advice());
        let beyond = self.config.beyond(self.end, &self.clock).into_iter().map(|(key, at)| match self.longest {
            None => format!(
                "{key}: {} is beyond the end by --steps, {}, and will not be reached",
                at.as_moment(),
                said(self.end)
            ),
            Some(_) => format!(
                "{key}: {} may lie beyond the end of the run, {}, depending on how its steps adapt",
                at.as_moment(),
                said(self.end)
            ),
        });
        let never = self.config.never(self.end, &self.clock).into_iter().filter(|_| self.longest.is_none()).map(|(key, every)| {
            format!(
                "{key}: the run ends at {}, before the first dump at {}: nothing is dumped; take a shorter \"every\"",
                said(self.end),
                every.as_moment()
            )
        });
        let uneven = self.uneven_dumps();
        let idle = self.idle.iter().cloned();
        for advice in physics.chain(cores::kept_back(comm.size())).chain(beyond).chain(never).chain(uneven).chain(idle)
        {
            note(&format!("advice    {advice}"));
        }
    }

    /// Advice if polymers are dumped at times that steps do not meet: their dumps are then not evenly apart.
    fn uneven_dumps(&self) -> Option<String> {
        let every = self.config.cell_dumps.as_ref()?.every?;
        let StepsOrTime::Time(time) = every else { return None };
        if self.ground.header.polymers.is_empty() || self.longest.is_some() {
            return None;
        }
        let steps = time.si() / self.clock.dt();
        let whole = steps.round().max(1.0);
        ((steps - whole).abs() > 1e-6).then(|| {
            format!(
                "cell_dumps.every: {} is {steps:.6} time steps, no whole number: dumps are then not evenly apart, and \"post polymers\" \
                 refuses them; take \"every\": {whole}",
                every.as_moment()
            )
        })
    }

    fn refuse_empty_dumps(&self, comm: &dyn Comm) -> Result<()> {
        let header = &self.ground.header;
        for (k, dump) in self.config.dumps.iter().enumerate().filter(|(_, dump)| dump.region != Default::default()) {
            let mut nodes = [dump.region.select(&self.ground.grid()).len() as i64];
            comm.sum(&mut nodes)?;
            if nodes[0] == 0 {
                let size = |axis: usize| {
                    let low = header.origin[axis];
                    format!("{:.4e} to {:.4e} m", low, low + header.extent[axis] as f64 * header.spacing)
                };
                let sizes: Vec<String> = (0..self.ground.dimension()).map(size).collect();
                return Err(Fault::usage(format!(
                    "dumps[{k}].region holds no fluid node: move it; the domain reaches over {}",
                    sizes.join(", ")
                )));
            }
        }
        Ok(())
    }
}

fn resolve(cli: &Cli, path: &Path, methods: &[&dyn Method]) -> Result<(Document, RunConfig, PathBuf, Case)> {
    let document = Document::read(path)?;
    document.refuse_unknown(&joint(methods, &mut SchemaGenerator::default()))?;
    let mut config: RunConfig = document.sections()?;
    let case = sibling(path, &config.case);
    let stored = Case::open(&case)?;
    if let Some(steps) = cli.steps {
        (config.time.steps, config.time.duration) = (Some(steps), None);
    }
    if let Some(every) = cli.checkpoint_every {
        config.checkpoint.every = Some(cadence::StepsOrTime::Steps(every));
    }
    if let Some(minutes) = cli.checkpoint_minutes {
        config.checkpoint.minutes = Some(minutes);
    }
    let case = case.canonicalize().map_err(|error| Fault::io(format!("{}: {error}", case.display())))?;
    Ok((document, config, case, stored))
}

/// Advice on keys of `config` that say when members are recorded, if the case has none that are.
fn idle_of(config: &RunConfig, case: &Case) -> Vec<String> {
    let header = case.header();
    let (cells, polymers) = (!header.populations.is_empty(), !header.polymers.is_empty());
    let keys = [
        ("cell_dumps", config.cell_dumps.is_some(), cells || polymers, "cells, bodies nor polymers"),
        ("tracks", config.tracks.every.is_some(), cells, "cells nor bodies, whose tracks these are"),
    ];
    let text = |key: &str, lacks: &str| {
        format!("{key}: the case has neither {lacks}: this has no effect; take it out, or seed some")
    };
    keys.into_iter().filter(|(_, given, acts, _)| *given && !acts).map(|(key, .., lacks)| text(key, lacks)).collect()
}

/// The schema of a run's config: its own keys and those of `methods`.
pub fn joint(methods: &[&dyn Method], generator: &mut SchemaGenerator) -> Schema {
    let own = RunConfig::json_schema(generator);
    let parts = methods.iter().map(|method| method.schema(generator)).collect::<Vec<_>>();
    join("RunConfig", std::iter::once(own).chain(parts))
}
