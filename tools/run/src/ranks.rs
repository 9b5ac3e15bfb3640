//! One rank, threads of this process, or a rank among MPI's.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use hematite_case::NodeId;
use hematite_comm::{Comm, Route, Solo, agree, threads};
use hematite_config::{Exit, Fault, Result};

use crate::cli::Cli;

/// Runs `work` on every rank and gives the outcome of this process.
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

/// Says what becomes of another rank, and ends this process where that is lost: its launcher ends the rest.
#[cfg(feature = "mpi")]
fn tell(notice: hematite_comm::Notice) {
    match notice {
        hematite_comm::Notice::Warning(text) => eprintln!("run: warning: {text}"),
        hematite_comm::Notice::Lost(fault) => {
            fault.print("run");
            std::process::exit(fault.exit as i32);
        }
    }
}

/// Every rank holds the same fault, by [`together`]: rank 0 says it, before any rank ends and its launcher ends the rest.
/// A lost rank is each rank's own finding. A panic ends them all.
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

/// What a rank found out alone becomes what all ranks know.
pub fn together<T>(comm: &dyn Comm, alone: impl FnOnce() -> Result<T>) -> Result<T> {
    agree(comm, alone())
}

/// The way of values at nodes from the ranks that hold them to those that want them. Collective.
///
/// # Errors
/// A usage fault when no rank holds a node that one wants; when a rank is lost.
pub fn node_route(comm: &dyn Comm, held: &[NodeId], wanted: &[NodeId]) -> Result<Route> {
    let numbers = |ids: &[NodeId]| ids.iter().map(|id| id.0).collect::<Vec<u64>>();
    Route::find(comm, &numbers(held), &numbers(wanted))
}
