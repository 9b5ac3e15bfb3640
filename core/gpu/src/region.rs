//! Memory of the host in which a device leaves messages, and from which the devices of other processes take them.
//!
//! A rank has a file in memory for each channel with long messages: a page with a token and the counts of what other
//! ranks have taken, then two slots for messages in turn.
#![expect(unsafe_code, reason = "memory that is shared with other processes is no Rust object")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use hematite_shared_file::{Handle, Map, PAGE, SharedFile};

use crate::Gpu;
use crate::mapped::Mapped;
use crate::message_memory::LeftPiece;

/// Bytes from which it is cheaper to tell a rank of the same host where a message or a piece of it is than to copy it.
/// The environment variable HEMATITE_LONG_MESSAGES gives another number, which must be the same for all ranks.
pub fn long_message() -> usize {
    static BYTES: LazyLock<usize> = LazyLock::new(|| {
        let given = std::env::var("HEMATITE_LONG_MESSAGES").ok().and_then(|bytes| bytes.parse().ok());
        given.unwrap_or(256 << 10)
    });
    *BYTES
}

/// First byte of the counts in the file's first page, and how many there are.
const COUNTS: usize = PAGE / 2;
const MOST_RANKS: usize = PAGE / 2 / size_of::<AtomicU32>();

/// Where a process finds a message, or a part of it, in the memory of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    handle: Handle,
    /// Bytes of both slots.
    bytes: u64,
    /// First byte of the part in the slots.
    at: u64,
    /// Number of the message.
    message: u32,
}

impl Place {
    /// Words of a place.
    pub const WORDS: usize = 7;

    /// The place as numbers, for messages.
    pub fn to_words(self) -> [u64; Self::WORDS] {
        let [process, namespace, descriptor, token] = self.handle.to_words();
        [process, namespace, descriptor, token, self.bytes, self.at, self.message.into()]
    }

    /// The place from these numbers.
    pub fn from_words([process, namespace, descriptor, token, bytes, at, message]: [u64; Self::WORDS]) -> Self {
        let handle = Handle::from_words([process, namespace, descriptor, token]);
        Self { handle, bytes, at, message: message as u32 }
    }

    /// First byte of the part in the slots.
    pub(crate) fn at(self) -> u64 {
        self.at
    }
}

/// Room for two messages in turn: the next one can be written while others take the last.
#[derive(Debug)]
pub(crate) struct Outbox {
    slots: [Mapped; 2],
    /// Bytes of a slot.
    bytes: usize,
    counts: Arc<Counts>,
    /// Who was told where the last message in each slot is.
    told: [Vec<Told>; 2],
    handle: Handle,
    /// Keeps the handle valid.
    file: Arc<SharedFile>,
}

/// A rank that was told where a message is.
#[derive(Clone, Copy, Debug)]
struct Told {
    rank: usize,
    message: u32,
}

/// The file of an outbox that is no longer used, with a message that ranks have not taken. They may not even have opened it.
#[derive(Debug)]
struct Left {
    told: Vec<Told>,
    counts: Arc<Counts>,
    _file: Arc<SharedFile>,
}

/// Files that are kept until the messages in them are taken.
static LEFT: Mutex<Vec<Left>> = Mutex::new(Vec::new());

impl Outbox {
    /// Room for messages of up to `bytes` bytes; `None` where none of them is [long](long_message), or the system or the
    /// device cannot share it.
    pub fn new(gpu: &Gpu, label: &str, bytes: u64) -> Option<Self> {
        if bytes < long_message() as u64 {
            return None;
        }
        Self::made(gpu, label, bytes)
    }

    fn made(gpu: &Gpu, label: &str, bytes: u64) -> Option<Self> {
        let bytes = (bytes as usize).next_multiple_of(PAGE).max(PAGE);
        let file = SharedFile::new(PAGE + 2 * bytes)?;
        file.reserve(0, PAGE + 2 * bytes)?;
        let map = Arc::new(file.map(PAGE, 2 * bytes)?);
        let slot = |k: usize| Mapped::imported(gpu, label, &map, k * bytes, bytes);
        let (slots, counts) = ([slot(0)?, slot(1)?], Arc::new(Counts(file.map(0, PAGE)?)));
        Some(Self { slots, bytes, counts, told: Default::default(), handle: file.handle()?, file: Arc::new(file) })
    }

    /// The slot of a message.
    pub fn slot(&mut self, message: u32) -> &mut Mapped {
        &mut self.slots[(message % 2) as usize]
    }

    /// Both slots.
    pub fn slots(&self) -> [&Mapped; 2] {
        self.slots.each_ref()
    }

    /// Where rank `rank` finds byte `at` of a message; `None` for ranks that are not counted.
    pub fn tell(&mut self, rank: usize, message: u32, at: usize) -> Option<Place> {
        let slot = (message % 2) as usize;
        if rank >= MOST_RANKS {
            return None;
        }
        self.told[slot].push(Told { rank, message });
        let bytes = 2 * self.bytes as u64;
        Some(Place { handle: self.handle, bytes, at: (slot * self.bytes + at) as u64, message })
    }

    /// Whether all ranks that were told have taken the message before `message`. The one after `message` takes its slot.
    pub fn is_free_after(&mut self, message: u32) -> bool {
        let told = &mut self.told[(message.wrapping_add(1) % 2) as usize];
        told.retain(|told| !self.counts.has_taken(told));
        told.is_empty()
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
        left.push(Left { told: self.told.concat(), counts: self.counts.clone(), _file: self.file.clone() });
        left.retain_mut(|Left { told, counts, .. }| {
            told.retain(|told| !counts.has_taken(told));
            !told.is_empty()
        });
    }
}

/// The first page of a file. The count of a rank is the number of the last message that it has taken, plus one.
#[derive(Debug)]
struct Counts(Map);

impl Counts {
    fn of(&self, rank: usize) -> &AtomicU32 {
        let word = size_of::<AtomicU32>();
        let count = self.0.at(COUNTS + rank % MOST_RANKS * word, word).cast::<AtomicU32>();
        // Sound because the page has memory, is aligned, and all processes access it as atomic numbers, for which any
        // bytes are valid.
        unsafe { count.as_ref() }
    }

    fn has_taken(&self, told: &Told) -> bool {
        // The rank may have taken later messages as well. Numbers wrap around after 2^32.
        let count = self.of(told.rank).load(Ordering::Acquire);
        count.wrapping_sub(told.message.wrapping_add(1)) < 1 << 31
    }
}

/// The memory of the other ranks that have left messages.
#[derive(Debug, Default)]
pub(crate) struct Inboxes {
    of_rank: HashMap<usize, Inbox>,
}

/// Memory in which another rank leaves messages.
#[derive(Debug)]
pub(crate) struct Inbox {
    handle: Handle,
    slots: Arc<Map>,
    /// The slots for the device, where it can use them.
    pub mapped: Option<Mapped>,
    counts: Counts,
}

impl Inboxes {
    /// The memory of rank `rank` with a message at `place`; `None` if it cannot be opened.
    pub fn of(&mut self, gpu: &Gpu, rank: usize, place: Place) -> Option<&Inbox> {
        if self.of_rank.get(&rank).is_none_or(|inbox| inbox.handle != place.handle) {
            self.of_rank.insert(rank, Inbox::open(gpu, place)?);
        }
        self.of_rank.get(&rank)
    }

    /// Tells the other rank that a piece of its message was taken.
    pub fn count(&self, &LeftPiece { rank, by, place, .. }: &LeftPiece) {
        if let Some(inbox) = self.of_rank.get(&rank) {
            inbox.counts.of(by).store(place.message.wrapping_add(1), Ordering::Release);
        }
    }
}

impl Inbox {
    fn open(gpu: &Gpu, place: Place) -> Option<Self> {
        let bytes = usize::try_from(place.bytes).ok()?;
        let file = SharedFile::open(place.handle, bytes.checked_add(PAGE)?)?;
        let slots = Arc::new(file.map(PAGE, bytes)?);
        let mapped = Mapped::imported(gpu, "messages of another rank", &slots, 0, bytes);
        Some(Self { handle: place.handle, slots, mapped, counts: Counts(file.map(0, PAGE)?) })
    }

    /// Calls `read` with `bytes` bytes of the message at `place`.
    pub fn read(&self, place: Place, bytes: usize, read: impl FnOnce(&[u8])) {
        let start = self.slots.at(place.at as usize, bytes);
        // Sound because the other rank writes nothing there before this one has counted the message.
        read(unsafe { std::slice::from_raw_parts(start.as_ptr(), bytes) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::checked;

    /// A piece that rank `by` took from rank 7.
    fn taken(place: Place, by: usize) -> LeftPiece {
        LeftPiece { rank: 7, by, place, at: 0, bytes: 60 }
    }

    #[test]
    fn a_slot_is_free_once_all_have_taken_what_is_in_it() {
        let gpu = checked();
        let mut outbox = Outbox::made(&gpu, "echo", 100).expect("shared memory");
        let mut inboxes = Inboxes::default();
        // Numbers wrap around.
        for rank in [3, 4] {
            outbox.counts.of(rank).store(u32::MAX - 2, Ordering::Relaxed);
        }
        for message in [u32::MAX - 2, u32::MAX - 1, u32::MAX, 0, 1] {
            let before = message.wrapping_sub(1);
            assert!(outbox.is_free_after(message));
            let bytes = [message as u8; 100];
            outbox.slot(message).write(0, &bytes);
            let places = [3, 4].map(|rank| outbox.tell(rank, message, 10 * rank).expect("counted"));
            assert!(outbox.is_free_after(message), "the slot of message {before} is not that of {message}");
            let next = message.wrapping_add(1);
            for (rank, place) in [3, 4].into_iter().zip(places) {
                assert!(!outbox.is_free_after(next));
                let inbox = inboxes.of(&gpu, 7, place).expect("reached");
                inbox.read(place, 60, |came| assert_eq!(came, &bytes[10 * rank..10 * rank + 60]));
                inboxes.count(&taken(place, rank));
            }
            assert!(outbox.is_free_after(next));
        }
    }

    #[test]
    fn a_rank_may_take_the_next_message_too_before_the_sender_looks() {
        let gpu = checked();
        let mut outbox = Outbox::made(&gpu, "echo", 100).expect("shared memory");
        let mut inboxes = Inboxes::default();
        for message in [5, 6] {
            let place = outbox.tell(3, message, 0).expect("counted");
            inboxes.of(&gpu, 7, place).expect("reached");
            inboxes.count(&taken(place, 3));
        }
        assert!(outbox.is_free_after(6) && outbox.is_free_after(7));
    }

    #[test]
    fn a_message_can_be_taken_after_its_channel_is_gone() {
        let gpu = checked();
        let mut outbox = Outbox::made(&gpu, "echo", 100).expect("shared memory");
        outbox.slot(0).write(0, &[42; 60]);
        let place = outbox.tell(3, 0, 0).expect("counted");
        drop(outbox);
        let mut inboxes = Inboxes::default();
        inboxes.of(&gpu, 7, place).expect("reached").read(place, 60, |came| assert_eq!(came, [42; 60]));
        inboxes.count(&taken(place, 3));
        drop(Outbox::made(&gpu, "another", 100).expect("shared memory"));
        assert!(Inboxes::default().of(&gpu, 7, place).is_none(), "nobody needs the file any more");
    }
}
