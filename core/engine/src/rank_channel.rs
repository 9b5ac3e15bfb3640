//! Messages between the kernels of ranks.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::Add;
use std::rc::Rc;
use std::time::{Duration, Instant};

use hematite_comm::Comm;
use hematite_config::{Fault, Result};
use hematite_gpu::{
    Address, Buffer, Channel, Gpu, Incoming, KernelSignals, LeftPiece, Link, Place, Recorder, long_message,
};

/// Seconds spent in the phases of the time step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phases {
    /// Waiting for kernels.
    pub compute: f64,
    /// Messages between ranks.
    pub communication: f64,
    /// Copies between device and host.
    pub packing: f64,
}

impl Add for Phases {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            compute: self.compute + other.compute,
            communication: self.communication + other.communication,
            packing: self.packing + other.packing,
        }
    }
}

/// A channel whose messages go to other ranks, and whose answers are the messages of the other ranks.
#[derive(Clone)]
pub struct RankChannel {
    gpu: Gpu,
    way: Way,
    spent: Rc<Cell<Phases>>,
}

#[derive(Clone)]
enum Way {
    /// Hosts exchange the messages.
    Hosts(Rc<Channel>),
    /// They pass through a link, with the pieces that hosts have agreed upon.
    Devices(Rc<Link>, Rc<RefCell<Vec<Agreed>>>),
}

/// What goes and comes in some messages, and where what comes is in the messages of others.
struct Agreed {
    going: Pieces,
    coming: Pieces,
    incoming: Vec<Incoming>,
}

/// The consecutive pieces of a message: (rank, bytes) of each.
pub type Pieces = Rc<[(usize, usize)]>;

impl RankChannel {
    /// A rank channel over `channel`.
    pub fn new(gpu: &Gpu, channel: Channel) -> Self {
        Self { gpu: gpu.clone(), way: Way::Hosts(Rc::new(channel)), spent: Rc::default() }
    }

    /// A channel for [short](is_short) messages of up to `out` bytes and answers of up to `answer` bytes, which pass
    /// through a [`Link`] of the devices. All pieces are whole words. Of two ranks both have pieces for each other in a
    /// message, or neither has. The device must have [links](Gpu::links).
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn linked(gpu: &Gpu, label: &str, out: u64, answer: u64) -> Result<Self> {
        let link = Rc::new(Link::new(gpu, label, out, answer)?);
        Ok(Self { gpu: gpu.clone(), way: Way::Devices(link, Rc::default()), spent: Rc::default() })
    }

    /// A channel for messages of up to `out` bytes whose answers, of up to `answer` bytes, are needed soon. A kernel
    /// copies messages to the host. Where the device itself waits for answers, the copy engine copies them, which is
    /// cheaper there; kernels then have to send and to wait by themselves where there are [`RankChannel::signals`].
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn prompt(gpu: &Gpu, label: &str, out: u64, answer: u64) -> Result<Self> {
        let channel = match gpu.waits_for_host() {
            true => gpu.background_channel(label, out, answer)?,
            false => gpu.channel(label, out, answer)?,
        };
        Ok(Self::new(gpu, channel))
    }

    /// Whether messages pass through a link: then kernels put and take words as [`PUT`](hematite_gpu::PUT) and
    /// [`TAKE`](hematite_gpu::TAKE) do with `linked`.
    pub fn is_linked(&self) -> bool {
        matches!(self.way, Way::Devices(..))
    }

    /// `message` of the kernels that put words into it for other ranks.
    pub fn send_buffer(&self) -> &Buffer {
        match &self.way {
            Way::Hosts(channel) => channel.send_buffer(),
            Way::Devices(link, _) => link.slots(),
        }
    }

    /// `message` of the kernels that take words of other ranks out of it.
    pub fn receive_buffer(&self) -> &Buffer {
        match &self.way {
            Way::Hosts(channel) => channel.receive_buffer(),
            Way::Devices(link, _) => link.arrivals(),
        }
    }

    /// Signals for kernels that send messages and await answers themselves, see [`Channel::signals`].
    pub fn signals(&self) -> Option<&KernelSignals> {
        match &self.way {
            Way::Hosts(channel) => channel.signals(),
            Way::Devices(..) => None,
        }
    }

    /// `span.round` of the next kernel that makes a message, where kernels send messages themselves.
    pub fn next_round(&self) -> Option<u32> {
        match &self.way {
            Way::Hosts(channel) => channel.signals().map(KernelSignals::next_round),
            Way::Devices(link, _) => Some(link.next_round()),
        }
    }

    /// `span.round` of the next kernel that uses what comes, where kernels await that themselves.
    pub fn round(&self) -> Option<u32> {
        match &self.way {
            Way::Hosts(channel) => channel.signals().map(KernelSignals::round),
            Way::Devices(link, _) => Some(link.round()),
        }
    }

    /// Time spent on messages so far.
    pub fn phases(&self) -> Phases {
        self.spent.get()
    }

    /// Records that the first `bytes` bytes of the message that a kernel made are sent.
    pub fn send(&self, recorder: &mut Recorder, bytes: usize) {
        match &self.way {
            Way::Hosts(channel) => recorder.send(channel, bytes as u64),
            Way::Devices(link, _) => link.note_message(),
        }
    }

    /// Waits for the last message and drops it.
    ///
    /// # Errors
    /// When the device is lost, and those of callbacks.
    ///
    /// # Panics
    /// Where the channel is linked, which is a bug of the program: words in a link are overwritten only after other
    /// ranks have taken them.
    pub fn discard(&self, recorder: &mut Recorder) -> Result<()> {
        let Way::Hosts(channel) = &self.way else { panic!("a message that passes through a link is dropped") };
        recorder.receive(channel, &mut [])?;
        // Every message has an answer, so that the rounds of both agree.
        if channel.signals().is_some() { channel.answer(&self.gpu, 0) } else { channel.clear_slot(&self.gpu) }
    }

    /// Records that the pieces `going` of the last message go to their ranks. What is recorded from here on finds the
    /// pieces `coming` of other ranks in [`RankChannel::receive_buffer`]; where the channel is linked, it awaits them.
    /// `span`: the name of the exchange in traces. Collective among these ranks.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn await_answer<'g>(
        &self,
        comm: &'g dyn Comm,
        recorder: &mut Recorder<'g>,
        span: &'static str,
        (going, coming): (Pieces, Pieces),
    ) -> Result<()> {
        match &self.way {
            Way::Hosts(channel) => {
                let (all, own) = (self.clone(), channel.clone());
                recorder.await_answer(channel, move || all.run(&own, comm, span, &going, &coming))
            }
            Way::Devices(link, agreed) => {
                let known = |agreed: &&Agreed| Rc::ptr_eq(&agreed.going, &going) && Rc::ptr_eq(&agreed.coming, &coming);
                if !agreed.borrow().iter().any(|agreed| known(&agreed)) {
                    // Other exchanges of the hosts come first on all ranks.
                    recorder.flush()?;
                    let incoming = self.agree(link, comm, &going, &coming)?;
                    agreed.borrow_mut().push(Agreed { going: going.clone(), coming: coming.clone(), incoming });
                }
                if let Some(agreed) = agreed.borrow().iter().find(known) {
                    link.bring(recorder, &agreed.incoming)?;
                }
                Ok(())
            }
        }
    }

    /// Forgets which pieces go and come, since others will. All ranks must have taken all messages.
    pub fn forget(&self) {
        if let Way::Devices(_, agreed) = &self.way {
            agreed.borrow_mut().clear();
        }
    }

    /// Tells the other ranks where their pieces are, and returns where the pieces for this rank are.
    fn agree(&self, link: &Link, comm: &dyn Comm, going: &Pieces, coming: &Pieces) -> Result<Vec<Incoming>> {
        let ranks: BTreeSet<usize> = going.iter().chain(coming.iter()).map(|&(rank, _)| rank).collect();
        let messages: Vec<(usize, usize)> = ranks.into_iter().map(|rank| (rank, ADDRESS)).collect();
        let starts_out = starts(going);
        let place = |pieces: &Pieces, rank: usize| pieces.iter().position(|piece| piece.0 == rank);
        let address = link.address();
        let (mut incoming, mut fault) = (Vec::new(), None::<Fault>);
        comm.exchange_in_place(
            &messages,
            &mut |k, room| {
                let start = place(going, messages[k].0).map_or(0, |k| starts_out[k]);
                let words = [address.to_words().as_slice(), &[start as u64]].concat();
                room.copy_from_slice(bytemuck::cast_slice(&words));
            },
            &messages,
            &mut |k, message| {
                let rank = messages[k].0;
                let words: [u64; Address::WORDS + 1] = bytemuck::pod_read_unaligned(message);
                let (address, start) = words.split_at(Address::WORDS);
                let address = Address::from_words(address.try_into().unwrap_or_default());
                fault = fault.take().or(link.connect(rank, &address).err());
                if let Some(k) = place(coming, rank).filter(|&k| coming[k].1 > 0) {
                    let [from, words] = [start[0] as usize, coming[k].1].map(|bytes| (bytes / 4) as u32);
                    incoming.push((k, Incoming { rank, from, words }));
                }
            },
        )?;
        incoming.sort_unstable_by_key(|&(k, _)| k);
        fault.map_or_else(|| Ok(incoming.into_iter().map(|(_, piece)| piece).collect()), Err)
    }

    fn run(
        &self,
        channel: &Channel,
        comm: &dyn Comm,
        span: &'static str,
        going: &Pieces,
        coming: &Pieces,
    ) -> Result<()> {
        let Self { gpu, spent, .. } = self;
        let start = Instant::now();
        channel.wait(gpu, length(going))?;
        let waited = start.elapsed();

        let start = Instant::now();
        let _span = gpu.span(span);
        let (starts_out, starts_in) = (starts(going), starts(coming));
        let stays = |&(rank, bytes): &(usize, usize)| bytes >= long_message() && comm.shares_memory_with(rank);
        let mut copies = Duration::ZERO;

        // Long pieces stay where the device left them, and the other rank is told where that is.
        let told = |pieces: &[(usize, usize)]| -> Vec<(usize, usize)> {
            pieces.iter().map(|piece| (piece.0, if stays(piece) { PLACE } else { piece.1 })).collect()
        };
        let (mut unreached, mut places) = (Vec::new(), Vec::new());
        let mut read = Duration::ZERO;
        comm.exchange_in_place(
            &told(going),
            &mut |k, room| {
                if !stays(&going[k]) {
                    return timed(&mut read, || channel.read(starts_out[k], room));
                }
                let place = channel.tell(going[k].0, starts_out[k]);
                unreached.extend(place.is_none().then_some(k));
                room.copy_from_slice(bytemuck::cast_slice(&place.map_or([0; Place::WORDS], Place::to_words)));
            },
            &told(coming),
            &mut |k, message| match stays(&coming[k]) {
                true => places.push((k, bytemuck::pod_read_unaligned::<[u64; Place::WORDS]>(message))),
                false => timed(&mut copies, || channel.fill(starts_in[k], message)),
            },
        )?;
        let (there, elsewhere): (Vec<_>, Vec<_>) =
            places.into_iter().partition(|(_, words)| *words != [0; Place::WORDS]);
        for (k, words) in there {
            let ((rank, bytes), place) = (coming[k], Place::from_words(words));
            channel.take(gpu, LeftPiece { rank, by: comm.rank(), place, at: starts_in[k], bytes })?;
        }

        // Pieces that cannot be shared follow in a second exchange.
        let missed: Vec<usize> = elsewhere.into_iter().map(|(k, _)| k).collect();
        if !unreached.is_empty() || !missed.is_empty() {
            let some = |pieces: &[(usize, usize)], which: &[usize]| -> Vec<(usize, usize)> {
                which.iter().map(|&k| pieces[k]).collect()
            };
            comm.exchange_in_place(
                &some(going, &unreached),
                &mut |n, room| timed(&mut read, || channel.read(starts_out[unreached[n]], room)),
                &some(coming, &missed),
                &mut |n, message| timed(&mut copies, || channel.fill(starts_in[missed[n]], message)),
            )?;
        }
        channel.answer(gpu, length(coming))?;
        let (copies, all) = (read + copies, start.elapsed());
        let now = Phases {
            compute: waited.as_secs_f64(),
            communication: all.saturating_sub(copies).as_secs_f64(),
            packing: copies.as_secs_f64(),
        };
        spent.set(spent.get() + now);
        Ok(())
    }
}

/// Bytes from which a message is faster through the hosts than through a link.
const LONG: u64 = 128 << 10;

/// Whether a message of `bytes` bytes should pass through a [`Link`]. All ranks that exchange it must take the same
/// way.
pub fn is_short(gpu: &Gpu, bytes: u64) -> bool {
    gpu.links() > 0 && bytes < LONG
}

/// Bytes of all pieces.
pub fn length(pieces: &[(usize, usize)]) -> usize {
    pieces.iter().map(|&(_, bytes)| bytes).sum()
}

/// The beginning of each piece, in bytes.
fn starts(pieces: &[(usize, usize)]) -> Vec<usize> {
    let ends = pieces.iter().scan(0, |end, &(_, bytes)| {
        *end += bytes;
        Some(*end)
    });
    ends.zip(pieces).map(|(end, &(_, bytes))| end - bytes).collect()
}

/// Bytes of an [`Address`] and of the start of a piece.
const ADDRESS: usize = size_of::<[u64; Address::WORDS + 1]>();

/// Bytes of a [`Place`].
const PLACE: usize = size_of::<[u64; Place::WORDS]>();

fn timed(spent: &mut Duration, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    *spent += start.elapsed();
}

#[cfg(test)]
mod tests {
    use hematite_comm::threads;
    use hematite_gpu::{Bound, Kernel, MAIN, Needs, PUT, TAKE, Template, WORKGROUP, render};
    use minijinja::context;

    use super::*;

    const TEXT: &str = "struct Span { count: u32, round: u32 }
        var<immediate> span: Span;
        #if takes
        var<storage, read_write> words: array<u32>;
        #include \"take.wgsl\"
        #else
        var<storage, read> words: array<u32>;
        #include \"put.wgsl\"
        #endif
        #include \"main.wgsl\"
        fn work_on(k: u32) {
        #if takes
            words[k] = take(k);
        #else
            put(k, words[k]);
        #endif
        }";

    /// A kernel that puts `words` into messages of `channel`, or takes them out.
    fn kernel(gpu: &Gpu, channel: &RankChannel, words: &Buffer, takes: bool) -> (Kernel, Bound) {
        let context = context! { takes, word => "u32", linked => channel.is_linked(), workgroup => WORKGROUP };
        let wgsl = render(Template { name: "words.wgsl", text: TEXT }, &[MAIN, PUT, TAKE], &context);
        let kernel = Kernel::new(gpu, "words", &wgsl, 8).expect("made");
        let message = if takes { channel.receive_buffer() } else { channel.send_buffer() };
        let bound = kernel.bind(gpu, &[("words", words), ("message", message)]);
        (kernel, bound)
    }

    /// What rank `rank` sends at a place in a round.
    fn word(rank: usize, round: usize, at: usize) -> u32 {
        (1_000_003 * rank + 7_919 * round + at) as u32
    }

    /// Ranks send each other pieces of these sizes, some long and some short, where their devices can share memory or
    /// not, and are linked or not.
    fn exchange(imports: [bool; 3], sizes: [usize; 3], linked: bool) {
        std::thread::scope(|scope| {
            for (comm, imports) in threads(3).into_iter().zip(imports) {
                scope.spawn(move || {
                    let gpu = Gpu::open(0, Needs::default()).expect("a device").with_waits(false);
                    let gpu = if imports { gpu } else { gpu.without_imports() };
                    let own = comm.rank();
                    let others: Vec<usize> = (0..3).filter(|&rank| rank != own).collect();
                    // Ranks a and b exchange pieces of size number a + b - 1.
                    let size = |other: usize| sizes[own + other - 1];
                    let pieces: Pieces = others.iter().map(|&other| (other, 4 * size(other))).collect();
                    let bytes = length(&pieces) as u64;
                    let channel = match linked {
                        true => RankChannel::linked(&gpu.clone().with_links(3), "pieces", bytes, bytes).expect("made"),
                        false => RankChannel::new(&gpu, gpu.channel("pieces", bytes, bytes).expect("room")),
                    };
                    let words = |of: &dyn Fn(usize, usize) -> u32| -> Vec<u32> {
                        others.iter().flat_map(|&other| (0..size(other)).map(move |at| of(other, at))).collect()
                    };
                    let [out, into] = [0; 2].map(|_| gpu.buffer("words", bytes).expect("room"));
                    let (puts, takes) = (kernel(&gpu, &channel, &out, false), kernel(&gpu, &channel, &into, true));
                    let count = (bytes / 4) as u32;
                    for round in 0..6 {
                        let sent = words(&|_, at| word(own, round, at));
                        gpu.upload(&out, 0, &sent).expect("written");
                        let mut recorder = Recorder::new(&gpu);
                        let next = channel.next_round().unwrap_or_default();
                        recorder.dispatch(&puts.0, &puts.1, count, &[count, next]);
                        channel.send(&mut recorder, length(&pieces));
                        if round == 3 && !linked {
                            channel.discard(&mut recorder).expect("came");
                            continue;
                        }
                        let answered =
                            channel.await_answer(&comm, &mut recorder, "pieces", (pieces.clone(), pieces.clone()));
                        answered.expect("not lost");
                        let last = channel.round().unwrap_or_default();
                        recorder.dispatch(&takes.0, &takes.1, count, &[count, last]);
                        recorder.flush().expect("not lost");
                        let came: Vec<u32> = gpu.download(&into, 0, sent.len()).expect("reads");
                        let right = words(&|other, at| word(other, round, at));
                        assert!(came == right, "rank {own}, round {round}, {imports}");
                        if round == 2 {
                            // Pieces are agreed upon anew.
                            channel.forget();
                        }
                    }
                });
            }
        });
    }

    #[test]
    fn pieces_arrive_where_devices_share_memory_and_where_they_do_not() {
        let long = long_message() / 4;
        for imports in [[true; 3], [false; 3], [true, false, true]] {
            exchange(imports, [long, 10, 2 * long + 1], false);
            exchange(imports, [long - 1, long, long], false);
        }
    }

    #[test]
    fn pieces_arrive_where_devices_leave_them_to_each_other() {
        for sizes in [[1, 1_000, 300], [0, 7, 20_000], [0, 0, 5]] {
            exchange([true; 3], sizes, true);
        }
    }
}
