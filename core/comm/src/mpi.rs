//! Ranks of an MPI world.

use hematite_config::{Exit, Fault, Result};
use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Root, Source};

use crate::{Comm, launch, order};

/// This process's rank of the MPI world. MPI ends with it.
///
/// MPI itself ends all ranks when one is lost. A panic ends them too, since the others could wait for it for ever.
pub struct Mpi {
    world: SimpleCommunicator,
    local_rank: usize,
    /// Longest message in bytes; longer ones go in pieces, since MPI counts in 32 bits.
    longest: usize,
    /// Last, so that MPI ends after everything that uses it.
    _universe: Universe,
}

impl Mpi {
    /// Starts MPI, for calls from this thread alone. Outside a launcher the world is this one rank.
    ///
    /// # Errors
    /// A usage fault when MPI was already started, or when its world is not what the launcher announced.
    pub fn init() -> Result<Self> {
        let (universe, _) = mpi::initialize_with_threading(Threading::Funneled)
            .ok_or_else(|| Fault::usage("MPI was started twice in one process"))?;
        let world = universe.world();
        let size = number(world.size());
        if let Some(announced) = launch::announced_size().filter(|&announced| announced != size) {
            return Err(Fault::usage(format!(
                "the launcher started {announced} ranks, but MPI sees a world of {size}: launch with the mpirun of the MPI \
                 this program was built with ({})",
                mpi::environment::library_version().unwrap_or_default().lines().next().unwrap_or_default()
            )));
        }
        let local_rank = number(world.split_shared(world.rank()).rank());
        Ok(Self { world, local_rank, longest: 1 << 30, _universe: universe })
    }

    /// The same, with messages split into pieces of at most `bytes`, 1 to 2^30.
    #[must_use]
    pub fn with_longest_message(mut self, bytes: usize) -> Self {
        self.longest = bytes.clamp(1, 1 << 30);
        self
    }

    fn reduce(&self, values: &mut [i64], operation: SystemOperation) {
        for piece in values.chunks_mut(1 << 27) {
            let own = piece.to_vec();
            self.world.all_reduce_into(&own[..], piece, operation);
        }
    }
}

/// A rank or size of MPI, never negative.
fn number(count: mpi::topology::Rank) -> usize {
    usize::try_from(count).unwrap_or_default()
}

impl Comm for Mpi {
    fn rank(&self) -> usize {
        number(self.world.rank())
    }

    fn size(&self) -> usize {
        number(self.world.size())
    }

    fn local_rank(&self) -> usize {
        self.local_rank
    }

    fn exchange(&self, send: &[(usize, &[u8])], receive: &mut [(usize, &mut [u8])]) -> Result<()> {
        let pieces = |bytes: usize| bytes.div_ceil(self.longest);
        let requests = send.iter().map(|m| pieces(m.1.len())).chain(receive.iter().map(|m| pieces(m.1.len()))).sum();
        mpi::request::multiple_scope(requests, |scope, open| {
            for (peer, into) in receive {
                let peer = self.world.process_at_rank(*peer as mpi::topology::Rank);
                for piece in into.chunks_mut(self.longest) {
                    open.add(peer.immediate_receive_into(scope, piece));
                }
            }
            for (peer, bytes) in send {
                let peer = self.world.process_at_rank(*peer as mpi::topology::Rank);
                for piece in bytes.chunks(self.longest) {
                    open.add(peer.immediate_send(scope, piece));
                }
            }
            open.wait_all(&mut Vec::with_capacity(requests));
        });
        Ok(())
    }

    fn sum(&self, values: &mut [i64]) -> Result<()> {
        self.reduce(values, SystemOperation::sum());
        Ok(())
    }

    fn max(&self, values: &mut [f64]) -> Result<()> {
        let mut keys: Vec<i64> = values.iter().map(|&value| order::key(value)).collect();
        self.reduce(&mut keys, SystemOperation::max());
        for (value, key) in values.iter_mut().zip(keys) {
            *value = order::value(key);
        }
        Ok(())
    }

    fn broadcast(&self, bytes: &mut Vec<u8>) -> Result<()> {
        let root = self.world.process_at_rank(0);
        let mut length = bytes.len() as u64;
        root.broadcast_into(&mut length);
        bytes.resize(length as usize, 0);
        for piece in bytes.chunks_mut(self.longest) {
            root.broadcast_into(piece);
        }
        Ok(())
    }

    fn gather(&self, bytes: &[u8]) -> Result<Option<Vec<Vec<u8>>>> {
        let root = self.world.process_at_rank(0);
        let length = bytes.len() as u64;
        if self.rank() > 0 {
            root.gather_into(&length);
            self.exchange(&[(0, bytes)], &mut [])?;
            return Ok(None);
        }
        let mut lengths = vec![0_u64; self.size()];
        root.gather_into_root(&length, &mut lengths[..]);
        let mut all: Vec<Vec<u8>> = lengths.into_iter().map(|length| vec![0; length as usize]).collect();
        let mut receive: Vec<(usize, &mut [u8])> = all.iter_mut().map(Vec::as_mut_slice).enumerate().collect();
        self.exchange(&[(0, bytes)], &mut receive)?;
        Ok(Some(all))
    }

    fn abort(&self, exit: Exit) -> ! {
        self.world.abort(i32::from(exit as u8))
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.abort(Exit::LostRank);
        }
    }
}
