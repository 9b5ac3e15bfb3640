//! Saving the state of a run and going on from it, on any number of ranks.

use std::path::{Path, PathBuf};

use hematite_case::{Layer, NodeId};
use hematite_comm::Comm;
use hematite_config::{Exit, Fault, Result, hash_bytes};
use hematite_dump::{Bits, ChangeRecord, Checkpoint, CheckpointMeta, CheckpointWriter, Scale, Storage};
use hematite_engine::Precision;
use physics_lattice_boltzmann::{Fluid, LatticeBoltzmann, WALLS, WallMethod};

use crate::ranks::together;
use crate::setup::Setup;
use crate::state::{Records, Saved, counts};
use crate::suspended::Suspended;
use crate::{changes, outlets};

/// The array of the marks of nodes inside cells.
const MARKS: &str = "inside";

/// Saves the state after an even number of steps.
pub fn save(
    comm: &dyn Comm,
    setup: &Setup,
    case_sha256: &str,
    LatticeBoltzmann { fluid, outlets, .. }: &LatticeBoltzmann,
    suspended: &Suspended,
) -> Result<()> {
    let precision = setup.config.fluid.precision;
    let meta = CheckpointMeta {
        schema: CheckpointMeta::SCHEMA,
        step: fluid.step(),
        ranks: comm.size(),
        storage: storage(precision),
        q: setup.header.set.q(),
        nodes: nodes(setup),
        case_sha256: case_sha256.to_owned(),
        populations: counts(comm, setup, suspended)?,
        entered: suspended.entered(),
        outlets: outlets::records(outlets),
        scale: Some(scale(setup)),
        config: Some(config(setup)?),
    };
    together(comm, || {
        let mut writer = CheckpointWriter::create(&setup.folder, comm.rank(), &meta, setup.own_ids())?;
        for i in 0..meta.q {
            writer.populations(i, &bits(precision, &fluid.populations(i)?))?;
        }
        for (k, came_in) in fluid.ledger()?.into_iter().enumerate() {
            writer.array(&array(k), &opening_ids(setup, k), &came_in)?;
        }
        if setup.plan.wall_method() == WallMethod::Interpolated {
            writer.array(WALLS, &wall_ids(setup, fluid), &fluid.wall_ledger()?)?;
        }
        if let Some(marks) = fluid.marks()? {
            let marks: Vec<i64> = marks.into_iter().map(i64::from).collect();
            writer.array(MARKS, setup.own_ids(), &marks)?;
        }
        for (population, Records { ids, width, words }) in setup.populations.iter().zip(suspended.records(setup)?) {
            writer.cells(&population.name, &ids, width, &words)?;
        }
        writer.finish()
    })?;
    together(comm, || if comm.rank() == 0 { CheckpointWriter::publish(&setup.folder, &meta) } else { Ok(()) })
}

/// The checkpoint that a restart goes on from, and what was passed over to find it.
#[derive(Default)]
pub struct Found {
    /// None where the run folder holds no checkpoint yet.
    pub path: Option<PathBuf>,
    /// Why newer ones will not do.
    pub damaged: Vec<String>,
}

/// Finds the checkpoint that `--restart` asks for: the newest one whose files are what was written, or the `wanted` one. None yet
/// is no fault, so that a job script may always ask. Collective.
///
/// # Errors
/// A usage fault where the wanted one, or each there is, was changed or lacks files; when a rank is lost.
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

/// The config of the run, with the sum of what was read beside the name of each table.
fn config(setup: &Setup) -> Result<serde_json::Value> {
    let mut config = serde_json::to_value(&setup.config).map_err(|error| Fault::io(error.to_string()))?;
    for (key, numbers) in setup.plan.tables() {
        let named = key.iter().try_fold(&mut config, |value, key| value.get_mut(key));
        if let Some(serde_json::Value::Object(named)) = named {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            named.insert(changes::CONTENT.to_owned(), hash_bytes(&bytes).into());
        }
    }
    Ok(config)
}

/// Whether the tables that the config names hold what the newest checkpoint was made with, as far as that is known.
pub fn has_same_tables(setup: &Setup) -> bool {
    let newest = Checkpoint::latest(&setup.folder).and_then(|path| Checkpoint::open(&path).ok());
    let before = newest.and_then(|checkpoint| checkpoint.meta().config.clone());
    before.zip(config(setup).ok()).is_none_or(|(before, now)| changes::tables(&before, &now).is_empty())
}

/// Puts a saved state of the fluid and of outlets back, and reads that of the cells; gives what the config has changed since. Physics may
/// have where that is `allowed`.
pub fn load(
    setup: &Setup,
    case_sha256: &str,
    LatticeBoltzmann { fluid, outlets, .. }: &mut LatticeBoltzmann,
    path: &Path,
    allowed: bool,
) -> Result<(Saved, Vec<ChangeRecord>)> {
    let checkpoint = Checkpoint::open(path)?;
    let meta = checkpoint.meta();
    let changed = check(setup, case_sha256, path, meta, allowed)?;
    outlets::restore(outlets, &meta.outlets, path)?;
    let located = checkpoint.locate(setup.own_ids())?;
    for i in 0..meta.q {
        fluid.restore_populations(i, &raw(located.populations(i)?))?;
    }
    let openings = 0..setup.part.openings.len();
    let ledger =
        openings.map(|k| checkpoint.array(&array(k), 1, &opening_ids(setup, k))).collect::<Result<Vec<_>>>()?;
    fluid.restore_ledger(meta.step, &ledger)?;
    if setup.plan.wall_method() == WallMethod::Interpolated {
        let other = |fault: Fault| {
            Fault::usage(format!(
                "{}; a run with \"fluid.walls\": \"interpolated\" goes on from one of its kind",
                fault.message
            ))
        };
        let ledger = checkpoint.array(WALLS, 1, &wall_ids(setup, fluid)).map_err(other)?;
        fluid.restore_wall_ledger(&ledger)?;
    }
    if fluid.marks()?.is_some() {
        let marks = checkpoint.array(MARKS, 1, setup.own_ids())?;
        fluid.restore_marks(&marks.into_iter().map(|mark| mark as u32).collect::<Vec<_>>())?;
    }
    let mut saved = Saved::new(meta.step, meta.populations.clone(), meta.entered.clone());
    for (k, population) in setup.populations.iter().enumerate() {
        checkpoint.each_cell(&population.name, |id, words| {
            let damaged = || Fault::usage(format!("{}: number {id} of {} is damaged", path.display(), population.name));
            saved.add(setup, k, id, words).ok_or_else(damaged)
        })?;
    }
    Ok((saved, changed))
}

/// Whether the run can go on from the checkpoint at `path`, which says `meta` of itself; gives what the config has changed since.
/// Physics may have where that is `allowed`.
///
/// # Errors
/// A usage fault where it is of another case, fluid, precision or lattice, keeps other outlets, or where physics changed.
pub fn check(
    setup: &Setup,
    case_sha256: &str,
    path: &Path,
    meta: &CheckpointMeta,
    allowed: bool,
) -> Result<Vec<ChangeRecord>> {
    let precision = setup.config.fluid.precision;
    if meta.case_sha256 != case_sha256 {
        return Err(Fault::usage(format!("{} belongs to another case than {}", path.display(), setup.case.display())));
    }
    if meta.storage != storage(precision) {
        return Err(Fault::usage(format!(
            "{} holds {:?}, the run asks for precision {}",
            path.display(),
            meta.storage,
            precision.name()
        )));
    }
    if meta.nodes != nodes(setup) {
        return Err(Fault::usage(format!(
            "{} holds {} nodes, the run steps {}, those beyond immersed walls included: go on with the same \
             \"fluid.walls\", now \"{}\"",
            path.display(),
            meta.nodes,
            nodes(setup),
            setup.plan.wall_method().name()
        )));
    }
    let bears = bears(setup, path, meta);
    let changed = match &meta.config {
        Some(before) => changes::between(before, &config(setup)?, path, allowed, bears.is_ok())?,
        None => Vec::new(),
    };
    bears.map(|()| changed)
}

/// Whether the state in the checkpoint at `path` bears the run's physics, be it changed.
///
/// # Errors
/// A usage fault where it does not.
fn bears(setup: &Setup, path: &Path, meta: &CheckpointMeta) -> Result<()> {
    if let Some(before) = meta.scale.filter(|before| !before.is(&scale(setup))) {
        let text = |of: Scale| {
            format!("time step {:e} s, density {} kg/m3, tau {}", of.time_step_s, of.density_kg_per_m3, of.tau)
        };
        return Err(Fault::usage(format!(
            "{} holds a state in lattice units of another fluid or time step ({}; now {}): go on with the same \"fluid.density\", \
             \"fluid.viscosity\" and \"time\", or start anew into another folder with -o",
            path.display(),
            text(before),
            text(scale(setup))
        )));
    }
    let walls = meta.config.as_ref().and_then(|config| config["fluid"]["walls"].as_str());
    if let Some(before) = walls.filter(|&before| before != setup.plan.wall_method().name()) {
        return Err(Fault::usage(format!(
            "{} is of a run with \"fluid.walls\": \"{before}\", now \"{}\": go on with the same, or begin anew into another folder \
             by -o",
            path.display(),
            setup.plan.wall_method().name()
        )));
    }
    outlets::restore(&mut setup.plan.outlets(), &meta.outlets, path)
}

/// Nodes whose populations a checkpoint of the run holds.
fn nodes(setup: &Setup) -> u64 {
    (setup.header.nodes + setup.layer.as_ref().map_or(0, Layer::nodes)) as u64
}

/// What the run's lattice units are.
fn scale(setup: &Setup) -> Scale {
    let (units, tau) = (&setup.plan.units, setup.plan.tau);
    Scale { time_step_s: units.dt, density_kg_per_m3: units.rho0, tau }
}

fn array(opening: usize) -> String {
    format!("opening-{opening}")
}

/// The own nodes where the wall gives or takes mass.
pub fn wall_ids(setup: &Setup, fluid: &Fluid) -> Vec<NodeId> {
    fluid.wall_nodes().iter().map(|&node| setup.part.id[node as usize]).collect()
}

/// The own nodes of an opening.
pub fn opening_ids(setup: &Setup, opening: usize) -> Vec<NodeId> {
    setup.part.openings[opening].iter().map(|node| setup.part.id[node.node as usize]).collect()
}

fn storage(precision: Precision) -> Storage {
    match precision {
        Precision::F32 => Storage::F32,
        Precision::F16 => Storage::F16,
        Precision::F64 => Storage::F64,
    }
}

fn bits(precision: Precision, raw: &[u8]) -> Bits {
    match precision {
        Precision::F16 => Bits::F16(bytemuck::pod_collect_to_vec(raw)),
        Precision::F32 => Bits::F32(bytemuck::pod_collect_to_vec(raw)),
        Precision::F64 => Bits::F64(bytemuck::pod_collect_to_vec(raw)),
    }
}

fn raw(bits: Bits) -> Vec<u8> {
    match bits {
        Bits::F16(bits) => bytemuck::cast_slice(&bits).to_vec(),
        Bits::F32(bits) => bytemuck::cast_slice(&bits).to_vec(),
        Bits::F64(bits) => bytemuck::cast_slice(&bits).to_vec(),
    }
}
