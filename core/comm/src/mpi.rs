//! Ranks of an MPI world.

use std::cell::RefCell;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use hematite_config::{Exit, Fault, Result};
use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Root, Source};

use crate::neighbours::{Arrival, Neighbours};
use crate::pause::Pause;
use crate::watch::{Notice, Patience, Process, Watch};
use crate::{Comm, launch, order};

/// This process's rank of the MPI world. MPI ends when it is dropped.
///
/// Messages between ranks of one host go through shared memory, where the system allows it. Other messages and all
/// reductions, broadcasts and gathers go through MPI.
///
/// MPI ends all ranks when one is lost. A panic of a rank ends them too, since others could wait for it for ever.
pub struct Mpi {
    world: SimpleCommunicator,
    local_rank: usize,
    /// Longest MPI message in bytes. Longer messages are split, since MPI counts in 32 bits.
    longest: usize,
    neighbours: Neighbours,
    /// Buffers for messages through MPI to and from each rank. Kept, since new memory is slow.
    stores: RefCell<Vec<[Vec<u8>; 2]>>,
    /// Processes of the other ranks of this host, as far as this process can see their state.
    others: Vec<Process>,
    _watch: Option<Watch>,
    /// The last field, so that MPI ends after all that uses it.
    _universe: Universe,
}

impl Mpi {
    /// Starts MPI for calls from this thread only. Without a launcher, the world has one rank.
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
        let host = world.split_shared(world.rank());
        let (local_rank, neighbours) = (number(host.rank()), Neighbours::meet(&world, &host));
        let others = others(&world, &host);
        drop(host);
        let stores = RefCell::new(vec![Default::default(); size]);
        let longest = 1 << 30;
        Ok(Self { world, local_rank, longest, neighbours, stores, others, _watch: None, _universe: universe })
    }

    /// Watches the other ranks of this host. A separate thread calls `tell` about ranks that are stopped or gone.
    ///
    /// # Errors
    /// A usage fault where the environment variable for the waiting times is invalid.
    pub fn watch(&mut self, tell: impl Fn(Notice) + Send + 'static) -> Result<()> {
        let (patience, others) = (Patience::of_environment()?, self.others.clone());
        self._watch = Some(Watch::begin(self.rank(), others, patience, tell));
        Ok(())
    }

    /// Splits messages through MPI into pieces of at most `bytes` bytes, 1 to 2^30.
    #[must_use]
    pub fn with_longest_message(mut self, bytes: usize) -> Self {
        self.longest = bytes.clamp(1, 1 << 30);
        self
    }

    /// Sends messages of more than `bytes` bytes from this rank through MPI only. Ranks may choose different lengths.
    #[must_use]
    pub fn with_longest_shared(mut self, bytes: usize) -> Self {
        self.neighbours.limit(bytes);
        self
    }

    /// Whether all ranks call this within `patience`. If one does not, only [`Comm::abort`] may follow.
    pub fn meets_within(&self, patience: Duration) -> bool {
        let start = Instant::now();
        let mut barrier = self.world.immediate_barrier();
        let pause = Pause::new();
        loop {
            match barrier.test() {
                Ok(_) => return true,
                Err(pending) if start.elapsed() > patience => {
                    // A request that is not complete must not be dropped.
                    std::mem::forget(pending);
                    return false;
                }
                Err(pending) => barrier = pending,
            }
            pause.once(|| ());
        }
    }

    /// Sends a message through shared memory and returns true. Returns false, without calling `fill`, if it must go
    /// through MPI.
    fn sent_near(&self, peer: usize, bytes: usize, fill: impl FnOnce(&mut [u8])) -> bool {
        bytes > 0 && self.neighbours.send(peer, bytes, fill, || self.progress())
    }

    /// Lets MPI make progress on messages under way. MPI does so only within calls, and other ranks may wait for
    /// messages that have not left yet.
    fn progress(&self) {
        let _ = self.world.any_process().immediate_probe();
    }

    /// Sends `out` through MPI, and receives messages through MPI or shared memory. Calls `read` with messages that
    /// have no buffer.
    fn complete(&self, out: &[(usize, &[u8])], coming: &mut [Coming<'_>], read: &mut dyn FnMut(usize, &[u8])) {
        let pieces = |bytes: usize| bytes.div_ceil(self.longest);
        let requests = out.iter().map(|m| pieces(m.1.len())).chain(coming.iter().map(|m| pieces(m.bytes))).sum();
        mpi::request::multiple_scope(requests, |scope, open| {
            for &(peer, bytes) in out {
                let peer = self.world.process_at_rank(peer as mpi::topology::Rank);
                for piece in bytes.chunks(self.longest) {
                    open.add(peer.immediate_send(scope, piece));
                }
            }
            let mut pending: Vec<Option<&mut Coming<'_>>> = coming.iter_mut().map(Some).collect();
            let mut left = pending.len();
            let mut pause = Pause::new();
            while left > 0 {
                let before = left;
                for (k, place) in pending.iter_mut().enumerate() {
                    let Some(message) = place.take() else { continue };
                    match self.look(k, message, read) {
                        Arrival::Pending => {
                            *place = Some(message);
                            continue;
                        }
                        Arrival::Read => {}
                        Arrival::Elsewhere => {
                            let peer = self.world.process_at_rank(message.peer as mpi::topology::Rank);
                            for piece in message.room.open(message.bytes).chunks_mut(self.longest) {
                                open.add(peer.immediate_receive_into(scope, piece));
                            }
                        }
                    }
                    left -= 1;
                }
                if left < before {
                    pause = Pause::new();
                } else if open.incomplete() > 0 {
                    self.progress();
                    pause.once(|| ());
                } else {
                    pause.once(|| self.progress());
                }
            }
            open.wait_all(&mut Vec::with_capacity(requests));
        });
        for (k, message) in coming.iter().enumerate() {
            if let Room::Kept { store, used: true } = &message.room {
                read(k, &store[..message.bytes]);
            }
        }
    }

    /// Looks for message k in shared memory and reads it if it is there.
    fn look(&self, k: usize, message: &mut Coming<'_>, read: &mut dyn FnMut(usize, &[u8])) -> Arrival {
        let mut take = |bytes: &[u8]| match &mut message.room {
            Room::Given(room) => room.copy_from_slice(bytes),
            Room::Kept { .. } => read(k, bytes),
        };
        if message.bytes == 0 {
            take(&[]);
            return Arrival::Read;
        }
        self.neighbours.receive(message.peer, message.bytes, take)
    }

    fn reduce(&self, values: &mut [i64], operation: SystemOperation) {
        for piece in values.chunks_mut(1 << 27) {
            let own = piece.to_vec();
            self.world.all_reduce_into(&own[..], piece, operation);
        }
    }
}

/// A message to receive.
struct Coming<'a> {
    peer: usize,
    bytes: usize,
    room: Room<'a>,
}

/// Where a received message goes.
enum Room<'a> {
    /// Into this buffer.
    Given(&'a mut [u8]),
    /// To `read`: in place, or by way of this buffer if it comes through MPI.
    Kept { store: Vec<u8>, used: bool },
}

impl Room<'_> {
    /// A buffer for a message of `bytes` bytes through MPI.
    fn open(&mut self, bytes: usize) -> &mut [u8] {
        match self {
            Room::Given(room) => room,
            Room::Kept { store, used } => {
                *used = true;
                at_least(store, bytes)
            }
        }
    }
}

/// The first `bytes` bytes of `store`, which grows as needed.
fn at_least(store: &mut Vec<u8>, bytes: usize) -> &mut [u8] {
    if store.len() < bytes {
        store.resize(bytes, 0);
    }
    &mut store[..bytes]
}

/// The processes of the other ranks of `host`, as far as this process can see their state. Collective.
fn others(world: &SimpleCommunicator, host: &SimpleCommunicator) -> Vec<Process> {
    let (rank, space) = (number(world.rank()), std::fs::metadata("/proc/self/ns/pid").map(|of| of.ino()).unwrap_or(0));
    let own = Process::own(rank).map_or([0; 4], |process| [rank as u64, process.number, process.started, space]);
    let mut all = vec![0_u64; own.len() * number(host.size())];
    host.all_gather_into(&own[..], &mut all[..]);
    let process = |&[rank, number, started, _]: &[u64; 4]| Process { rank: rank as usize, number, started };
    let seen = |other: &&[u64; 4]| own[3] != 0 && other[3] == own[3] && other[1] != own[1];
    all.as_chunks().0.iter().filter(seen).map(process).collect()
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
        let far =
            |&&(peer, bytes): &&(usize, &[u8])| !self.sent_near(peer, bytes.len(), |room| room.copy_from_slice(bytes));
        let out: Vec<(usize, &[u8])> = send.iter().filter(far).copied().collect();
        let mut coming: Vec<Coming<'_>> = receive
            .iter_mut()
            .map(|(peer, into)| Coming { peer: *peer, bytes: into.len(), room: Room::Given(into) })
            .collect();
        self.complete(&out, &mut coming, &mut |_, _| ());
        Ok(())
    }

    fn exchange_in_place(
        &self,
        going: &[(usize, usize)],
        write: &mut dyn FnMut(usize, &mut [u8]),
        coming: &[(usize, usize)],
        read: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<()> {
        let store = |peer: usize, way: usize| std::mem::take(&mut self.stores.borrow_mut()[peer][way]);
        let mut far: Vec<(usize, usize, Vec<u8>)> = Vec::new();
        for (k, &(peer, bytes)) in going.iter().enumerate() {
            if !self.sent_near(peer, bytes, |room| write(k, room)) {
                let mut room = store(peer, 0);
                write(k, at_least(&mut room, bytes));
                far.push((peer, bytes, room));
            }
        }
        let out: Vec<(usize, &[u8])> = far.iter().map(|(peer, bytes, room)| (*peer, &room[..*bytes])).collect();
        let kept = |&(peer, bytes): &(usize, usize)| {
            let room = Room::Kept { store: store(peer, 1), used: false };
            Coming { peer, bytes, room }
        };
        let mut coming: Vec<Coming<'_>> = coming.iter().map(kept).collect();
        self.complete(&out, &mut coming, read);
        let mut stores = self.stores.borrow_mut();
        for (peer, _, room) in far {
            stores[peer][0] = room;
        }
        for message in coming {
            if let Room::Kept { store, .. } = message.room {
                stores[message.peer][1] = store;
            }
        }
        Ok(())
    }

    fn shares_memory_with(&self, rank: usize) -> bool {
        self.neighbours.reaches(rank) && self.neighbours.hears(rank)
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
