//! Every method of `Comm` over MPI: `mpirun -n 3 selftest [abort|panic]`. With an argument rank 1 goes down that way
//! while the others wait for it.

#[path = "../tests/exercise/mod.rs"]
mod exercise;

use std::process::ExitCode;

use hematite_comm::{Comm, Mpi, launched_by_mpi};
use hematite_config::{Exit, Result, guarded};

fn main() -> ExitCode {
    guarded("selftest", check)
}

fn check() -> Result<Exit> {
    // Pieces far below the longest message, so that messages are split.
    let comm = Mpi::init()?.with_longest_message(10_000);
    match std::env::args().nth(1).as_deref() {
        None => exercise::everything(&comm),
        Some(_) if comm.rank() != 1 => comm.sum(&mut [0])?,
        Some("abort") => comm.abort(Exit::Numerical),
        Some(_) => panic!("rank 1 goes down"),
    }
    if comm.rank() == 0 {
        println!("{} ranks: all well (launcher: {})", comm.size(), launched_by_mpi());
    }
    Ok(Exit::Done)
}
