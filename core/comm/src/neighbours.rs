//! The ranks of the same host, and the memory shared with them.

use std::cell::RefCell;

use hematite_shared_file::Handle;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};

use crate::pause::Pause;
use crate::shared_memory::{Receiver, Sender, SharedMemory};

/// The outcome of a look for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// The message is not there yet.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "MPI alone waits there"))]
    Pending,
    /// The message was there and was read.
    Read,
    /// The message comes through MPI.
    Elsewhere,
}

/// The lanes to and from other ranks, by number in the world. There is none to a rank on another host, or where either
/// side could not share memory.
pub(crate) struct Neighbours {
    to: Vec<Option<RefCell<Sender>>>,
    from: Vec<Option<RefCell<Receiver>>>,
}

impl Neighbours {
    /// Shares memory among the ranks of `host`, which are some of `world`. Collective.
    pub fn meet(world: &SimpleCommunicator, host: &SimpleCommunicator) -> Self {
        let none = || (0..world.size()).map(|_| None).collect();
        let mut neighbours = Self { to: none(), from: (0..world.size()).map(|_| None).collect() };
        let (here, count) = (host.rank() as usize, host.size() as usize);
        if count < 2 {
            return neighbours;
        }
        // Ranks tell each other where their shared memory is, if they have any.
        let memory = SharedMemory::new(count).and_then(|memory| Some((memory.handle()?, memory)));
        let mut own = [world.rank().cast_unsigned().into(), 0, 0, 0, 0, 0];
        let memory = memory.map(|(handle, memory)| {
            own[1] = 1;
            own[2..].copy_from_slice(&handle.to_words());
            memory
        });
        let mut all = vec![0_u64; own.len() * count];
        host.all_gather_into(&own[..], &mut all[..]);
        let peers: Vec<&[u64; 6]> = all.as_chunks().0.iter().collect();
        let mut opened = vec![0_u8; count];
        for (k, &&[rank, there, process, namespace, descriptor, token]) in peers.iter().enumerate() {
            let handle = Handle::from_words([process, namespace, descriptor, token]);
            if there == 1 && k != here {
                let receiver = Receiver::open(handle, count, here);
                opened[k] = receiver.is_some().into();
                neighbours.from[rank as usize] = receiver.map(RefCell::new);
            }
        }
        // Senders learn which ranks can read from them.
        let mut heard = vec![0_u8; count];
        host.all_to_all_into(&opened[..], &mut heard[..]);
        for (k, peer) in peers.iter().enumerate().filter(|&(k, _)| heard[k] == 1) {
            neighbours.to[peer[0] as usize] = memory.as_ref().map(|memory| RefCell::new(memory.sender(k)));
        }
        neighbours
    }

    /// Limits messages through shared memory to other ranks to `bytes` bytes.
    pub fn limit(&mut self, bytes: usize) {
        self.to.iter_mut().flatten().for_each(|sender| sender.get_mut().limit(bytes));
    }

    /// Whether memory is shared for messages to `peer`.
    pub fn reaches(&self, peer: usize) -> bool {
        self.to[peer].is_some()
    }

    /// Whether memory is shared for messages from `peer`.
    pub fn hears(&self, peer: usize) -> bool {
        self.from[peer].is_some()
    }

    /// Sends a message, written by `fill`, when the peer has read the last but one, and returns true. Returns false if
    /// the message must go through MPI. Calls `progress` now and then while it waits.
    pub fn send(&self, peer: usize, bytes: usize, fill: impl FnOnce(&mut [u8]), progress: impl Fn()) -> bool {
        let Some(sender) = &self.to[peer] else { return false };
        let mut sender = sender.borrow_mut();
        let pause = Pause::new();
        while !sender.is_free() {
            pause.once(&progress);
        }
        sender.send(bytes, fill)
    }

    /// Looks for the next message from `peer`, and calls `read` with it if it is there.
    pub fn receive(&self, peer: usize, bytes: usize, read: impl FnOnce(&[u8])) -> Arrival {
        match &self.from[peer] {
            Some(receiver) => receiver.borrow_mut().receive(bytes, read),
            None => Arrival::Elsewhere,
        }
    }
}
