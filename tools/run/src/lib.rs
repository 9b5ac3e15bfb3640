//! `run`: runs a case by a config and writes dumps, with any physics.

mod alarm;
mod balance;
mod bench;
mod cadence;
mod changes;
mod check;
mod checkpoint;
mod cli;
mod config;
mod cores;
mod devices;
#[cfg(feature = "mpi")]
mod end;
mod ensemble;
mod failure;
mod field_dump;
mod folder;
mod kept;
mod lock;
mod output;
mod preflight;
mod progress;
mod ranks;
mod room;
mod setup;
mod start;
mod stop;
mod system;
mod time_loop;
mod trace;

use std::process::ExitCode;

use cli::Cli;
use hematite_comm::Comm;
use hematite_config::{Exit, Result, guarded, joint_text, print_line};
use hematite_engine::Method;
use schemars::SchemaGenerator;
use setup::Setup;

/// The program: a run with some of the `methods`, by the command line.
pub fn main(methods: &[&dyn Method]) -> ExitCode {
    let cli = Cli::read();
    guarded("run", || run(&cli, methods))
}

fn run(cli: &Cli, methods: &[&dyn Method]) -> Result<Exit> {
    if cli.is_a_run() {
        // Before all slow steps, such as the start of MPI: from the start a signal must stop the run in order.
        cli.signals.watch()?;
    }
    if cli.schema {
        print_line(&schema(methods))?;
        return Ok(Exit::Done);
    }
    if cli.list_gpus {
        return list_gpus();
    }
    ranks::on_every_rank(cli, |comm| {
        if let Some(members) = cli.ensemble {
            return ensemble::run(cli, comm, methods, members);
        }
        let mut setup = Setup::new(cli, comm, methods)?;
        if cli.check.is_some() {
            return check::check(cli, comm, &mut setup);
        }
        if let Some(format) = cli.bench {
            return bench::bench(cli, comm, setup, format);
        }
        one_run(cli, comm, setup)
    })
}

/// Does a run that is set up, unless it is done already. Collective.
fn one_run(cli: &Cli, comm: &dyn Comm, setup: Setup) -> Result<Exit> {
    folder::wait(cli, comm, &setup)?;
    if folder::is_done(cli, comm, &setup)? {
        folder::say_done(cli, comm, &setup);
        return Ok(Exit::Done);
    }
    time_loop::TimeLoop::new(cli, comm, setup)?.run()
}

/// The JSON Schema of RUN.json.
fn schema(methods: &[&dyn Method]) -> String {
    let mut generator = SchemaGenerator::default();
    let joint = setup::joint(methods, &mut generator);
    joint_text(joint, &mut generator)
}

fn list_gpus() -> Result<Exit> {
    let found = hematite_gpu::list()?;
    for gpu in &found {
        print_line(&format!(
            "{}  {} ({}), {}{}{}; binds up to {} MiB, buffers up to {} MiB{}{}",
            gpu.number,
            gpu.name,
            gpu.kind,
            gpu.driver,
            if gpu.bus.is_empty() { String::new() } else { format!(", bus {}", gpu.bus) },
            gpu.memory.map(|bytes| format!("; {} MiB of memory", bytes >> 20)).unwrap_or_default(),
            gpu.max_binding >> 20,
            gpu.max_buffer >> 20,
            if gpu.f16 { "; f16" } else { "" },
            if gpu.f64 { "; f64" } else { "" },
        ))?;
    }
    if found.is_empty() {
        return Err(hematite_gpu::none_found());
    }
    Ok(Exit::Done)
}
