//! Communication between ranks: one rank alone, threads of one process, or MPI.
//!
//! All operations are exact (integers, bytes, minima and maxima), so no result depends on the number of ranks.

mod agree;
mod apart;
mod clock;
mod launch;
#[cfg(feature = "mpi")]
mod mpi;
#[cfg(feature = "mpi")]
mod neighbours;
mod order;
#[cfg(feature = "mpi")]
mod pause;
mod route;
#[cfg(feature = "mpi")]
#[cfg_attr(not(target_os = "linux"), path = "no_shared_memory.rs")]
mod shared_memory;
mod solo;
mod threads;
mod waiting;
#[cfg(feature = "mpi")]
mod watch;

use hematite_config::{Exit, Fault, Result};

#[cfg(feature = "mpi")]
pub use self::mpi::Mpi;
pub use apart::Apart;
pub use clock::{ClockOffset, align_clocks};
pub use launch::launched_by_mpi;
pub use route::{Route, all_to_all};
pub use solo::Solo;
pub use threads::{Threads, threads};
pub use waiting::Waiting;
#[cfg(feature = "mpi")]
pub use watch::Notice;

/// Communication of one rank with the others of a run. All methods except `rank`, `size`, `local_rank` and `abort` are
/// collective: all ranks call them in the same order.
pub trait Comm {
    /// This rank's number, from 0.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// This rank's number among the ranks of the same host, which chooses its GPU.
    fn local_rank(&self) -> usize;

    /// Sends each (rank, bytes) of `send` and fills each (rank, buffer) of `receive`. At most one message goes each way
    /// between two ranks; sender and receiver agree on its length. A rank without messages need not call this.
    ///
    /// # Errors
    /// A lost-rank fault when a rank is gone.
    fn exchange(&self, send: &[(usize, &[u8])], receive: &mut [(usize, &mut [u8])]) -> Result<()>;

    /// Exchanges messages that are written and read in place, so that ranks that share memory need not copy them.
    /// `going` and `coming` hold (rank, bytes) of each message. First `write(k, room)` fills message k of `going`, in
    /// order; `room` has exactly its length and any content. When message k of `coming` has arrived, `read(k, message)`
    /// gets it; messages arrive in any order. Both are called for empty messages too, and must not call this rank's
    /// `Comm`.
    ///
    /// # Errors
    /// A lost-rank fault when a rank is gone.
    fn exchange_in_place(
        &self,
        going: &[(usize, usize)],
        write: &mut dyn FnMut(usize, &mut [u8]),
        coming: &[(usize, usize)],
        read: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<()> {
        let room = |&(rank, bytes): &(usize, usize)| (rank, vec![0; bytes]);
        let mut out: Vec<(usize, Vec<u8>)> = going.iter().map(room).collect();
        let mut into: Vec<(usize, Vec<u8>)> = coming.iter().map(room).collect();
        out.iter_mut().enumerate().for_each(|(k, (_, room))| write(k, room));
        let send: Vec<(usize, &[u8])> = out.iter().map(|(rank, bytes)| (*rank, &bytes[..])).collect();
        let mut receive: Vec<(usize, &mut [u8])> =
            into.iter_mut().map(|(rank, bytes)| (*rank, &mut bytes[..])).collect();
        self.exchange(&send, &mut receive)?;
        into.iter().enumerate().for_each(|(k, (_, message))| read(k, message));
        Ok(())
    }

    /// Whether this rank and `rank` are processes of one host that open each other's files in memory. Both say the same.
    fn shares_memory_with(&self, _rank: usize) -> bool {
        false
    }

    /// Sums each element over the ranks, in place, exactly.
    ///
    /// # Errors
    /// A lost-rank fault when a rank is gone.
    fn sum(&self, values: &mut [i64]) -> Result<()>;

    /// Replaces each element by its maximum over the ranks. NaN counts as larger than every number.
    ///
    /// # Errors
    /// A lost-rank fault when a rank is gone.
    fn max(&self, values: &mut [f64]) -> Result<()>;

    /// Replaces `bytes` on every rank by those of rank 0, of any length.
    ///
    /// # Errors
    /// A lost-rank fault when a rank is gone.
    fn broadcast(&self, bytes: &mut Vec<u8>) -> Result<()>;

    /// Returns the bytes of all ranks, by rank, on rank 0, and `None` on the others.
    ///
    /// # Errors
    /// A lost-rank fault when a rank is gone.
    fn gather(&self, bytes: &[u8]) -> Result<Option<Vec<Vec<u8>>>>;

    /// Ends all ranks at once with exit code `exit`, when this rank cannot go on and others may wait for it.
    fn abort(&self, exit: Exit) -> !;

    /// Whether `flag` holds on any rank.
    ///
    /// # Errors
    /// A lost-rank fault when a rank is gone.
    fn any(&self, flag: bool) -> Result<bool> {
        let mut count = [i64::from(flag)];
        self.sum(&mut count)?;
        Ok(count[0] > 0)
    }
}

/// Makes the ranks agree on an outcome: if any rank failed, every rank fails with the fault of the lowest failed rank.
///
/// # Errors
/// The fault of the lowest failed rank.
pub fn agree<T>(comm: &dyn Comm, outcome: Result<T>) -> Result<T> {
    agree::agree(comm, outcome)
}

/// Returns the bytes of all ranks, by rank, on every rank. Collective.
///
/// # Errors
/// A lost-rank fault when a rank is gone.
pub fn gather_all(comm: &dyn Comm, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
    let mut all = Vec::new();
    if let Some(by_rank) = comm.gather(bytes)? {
        for piece in by_rank {
            all.extend((piece.len() as u64).to_le_bytes());
            all.extend(piece);
        }
    }
    comm.broadcast(&mut all)?;
    let mut rest = all.as_slice();
    let cut = || Fault::lost_rank("a message of all ranks arrived incomplete");
    (0..comm.size())
        .map(|_| {
            let (length, tail) = rest.split_first_chunk().ok_or_else(cut)?;
            let (piece, tail) = tail.split_at_checked(u64::from_le_bytes(*length) as usize).ok_or_else(cut)?;
            rest = tail;
            Ok(piece.to_vec())
        })
        .collect()
}

/// Sends the consecutive pieces of `out` and fills `into` with pieces of the same lengths from the same ranks. `pieces`
/// holds (rank, bytes) of each piece. Ranks without pieces need not call this.
///
/// # Errors
/// A lost-rank fault when a rank is gone.
///
/// # Panics
/// When the pieces are longer than `out` or `into`, which is a bug of the program.
pub fn exchange_pieces(comm: &dyn Comm, pieces: &[(usize, usize)], out: &[u8], into: &mut [u8]) -> Result<()> {
    exchange_unequal(comm, (pieces, out), (pieces, into))
}

/// Sends the consecutive pieces `going` of `out` and fills `into` with the pieces `coming`; each piece is (rank,
/// bytes). Ranks without pieces need not call this.
///
/// # Errors
/// Those of [`exchange_pieces`].
///
/// # Panics
/// When the pieces are longer than `out` or `into`, which is a bug of the program.
pub fn exchange_unequal(
    comm: &dyn Comm,
    (going, out): (&[(usize, usize)], &[u8]),
    (coming, into): (&[(usize, usize)], &mut [u8]),
) -> Result<()> {
    let (mut send, mut receive) = (Vec::with_capacity(going.len()), Vec::with_capacity(coming.len()));
    let (mut rest_out, mut rest_in) = (out, into);
    for &(rank, bytes) in going {
        let (piece, after) = rest_out.split_at(bytes);
        send.push((rank, piece));
        rest_out = after;
    }
    for &(rank, bytes) in coming {
        let (piece, after) = rest_in.split_at_mut(bytes);
        receive.push((rank, piece));
        rest_in = after;
    }
    comm.exchange(&send, &mut receive)
}
