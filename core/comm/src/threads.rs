//! Ranks as threads of one process.

use std::cell::RefCell;
use std::sync::mpsc::{Receiver, Sender, channel};

use hematite_config::{Exit, Fault, Result};

use crate::{Comm, order};

/// One rank of [`threads`]. A rank that drops this, by returning or by a panic, is lost. The others then get a
/// lost-rank fault instead of waiting for it, and all their later calls fail with it too.
#[derive(Debug)]
pub struct Threads {
    rank: usize,
    size: usize,
    /// `None` after a rank was lost: closing the channels tells ranks that wait for this one.
    wires: RefCell<Option<Wires>>,
}

/// An ordered channel to and from every rank, this one included.
#[derive(Debug)]
struct Wires {
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
}

/// The [`Comm`]s of `size` ranks, one for each thread, in rank order.
pub fn threads(size: usize) -> Vec<Threads> {
    let mut to: Vec<Vec<_>> = (0..size).map(|_| Vec::with_capacity(size)).collect();
    let mut from: Vec<Vec<_>> = (0..size).map(|_| Vec::with_capacity(size)).collect();
    for sender in &mut to {
        for receiver in &mut from {
            let (tx, rx) = channel();
            sender.push(tx);
            receiver.push(rx);
        }
    }
    to.into_iter()
        .zip(from)
        .enumerate()
        .map(|(rank, (to, from))| Threads { rank, size, wires: RefCell::new(Some(Wires { to, from })) })
        .collect()
}

impl Threads {
    fn send(&self, peer: usize, bytes: Vec<u8>) -> Result<()> {
        let sent = self.wires.borrow().as_ref().is_some_and(|wires| wires.to[peer].send(bytes).is_ok());
        if sent { Ok(()) } else { Err(self.lost(peer)) }
    }

    fn receive(&self, peer: usize) -> Result<Vec<u8>> {
        let bytes = self.wires.borrow().as_ref().and_then(|wires| wires.from[peer].recv().ok());
        bytes.ok_or_else(|| self.lost(peer))
    }

    fn lost(&self, peer: usize) -> Fault {
        self.wires.replace(None);
        Fault::lost_rank(format!("rank {}: rank {peer} is gone; see the messages of the other ranks", self.rank))
    }

    /// Combines integers over the ranks: rank 0 collects them in rank order and sends the result back.
    fn reduce(&self, values: &mut [i64], combine: impl Fn(i64, i64) -> i64) -> Result<()> {
        if let Some(all) = self.gather(bytemuck::cast_slice(values))? {
            for bytes in &all[1..] {
                assert_eq!(bytes.len(), 8 * values.len(), "ranks reduce arrays of different lengths");
                for (value, other) in values.iter_mut().zip(bytes.chunks_exact(8)) {
                    *value = combine(*value, bytemuck::pod_read_unaligned(other));
                }
            }
        }
        let mut bytes = bytemuck::cast_slice(values).to_vec();
        self.broadcast(&mut bytes)?;
        bytemuck::cast_slice_mut(values).copy_from_slice(&bytes);
        Ok(())
    }
}

impl Comm for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn local_rank(&self) -> usize {
        self.rank
    }

    fn exchange(&self, send: &[(usize, &[u8])], receive: &mut [(usize, &mut [u8])]) -> Result<()> {
        for &(peer, bytes) in send {
            self.send(peer, bytes.to_vec())?;
        }
        for (peer, into) in receive {
            let bytes = self.receive(*peer)?;
            assert_eq!(bytes.len(), into.len(), "ranks {peer} and {} disagree on the length of a message", self.rank);
            into.copy_from_slice(&bytes);
        }
        Ok(())
    }

    fn exchange_in_place(
        &self,
        going: &[(usize, usize)],
        write: &mut dyn FnMut(usize, &mut [u8]),
        coming: &[(usize, usize)],
        read: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<()> {
        for (k, &(peer, bytes)) in going.iter().enumerate() {
            let mut room = vec![0; bytes];
            write(k, &mut room);
            self.send(peer, room)?;
        }
        for (k, &(peer, bytes)) in coming.iter().enumerate() {
            let message = self.receive(peer)?;
            assert_eq!(message.len(), bytes, "ranks {peer} and {} disagree on the length of a message", self.rank);
            read(k, &message);
        }
        Ok(())
    }

    fn shares_memory_with(&self, _: usize) -> bool {
        cfg!(target_os = "linux")
    }

    fn sum(&self, values: &mut [i64]) -> Result<()> {
        self.reduce(values, i64::wrapping_add)
    }

    fn max(&self, values: &mut [f64]) -> Result<()> {
        let mut keys: Vec<i64> = values.iter().map(|&value| order::key(value)).collect();
        self.reduce(&mut keys, i64::max)?;
        for (value, key) in values.iter_mut().zip(keys) {
            *value = order::value(key);
        }
        Ok(())
    }

    fn broadcast(&self, bytes: &mut Vec<u8>) -> Result<()> {
        if self.rank > 0 {
            *bytes = self.receive(0)?;
            return Ok(());
        }
        (1..self.size).try_for_each(|peer| self.send(peer, bytes.clone()))
    }

    fn gather(&self, bytes: &[u8]) -> Result<Option<Vec<Vec<u8>>>> {
        self.send(0, bytes.to_vec())?;
        if self.rank > 0 {
            return Ok(None);
        }
        (0..self.size).map(|peer| self.receive(peer)).collect::<Result<_>>().map(Some)
    }

    fn abort(&self, exit: Exit) -> ! {
        std::process::exit(i32::from(exit as u8))
    }
}
