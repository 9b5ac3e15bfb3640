//! The memory through which the messages of a channel and the answers to them go.

use std::time::{Duration, Instant};

use hematite_config::{Fault, Result};

use crate::Gpu;
use crate::copy_engine::{Copier, Copy};
use crate::mapped::{Mapped, Reader};
use crate::patience::wait_until;
use crate::region::{Inboxes, Outbox, Place};

/// Within this time another rank takes a message that it was told of.
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
    /// Parts of the next answer that other devices wrote.
    taken: Vec<Taken>,
    inboxes: Inboxes,
}

/// What rank `by` takes of a message that rank `rank` left at a place.
#[derive(Debug)]
struct Taken {
    rank: usize,
    by: usize,
    place: Place,
    /// What is left to copy.
    copy: Option<Copy>,
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

    /// Waits until all parts of the answer are there.
    pub fn complete(&mut self, gpu: &Gpu) -> Result<()> {
        let Self { taker, taken, inboxes, .. } = self;
        if let Some(taker) = taker {
            taker.start(taken.iter().filter_map(|part| part.copy.as_ref()))?;
            wait_until(gpu, || taker.is_done(), || Ok(None))?;
        }
        for Taken { rank, by, place, .. } in taken.drain(..) {
            inboxes.count(rank, place, by);
        }
        Ok(())
    }

    /// Takes `bytes` bytes of the message that rank `rank` left at `place` into the answer from `at` on; `None` where the
    /// other rank's memory cannot be opened. `by` is this rank.
    pub fn take(
        &mut self,
        gpu: &Gpu,
        (rank, by): (usize, usize),
        place: Place,
        (at, bytes): (usize, usize),
    ) -> Option<()> {
        let Self { answer, taker, taken, inboxes, .. } = self;
        let inbox = inboxes.of(gpu, rank, place)?;
        let copy = match inbox.mapped.as_ref().filter(|_| taker.is_some()) {
            Some(from) => Some(Copy::new((from, place.at()), (answer, at as u64), bytes as u64)),
            None => {
                inbox.read(place, bytes, |message| answer.write(at, message));
                None
            }
        };
        taken.push(Taken { rank, by, place, copy });
        Some(())
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

    /// The same as [`Memory::take`].
    pub fn take(
        &mut self,
        gpu: &Gpu,
        (rank, by): (usize, usize),
        place: Place,
        (at, bytes): (usize, usize),
    ) -> Option<()> {
        let Self { filled, inboxes, .. } = self;
        let inbox = inboxes.of(gpu, rank, place)?;
        inbox.read(place, bytes, |message| filled[at..][..bytes].copy_from_slice(message));
        inboxes.count(rank, place, by);
        Some(())
    }
}
