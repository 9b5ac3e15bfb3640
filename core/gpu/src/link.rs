//! Short messages between the devices of one host. The hosts record them, but exchange nothing for them.
//!
//! Each device posts its messages in turn into the two slots of its [`Mailbox`], in memory of the host. A thread of
//! each rank, the [`Relay`], watches the mailboxes of the peers and copies pieces for its rank to memory of its
//! device, where a kernel awaits them. (A device cannot watch a mailbox: it never sees changes of the host's memory
//! that it has once read.) Each word is written together with the number of its message. Whoever awaits a word checks
//! the number, so words may arrive in any order.
//!
//! A device posts message k + 2 into the slot of message k. By then all peers have fetched message k: this device has
//! fetched their messages k + 1, and they posted these after they fetched message k. For this reason a device awaits
//! every peer in every exchange, also a peer without words for it.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use hematite_config::{Fault, Result};
use hematite_shared_file::Handle;
use minijinja::context;

use crate::mailbox::{ENTRY, Mailbox};
use crate::mapped::{Mapped, Reader};
use crate::relay::{Piece, Relay};
use crate::{Bound, Buffer, Gpu, Kernel, MAIN, Recorder, Template, WORKGROUP, render};

/// A link to the devices of other ranks of this host.
#[derive(Debug)]
pub struct Link {
    queue: wgpu::Queue,
    send_buffer: Buffer,
    receive_buffer: Buffer,
    mailbox: Arc<Mailbox>,
    post: (Kernel, Bound),
    fetch: (Kernel, Bound),
    /// Most entries that arrive in one exchange. The device has room for two exchanges.
    room: u32,
    /// Number of messages posted so far.
    posted: Cell<u32>,
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
    /// Whether messages are exchanged with it now.
    awaited: bool,
}

/// Where a rank finds the messages of another: what both tell each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    handle: Handle,
    room: u32,
    posted: u32,
}

/// A piece of another rank's message.
#[derive(Clone, Copy, Debug)]
pub struct Incoming {
    /// The rank.
    pub rank: usize,
    /// First word in its message.
    pub from: u32,
    /// Words; may be none.
    pub words: u32,
}

impl Address {
    /// Words of an address.
    pub const WORDS: usize = 6;

    /// The address as numbers, for messages.
    pub fn to_words(self) -> [u64; Self::WORDS] {
        let [process, namespace, descriptor, token] = self.handle.to_words();
        [process, namespace, descriptor, token, self.room.into(), self.posted.into()]
    }

    /// The address from these numbers.
    pub fn from_words([process, namespace, descriptor, token, room, posted]: [u64; Self::WORDS]) -> Self {
        let handle = Handle::from_words([process, namespace, descriptor, token]);
        Self { handle, room: room as u32, posted: posted as u32 }
    }
}

fn post_wgsl() -> String {
    let context = context! { workgroup => WORKGROUP };
    render(Template { name: "post.wgsl", text: include_str!("post.wgsl") }, &[MAIN], &context)
}

fn fetch_wgsl() -> String {
    let context = context! { workgroup => WORKGROUP };
    render(Template { name: "fetch.wgsl", text: include_str!("fetch.wgsl") }, &[MAIN], &context)
}

impl Link {
    /// A link for messages of up to `out` bytes and pieces of up to `into` bytes altogether, among `ranks` ranks.
    ///
    /// # Errors
    /// Where the device has no room, or cannot share memory.
    pub fn new(gpu: &Gpu, label: &str, out: u64, into: u64, ranks: usize) -> Result<Self> {
        let [send_buffer, receive_buffer] = [gpu.buffer(label, out)?, gpu.buffer(label, into)?];
        let order = gpu.buffer("order of messages", 4)?;
        let mailbox = Mailbox::new(out.div_ceil(4) as u32).map(Arc::new);
        let slots = mailbox.as_ref().and_then(|mailbox| {
            let slots = mailbox.slots();
            Mapped::imported(gpu, label, slots, 0, slots.bytes())
        });
        // Each peer sends a piece or a single entry.
        let room = into.div_ceil(4) as u32 + ranks as u32;
        let arrivals = Mapped::new(gpu, label, 2 * ENTRY as u64 * u64::from(room), Reader::Kernels);
        let (Some(mailbox), Some(slots), Some(arrivals)) = (mailbox, slots, arrivals) else {
            return Err(Fault::io(format!(
                "{} cannot share memory with other ranks for {label}: set HEMATITE_DEVICE_LINKS=0",
                gpu.info().name
            )));
        };
        let kernel = |name, wgsl: &str, buffers: &[(&str, &Buffer)]| -> Result<(Kernel, Bound)> {
            let kernel = Kernel::new(gpu, name, wgsl, 16)?;
            let bound = kernel.bind(gpu, buffers);
            Ok((kernel, bound))
        };
        let buffers = [("words", &send_buffer), ("slots", slots.buffer()), ("order", &order)];
        let post = kernel("post", &post_wgsl(), &buffers)?;
        let buffers = [("arrivals", arrivals.buffer()), ("received", &receive_buffer), ("order", &order)];
        let fetch = kernel("fetch", &fetch_wgsl(), &buffers)?;
        let (queue, posted, peers) = (gpu.queue.clone(), Cell::default(), RefCell::default());
        let relay = Relay::begin(arrivals)?;
        Ok(Self { queue, send_buffer, receive_buffer, mailbox, post, fetch, room, posted, peers, relay })
    }

    /// The buffer that kernels fill with the message.
    pub fn send_buffer(&self) -> &Buffer {
        &self.send_buffer
    }

    /// The buffer with the pieces that were fetched, in order.
    pub fn receive_buffer(&self) -> &Buffer {
        &self.receive_buffer
    }

    /// What other ranks have to know of this one.
    pub fn address(&self) -> Address {
        Address { handle: self.mailbox.handle(), room: self.mailbox.room(), posted: self.posted.get() }
    }

    /// Makes `rank` a peer. Its address was `theirs` when the address of this link was what it is now.
    ///
    /// # Errors
    /// Where its mailbox cannot be opened.
    pub fn connect(&self, rank: usize, theirs: &Address) -> Result<()> {
        let ahead = theirs.posted.wrapping_sub(self.posted.get());
        let mut peers = self.peers.borrow_mut();
        let is_known = |peer: &&mut Peer| peer.rank == rank && peer.mailbox.handle() == theirs.handle;
        if let Some(known) = peers.iter_mut().find(is_known) {
            (known.ahead, known.awaited) = (ahead, true);
            return Ok(());
        }
        peers.retain(|peer| peer.rank != rank);
        let cannot = || Fault::io(format!("the messages of rank {rank} cannot be read"));
        let mailbox = Arc::new(Mailbox::open(theirs.handle, theirs.room).ok_or_else(cannot)?);
        peers.push(Peer { rank, mailbox, ahead, awaited: true });
        Ok(())
    }

    /// Awaits no peer until it is [connected](Link::connect) again. All peers must have fetched all messages.
    pub fn disconnect(&self) {
        self.peers.borrow_mut().iter_mut().for_each(|peer| peer.awaited = false);
    }

    /// Records that the first `bytes` bytes of the send buffer are posted.
    pub fn post(&self, recorder: &mut Recorder, bytes: usize) {
        let number = self.posted.get().wrapping_add(1);
        self.posted.set(number);
        let count = bytes.div_ceil(4) as u32 + 1;
        let immediates = [count, number, self.mailbox.slot(number), self.mailbox.last(number)];
        recorder.dispatch(&self.post.0, &self.post.1, count, &immediates);
    }

    /// Records that the last message of each peer is awaited, and that `pieces` are fetched.
    ///
    /// # Errors
    /// A lost-rank fault where another rank ended before it sent a message.
    pub fn fetch(&self, recorder: &mut Recorder, pieces: &[Incoming]) -> Result<()> {
        let own_number = self.posted.get();
        let first = own_number % 2 * self.room;
        let mut to = first;
        // Asks for `count` entries of a peer's message, from `from` on or the last one.
        let mut ask = |peer: &Peer, from: Option<u32>, count: u32| {
            let (mailbox, number) = (&peer.mailbox, own_number.wrapping_add(peer.ahead));
            let at = from.map_or(mailbox.last(number), |from| mailbox.slot(number) + from);
            let [at, count, place] = [at, count, to].map(|entries| entries as usize);
            to += count as u32;
            self.relay.ask(Piece { from: mailbox.clone(), at, count, number, to: place, own_number })
        };
        let peers = self.peers.borrow();
        let awaited = || peers.iter().filter(|peer| peer.awaited);
        let spoken = || pieces.iter().filter(|piece| piece.words > 0);
        for piece in spoken() {
            for peer in awaited().filter(|peer| peer.rank == piece.rank) {
                ask(peer, Some(piece.from), piece.words)?;
            }
        }
        for peer in awaited().filter(|peer| !spoken().any(|piece| piece.rank == peer.rank)) {
            ask(peer, None, 1)?;
        }
        if !recorder.gpu().waits_in_kernels() {
            // The peers may need what this rank has recorded.
            recorder.flush()?;
            self.relay.wait(recorder.gpu())?;
        }
        let (count, words) = (to - first, pieces.iter().map(|piece| piece.words).sum());
        let immediates = [count, own_number, first, words];
        recorder.in_phase("wait", |recorder| recorder.dispatch(&self.fetch.0, &self.fetch.1, count, &immediates));
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

    use super::*;
    use crate::Needs;
    use crate::testing::{checked, random};

    /// A piece of the other of two ranks.
    fn piece(own: usize, from: u32, words: u32) -> Incoming {
        Incoming { rank: 1 - own, from, words }
    }

    /// Links of two ranks for messages of up to so many words.
    fn pair(gpus: [&Gpu; 2], words: u32) -> [Link; 2] {
        let bytes = u64::from(4 * words);
        gpus.map(|gpu| Link::new(gpu, "echo", bytes, bytes, 2).expect("made"))
    }

    fn connect(links: &[Link; 2]) {
        let addresses = links.each_ref().map(|link| Address::from_words(link.address().to_words()));
        for (own, link) in links.iter().enumerate() {
            link.connect(1 - own, &addresses[1 - own]).expect("opened");
        }
    }

    /// Posts `words`, which other work may change afterwards.
    fn post(gpu: &Gpu, link: &Link, words: &[u32]) {
        gpu.upload(link.send_buffer(), 0, words).expect("written");
        let mut recorder = Recorder::new(gpu);
        link.post(&mut recorder, size_of_val(words));
        recorder.submit();
    }

    /// What a link fetches.
    fn fetched(gpu: &Gpu, link: &Link, piece: Incoming) -> Vec<u32> {
        let mut recorder = Recorder::new(gpu);
        link.fetch(&mut recorder, &[piece]).expect("not lost");
        recorder.submit();
        gpu.download(link.receive_buffer(), 0, piece.words as usize).expect("reads")
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
        links[0].posted.set(u32::MAX - 3);
        links[1].posted.set(8);
        connect(&links);
        for (round, (from, count)) in
            [(0, 300), (100, 0), (2_999, 1), (0, 3_000), (1, 2_500)].repeat(3).into_iter().enumerate()
        {
            let sent = [1, 2].map(|k| random(k * round as u64, words as usize));
            for (link, sent) in links.iter().zip(&sent) {
                post(gpu, link, sent);
            }
            for (own, link) in links.iter().enumerate() {
                let came = fetched(gpu, link, piece(own, from, count));
                assert_eq!(came, sent[1 - own][from as usize..][..count as usize], "round {round}");
            }
            if round == 7 {
                links.iter().for_each(Link::disconnect);
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
            links.iter().for_each(|link| post(&gpu, link, &random(round, 100)));
            for (own, link) in links.iter().enumerate() {
                let _came = fetched(&gpu, link, piece(own, 0, 100));
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
            post(&gpu, link, &words);
        }
        assert_eq!(fetched(&gpu, &links[0], piece(0, 0, 10)), [2; 10]);
        post(&gpu, &links[0], &[3; 10]);
        let [own, other] = links;
        drop(other);
        gpu.wait().expect("not lost");
        // The second time it is known.
        for _ in 0..2 {
            let fault = own.fetch(&mut Recorder::new(&gpu), &[piece(0, 0, 10)]).expect_err("nothing comes");
            assert!(fault.to_string().contains("ended before it sent a message"), "{fault}");
        }
        // The device does not wait.
        let mut recorder = Recorder::new(&gpu);
        recorder.dispatch(&own.fetch.0, &own.fetch.1, 10, &[10, own.posted.get(), own.room, 10]);
        recorder.submit();
        gpu.wait().expect("not lost");
    }

    #[test]
    fn both_kernels_are_valid_wgsl() {
        wgsl_checks::validate("post", &post_wgsl());
        wgsl_checks::validate("fetch", &fetch_wgsl());
    }

    /// Words that differ in each message.
    const FILL: &str = "struct Span { count: u32, message: u32 }
        var<immediate> span: Span;
        var<storage, read_write> words: array<u32>;
        #include \"main.wgsl\"
        fn work_on(k: u32) { words[k] = (k + 1u) * 2654435761u + span.message * 40503u; }";

    /// Counts the words that are wrong.
    const COUNT: &str = "struct Span { count: u32, message: u32 }
        var<immediate> span: Span;
        var<storage, read> words: array<u32>;
        var<storage, read_write> wrong: array<atomic<u32>>;
        #include \"main.wgsl\"
        fn work_on(k: u32) {
            if (words[k] != (k + 1u) * 2654435761u + span.message * 40503u) { atomicAdd(&wrong[0], 1u); }
        }";

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
            let wrong = gpus.each_ref().map(|gpu| gpu.buffer("wrong", 4).expect("room"));
            for (own, (gpu, link)) in gpus.iter().zip(&links).enumerate() {
                let kernel = |text, buffers: &[(&str, &Buffer)]| {
                    let context = context! { workgroup => WORKGROUP };
                    let wgsl = render(Template { name: "words.wgsl", text }, &[MAIN], &context);
                    let kernel = Kernel::new(gpu, "words", &wgsl, 8).expect("made");
                    let bound = kernel.bind(gpu, buffers);
                    (kernel, bound)
                };
                let fill = kernel(FILL, &[("words", link.send_buffer())]);
                let count = kernel(COUNT, &[("words", link.receive_buffer()), ("wrong", &wrong[own])]);
                let mut recorder = Recorder::new(gpu);
                for message in 0..rounds {
                    recorder.dispatch(&fill.0, &fill.1, words, &[words, message]);
                    link.post(&mut recorder, 4 * words as usize);
                    link.fetch(&mut recorder, &[piece(own, 0, words)]).expect("not lost");
                    recorder.dispatch(&count.0, &count.1, words, &[words, message]);
                }
                recorder.submit();
            }
            gpus.iter().for_each(|gpu| gpu.wait().expect("not lost"));
            let time = start.elapsed().as_secs_f64() * 1e6 / f64::from(rounds);
            let wrong = [0, 1].map(|k| gpus[k].download::<u32>(&wrong[k], 0, 1).expect("reads")[0]);
            println!("{words} words: {time:.2} us a message");
            assert_eq!(wrong, [0, 0], "{words} words");
        }
    }
}
