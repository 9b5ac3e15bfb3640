//! Memory of the host into which a device posts short messages for other ranks of the host.
//!
//! It is a file in memory: a page with a token and a mark that its rank has ended, then two slots for messages in turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hematite_shared_file::{Handle, Map, PAGE, SharedFile};

/// Bytes of an entry of a slot: a word and the number of its message.
pub(crate) const ENTRY: usize = size_of::<AtomicU64>();

/// Place of the mark in the first page.
const ENDED: usize = PAGE / 2;

/// The mailbox of this rank or of another one.
#[derive(Debug)]
pub(crate) struct Mailbox {
    handle: Handle,
    /// Entries of a slot: whole pages of both slots, so that kernels know it from the length of both.
    room: u32,
    slots: Arc<Map>,
    head: Map,
    /// Keeps the handle valid.
    _file: SharedFile,
}

impl Mailbox {
    /// Room for messages of up to `words` words; `None` where the system cannot share memory.
    pub fn new(words: u32) -> Option<Self> {
        let room = words.max(1).checked_next_multiple_of((PAGE / (2 * ENTRY)) as u32)?;
        let file = SharedFile::new(Self::bytes(room))?;
        file.reserve(0, Self::bytes(room))?;
        Self::of(file.handle()?, room, file)
    }

    /// The mailbox with slots of `room` entries of another rank; `None` where it cannot be opened.
    pub fn open(handle: Handle, room: u32) -> Option<Self> {
        Self::of(handle, room, SharedFile::open(handle, Self::bytes(room))?)
    }

    fn of(handle: Handle, room: u32, file: SharedFile) -> Option<Self> {
        let slots = Arc::new(file.map(PAGE, Self::bytes(room) - PAGE)?);
        Some(Self { handle, room, slots, head: file.map(0, PAGE)?, _file: file })
    }

    /// Bytes of the file.
    fn bytes(room: u32) -> usize {
        PAGE + 2 * ENTRY * room as usize
    }

    /// Where other processes find it.
    pub fn handle(&self) -> Handle {
        self.handle
    }

    /// Entries of a slot.
    pub fn room(&self) -> u32 {
        self.room
    }

    /// Both slots.
    pub fn slots(&self) -> &Arc<Map> {
        &self.slots
    }

    /// First entry of the slot of a message.
    pub fn slot(&self, message: u32) -> u32 {
        message % 2 * self.room
    }

    /// `count` entries from entry `at` on.
    pub fn entries(&self, at: usize, count: usize) -> &[AtomicU64] {
        self.slots.numbers(ENTRY * at, count)
    }

    /// Marks that the rank posts no more messages.
    pub fn end(&self) {
        self.head.numbers(ENDED, 1)[0].store(1, Ordering::Release);
    }

    /// Whether the rank posts no more messages.
    pub fn has_ended(&self) -> bool {
        self.head.numbers(ENDED, 1)[0].load(Ordering::Acquire) != 0
    }
}
