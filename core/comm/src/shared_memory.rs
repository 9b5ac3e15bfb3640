//! Memory that a rank shares with other ranks of its host, for messages to them.
//!
//! Each rank makes one unnamed file, which exists only in memory and as long as a process has it open. The file has a
//! lane for each rank that reads from it. A lane has two slots, so that the next message can be written while the last
//! is read, and counts of the messages written and read. A lane is mapped at its full length; only the parts that
//! messages have needed so far occupy memory.
#![expect(unsafe_code, reason = "messages lie in memory that other processes write to")]

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use hematite_shared_file::{Handle, Map, PAGE, SharedFile};

use crate::neighbours::Arrival;

/// Longest message in a slot, in bytes: longer than any message of a step. Memory that a slot once needed stays
/// occupied, so longer messages, which come once, go another way.
const SLOT: usize = 1 << 25;

/// Bytes of a lane: a page for its [`Control`], and two slots.
const LANE: usize = PAGE + 2 * SLOT;

/// Length that marks a message that goes another way.
const ELSEWHERE: usize = usize::MAX;

/// State that the two ranks of a lane share. Zeroed memory is a lane without messages.
#[repr(C)]
struct Control {
    sent: Sent,
    taken: Taken,
}

/// Written by the sender. Aligned to 128 bytes, since processors fetch lines of 64 bytes in pairs.
#[repr(C, align(128))]
struct Sent {
    count: AtomicU64,
    /// Length of the message in each slot, bytes.
    lengths: [AtomicUsize; 2],
}

/// Written by the receiver.
#[repr(C, align(128))]
struct Taken {
    count: AtomicU64,
}

/// Memory of this rank that other ranks read.
pub(crate) struct SharedMemory {
    file: Rc<SharedFile>,
    map: Rc<Map>,
}

/// The sending end of a lane.
pub(crate) struct Sender {
    file: Rc<SharedFile>,
    map: Rc<Map>,
    /// First byte of the lane in the file and in the map.
    start: usize,
    count: u64,
    /// Bytes of each slot that occupy memory.
    reserved: [usize; 2],
    /// Longest message, bytes.
    most: usize,
}

/// The receiving end of a lane.
pub(crate) struct Receiver {
    map: Map,
    count: u64,
}

impl SharedMemory {
    /// Memory with `lanes` lanes; `None` where the system gives none.
    pub fn new(lanes: usize) -> Option<Self> {
        let bytes = file_bytes(lanes)?;
        let file = SharedFile::new(bytes)?;
        for lane in 0..lanes {
            file.reserve(lane_start(lane), size_of::<Control>())?;
        }
        let map = file.map(0, bytes)?;
        Some(Self { file: Rc::new(file), map: Rc::new(map) })
    }

    /// The handle for processes of the same user on this host. It is valid as long as this or one of its senders lives.
    pub fn handle(&self) -> Option<Handle> {
        self.file.handle()
    }

    /// The sender of a lane. There must be at most one for each lane.
    pub fn sender(&self, lane: usize) -> Sender {
        let start = lane_start(lane);
        assert!(start + LANE <= self.map.bytes(), "no lane {lane}");
        let (file, map) = (Rc::clone(&self.file), Rc::clone(&self.map));
        Sender { file, map, start, count: 0, reserved: [0; 2], most: SLOT }
    }
}

impl Sender {
    /// Limits messages to `bytes` bytes.
    pub fn limit(&mut self, bytes: usize) {
        self.most = bytes.min(SLOT);
    }

    /// Whether a slot is free, so that a message can be sent at once.
    pub fn is_free(&self) -> bool {
        let taken = &control(&self.map, self.start).taken.count;
        self.count < taken.load(Ordering::Acquire) + 2
    }

    /// Sends a message, written by `fill`, and returns true. Returns false if there is no memory for the message, and
    /// tells the receiver that it comes another way.
    ///
    /// # Panics
    /// When no slot is free, which is a bug of the program.
    pub fn send(&mut self, bytes: usize, fill: impl FnOnce(&mut [u8])) -> bool {
        assert!(self.is_free(), "a message that nobody has read is not to be overwritten");
        let slot = (self.count % 2) as usize;
        let here = self.has_room(slot, bytes);
        if here {
            // Sound because the slot lies in the map, has memory, and is not used by others: the receiver has read the
            // last message in it (`is_free`) and looks at it again only after the count is raised. `self` is borrowed
            // mutably.
            fill(unsafe {
                std::slice::from_raw_parts_mut(self.map.at(slot_start(self.start, slot), bytes).as_ptr(), bytes)
            });
        }
        let sent = &control(&self.map, self.start).sent;
        sent.lengths[slot].store(if here { bytes } else { ELSEWHERE }, Ordering::Relaxed);
        self.count += 1;
        sent.count.store(self.count, Ordering::Release);
        here
    }

    /// Whether the slot has memory for `bytes` bytes, reserving it if needed. A write without memory would end the
    /// process.
    fn has_room(&mut self, slot: usize, bytes: usize) -> bool {
        if bytes > self.most {
            return false;
        }
        let reserved = self.reserved[slot];
        if bytes <= reserved {
            return true;
        }
        let wanted = bytes.max(reserved + reserved / 2).next_multiple_of(PAGE).min(SLOT);
        if self.file.reserve(slot_start(self.start, slot), wanted).is_none() {
            self.most = reserved;
            return false;
        }
        self.reserved[slot] = wanted;
        true
    }
}

impl Receiver {
    /// The receiver of lane `lane` of the `lanes` lanes in another process's memory; `None` if that cannot be opened.
    pub fn open(handle: Handle, lanes: usize, lane: usize) -> Option<Self> {
        if lane >= lanes {
            return None;
        }
        let file = SharedFile::open(handle, file_bytes(lanes)?)?;
        Some(Self { map: file.map(lane_start(lane), LANE)?, count: 0 })
    }

    /// Looks for the next message, of `bytes` bytes, and calls `read` with it if it is there.
    ///
    /// # Panics
    /// When the message has another length, which is a bug of the program.
    pub fn receive(&mut self, bytes: usize, read: impl FnOnce(&[u8])) -> Arrival {
        let control = control(&self.map, 0);
        if control.sent.count.load(Ordering::Acquire) == self.count {
            return Arrival::Pending;
        }
        let slot = (self.count % 2) as usize;
        let length = control.sent.lengths[slot].load(Ordering::Relaxed);
        let here = length != ELSEWHERE;
        if here {
            assert_eq!(length, bytes, "ranks disagree on the length of a message");
            // Sound because the slot lies in the map, the sender gave it memory and filled it before it raised the
            // count, and writes to it again only after it sees below that the message was read.
            read(unsafe { std::slice::from_raw_parts(self.map.at(slot_start(0, slot), bytes).as_ptr(), bytes) });
        }
        self.count += 1;
        control.taken.count.store(self.count, Ordering::Release);
        if here { Arrival::Read } else { Arrival::Elsewhere }
    }
}

/// The control block of the lane that begins at `lane`.
fn control(map: &Map, lane: usize) -> &Control {
    let control = map.at(lane, size_of::<Control>()).cast::<Control>();
    assert!(control.is_aligned(), "lanes begin with pages");
    // Sound because the file has memory there from its beginning to its end, aligned as just checked, and all processes
    // access it as atomic numbers, for which any bytes are valid.
    unsafe { control.as_ref() }
}

/// Length of the file: a page with the token, then the lanes; `None` if that overflows.
fn file_bytes(lanes: usize) -> Option<usize> {
    isize::try_from(lanes.checked_mul(LANE)?.checked_add(PAGE)?).ok()?.try_into().ok()
}

fn lane_start(lane: usize) -> usize {
    PAGE + lane * LANE
}

fn slot_start(lane: usize, slot: usize) -> usize {
    lane + PAGE + slot * SLOT
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::pause::Pause;

    fn byte(message: usize, at: usize) -> u8 {
        (message.wrapping_mul(0x9e37_79b9) ^ at.wrapping_mul(0x85eb_ca6b)).to_be_bytes()[7 - (at % 3)]
    }

    fn ends(lanes: usize, lane: usize) -> (Sender, Handle) {
        let memory = SharedMemory::new(lanes).expect("memory");
        (memory.sender(lane), memory.handle().expect("a handle"))
    }

    /// Waits until `done`, with a limit far above the time that the other thread needs.
    fn wait_until(mut done: impl FnMut() -> bool) {
        let (pause, start) = (Pause::new(), Instant::now());
        while !done() {
            assert!(start.elapsed() < Duration::from_secs(20), "the other thread is gone");
            pause.once(|| ());
        }
    }

    #[test]
    fn messages_come_whole_and_in_order() {
        let sizes = [0, 1, 4, 4095, 70_000, 3 << 20, 65_536, 5, 4 << 20, 131_073];
        let bytes = |message: usize| sizes[message % sizes.len()];
        let (mut sender, handle) = ends(3, 1);
        sender.limit(4 << 20);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut receiver = Receiver::open(handle, 3, 1).expect("opens");
                for message in 0..400 {
                    let check = |content: &[u8]| {
                        let wrong = content.iter().enumerate().find(|&(at, &value)| value != byte(message, at));
                        assert!(wrong.is_none(), "message {message}: {wrong:?}");
                    };
                    // Looks late for some messages, so that both slots fill.
                    if message % 7 == 3 {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    let mut arrival = Arrival::Pending;
                    wait_until(|| {
                        arrival = receiver.receive(bytes(message), check);
                        arrival != Arrival::Pending
                    });
                    assert_eq!(arrival, Arrival::Read);
                }
                assert_eq!(receiver.receive(0, |_| panic!("nothing was sent")), Arrival::Pending);
            });
            for message in 0..400 {
                wait_until(|| sender.is_free());
                let fill = |room: &mut [u8]| room.iter_mut().enumerate().for_each(|(at, to)| *to = byte(message, at));
                assert!(sender.send(bytes(message), fill));
            }
        });
    }

    #[test]
    fn a_sender_is_two_messages_ahead_at_most() {
        let (mut sender, handle) = ends(1, 0);
        let mut receiver = Receiver::open(handle, 1, 0).expect("opens");
        for round in 0..5 {
            assert!(sender.send(1, |room| room[0] = round) && sender.is_free());
            assert!(sender.send(1, |room| room[0] = 100 + round) && !sender.is_free());
            assert_eq!(receiver.receive(1, |message| assert_eq!(message, [round])), Arrival::Read);
            assert!(sender.is_free());
            assert_eq!(receiver.receive(1, |message| assert_eq!(message, [100 + round])), Arrival::Read);
        }
    }

    /// Sends and receives one message, and checks that it goes the way `wanted`.
    fn one((sender, receiver): &mut (Sender, Receiver), bytes: usize, wanted: Arrival) {
        assert_eq!(sender.send(bytes, |room| room.fill(7)), wanted == Arrival::Read);
        assert_eq!(receiver.receive(bytes, |message| assert!(message.iter().all(|&b| b == 7))), wanted);
    }

    #[test]
    fn what_has_no_room_goes_elsewhere() {
        let (sender, handle) = ends(1, 0);
        let mut both = (sender, Receiver::open(handle, 1, 0).expect("opens"));
        one(&mut both, 10, Arrival::Read);
        one(&mut both, SLOT + 1, Arrival::Elsewhere);
        one(&mut both, 200_000, Arrival::Read);
        both.0.limit(100_000);
        one(&mut both, 100_001, Arrival::Elsewhere);
        one(&mut both, 100_000, Arrival::Read);
    }

    #[test]
    fn what_gets_no_memory_goes_elsewhere() {
        let (sender, handle) = ends(1, 0);
        let mut both = (sender, Receiver::open(handle, 1, 0).expect("opens"));
        one(&mut both, 1000, Arrival::Read);
        one(&mut both, 1000, Arrival::Read);
        // A file that cannot grow stands for a system without memory.
        let read_only = SharedFile::read_only(handle).expect("opens");
        let _writable = std::mem::replace(&mut both.0.file, Rc::new(read_only));
        one(&mut both, 2 * PAGE, Arrival::Elsewhere);
        one(&mut both, PAGE, Arrival::Read);
        one(&mut both, 2 * PAGE, Arrival::Elsewhere);
    }

    #[test]
    fn nothing_else_is_taken_for_shared_memory() {
        let (sender, handle) = ends(2, 0);
        assert!(Receiver::open(handle, 2, 1).is_some());
        assert!(Receiver::open(handle, 1, 0).is_none() && Receiver::open(handle, 2, 2).is_none());
        drop(sender);
        assert!(Receiver::open(handle, 2, 1).is_none());
    }
}
