//! `run --check`: checks config, case, device, checkpoint and run folder before the first step.

use hematite_comm::Comm;
use hematite_config::{Exit, Result, note};
use hematite_dump::Checkpoint;

use crate::checkpoint::{Found, Resumed};
use crate::cli::Cli;
use crate::ranks::together;
use crate::setup::Setup;
use crate::{checkpoint, devices, folder, preflight, start};

/// Says what the run would do, with figures; refuses what the run would refuse, and changes nothing. Without a device,
/// leaves out what needs one. Collective.
///
/// # Errors
/// Those of a run before its first step.
pub fn check(cli: &Cli, comm: &dyn Comm, setup: &mut Setup) -> Result<Exit> {
    if folder::is_done(cli, comm, setup)? {
        folder::say_done(cli, comm, setup);
        return Ok(Exit::Done);
    }
    let case_sha256 = start::case_hash(comm, setup)?;
    let found = together(comm, devices::count)?;
    let gpu = if comm.any(found == 0)? {
        setup.report(comm, cli.quiet);
        if !cli.quiet && comm.rank() == 0 {
            note("device    none here: not checked whether the case fits into one");
        }
        None
    } else {
        let gpu = start::device(cli, comm, setup)?;
        setup.report(comm, cli.quiet);
        Some(gpu)
    };
    let Found { path, damaged } = match cli.restart.as_deref() {
        Some(wanted) => checkpoint::find(comm, setup, wanted)?,
        None => Found::default(),
    };
    let from = together(comm, || {
        let Some(path) = path else { return Ok(None) };
        let checkpoint = Checkpoint::open(&path)?;
        let changed = checkpoint::check(setup, &case_sha256, &path, checkpoint.meta(), cli.allow_changes)?;
        Ok(Some((Resumed::of(&path, checkpoint.meta()), changed)))
    })?;
    let lost = folder::check(cli, comm, setup, from.as_ref().map(|(resumed, _)| resumed))?;
    preflight::tell(cli, comm, setup, gpu.as_ref())?;
    if comm.rank() > 0 || cli.restart.is_none() {
        return Ok(Exit::Done);
    }
    damaged.iter().for_each(|what| note(&format!("run: warning: {what}: it would be passed over")));
    lost.iter().for_each(|what| note(&format!("run: warning: {what}: the run would go on without")));
    if !cli.quiet {
        match from {
            Some((Resumed { path, step, .. }, changed)) => {
                note(&format!("restart   would go on from step {step}, {}{}", path.display(), start::said(&changed)));
            }
            None => note("restart   no checkpoint yet: would begin at the start"),
        }
    }
    Ok(Exit::Done)
}
