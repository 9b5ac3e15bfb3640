//! The thread that brings the messages of other ranks to this rank's device.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hematite_config::{Fault, Result};

use crate::Gpu;
use crate::mailbox::{ENTRY, Mailbox};
use crate::mapped::Mapped;
use crate::patience::{Patience, wait_until};

/// Most entries that are brought at once.
const BATCH: usize = 1 << 10;

/// Added to the number of the message when a rank is lost, so that the device awaits no later message either.
const FOR_GOOD: u32 = 1 << 30;

/// A piece of a peer's message for this rank.
#[derive(Debug)]
pub(crate) struct Piece {
    pub from: Arc<Mailbox>,
    /// First entry there.
    pub at: usize,
    pub count: usize,
    /// The peer's number of the message.
    pub number: u32,
    /// First entry in the arrivals.
    pub to: usize,
    /// This rank's number of the message.
    pub own_number: u32,
}

/// How long a relay that is dropped waits for the last pieces.
const LAST_PIECES: Duration = Duration::from_secs(1);

/// The thread. It ends when it has brought all that was asked for before this is dropped.
///
/// The thread holds on to the device. So whoever drops this waits for it: a thread that let go of the device later, while
/// the process ends, would run code of drivers that are unloaded. Pieces that do not come are not waited for.
#[derive(Debug)]
pub(crate) struct Relay {
    /// The end that asks, and the thread; there until dropped.
    running: Option<(Sender<Piece>, JoinHandle<()>)>,
    /// Number of pieces asked for so far.
    asked: Cell<u64>,
    /// Number of pieces brought so far.
    brought: Arc<AtomicU64>,
    lost: Arc<AtomicBool>,
}

impl Relay {
    /// A thread that fills `arrivals`.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn begin(arrivals: Mapped) -> Result<Self> {
        let (pieces, asked) = channel();
        let mut relay = Self { running: None, asked: Cell::default(), brought: Arc::default(), lost: Arc::default() };
        let (brought, lost) = (Arc::clone(&relay.brought), Arc::clone(&relay.lost));
        let bring = move || bring(&asked, arrivals, &brought, &lost);
        let cannot = |error| Fault::io(format!("the system gives no thread for messages between devices: {error}"));
        let thread = thread::Builder::new().name("relay".to_owned()).spawn(bring).map_err(cannot)?;
        relay.running = Some((pieces, thread));
        Ok(relay)
    }

    /// Asks for a piece.
    ///
    /// # Errors
    /// A lost-rank fault where a piece never came.
    pub fn ask(&self, piece: Piece) -> Result<()> {
        self.asked.set(self.asked.get() + 1);
        match &self.running {
            Some((pieces, _)) if !self.is_lost() => pieces.send(piece).map_err(|_| rank_lost()),
            _ => Err(rank_lost()),
        }
    }

    /// Waits until all pieces are there.
    ///
    /// # Errors
    /// A lost-rank fault where a piece never comes.
    pub fn wait(&self, gpu: &Gpu) -> Result<()> {
        let never = || Ok(self.is_lost().then(rank_lost));
        wait_until(gpu, || Ok(self.has_brought_all()), never)
    }

    fn has_brought_all(&self) -> bool {
        self.brought.load(Ordering::Acquire) == self.asked.get()
    }

    /// What is there as long as the thread, or this, is.
    #[cfg(test)]
    pub fn watch(&self) -> std::sync::Weak<AtomicBool> {
        Arc::downgrade(&self.lost)
    }

    fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let start = Instant::now();
        let ends = loop {
            let ends = self.has_brought_all() || self.is_lost();
            if ends || start.elapsed() > LAST_PIECES {
                break ends;
            }
            Patience::GPU.pause(start.elapsed());
        };
        if let Some((pieces, thread)) = self.running.take() {
            drop(pieces);
            if ends {
                // A panic of the thread has said what it is.
                let _panic = thread.join();
            }
        }
    }
}

fn rank_lost() -> Fault {
    Fault::lost_rank("another rank ended before it sent a message")
}

fn bring(asked: &Receiver<Piece>, mut arrivals: Mapped, brought: &AtomicU64, lost: &AtomicBool) {
    for piece in asked {
        if bring_one(&piece, &mut arrivals).is_none() {
            lost.store(true, Ordering::Release);
            // Lets the device go on. The host learns of the lost rank at its next message.
            let all = vec![entry(0, piece.own_number.wrapping_add(FOR_GOOD)); arrivals.bytes() as usize / ENTRY];
            return write(&mut arrivals, 0, &all);
        }
        brought.fetch_add(1, Ordering::Release);
    }
}

/// Brings a piece as it arrives; `None` if it never will.
fn bring_one(&Piece { ref from, at, count, number, to, own_number }: &Piece, arrivals: &mut Mapped) -> Option<()> {
    let entries = from.entries(at, count);
    let mut batch = Vec::with_capacity(BATCH.min(count));
    let mut done = 0;
    while done < count {
        batch.clear();
        // First reads all, then checks all: so that misses of the cache overlap.
        batch.extend(entries[done..].iter().take(BATCH).map(|entry| entry.load(Ordering::Relaxed)));
        batch.truncate(batch.iter().take_while(|entry| number_of(**entry) == number).count());
        if batch.is_empty() {
            await_number(from, &entries[done], number)?;
            continue;
        }
        batch.iter_mut().for_each(|both| *both = entry(*both as u32, own_number));
        write(arrivals, to + done, &batch);
        done += batch.len();
    }
    Some(())
}

/// Waits until an entry has this number; `None` if it never will.
fn await_number(from: &Mailbox, entry: &AtomicU64, number: u32) -> Option<()> {
    let start = Instant::now();
    loop {
        let waited = start.elapsed();
        // What a rank has sent is there before it ends.
        let ended = Patience::GPU.is_over(waited) && from.has_ended();
        if number_of(entry.load(Ordering::Relaxed)) == number {
            return Some(());
        } else if ended {
            return None;
        }
        Patience::GPU.pause(waited);
    }
}

fn entry(word: u32, number: u32) -> u64 {
    u64::from(number) << 32 | u64::from(word)
}

fn number_of(entry: u64) -> u32 {
    (entry >> 32) as u32
}

fn write(arrivals: &mut Mapped, at: usize, entries: &[u64]) {
    arrivals.write(ENTRY * at, bytemuck::cast_slice(entries));
    // Empties the processor's write-combining buffers.
    fence(Ordering::SeqCst);
}
