//! Starts the ranks of a run: a single rank, threads of this process, or ranks of MPI.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use hematite_case::NodeId;
use hematite_comm::{Comm, Route, Solo, agree, threads};
use hematite_config::{Exit, Fault, Result};

use crate::cli::Cli;

/// Runs `work` on every rank and returns the outcome of this process.
pub fn on_every_rank(cli: &Cli, work: impl Fn(&dyn Comm) -> Result<Exit> + Sync) -> Result<Exit> {
    if let Some(count) = cli.threads {
        return on_threads(count as usize, &work);
    }
    #[cfg(feature = "mpi")]
    if hematite_comm::launched_by_mpi() {
        let mut comm = hematite_comm::Mpi::init()?;
        let watched = comm.watch(tell);
        return on_rank(&comm, &|comm: &dyn Comm| watched.clone().and_then(|()| work(comm)));
    }
    on_rank(&Solo, &work)
}

/// Prints a notice about another rank. Ends this process if that rank is lost; the launcher then ends the rest.
#[cfg(feature = "mpi")]
fn tell(notice: hematite_comm::Notice) {
    match notice {
        hematite_comm::Notice::Warning(text) => hematite_config::note(&format!("run: warning: {text}")),
        hematite_comm::Notice::Lost(fault) => {
            fault.print("run");
            std::process::exit(fault.exit as i32);
        }
    }
}

/// Runs `work` on one rank. By [`together`] all ranks have the same fault; rank 0 prints it before any rank ends, since
/// the launcher then ends the rest. Each rank finds out by itself that another one is lost. A panic ends all ranks.
fn on_rank(comm: &dyn Comm, work: &(impl Fn(&dyn Comm) -> Result<Exit> + Sync)) -> Result<Exit> {
    match catch_unwind(AssertUnwindSafe(|| work(comm))) {
        Ok(Err(fault)) if comm.size() > 1 && fault.exit != Exit::LostRank => {
            if comm.rank() == 0 {
                fault.print("run");
            }
            comm.any(false)?;
            Err(fault.said())
        }
        Ok(outcome) => outcome,
        Err(panic) if comm.size() == 1 => resume_unwind(panic),
        Err(_) => comm.abort(Exit::Internal),
    }
}

fn on_threads(count: usize, work: &(impl Fn(&dyn Comm) -> Result<Exit> + Sync)) -> Result<Exit> {
    std::thread::scope(|scope| {
        let ranks: Vec<_> = threads(count).into_iter().map(|comm| scope.spawn(move || on_rank(&comm, work))).collect();
        let outcomes: Vec<Result<Exit>> = ranks
            .into_iter()
            .map(|rank| rank.join().unwrap_or_else(|_| Err(Fault::lost_rank("a rank ended early"))))
            .collect();
        outcomes.into_iter().next().unwrap_or(Ok(Exit::Done))
    })
}

/// Runs `alone` on each rank and makes all ranks agree on the outcome: any fault becomes the fault of all.
pub fn together<T>(comm: &dyn Comm, alone: impl FnOnce() -> Result<T>) -> Result<T> {
    agree(comm, alone())
}

/// The route of values at nodes from the ranks that hold them to those that want them. Collective.
///
/// # Errors
/// A usage fault when no rank holds a node that one wants; when a rank is lost.
pub fn node_route(comm: &dyn Comm, held: &[NodeId], wanted: &[NodeId]) -> Result<Route> {
    let numbers = |ids: &[NodeId]| ids.iter().map(|id| id.0).collect::<Vec<u64>>();
    Route::find(comm, &numbers(held), &numbers(wanted))
}
