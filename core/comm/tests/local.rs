//! Ranks without MPI: a single rank, and threads, with all ranks present or some lost.

mod exercise;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use hematite_comm::{Comm, Solo, Threads, agree, threads};
use hematite_config::{Exit, Fault, Result};

/// Runs `work` on every rank and returns what each returned.
fn on_ranks<T: Send>(size: usize, work: impl Fn(Threads) -> T + Sync) -> Vec<T> {
    let work = &work;
    std::thread::scope(|scope| {
        let ranks: Vec<_> = threads(size).into_iter().map(|comm| scope.spawn(move || work(comm))).collect();
        ranks.into_iter().map(|rank| rank.join().expect("a rank")).collect()
    })
}

#[test]
fn a_rank_alone() {
    exercise::everything(&Solo);
}

#[test]
fn ranks_as_threads() {
    for size in 1..=4 {
        on_ranks(size, |comm| exercise::everything(&comm));
    }
}

/// Steps as in a run: messages around a ring and a sum, many times.
fn steps(comm: &Threads) -> Result<()> {
    let (rank, size) = (comm.rank(), comm.size());
    for _ in 0..1000 {
        let mut from = [0; 8];
        comm.exchange(&[((rank + 1) % size, &[7; 8])], &mut [((rank + size - 1) % size, &mut from)])?;
        comm.sum(&mut [1, 2])?;
    }
    Ok(())
}

#[test]
fn a_lost_rank_hangs_nobody() {
    let start = Instant::now();
    for lost in 0..4 {
        let outcomes = on_ranks(4, |comm| {
            if comm.rank() == lost {
                comm.sum(&mut [0]).expect("all are still there");
                let panic = catch_unwind(AssertUnwindSafe(move || {
                    let _held = comm;
                    std::panic::resume_unwind(Box::new("rank down"));
                }));
                assert!(panic.is_err());
                return None;
            }
            let outcome = comm.sum(&mut [0]).and_then(|()| steps(&comm));
            // Later calls fail and do not wait.
            let after = comm.sum(&mut [0]).expect_err("a rank is gone");
            assert_eq!(after.exit, Exit::LostRank);
            Some(agree(&comm, outcome))
        });
        for (rank, outcome) in outcomes.into_iter().enumerate() {
            assert_eq!(outcome.map(|o| o.expect_err("a rank is gone").exit), (rank != lost).then_some(Exit::LostRank));
        }
    }
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_fault_of_its_own_outlives_a_lost_rank() {
    let outcomes = on_ranks(2, |comm| (comm.rank() == 0).then(|| agree::<()>(&comm, Err(Fault::io("disk full")))));
    assert_eq!(outcomes[0], Some(Err(Fault::io("disk full"))));
}
