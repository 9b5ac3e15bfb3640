//! Short messages between the devices of one host. The hosts record them, but exchange nothing for them.
//!
//! The kernels that make a device's messages write them in turn into the two slots of its [`Mailbox`], in memory of the
//! host ([`PUT`](crate::PUT)). A thread of each rank, the [`Relay`], watches the mailboxes of the peers and copies
//! pieces for its rank to memory of its device, where the kernels that use them await them ([`TAKE`](crate::TAKE)). (A
//! device cannot watch a mailbox: it never sees changes of the host's memory that it has once read.) Each word is
//! written together with the number of its message. Whoever awaits a word checks the number, so words may arrive in any
//! order.
//!
//! A device writes message k + 2 into the slot of message k. By then all peers have taken message k: this device has
//! taken their messages k + 1, and they made these after they took message k. For this reason two ranks send each other
//! words in every exchange or in none.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use hematite_config::{Fault, Result};
use hematite_shared_file::Handle;

use crate::mailbox::{ENTRY, Mailbox};
use crate::mapped::{Mapped, Reader};
use crate::relay::{Piece, Relay};
use crate::{Buffer, Gpu, Recorder};

/// A link to the devices of other ranks of this host.
#[derive(Debug)]
pub struct Link {
    queue: wgpu::Queue,
    mailbox: Arc<Mailbox>,
    slots: Buffer,
    arrivals: Buffer,
    /// Most words that arrive in one exchange. The device has room for two exchanges.
    room: u32,
    /// Number of messages recorded so far.
    recorded: Cell<u32>,
    peers: RefCell<Vec<Peer>>,
    relay: Relay,
}

/// The link of another rank.
#[derive(Debug)]
struct Peer {
    rank: usize,
    mailbox: Arc<Mailbox>,
    /// The peer's number of a message minus this link's.
    ahead: u32,
}

/// Where a rank finds the messages of another: what both tell each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    handle: Handle,
    room: u32,
    recorded: u32,
}

/// A piece of another rank's message.
#[derive(Clone, Copy, Debug)]
pub struct Incoming {
    /// The rank.
    pub rank: usize,
    /// First word in its message.
    pub from: u32,
    /// Words.
    pub words: u32,
}

impl Address {
    /// Words of an address.
    pub const WORDS: usize = 6;

    /// The address as numbers, for messages.
    pub fn to_words(self) -> [u64; Self::WORDS] {
        let [process, namespace, descriptor, token] = self.handle.to_words();
        [process, namespace, descriptor, token, self.room.into(), self.recorded.into()]
    }

    /// The address from these numbers.
    pub fn from_words([process, namespace, descriptor, token, room, recorded]: [u64; Self::WORDS]) -> Self {
        let handle = Handle::from_words([process, namespace, descriptor, token]);
        Self { handle, room: room as u32, recorded: recorded as u32 }
    }
}

impl Link {
    /// A link for messages of up to `out` bytes and pieces of up to `into` bytes altogether.
    ///
    /// # Errors
    /// Where the device has no room, or cannot share memory.
    pub fn new(gpu: &Gpu, label: &str, out: u64, into: u64) -> Result<Self> {
        let mailbox = Mailbox::new(out.div_ceil(4) as u32).map(Arc::new);
        let slots = mailbox.as_ref().and_then(|mailbox| {
            let slots = mailbox.slots();
            Mapped::imported(gpu, label, slots, 0, slots.bytes())
        });
        let room = into.div_ceil(4).max(1) as u32;
        let arrivals = Mapped::new(gpu, label, 2 * ENTRY as u64 * u64::from(room), Reader::Kernels);
        let (Some(mailbox), Some(slots), Some(arrivals)) = (mailbox, slots, arrivals) else {
            return Err(Fault::io(format!(
                "{} cannot share memory with other ranks for {label}: set HEMATITE_DEVICE_LINKS=0",
                gpu.info().name
            )));
        };
        Ok(Self {
            queue: gpu.queue.clone(),
            mailbox,
            slots: slots.buffer().clone(),
            arrivals: arrivals.buffer().clone(),
            room,
            recorded: Cell::default(),
            peers: RefCell::default(),
            relay: Relay::begin(arrivals)?,
        })
    }

    /// Where a kernel puts messages, see [`PUT`](crate::PUT).
    pub fn slots(&self) -> &Buffer {
        &self.slots
    }

    /// Where a kernel takes the pieces of other ranks, in order, see [`TAKE`](crate::TAKE).
    pub fn arrivals(&self) -> &Buffer {
        &self.arrivals
    }

    /// What other ranks have to know of this one.
    pub fn address(&self) -> Address {
        Address { handle: self.mailbox.handle(), room: self.mailbox.room(), recorded: self.recorded.get() }
    }

    /// Makes `rank` a peer. Its address was `theirs` when the address of this link was what it is now.
    ///
    /// # Errors
    /// Where its mailbox cannot be opened.
    pub fn connect(&self, rank: usize, theirs: &Address) -> Result<()> {
        let ahead = theirs.recorded.wrapping_sub(self.recorded.get());
        let mut peers = self.peers.borrow_mut();
        let is_known = |peer: &&mut Peer| peer.rank == rank && peer.mailbox.handle() == theirs.handle;
        if let Some(known) = peers.iter_mut().find(is_known) {
            known.ahead = ahead;
            return Ok(());
        }
        peers.retain(|peer| peer.rank != rank);
        let cannot = || Fault::io(format!("the messages of rank {rank} cannot be read"));
        let mailbox = Arc::new(Mailbox::open(theirs.handle, theirs.room).ok_or_else(cannot)?);
        peers.push(Peer { rank, mailbox, ahead });
        Ok(())
    }

    /// `span.round` of the next kernel that puts words into a message.
    pub fn next_round(&self) -> u32 {
        self.round().wrapping_add(1)
    }

    /// `span.round` of the kernel that takes words out of the last messages.
    pub fn round(&self) -> u32 {
        self.recorded.get()
    }

    /// Takes note that a kernel that puts words into the next message is recorded.
    pub fn note_message(&self) {
        self.recorded.set(self.next_round());
    }

    /// Sees to it that `pieces` of the last messages of peers come, for what is recorded next.
    ///
    /// # Errors
    /// A lost-rank fault where another rank ended before it sent a message.
    pub fn bring(&self, recorder: &mut Recorder, pieces: &[Incoming]) -> Result<()> {
        let own_number = self.round();
        let mut to = own_number % 2 * self.room;
        let peers = self.peers.borrow();
        for piece in pieces {
            let Some(peer) = peers.iter().find(|peer| peer.rank == piece.rank) else { continue };
            let number = own_number.wrapping_add(peer.ahead);
            let at = peer.mailbox.slot(number) + piece.from;
            let [at, count, place] = [at, piece.words, to].map(|entries| entries as usize);
            to += piece.words;
            self.relay.ask(Piece { from: peer.mailbox.clone(), at, count, number, to: place, own_number })?;
        }
        if !recorder.gpu().waits_in_kernels() {
            // The peers may need what this rank has recorded.
            recorder.flush()?;
            self.relay.wait(recorder.gpu())?;
        }
        Ok(())
    }
}

impl Drop for Link {
    /// Tells the peers when the device has posted all messages.
    fn drop(&mut self) {
        let mailbox = self.mailbox.clone();
        self.queue.on_submitted_work_done(move || mailbox.end());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use minijinja::context;

    use super::*;
    use crate::testing::{checked, random};
    use crate::{Bound, Kernel, MAIN, Needs, PUT, TAKE, Template, WORKGROUP, render};

    /// Puts words of an array into a message.
    const PUT_WORDS: &str = "struct Span { count: u32, round: u32 }
        var<immediate> span: Span;
        var<storage, read> words: array<u32>;
        #include \"put.wgsl\"
        #include \"main.wgsl\"
        fn work_on(k: u32) { put(k, words[k]); }";

    /// Takes words of a message into an array.
    const TAKE_WORDS: &str = "struct Span { count: u32, round: u32 }
        var<immediate> span: Span;
        var<storage, read_write> words: array<u32>;
        #include \"take.wgsl\"
        #include \"main.wgsl\"
        fn work_on(k: u32) { words[k] = take(k); }";

    /// Puts words that differ in each message.
    const FILL: &str = "struct Span { count: u32, round: u32 }
        var<immediate> span: Span;
        var<storage, read_write> order: array<u32>;
        #include \"put.wgsl\"
        #include \"main.wgsl\"
        fn work_on(k: u32) { put(k, (k + 1u) * 2654435761u + span.round * 40503u); }";

    /// Counts the words that are wrong.
    const COUNT: &str = "struct Span { count: u32, round: u32 }
        var<immediate> span: Span;
        var<storage, read_write> order: array<atomic<u32>>;
        #include \"take.wgsl\"
        #include \"main.wgsl\"
        fn work_on(k: u32) {
            if (take(k) != (k + 1u) * 2654435761u + span.round * 40503u) { atomicAdd(&order[0], 1u); }
        }";

    fn wgsl(text: &'static str) -> String {
        let context = context! { workgroup => WORKGROUP, word => "u32", linked => true };
        render(Template { name: "words.wgsl", text }, &[MAIN, PUT, TAKE], &context)
    }

    fn made(gpu: &Gpu, text: &'static str, buffers: &[(&str, &Buffer)]) -> (Kernel, Bound) {
        let kernel = Kernel::new(gpu, "words", &wgsl(text), 8).expect("made");
        let bound = kernel.bind(gpu, buffers);
        (kernel, bound)
    }

    /// A piece of the other of two ranks.
    fn piece(own: usize, from: u32, words: u32) -> Incoming {
        Incoming { rank: 1 - own, from, words }
    }

    /// Links of two ranks for messages of up to so many words.
    fn pair(gpus: [&Gpu; 2], words: u32) -> [Link; 2] {
        let bytes = u64::from(4 * words);
        gpus.map(|gpu| Link::new(gpu, "echo", bytes, bytes).expect("made"))
    }

    fn connect(links: &[Link; 2]) {
        let addresses = links.each_ref().map(|link| Address::from_words(link.address().to_words()));
        for (own, link) in links.iter().enumerate() {
            link.connect(1 - own, &addresses[1 - own]).expect("opened");
        }
    }

    /// Sends `words`.
    fn send(gpu: &Gpu, link: &Link, words: &[u32]) {
        let buffer = gpu.buffer("words", size_of_val(words) as u64).expect("room");
        gpu.upload(&buffer, 0, words).expect("written");
        let (kernel, bound) = made(gpu, PUT_WORDS, &[("words", &buffer), ("message", link.slots())]);
        let mut recorder = Recorder::new(gpu);
        let count = words.len() as u32;
        recorder.dispatch(&kernel, &bound, count, &[count, link.next_round()]);
        link.note_message();
        recorder.submit();
    }

    /// What comes from the other rank.
    fn received(gpu: &Gpu, link: &Link, piece: Incoming) -> Vec<u32> {
        let buffer = gpu.buffer("words", 4 * u64::from(piece.words)).expect("room");
        let (kernel, bound) = made(gpu, TAKE_WORDS, &[("words", &buffer), ("message", link.arrivals())]);
        let mut recorder = Recorder::new(gpu);
        link.bring(&mut recorder, &[piece]).expect("not lost");
        recorder.dispatch(&kernel, &bound, piece.words, &[piece.words, link.round()]);
        recorder.submit();
        gpu.download(&buffer, 0, piece.words as usize).expect("reads")
    }

    #[test]
    fn pieces_arrive() {
        // Software Vulkan must not wait in kernels, whether it waits for the host or not.
        for waits in [false, true] {
            pieces_arrive_on(&checked().with_waits(waits));
        }
    }

    fn pieces_arrive_on(gpu: &Gpu) {
        let words = 3_000;
        let links = pair([gpu, gpu], words);
        // Numbers wrap around after 2^32, and those of two ranks may differ.
        links[0].recorded.set(u32::MAX - 3);
        links[1].recorded.set(8);
        connect(&links);
        for (round, (from, count)) in
            [(0, 300), (100, 1), (2_999, 1), (0, 3_000), (1, 2_500)].repeat(3).into_iter().enumerate()
        {
            let sent = [1, 2].map(|k| random(k * round as u64, words as usize));
            for (link, sent) in links.iter().zip(&sent) {
                send(gpu, link, sent);
            }
            for (own, link) in links.iter().enumerate() {
                let came = received(gpu, link, piece(own, from, count));
                assert_eq!(came, sent[1 - own][from as usize..][..count as usize], "round {round}");
            }
            if round == 7 {
                connect(&links);
            }
        }
    }

    #[test]
    fn no_thread_outlives_its_link() {
        let gpu = checked();
        for round in 0..20 {
            let links = pair([&gpu, &gpu], 100);
            connect(&links);
            links.iter().for_each(|link| send(&gpu, link, &random(round, 100)));
            for (own, link) in links.iter().enumerate() {
                let _came = received(&gpu, link, piece(own, 0, 100));
            }
            for link in links {
                let thread = link.relay.watch();
                drop(link);
                assert!(thread.upgrade().is_none(), "round {round}");
            }
        }
    }

    #[test]
    fn a_rank_that_ends_without_a_message_is_a_fault() {
        let gpu = checked().with_waits(false);
        let links = pair([&gpu, &gpu], 10);
        connect(&links);
        for (link, words) in links.iter().zip([[1; 10], [2; 10]]) {
            send(&gpu, link, &words);
        }
        assert_eq!(received(&gpu, &links[0], piece(0, 0, 10)), [2; 10]);
        send(&gpu, &links[0], &[3; 10]);
        let [own, other] = links;
        drop(other);
        gpu.wait().expect("not lost");
        // The second time it is known.
        for _ in 0..2 {
            let fault = own.bring(&mut Recorder::new(&gpu), &[piece(0, 0, 10)]).expect_err("nothing comes");
            assert!(fault.to_string().contains("ended before it sent a message"), "{fault}");
        }
        // The device does not wait.
        let order = gpu.buffer("order", 4).expect("room");
        let (kernel, bound) = made(&gpu, COUNT, &[("order", &order), ("message", own.arrivals())]);
        let mut recorder = Recorder::new(&gpu);
        recorder.dispatch(&kernel, &bound, 10, &[10, own.round()]);
        recorder.submit();
        gpu.wait().expect("not lost");
    }

    #[test]
    fn kernels_are_valid_wgsl() {
        for text in [PUT_WORDS, TAKE_WORDS, FILL, COUNT] {
            wgsl_checks::validate(text, &wgsl(text));
        }
    }

    /// Messages between the two GPUs of a host come whole, in how much time:
    /// `cargo test --release -p hematite-gpu between_two -- --ignored --nocapture`.
    #[test]
    #[ignore = "a measurement for two GPUs"]
    fn measured_messages_between_two_devices() {
        let gpus = [0, 1].map(|rank| Gpu::open(rank, Needs::default()).expect("a device"));
        for words in [1_u32, 1_000, 10_000, 50_000] {
            let links = pair(gpus.each_ref(), words);
            connect(&links);
            let rounds = 5_000;
            let start = Instant::now();
            let orders = gpus.each_ref().map(|gpu| gpu.buffer("order", 4).expect("room"));
            for (own, (gpu, link)) in gpus.iter().zip(&links).enumerate() {
                let fill = made(gpu, FILL, &[("order", &orders[own]), ("message", link.slots())]);
                let count = made(gpu, COUNT, &[("order", &orders[own]), ("message", link.arrivals())]);
                let mut recorder = Recorder::new(gpu);
                for _ in 0..rounds {
                    recorder.dispatch(&fill.0, &fill.1, words, &[words, link.next_round()]);
                    link.note_message();
                    link.bring(&mut recorder, &[piece(own, 0, words)]).expect("not lost");
                    recorder.dispatch(&count.0, &count.1, words, &[words, link.round()]);
                }
                recorder.submit();
            }
            gpus.iter().for_each(|gpu| gpu.wait().expect("not lost"));
            let time = start.elapsed().as_secs_f64() * 1e6 / f64::from(rounds);
            let wrong = [0, 1].map(|k| gpus[k].download::<u32>(&orders[k], 0, 1).expect("reads")[0]);
            println!("{words} words: {time:.2} us a message");
            assert_eq!(wrong, [0, 0], "{words} words");
        }
    }
}
