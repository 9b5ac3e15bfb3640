//! Tests every method of `Comm` over MPI: `mpirun -n 3 selftest [abort|panic|abort-in-place|alone]`. With an argument,
//! rank 1 ends in that way while the others wait for it: "alone", when they do not meet it in time.

#[path = "../tests/exercise/mod.rs"]
mod exercise;

use std::process::ExitCode;
use std::time::Duration;

use hematite_comm::{Comm, Mpi, launched_by_mpi};
use hematite_config::{Exit, Result, guarded};

fn main() -> ExitCode {
    guarded("selftest", check)
}

fn check() -> Result<Exit> {
    let comm = Mpi::init()?;
    let neighbours = (0..comm.size()).filter(|&rank| comm.shares_memory_with(rank)).count();
    match std::env::args().nth(1).as_deref() {
        None => everything(comm)?,
        Some("abort-in-place") if comm.rank() != 1 => {
            comm.exchange_in_place(&[], &mut |_, _| (), &[(1, 8)], &mut |_, _| ())?
        }
        Some(_) if comm.rank() != 1 => comm.sum(&mut [0])?,
        Some("panic") => panic!("rank 1 goes down"),
        Some("alone") => {
            assert!(!comm.meets_within(Duration::from_millis(200)), "the others are elsewhere");
            comm.abort(Exit::Numerical);
        }
        Some(_) => {
            // By now the others sleep between looks.
            std::thread::sleep(Duration::from_millis(50));
            comm.abort(Exit::Numerical);
        }
    }
    println!("shares memory with {neighbours}");
    Ok(Exit::Done)
}

/// Tests all methods with messages through shared memory where there is some; with ranks that send some, none or all
/// messages through it, split into pieces far shorter than the longest message; and with messages through MPI alone.
fn everything(comm: Mpi) -> Result<()> {
    exercise::everything(&comm);
    let longest = [0, 50_000, usize::MAX][comm.rank() % 3];
    let comm = comm.with_longest_message(10_000).with_longest_shared(longest);
    exercise::everything(&comm);
    let comm = comm.with_longest_shared(0);
    exercise::everything(&comm);
    assert!(comm.meets_within(Duration::from_secs(60)), "all ranks come here");
    if comm.sum(&mut [1]).is_ok() && comm.rank() == 0 {
        println!("{} ranks: all well (launcher: {})", comm.size(), launched_by_mpi());
    }
    Ok(())
}
