//! Measures how long a rank waits for the others.

use std::cell::Cell;
use std::time::Instant;

use hematite_config::{Exit, Result};

use crate::Comm;

/// Wraps another [`Comm`] and measures the time spent in it. The rest of the time is the rank's own work.
pub struct Waiting<'c> {
    comm: &'c dyn Comm,
    seconds: Cell<f64>,
}

impl<'c> Waiting<'c> {
    /// Wraps `comm`, with no time spent so far.
    pub fn new(comm: &'c dyn Comm) -> Self {
        Self { comm, seconds: Cell::new(0.0) }
    }

    /// Wall-clock seconds spent so far in calls that wait for other ranks.
    pub fn seconds(&self) -> f64 {
        self.seconds.get()
    }

    fn timed<T>(&self, call: impl FnOnce(&dyn Comm) -> T) -> T {
        let start = Instant::now();
        let outcome = call(self.comm);
        self.seconds.set(self.seconds.get() + start.elapsed().as_secs_f64());
        outcome
    }
}

impl Comm for Waiting<'_> {
    fn rank(&self) -> usize {
        self.comm.rank()
    }

    fn size(&self) -> usize {
        self.comm.size()
    }

    fn local_rank(&self) -> usize {
        self.comm.local_rank()
    }

    fn exchange(&self, send: &[(usize, &[u8])], receive: &mut [(usize, &mut [u8])]) -> Result<()> {
        self.timed(|comm| comm.exchange(send, receive))
    }

    /// Does not count the time in `write` and `read`, which is this rank's own work.
    fn exchange_in_place(
        &self,
        going: &[(usize, usize)],
        write: &mut dyn FnMut(usize, &mut [u8]),
        coming: &[(usize, usize)],
        read: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<()> {
        let work = Cell::new(0.0);
        let worked = |start: Instant| work.set(work.get() + start.elapsed().as_secs_f64());
        let mut timed_write = |k: usize, room: &mut [u8]| {
            let start = Instant::now();
            write(k, room);
            worked(start);
        };
        let mut timed_read = |k: usize, message: &[u8]| {
            let start = Instant::now();
            read(k, message);
            worked(start);
        };
        let outcome = self.timed(|comm| comm.exchange_in_place(going, &mut timed_write, coming, &mut timed_read));
        self.seconds.set(self.seconds.get() - work.get());
        outcome
    }

    fn shares_memory_with(&self, rank: usize) -> bool {
        self.comm.shares_memory_with(rank)
    }

    fn sum(&self, values: &mut [i64]) -> Result<()> {
        self.timed(|comm| comm.sum(values))
    }

    fn max(&self, values: &mut [f64]) -> Result<()> {
        self.timed(|comm| comm.max(values))
    }

    fn broadcast(&self, bytes: &mut Vec<u8>) -> Result<()> {
        self.timed(|comm| comm.broadcast(bytes))
    }

    fn gather(&self, bytes: &[u8]) -> Result<Option<Vec<Vec<u8>>>> {
        self.timed(|comm| comm.gather(bytes))
    }

    fn abort(&self, exit: Exit) -> ! {
        self.comm.abort(exit)
    }
}
