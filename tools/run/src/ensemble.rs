//! `run --ensemble`: many runs of one config that differ in their random numbers alone.
//!
//! Each rank does whole members one after the other, so ranks wait for each other at the end alone.

use std::path::{Path, PathBuf};
use std::time::Instant;

use hematite_comm::{Apart, Comm};
use hematite_config::{Exit, Fault, Result, note};
use hematite_dump::{Checkpoint, RunRecord};
use hematite_engine::Method;

use crate::cli::Cli;
use crate::ranks::together;
use crate::setup::Setup;
use crate::stop::Stop;
use crate::{check, one_run};

/// How the members of one rank ended: numbers of those done, stopped, failed, and refused before their first step.
#[derive(Default)]
struct Ends {
    done: i64,
    stopped: i64,
    failed: i64,
    refused: i64,
}

/// Does the `members` runs of an ensemble, as many at once as there are ranks. Collective.
///
/// # Errors
/// Those of a run before its first step, if no member of the rank has done a step, other than that a member has no
/// checkpoint; a numerical failure if members failed or could not go on, after all others have ended; an I/O fault, or
/// when a rank is lost.
pub fn run(cli: &Cli, comm: &dyn Comm, methods: &[&dyn Method], members: u32) -> Result<Exit> {
    let apart = Apart::new(comm.local_rank());
    let folder = together(comm, || folder_of(cli))?;
    let mut mine = (1..=members).skip(comm.rank()).step_by(comm.size());
    let first = mine.next();
    let prepared = || first.map(|k| Setup::new(&of_member(cli, &folder, k), &apart, methods)).transpose();
    let mut prepared = together(comm, prepared)?;
    let at_once = comm.size().min(members as usize);
    if let Some(setup) = prepared.as_mut().filter(|_| comm.rank() == 0) {
        if !cli.quiet {
            let folder = folder.display();
            note(&format!("ensemble  {members} members, {at_once} at once, {folder}; each of them:"));
        }
        if cli.check.is_some() {
            check::check(&Cli { quiet: cli.quiet, ..of_member(cli, &folder, 1) }, &apart, setup)?;
        } else {
            setup.report(&apart, cli.quiet);
        }
    }
    if cli.check.is_some() {
        return Ok(Exit::Done);
    }
    let mut ends = Ends::default();
    let mut fault = Ok(());
    // A member that would begin after the end of the wall-clock time is left for the restart.
    let stop = Stop::new(cli.signals.clone(), cli.walltime, cli.started, None);
    for k in first.into_iter().chain(mine) {
        if Some(k) != first && stop.wanted(true) {
            ends.stopped += 1;
            break;
        }
        let member = of_member(cli, &folder, k);
        let setup = prepared.take().map_or_else(|| Setup::new(&member, &apart, methods), Ok);
        let start = Instant::now();
        let ended = setup.and_then(|setup| one_run(&member, &apart, setup));
        tell(cli, &name(k), &folder.join(name(k)), &ended, start.elapsed().as_secs_f64());
        match ended {
            Ok(Exit::Stopped) => {
                ends.stopped += 1;
                break;
            }
            Ok(_) => ends.done += 1,
            Err(Fault { exit: Exit::Numerical, .. }) => ends.failed += 1,
            Err(Fault { exit: Exit::Usage, .. }) if Some(k) != first && stop.wanted(true) => {
                ends.stopped += 1;
                break;
            }
            Err(refused)
                if refused.exit == Exit::Usage
                    && (ends.done + ends.failed > 0 || lacks_checkpoint(cli, &folder.join(name(k)))) =>
            {
                note(&format!("run: error: {}: {}", name(k), refused.message));
                ends.refused += 1;
            }
            Err(other) => {
                fault = Err(other.within(name(k)));
                break;
            }
        }
    }
    together(comm, || fault)?;
    conclude(cli, comm, ends, members, &folder)
}

/// What all ranks together have done.
fn conclude(cli: &Cli, comm: &dyn Comm, ends: Ends, members: u32, folder: &Path) -> Result<Exit> {
    let mut sums = [ends.done, ends.stopped, ends.failed, ends.refused];
    comm.sum(&mut sums)?;
    let [done, stopped, failed, refused] = sums;
    if failed + refused > 0 {
        let folder = folder.display();
        let broke =
            format!("; the last states of those that broke, {failed}, are in failed/ of their folders in {folder}");
        let unable = format!(
            "; {refused} could not begin or go on, for the reasons above: --restart begins those anew whose folders in {folder} are \
             taken away"
        );
        let told = [(failed, broke), (refused, unable)].into_iter().filter(|(count, _)| *count > 0);
        return Err(Fault::numerical(format!(
            "{} of {members} members of the ensemble failed, {done} are done{}",
            failed + refused,
            told.map(|(_, text)| text).collect::<String>()
        )));
    }
    if !cli.quiet && comm.rank() == 0 {
        let end = if stopped > 0 { "stopped; go on with --restart" } else { "done" };
        note(&format!("{end}: {done} of {members} members, {}", folder.display()));
    }
    Ok(if stopped > 0 { Exit::Stopped } else { Exit::Done })
}

/// Whether a member's folder holds a run that `--restart` finds no sound checkpoint of: that is no fault of the call.
fn lacks_checkpoint(cli: &Cli, folder: &Path) -> bool {
    let is_sound = |path: &PathBuf| Checkpoint::verify(path, 0, 1).is_ok();
    cli.restart.is_some() && folder.join("run.json").exists() && !Checkpoint::newest_first(folder).iter().any(is_sound)
}

/// Name of the folder of member `k`, from 1.
fn name(k: u32) -> String {
    format!("member-{k:04}")
}

/// The command line of member `k`.
fn of_member(cli: &Cli, folder: &Path, k: u32) -> Cli {
    Cli { output: Some(folder.join(name(k))), member: Some(k), ensemble: None, quiet: true, ..cli.clone() }
}

/// The folder of the ensemble.
fn folder_of(cli: &Cli) -> Result<PathBuf> {
    let path = cli.config.clone().ok_or_else(|| Fault::usage("which RUN.json?"))?;
    let folder = cli.folder(&path);
    if folder.join("run.json").exists() {
        return Err(Fault::usage(format!("{} holds a single run: choose another folder by -o", folder.display())));
    }
    if cli.restart.as_deref().is_some_and(|from| from != "latest") {
        return Err(Fault::usage(
            "--ensemble: --restart PATH is of one run; give --restart alone to go on with all members",
        ));
    }
    Ok(folder)
}

/// Says how a member ended, with its warnings.
fn tell(cli: &Cli, name: &str, folder: &Path, ended: &Result<Exit>, seconds: f64) {
    if let Err(fault) = ended
        && fault.exit == Exit::Numerical
    {
        note(&format!("run: error: {name}: {}", fault.message));
    }
    if cli.quiet {
        return;
    }
    for warning in RunRecord::read(folder).map(|record| record.warnings).unwrap_or_default() {
        note(&format!("run: warning: {name}: {}", warning.text));
    }
    match ended {
        Ok(Exit::Stopped) => note(&format!("{name}: stopped with a checkpoint, {seconds:.1} s")),
        Ok(_) => note(&format!("{name}: done, {seconds:.1} s")),
        Err(_) => {}
    }
}
