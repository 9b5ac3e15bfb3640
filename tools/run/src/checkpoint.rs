//! Saves the state of a run and restarts from it on any number of ranks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hematite_case::NodeId;
use hematite_comm::Comm;
use hematite_config::{Exit, Fault, Result, hash_bytes};
use hematite_dump::{Bits, ChangeRecord, Checkpoint, CheckpointMeta, CheckpointWriter, Lists, Located, Written};
use hematite_engine::{EachRecord, End, Keep, Records, Saved, StateHeader};

use crate::changes;
use crate::ranks::together;
use crate::setup::Setup;
use crate::system::System;

/// A share of a checkpoint that takes the state of physics.
struct Share(CheckpointWriter);

impl Keep for Share {
    fn own(&mut self, name: &str, bits: Bits) -> Result<()> {
        self.0.own(name, &bits)
    }

    fn some(&mut self, name: &str, nodes: Vec<NodeId>, values: Vec<i64>) -> Result<()> {
        self.0.array(name, &nodes, &values)
    }

    fn lists(&mut self, name: &str, lists: Lists) -> Result<()> {
        self.0.lists(name, &lists)
    }
}

/// Saves the state, at a step at which it can be saved, and what the `outputs` of the run hold by then. Collective.
///
/// # Errors
/// When a file cannot be written, or the device or a rank is lost.
pub fn save(
    comm: &dyn Comm,
    setup: &Setup,
    case_sha256: &str,
    system: &System,
    outputs: BTreeMap<String, Written>,
) -> Result<()> {
    let meta = CheckpointMeta {
        schema: CheckpointMeta::SCHEMA,
        step: system.step(),
        clock: *system.clock(),
        ranks: comm.size(),
        nodes: setup.nodes(),
        case_sha256: case_sha256.to_owned(),
        populations: system.counts(comm, &setup.ground)?,
        physics: system.notes(),
        config: Some(config(setup)?),
        outputs,
    };
    together(comm, || {
        let mut share = Share(CheckpointWriter::create(&setup.folder, comm.rank(), &meta, setup.ground.own_ids())?);
        system.physics.iter().try_for_each(|physics| physics.save(&setup.ground, &mut share))?;
        for (_, members) in system.members() {
            for (&k, Records { ids, width, words }) in members.populations().iter().zip(members.records()?) {
                share.0.cells(&setup.ground.populations[k].name, &ids, width, &words)?;
            }
        }
        share.0.finish()
    })?;
    together(comm, || if comm.rank() == 0 { CheckpointWriter::publish(&setup.folder, &meta) } else { Ok(()) })
}

/// The checkpoint that a run goes on from.
#[derive(Clone)]
pub struct Resumed {
    /// Its folder.
    pub path: PathBuf,
    /// Its time step.
    pub step: u64,
    /// What the output files of its run held, by name of the file.
    pub outputs: BTreeMap<String, Written>,
}

impl Resumed {
    /// The checkpoint at `path` with the header `meta`.
    pub fn of(path: &Path, meta: &CheckpointMeta) -> Self {
        Self { path: path.to_owned(), step: meta.step, outputs: meta.outputs.clone() }
    }
}

/// The checkpoint for a restart, and the checkpoints that were skipped to find it.
#[derive(Default)]
pub struct Found {
    /// `None` if the run folder holds no checkpoint yet.
    pub path: Option<PathBuf>,
    /// For each newer checkpoint, why it was skipped.
    pub damaged: Vec<String>,
}

/// Finds the checkpoint for `--restart`: the newest whose files are unchanged, or the one at `wanted`. A folder without
/// checkpoints is no fault, so that a job script can always use `--restart`. Collective.
///
/// # Errors
/// A usage fault where the wanted checkpoint, or every checkpoint, was changed or lacks files; when a rank is lost.
pub fn find(comm: &dyn Comm, setup: &Setup, wanted: &str) -> Result<Found> {
    let verify = |path: &Path| together(comm, || Checkpoint::verify(path, comm.rank(), comm.size()));
    if wanted != "latest" {
        let path = PathBuf::from(wanted);
        verify(&path)?;
        return Ok(Found { path: Some(path), ..Found::default() });
    }
    let mut found = Found::default();
    for path in Checkpoint::newest_first(&setup.folder) {
        match verify(&path) {
            Ok(()) => {
                found.path = Some(path);
                return Ok(found);
            }
            Err(fault) if fault.exit == Exit::Usage => found.damaged.push(fault.message),
            Err(fault) => return Err(fault),
        }
    }
    if found.damaged.is_empty() {
        return Ok(found);
    }
    Err(Fault::usage(format!(
        "{}: no checkpoint is sound ({}): begin anew into another folder by -o, or replace the run by --force",
        setup.folder.display(),
        found.damaged.join("; ")
    )))
}

/// Refuses to go on in steps of another length than those of the saved state, by which its times are counted. Steps that
/// adapt to the state change their length by themselves.
fn keeps_time(setup: &Setup, saved: &StateHeader) -> Result<()> {
    let (before, now) = (saved.clock.dt(), setup.clock.dt());
    if setup.longest.is_some() || (now - before).abs() <= SAME_LENGTH * before {
        return Ok(());
    }
    Err(Fault::usage(format!(
        "{} is of a run in time steps of {before:e} s, now they are {now:e} s: go on with the same time step, or start anew into another \
         folder with -o",
        saved.source
    )))
}

/// Relative difference of time steps that come from the same numbers.
const SAME_LENGTH: f64 = 1e-9;

/// The config of the run, with the hash of the numbers beside the name of each table.
fn config(setup: &Setup) -> Result<serde_json::Value> {
    let mut config = setup.whole.clone();
    for (key, numbers) in setup.planned.iter().flat_map(|physics| physics.tables()) {
        let named = key.iter().try_fold(&mut config, |value, key| value.get_mut(key));
        if let Some(serde_json::Value::Object(named)) = named {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            named.insert(changes::CONTENT.to_owned(), hash_bytes(&bytes).into());
        }
    }
    Ok(config)
}

/// Whether the tables that the config names hold the same numbers as for the newest checkpoint, as far as known.
pub fn has_same_tables(setup: &Setup) -> bool {
    let newest = Checkpoint::latest(&setup.folder).and_then(|path| Checkpoint::open(&path).ok());
    let before = newest.and_then(|checkpoint| checkpoint.meta().config.clone());
    before.zip(config(setup).ok()).is_none_or(|(before, now)| changes::tables(&before, &now).is_empty())
}

/// A checkpoint, read at the own nodes of this rank.
pub struct Stored<'a> {
    comm: &'a dyn Comm,
    header: StateHeader,
    checkpoint: &'a Checkpoint,
    located: Located<'a>,
}

impl<'a> Stored<'a> {
    /// Locates this rank's own nodes in the `checkpoint` at `path`. Collective.
    ///
    /// # Errors
    /// A usage fault where it lacks nodes; when a rank is lost.
    pub fn new(comm: &'a dyn Comm, setup: &Setup, path: &Path, checkpoint: &'a Checkpoint) -> Result<Self> {
        let located = together(comm, || checkpoint.locate(setup.ground.own_ids()))?;
        Ok(Self { comm, header: header(path, checkpoint.meta()), checkpoint, located })
    }
}

impl Saved for Stored<'_> {
    fn header(&self) -> &StateHeader {
        &self.header
    }

    fn own(&self, name: &str) -> Result<Bits> {
        together(self.comm, || self.located.own(name))
    }

    fn some(&self, name: &str, nodes: &[NodeId]) -> Result<Vec<i64>> {
        together(self.comm, || self.checkpoint.array(name, 1, nodes))
    }

    fn lists(&self, name: &str) -> Result<Lists> {
        together(self.comm, || self.located.lists(name))
    }

    fn records(&self, population: &str, then: &mut EachRecord) -> Result<()> {
        self.checkpoint.each_cell(population, then)
    }
}

/// The header of the state in the checkpoint at `path` with the header `meta`.
fn header(path: &Path, meta: &CheckpointMeta) -> StateHeader {
    StateHeader {
        step: meta.step,
        clock: meta.clock,
        nodes: meta.nodes,
        source: path.display().to_string(),
        notes: meta.physics.clone(),
        populations: meta.populations.clone(),
    }
}

/// Checks that the run can restart from the checkpoint at `path` with the header `meta`. Returns the changes of the
/// config since. Changes of physics must be `allowed`.
///
/// # Errors
/// A usage fault where it is of another case, fluid, precision or lattice, has other outlets, or where physics changed.
pub fn check(
    setup: &Setup,
    case_sha256: &str,
    path: &Path,
    meta: &CheckpointMeta,
    allowed: bool,
) -> Result<Vec<ChangeRecord>> {
    if meta.case_sha256 != case_sha256 {
        let case = setup.ground.case.display();
        return Err(Fault::usage(format!(
            "{} belongs to another case than {case}: make the case of the run again, from the same CASE.json and files by the same \
             mkcase command, or begin anew into another folder by -o",
            path.display()
        )));
    }
    let said = header(path, meta);
    if let Some(unknown) = setup.planned.iter().find(|physics| !meta.physics.contains_key(physics.name())) {
        return Err(Fault::usage(format!(
            "{} holds no state of \"{}\", which the run steps: begin anew into another folder by -o",
            path.display(),
            unknown.name()
        )));
    }
    setup.planned.iter().try_for_each(|physics| physics.fits(&said, setup.nodes()))?;
    let bears =
        setup.planned.iter().try_for_each(|physics| physics.bears(&said)).and_then(|()| keeps_time(setup, &said));
    let changed = match &meta.config {
        Some(before) => changes::between(before, &config(setup)?, path, allowed, bears.is_ok())?,
        None => Vec::new(),
    };
    bears?;
    has_steps_to_do(setup, meta, &changed)?;
    Ok(changed)
}

/// Refuses a restart that has no step to do although its config changed, or whose saved state lies beyond its end: the
/// record of the run would then not be that of its data.
fn has_steps_to_do(setup: &Setup, meta: &CheckpointMeta, changed: &[ChangeRecord]) -> Result<()> {
    let (step, clock) = (meta.step, &meta.clock);
    if let End::Time(end) = setup.end
        && clock.at(step) > end
        && changed.iter().any(|change| change.key == "time.duration")
    {
        return Err(Fault::usage(format!(
            "the checkpoint is of {:.6e} s, the run has {end:e} s: take more by \"time.duration\", or an earlier checkpoint by \
             --restart PATH",
            clock.at(step)
        )));
    }
    let is_at_end = match setup.end {
        End::Step(last) => step >= last,
        End::Time(end) => clock.has_reached(end, step),
    };
    match changed.iter().find(|change| change.is_of_physics()).filter(|_| is_at_end) {
        None => Ok(()),
        Some(change) => Err(Fault::usage(format!(
            "the run is at its end, step {step}, so that the new \"{}\" would act in no step: take more steps by --steps or \"time\", \
             or put the old value back",
            change.key
        ))),
    }
}
