//! Starts the ranks of a run: a single rank, threads of this process, or ranks of MPI.

use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(feature = "mpi")]
use std::time::Duration;

use hematite_case::NodeId;
use hematite_comm::{Comm, Route, Solo, agree, threads};
use hematite_config::{Exit, Fault, Result};

use crate::cli::Cli;
use crate::devices;

/// Runs `work` on every rank, closes the devices and returns the outcome of this process.
pub fn on_every_rank(cli: &Cli, work: impl Fn(&dyn Comm) -> Result<Exit> + Sync) -> Result<Exit> {
    let outcome = on_ranks(cli, work);
    devices::close_all();
    outcome
}

fn on_ranks(cli: &Cli, work: impl Fn(&dyn Comm) -> Result<Exit> + Sync) -> Result<Exit> {
    if let Some(count) = cli.threads {
        return on_threads(count as usize, &work);
    }
    #[cfg(feature = "mpi")]
    if hematite_comm::launched_by_mpi() {
        let mut comm = hematite_comm::Mpi::init()?;
        let outcome = comm.watch(tell).and_then(|()| caught(&comm, &work));
        return outcome.map_err(|fault| met(&comm, fault));
    }
    work(&Solo)
}

/// Prints a notice about another rank. Ends this process if that rank is lost; the launcher then ends the rest.
#[cfg(feature = "mpi")]
fn tell(notice: hematite_comm::Notice) {
    match notice {
        hematite_comm::Notice::Warning(text) => hematite_config::note(&format!("run: warning: {text}")),
        hematite_comm::Notice::Lost(fault) => {
            fault.print("run");
            crate::end::at_once(fault.exit)
        }
    }
}

/// Runs `work` on one of several ranks. A panic ends all of them.
fn caught(comm: &dyn Comm, work: &impl Fn(&dyn Comm) -> Result<Exit>) -> Result<Exit> {
    catch_unwind(AssertUnwindSafe(|| work(comm))).unwrap_or_else(|_| comm.abort(Exit::Internal))
}

/// How long a rank with a fault waits for the others to have it too.
#[cfg(feature = "mpi")]
const MEETING: Duration = Duration::from_secs(20);

/// Prints the fault of a rank of MPI, and returns it without its message. By [`together`] all ranks have the same one; rank 0
/// prints it before any rank ends, since the launcher then ends the rest. Each rank finds out by itself that another one
/// is lost. Where this rank alone has a fault, the others may wait for it for ever: it ends them.
#[cfg(feature = "mpi")]
fn met(comm: &hematite_comm::Mpi, fault: Fault) -> Fault {
    if comm.size() == 1 || fault.exit == Exit::LostRank {
        return fault;
    }
    if comm.rank() == 0 {
        fault.print("run");
    }
    if !comm.meets_within(MEETING) {
        if comm.rank() > 0 {
            fault.print("run");
        }
        comm.abort(fault.exit);
    }
    fault.said()
}

/// Runs `work` on ranks that are threads. The others find out when one ends early.
fn on_threads(count: usize, work: &(impl Fn(&dyn Comm) -> Result<Exit> + Sync)) -> Result<Exit> {
    std::thread::scope(|scope| {
        let ranks: Vec<_> = threads(count).into_iter().map(|comm| scope.spawn(move || caught(&comm, work))).collect();
        let outcomes: Vec<Result<Exit>> = ranks
            .into_iter()
            .map(|rank| rank.join().unwrap_or_else(|_| Err(Fault::lost_rank("a rank ended early"))))
            .collect();
        told(outcomes)
    })
}

/// The outcome of a run: the fault that ended it rather than those of ranks that found another one gone.
fn told(outcomes: Vec<Result<Exit>>) -> Result<Exit> {
    let is_cause = |outcome: &Result<Exit>| outcome.as_ref().is_err_and(|fault| fault.exit != Exit::LostRank);
    let cause = outcomes.iter().position(is_cause).unwrap_or(0);
    outcomes.into_iter().nth(cause).unwrap_or(Ok(Exit::Done))
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
