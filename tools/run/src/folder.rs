//! The run folder: whether a run may write into it, and what it removes of an earlier run.

use std::fs;
use std::path::Path;

use hematite_comm::Comm;
use hematite_config::{Exit, Fault, Result, check_writable, clear_partial, note};
use hematite_dump::{Checkpoint, CheckpointWriter, EndState, Ledger, RunRecord};

use crate::checkpoint::Resumed;
use crate::cli::Cli;
use crate::config::said;
use crate::lock::{self, Lock};
use crate::ranks::together;
use crate::setup::Setup;
use crate::{checkpoint, output};

const RECORD: &str = "run.json";
const CHECKPOINTS: &str = "checkpoint";

/// Whether `--restart` is given for a run that is already done with this config. Collective.
///
/// # Errors
/// When a rank is lost.
pub fn is_done(cli: &Cli, comm: &dyn Comm, setup: &Setup) -> Result<bool> {
    let folder = &setup.folder;
    let done = || {
        let asked = cli.restart.as_deref() == Some("latest");
        asked.then(|| RunRecord::read(folder).ok()).flatten().is_some_and(|record| {
            let same = setup.whole == record.config;
            let same = same && checkpoint::has_same_tables(setup);
            same && record.steps == setup.end.step() && record.end.is_some_and(|end| end.state == EndState::Done)
        })
    };
    comm.any(comm.rank() == 0 && done())
}

/// Says on rank 0 that the run is already done.
pub fn say_done(cli: &Cli, comm: &dyn Comm, setup: &Setup) {
    if !cli.quiet && comm.rank() == 0 {
        note(&format!("done already: {}, {}", said(setup.end), setup.folder.display()));
    }
}

/// Waits for the folder if the process that holds it is about to end. Collective.
///
/// # Errors
/// When a rank is lost.
pub fn wait(cli: &Cli, comm: &dyn Comm, setup: &Setup) -> Result<()> {
    let tell = |text: String| {
        if !cli.quiet {
            note(&format!("run: {text}"))
        }
    };
    together(comm, || {
        if comm.rank() == 0 {
            lock::wait(&setup.folder, tell);
        }
        Ok(())
    })
}

/// How a run takes its folder.
#[derive(Default)]
pub struct Taken {
    /// Whether it continues the files in the folder.
    pub goes_on: bool,
    /// On rank 0, what these have lost since the checkpoint.
    pub lost: Vec<String>,
}

/// Takes the folder for a run that begins, or restarts from the checkpoint `resumed`. Returns the lock, on rank 0, and
/// how it is taken. Collective.
///
/// # Errors
/// A usage fault, with nothing changed, where the folder holds other things or a run that must not be replaced, or is
/// in use; when a rank is lost.
pub fn take(cli: &Cli, comm: &dyn Comm, setup: &Setup, resumed: Option<&Resumed>) -> Result<(Option<Lock>, Taken)> {
    let alone = || if comm.rank() == 0 { take_alone(cli, setup, resumed).map(Some) } else { Ok(None) };
    let (lock, taken) = together(comm, alone)?.unzip();
    let mut taken = taken.unwrap_or_default();
    taken.goes_on = comm.any(taken.goes_on)?;
    Ok((lock, taken))
}

/// Checks that [`take`] would succeed. Changes nothing. Returns, on rank 0, what files have lost. Collective.
///
/// # Errors
/// Those of [`take`], and an I/O fault where the folder cannot be written.
pub fn check(cli: &Cli, comm: &dyn Comm, setup: &Setup, resumed: Option<&Resumed>) -> Result<Vec<String>> {
    let alone = || {
        let taken = may_be_taken(cli, setup, resumed)?;
        check_writable(&setup.folder).map(|()| taken.lost)
    };
    together(comm, || if comm.rank() == 0 { alone() } else { Ok(Vec::new()) })
}

/// [`take`] on rank 0.
fn take_alone(cli: &Cli, setup: &Setup, resumed: Option<&Resumed>) -> Result<(Lock, Taken)> {
    let folder = &setup.folder;
    let taken = may_be_taken(cli, setup, resumed)?;
    let holds = folder.join(RECORD).exists();
    let lock = Lock::take(folder)?;
    prepare(folder, holds, resumed.filter(|_| taken.goes_on).map(|from| from.step))?;
    Ok((lock, taken))
}

/// Checks that the run may write into its folder. Returns how it would be taken.
fn may_be_taken(cli: &Cli, setup: &Setup, resumed: Option<&Resumed>) -> Result<Taken> {
    let folder = &setup.folder;
    is_for_runs(folder)?;
    lock::check(folder)?;
    let holds = folder.join(RECORD).exists();
    if let Some((step, last)) = resumed.map(|from| from.step).zip(setup.end.step()).filter(|(step, last)| step > last) {
        return Err(Fault::usage(format!(
            "the checkpoint is of step {step}, the run has {last}: take more by --steps or \"time\", or an earlier checkpoint by \
             --restart PATH"
        )));
    }
    if let Some(path) = cli.restart.as_deref().filter(|&path| holds && path != "latest" && !is_within(path, folder)) {
        let folder = folder.display();
        return Err(Fault::usage(format!("{folder} holds another run than {path} is of: choose another folder by -o")));
    }
    if !holds
        && !cli.force
        && let Some(latest) = Checkpoint::latest(folder)
    {
        return Err(Fault::usage(format!(
            "{} holds checkpoints, but no {RECORD}, without which its run cannot go on there: go on in another folder by -o \
             and --restart {}, or replace all by --force",
            folder.display(),
            latest.display()
        )));
    }
    let from = resumed.filter(|_| holds);
    if holds && from.is_none() && !cli.force {
        is_replaceable(cli, folder)?;
    }
    let lost = from.map(|from| output::check(setup, from, cli.allow_changes)).transpose()?;
    Ok(Taken { goes_on: from.is_some(), lost: lost.unwrap_or_default() })
}

fn is_within(path: &str, folder: &Path) -> bool {
    let [path, folder] = [Path::new(path), folder].map(|it| it.canonicalize().ok());
    path.zip(folder).is_some_and(|(path, folder)| path.starts_with(folder))
}

/// Refuses a folder that holds something else than a run. A run that was killed before it wrote `run.json` left its
/// lock.
fn is_for_runs(folder: &Path) -> Result<()> {
    let is_empty = fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    if is_empty || [RECORD, lock::FILE].iter().any(|name| folder.join(name).exists()) {
        return Ok(());
    }
    Err(Fault::usage(format!(
        "{} is not empty and holds no run: choose another folder by -o, or empty it",
        folder.display()
    )))
}

/// Refuses to replace a run, except one that was killed before its first step, or with `--restart` one that was stopped
/// before its first checkpoint by a kill, a signal, a full disk or a lost rank.
fn is_replaceable(cli: &Cli, folder: &Path) -> Result<()> {
    let record = RunRecord::read(folder);
    let end = record.as_ref().ok().and_then(|record| record.end.as_ref());
    let lines = Ledger::read(folder).map_or(0, |ledger| ledger.rows.len());
    let from_outside = [Exit::Stopped, Exit::Io, Exit::LostRank].map(|exit| exit as u8);
    let unfinished = record.is_ok() && end.is_none_or(|end| from_outside.contains(&end.exit));
    if unfinished && (cli.restart.is_some() || (end.is_none() && lines <= 1)) {
        return Ok(());
    }
    let state = record.map_or("damaged", |record| record.state(folder).state);
    let remedy = match (&cli.restart, Checkpoint::latest(folder)) {
        (None, Some(_)) => "go on with it by --restart, choose",
        (Some(_), _) => "it has no checkpoint to go on from; choose",
        (None, None) => "choose",
    };
    Err(Fault::usage(format!(
        "{} holds a run ({state}): {remedy} another folder by -o, or replace it by --force",
        folder.display()
    )))
}

/// Prepares the folder. Removes the files of an earlier run, or, if the run restarts `from` a step, its later
/// checkpoints.
fn prepare(folder: &Path, holds: bool, from: Option<u64>) -> Result<()> {
    let fault = |error: std::io::Error| Fault::io(format!("cannot prepare {}: {error}", folder.display()));
    // The failed state is obsolete: the run repeats these steps.
    let failed = folder.join(RunRecord::FAILED);
    if holds && failed.is_dir() {
        fs::remove_dir_all(failed).map_err(fault)?;
    }
    clear_partial(folder);
    if let Some(step) = from {
        clear_unfinished(&folder.join(CHECKPOINTS)).map_err(fault)?;
        return CheckpointWriter::remove_after(folder, step);
    }
    for entry in fs::read_dir(folder).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == CHECKPOINTS {
            fs::remove_dir_all(entry.path()).map_err(fault)?;
        } else if [RECORD, "ledger.csv", "log.jsonl", "timing.json", "trace.json", "tracks.h5"].contains(&name.as_str())
            || name.ends_with(".vtkhdf")
        {
            fs::remove_file(entry.path()).map_err(fault)?;
        }
    }
    Ok(())
}

/// Removes checkpoints that were being written when their run was killed. Only this run uses the folder now.
fn clear_unfinished(checkpoints: &Path) -> std::io::Result<()> {
    if !checkpoints.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(checkpoints)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("step-") && name.ends_with(".partial") && entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}
