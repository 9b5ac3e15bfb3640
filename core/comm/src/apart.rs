//! Ranks that work each for itself.

use hematite_config::{Exit, Result};

use crate::{Comm, Solo};

/// The only rank of a run beside which other ranks of the host have runs of their own.
#[derive(Clone, Copy, Debug)]
pub struct Apart {
    /// Number of the rank on its host, which chooses its GPU.
    local_rank: usize,
}

impl Apart {
    /// For the rank with this number on its host.
    pub fn new(local_rank: usize) -> Self {
        Self { local_rank }
    }
}

impl Comm for Apart {
    fn rank(&self) -> usize {
        Solo.rank()
    }

    fn size(&self) -> usize {
        Solo.size()
    }

    fn local_rank(&self) -> usize {
        self.local_rank
    }

    fn exchange(&self, send: &[(usize, &[u8])], receive: &mut [(usize, &mut [u8])]) -> Result<()> {
        Solo.exchange(send, receive)
    }

    fn sum(&self, values: &mut [i64]) -> Result<()> {
        Solo.sum(values)
    }

    fn max(&self, values: &mut [f64]) -> Result<()> {
        Solo.max(values)
    }

    fn broadcast(&self, bytes: &mut Vec<u8>) -> Result<()> {
        Solo.broadcast(bytes)
    }

    fn gather(&self, bytes: &[u8]) -> Result<Option<Vec<Vec<u8>>>> {
        Solo.gather(bytes)
    }

    fn abort(&self, exit: Exit) -> ! {
        Solo.abort(exit)
    }
}
