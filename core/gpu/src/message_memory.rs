//! The memory through which the messages of a channel and the answers to them go.

use std::time::{Duration, Instant};

use hematite_config::{Fault, Result};

use crate::Gpu;
use crate::copy_engine::{Copier, Copy};
use crate::mapped::{Mapped, Reader};
use crate::patience::wait_until;
use crate::region::{Inboxes, Outbox, Place};

/// How long to wait for another rank to take a message.
const TAKEN: Duration = Duration::from_secs(600);

/// Memory that host and device share.
#[derive(Debug)]
pub(crate) struct Memory {
    /// What copies messages from the send buffer, if no kernel does.
    pub copier: Option<(Copier, Mapped)>,
    /// Where they reach the host.
    pub read: Landing,
    /// Number of messages that have come so far.
    pub came: u32,
    /// The receive buffer.
    pub answer: Mapped,
    /// What copies parts of the answer that other devices wrote; without it the host does.
    taker: Option<Copier>,
    /// Pieces of the next answer, with what the taker has to copy.
    taken: Vec<(LeftPiece, Option<Copy>)>,
    inboxes: Inboxes,
}

/// A piece of a message that another rank left in its memory.
#[derive(Clone, Copy, Debug)]
pub struct LeftPiece {
    /// The other rank.
    pub rank: usize,
    /// This rank.
    pub by: usize,
    /// Where the piece is.
    pub place: Place,
    /// First byte of the answer to which it goes.
    pub at: usize,
    /// Its length.
    pub bytes: usize,
}

/// Where messages reach the host.
#[derive(Debug)]
pub(crate) enum Landing {
    /// For this process alone.
    Private(Mapped),
    /// Other processes take them from there.
    Shared(Outbox),
}

impl Landing {
    /// Shared memory where there is such, else this process's own.
    pub fn new(gpu: &Gpu, label: &str, bytes: u64) -> Option<Self> {
        match Outbox::new(gpu, label, bytes) {
            Some(outbox) => Some(Self::Shared(outbox)),
            None => Some(Self::Private(Mapped::new(gpu, label, bytes, Reader::Host)?)),
        }
    }

    /// Where message number `k` arrives.
    pub fn of(&mut self, k: u32) -> &mut Mapped {
        match self {
            Self::Private(mapped) => mapped,
            Self::Shared(outbox) => outbox.slot(k),
        }
    }

    /// Where messages arrive in turn.
    pub fn all(&self) -> Vec<&Mapped> {
        match self {
            Self::Private(mapped) => vec![mapped],
            Self::Shared(outbox) => outbox.slots().to_vec(),
        }
    }
}

impl Memory {
    pub fn new(gpu: &Gpu, copier: Option<(Copier, Mapped)>, read: Landing, answer: Mapped) -> Self {
        let taker = gpu.copy_queue.as_ref().and_then(|queue| Copier::new(gpu, queue));
        Self { copier, read, came: 0, answer, taken: Vec::new(), taker, inboxes: Inboxes::default() }
    }

    /// Takes a piece into the answer; `None` where the other rank's memory cannot be opened. It is there after
    /// [`Memory::complete`].
    pub fn take(&mut self, gpu: &Gpu, piece: LeftPiece) -> Option<()> {
        let Self { answer, taker, taken, inboxes, .. } = self;
        let LeftPiece { rank, place, at, bytes, .. } = piece;
        let inbox = inboxes.of(gpu, rank, place)?;
        let copy = match inbox.mapped.as_ref().filter(|_| taker.is_some()) {
            Some(from) => Some(Copy::new((from, place.at()), (answer, at as u64), bytes as u64)),
            None => {
                inbox.read(place, bytes, |message| answer.write(at, message));
                None
            }
        };
        taken.push((piece, copy));
        Some(())
    }

    /// Waits until all pieces of the answer are there.
    pub fn complete(&mut self, gpu: &Gpu) -> Result<()> {
        let Self { taker, taken, inboxes, .. } = self;
        if let Some(taker) = taker.as_mut().filter(|_| !taken.is_empty()) {
            taker.start(taken.iter().filter_map(|(_, copy)| copy.as_ref()))?;
            wait_until(gpu, || taker.is_done(), || Ok(None))?;
        }
        taken.drain(..).for_each(|(piece, _)| inboxes.count(&piece));
        Ok(())
    }

    /// Waits until other ranks have taken the message before the last, whose place the next one takes.
    ///
    /// # Errors
    /// A lost-rank fault when a rank does not.
    pub fn clear_slot(&mut self, gpu: &Gpu) -> Result<()> {
        let Self { read: Landing::Shared(outbox), came, .. } = self else { return Ok(()) };
        let (last, start) = (came.wrapping_sub(1), Instant::now());
        let untaken = || Fault::lost_rank(format!("another rank has not taken a message for {} s", TAKEN.as_secs()));
        let never = || Ok((start.elapsed() > TAKEN).then(untaken));
        wait_until(gpu, || Ok(outbox.is_free_after(last)), never)
    }

    /// The last message.
    pub fn last(&mut self) -> &mut Mapped {
        self.read.of(self.came.wrapping_sub(1))
    }
}

/// The host's copies of memory that it does not share with the device.
#[derive(Debug)]
pub(crate) struct Copies {
    /// The last message.
    pub came: Vec<u8>,
    /// The next answer.
    pub filled: Vec<u8>,
    inboxes: Inboxes,
}

impl Copies {
    /// Those of messages of up to `out` bytes and answers of up to `answer` bytes.
    pub fn new(out: u64, answer: u64) -> Self {
        Self { came: vec![0; out as usize], filled: vec![0; answer as usize], inboxes: Inboxes::default() }
    }

    /// Takes a piece into the answer; `None` where the other rank's memory cannot be opened.
    pub fn take(&mut self, gpu: &Gpu, piece: LeftPiece) -> Option<()> {
        let into = &mut self.filled[piece.at..][..piece.bytes];
        let inbox = self.inboxes.of(gpu, piece.rank, piece.place)?;
        inbox.read(piece.place, piece.bytes, |message| into.copy_from_slice(message));
        self.inboxes.count(&piece);
        Some(())
    }
}
