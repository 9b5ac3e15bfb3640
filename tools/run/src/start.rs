//! The fluid and what is suspended in it on the device, at the start of a run or from a checkpoint.

use std::path::Path;

use hematite_comm::Comm;
use hematite_config::{Exit, Fault, Result, sealed_hash};
use hematite_dump::ChangeRecord;
use hematite_engine::Precision;
use hematite_gpu::{Gpu, Needs};
use physics_lattice_boltzmann::equilibrium::State;
use physics_lattice_boltzmann::{Fluid, LatticeBoltzmann};

use crate::checkpoint::{self, Found};
use crate::cli::Cli;
use crate::ranks::together;
use crate::setup::{Setup, initial_velocity};
use crate::state::Saved;
use crate::suspended::Suspended;
use crate::{bodies, cells, room};

/// What steps, and on what.
pub struct Start {
    /// SHA-256 of the case file.
    pub case_sha256: String,
    /// This rank's device.
    pub gpu: Gpu,
    /// Name and driver of each rank's device, on rank 0.
    pub devices: Vec<String>,
    /// The fluid of this rank and what is prescribed.
    pub flow: LatticeBoltzmann,
    /// What is suspended in it.
    pub suspended: Suspended,
    /// The step of the checkpoint they come from.
    pub resumed: Option<u64>,
    /// What the config has changed since.
    pub changed: Vec<ChangeRecord>,
    /// Why newer checkpoints were passed over.
    pub damaged: Vec<String>,
}

impl Start {
    /// Opens the device and fills it, from the checkpoint that `--restart` means where there is one. Collective.
    ///
    /// # Errors
    /// Without a device that will do, or one with too little room; for a checkpoint that does not fit.
    pub fn new(cli: &Cli, comm: &dyn Comm, setup: &mut Setup) -> Result<Self> {
        let case_sha256 = case_hash(comm, setup)?;
        let gpu = device(cli, comm, setup)?;
        let all_wait = !comm.any(!gpu.waits_at_gates())?;
        let gpu = gpu.with_gates(all_wait);
        gpu.report_errors(|error| {
            eprintln!("run: error: the GPU failed: {error}");
            std::process::exit(Exit::Io as i32);
        });
        let told = !cli.quiet && comm.rank() == 0;
        setup.report(comm, cli.quiet);
        let devices = comm.gather(format!("{} ({})", gpu.info().name, gpu.info().driver).as_bytes())?;
        let devices: Vec<String> =
            devices.into_iter().flatten().map(|name| String::from_utf8_lossy(&name).into_owned()).collect();
        if told {
            let mut distinct = devices.clone();
            distinct.dedup();
            eprintln!("device    {}", distinct.join(", "));
        }
        let mut flow = LatticeBoltzmann::new(together(comm, || setup.fluid(&gpu))?, &setup.plan);
        let from = match cli.restart.as_deref() {
            Some(wanted) => checkpoint::find(comm, setup, wanted)?,
            None => Found::default(),
        };
        let mut changed = Vec::new();
        let saved = match &from.path {
            Some(path) => {
                let allowed = cli.allow_changes;
                let load = || checkpoint::load(setup, &case_sha256, &mut flow, path, allowed);
                let (saved, since) = together(comm, load)?;
                changed = since;
                Some(saved)
            }
            None => {
                let u = initial_velocity(&setup.config, &setup.plan);
                let at = |n| State { drho: 0.0, u: if setup.beyond(n) { [0.0; 3] } else { u } };
                together(comm, || flow.fluid.initialise(at))?;
                None
            }
        };
        let resumed = saved.as_ref().map(|saved| saved.step);
        let suspended = immerse(&gpu, comm, setup, &mut flow.fluid, saved)?;
        if told && cli.restart.is_some() {
            match resumed {
                Some(step) => eprintln!("restart   from step {step}{}", said(&changed)),
                None => eprintln!("restart   no checkpoint yet: from the start"),
            }
        }
        let damaged = from.damaged;
        Ok(Self { case_sha256, gpu, devices, flow, suspended, resumed, changed, damaged })
    }
}

/// What is told of changes.
pub fn said(changed: &[ChangeRecord]) -> String {
    let keys: Vec<&str> = changed.iter().map(|change| change.key.as_str()).collect();
    if keys.is_empty() { String::new() } else { format!(", changed since: {}", keys.join(", ")) }
}

/// Opens this rank's device, which must have what the run needs and room for its part. Collective.
///
/// # Errors
/// Without a device that will do, or one with too little room; when a rank is lost.
pub fn device(cli: &Cli, comm: &dyn Comm, setup: &Setup) -> Result<Gpu> {
    let precision = setup.config.fluid.precision;
    let needs = Needs { f16: precision == Precision::F16, f64: precision == Precision::F64, checks: cli.gpu_checks };
    let gpu = together(comm, || Gpu::open(comm.local_rank(), needs))?;
    let gpu = if comm.any(gpu.is_taken())? { together(comm, || gpu.in_turn())? } else { gpu };
    room::check(setup, comm, gpu.info())?;
    Ok(gpu)
}

/// Puts cells or bodies into the fluid, at the start or as saved, and makes ready for the first step. Collective.
///
/// # Errors
/// When the device lacks room; when it or a rank is lost.
pub fn immerse(
    gpu: &Gpu,
    comm: &dyn Comm,
    setup: &Setup,
    fluid: &mut Fluid,
    saved: Option<Saved>,
) -> Result<Suspended> {
    let suspended = match (&setup.immersion, &setup.rigid) {
        (Some(immersion), _) => Suspended::Cells(Box::new(cells::immerse(gpu, comm, setup, immersion, fluid, saved)?)),
        (None, Some(rigid)) => Suspended::Bodies(Box::new(bodies::immerse(gpu, comm, setup, rigid, fluid, saved)?)),
        (None, None) => Suspended::Nothing,
    };
    fluid.hold(comm, &setup.plan.row(fluid.step()))?;
    Ok(suspended)
}

fn sealed(case: &Path) -> Result<String> {
    sealed_hash(case)
        .map_err(|fault| Fault { message: format!("{}; make it again with mkcase", fault.message), ..fault })
}

/// SHA-256 of the case file, read once. Collective.
///
/// # Errors
/// A usage fault where the file is not what was written; when a rank is lost.
pub fn case_hash(comm: &dyn Comm, setup: &Setup) -> Result<String> {
    let hash = together(comm, || if comm.rank() == 0 { sealed(&setup.case) } else { Ok(String::new()) })?;
    let mut bytes = hash.into_bytes();
    comm.broadcast(&mut bytes)?;
    String::from_utf8(bytes).map_err(|error| Fault::io(error.to_string()))
}
