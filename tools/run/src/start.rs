//! Starts a run on the device, from its initial state or from a checkpoint.

use std::path::Path;

use hematite_comm::Comm;
use hematite_config::{Exit, Fault, Result, note, sealed_hash};
use hematite_dump::{ChangeRecord, Checkpoint};
use hematite_engine::Precision;
use hematite_gpu::{Gpu, Needs, use_cores};

use crate::checkpoint::{self, Found, Resumed, Stored};
use crate::cli::Cli;
use crate::ranks::together;
use crate::room;
use crate::setup::Setup;
use crate::system::System;
use crate::{cores, devices};

/// A run that is ready to step.
pub struct Start {
    /// SHA-256 of the case file.
    pub case_sha256: String,
    /// This rank's device.
    pub gpu: Gpu,
    /// Name and driver of each rank's device, on rank 0.
    pub devices: Vec<String>,
    /// All physics.
    pub system: System,
    /// The checkpoint of a restart.
    pub resumed: Option<Resumed>,
    /// Changes of the config since the checkpoint.
    pub changed: Vec<ChangeRecord>,
    /// For each newer checkpoint, why it was skipped.
    pub damaged: Vec<String>,
}

impl Start {
    /// Opens the device and fills it, from the checkpoint of `--restart` if there is one. Collective.
    ///
    /// # Errors
    /// When there is no suitable device, or it has too little room; for a checkpoint that does not fit.
    pub fn new(cli: &Cli, comm: &dyn Comm, setup: &mut Setup) -> Result<Self> {
        let case_sha256 = case_hash(comm, setup)?;
        let gpu = device(cli, comm, setup)?;
        let told = !cli.quiet && comm.rank() == 0;
        setup.report(comm, cli.quiet);
        let devices = comm.gather(format!("{} ({})", gpu.info().name, gpu.info().driver).as_bytes())?;
        let devices: Vec<String> =
            devices.into_iter().flatten().map(|name| String::from_utf8_lossy(&name).into_owned()).collect();
        if told {
            let mut distinct = devices.clone();
            distinct.dedup();
            note(&format!("device    {}", distinct.join(", ")));
        }
        let from = match cli.restart.as_deref() {
            Some(wanted) => checkpoint::find(comm, setup, wanted)?,
            None => Found::default(),
        };
        let (mut changed, mut resumed) = (Vec::new(), None);
        let system = match &from.path {
            Some(path) => {
                let opened = || {
                    let checkpoint = Checkpoint::open(path)?;
                    let since = checkpoint::check(setup, &case_sha256, path, checkpoint.meta(), cli.allow_changes)?;
                    Ok((checkpoint, since))
                };
                let (checkpoint, since) = together(comm, opened)?;
                changed = since;
                resumed = Some(Resumed::of(path, checkpoint.meta()));
                let stored = Stored::new(comm, setup, path, &checkpoint)?;
                System::build(&gpu, comm, setup, Some(&stored))?
            }
            None => System::build(&gpu, comm, setup, None)?,
        };
        if told && cli.restart.is_some() {
            match &resumed {
                Some(from) => note(&format!("restart   from step {}{}", from.step, said(&changed))),
                None => note("restart   no checkpoint yet: from the start"),
            }
        }
        let damaged = from.damaged;
        Ok(Self { case_sha256, gpu, devices, system, resumed, changed, damaged })
    }
}

/// Text on the changes of the config.
pub fn said(changed: &[ChangeRecord]) -> String {
    let keys: Vec<&str> = changed.iter().map(|change| change.key.as_str()).collect();
    if keys.is_empty() { String::new() } else { format!(", changed since: {}", keys.join(", ")) }
}

/// Opens this rank's device, which must have the needed features and room for its part. Collective.
///
/// # Errors
/// When there is no suitable device, or it has too little room; when a rank is lost.
pub fn device(cli: &Cli, comm: &dyn Comm, setup: &Setup) -> Result<Gpu> {
    let precision = setup.precision();
    let needs = Needs { f16: precision == Precision::F16, f64: precision == Precision::F64, checks: cli.gpu_checks };
    // The most that any host has: then all ranks have the same share.
    let mut ranks = [comm.local_rank() as f64 + 1.0];
    comm.max(&mut ranks)?;
    use_cores(cores::for_each(ranks[0] as usize));
    let gpu = together(comm, || devices::open(comm.local_rank(), needs))?;
    let gpu = if comm.any(gpu.is_taken())? { together(comm, || gpu.shared_by_ranks())? } else { gpu };
    room::check(setup, comm, gpu.info())?;
    let all_wait = !comm.any(!gpu.waits_for_host())?;
    let gpu = gpu.with_waits(all_wait);
    let shares_memory = || (0..comm.size()).all(|rank| rank == comm.rank() || comm.shares_memory_with(rank));
    let all_link = !comm.any(!gpu.can_link() || !shares_memory())?;
    let gpu = gpu.with_links(if all_link { comm.size() } else { 0 });
    gpu.report_errors(|error| {
        note(&format!("run: error: the GPU failed: {error}"));
        std::process::exit(Exit::Io as i32);
    });
    Ok(gpu)
}

fn sealed(case: &Path) -> Result<String> {
    sealed_hash(case)
        .map_err(|fault| Fault { message: format!("{}; make it again with mkcase", fault.message), ..fault })
}

/// SHA-256 of the case file, read once. Collective.
///
/// # Errors
/// A usage fault where the file was changed; when a rank is lost.
pub fn case_hash(comm: &dyn Comm, setup: &Setup) -> Result<String> {
    let hash = together(comm, || if comm.rank() == 0 { sealed(&setup.ground.case) } else { Ok(String::new()) })?;
    let mut bytes = hash.into_bytes();
    comm.broadcast(&mut bytes)?;
    String::from_utf8(bytes).map_err(|error| Fault::io(error.to_string()))
}
