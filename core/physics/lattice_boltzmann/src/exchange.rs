//! The exchange of crossing populations with neighbouring parts.

use std::ops::Range;

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::Precision;
use hematite_engine::rank_channel::{Phases, Pieces, RankChannel, is_short, length};
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, Recorder};

use super::buffers::Buffers;
use super::halo::Crossing;
use super::kernels::make;
use super::links::Place;
use super::refill::Refill;
use super::shaders::{Delivery, Shader, Variant};

/// (rank, number of populations) of each piece of a message.
type Slots = [(usize, usize)];

/// The populations that cross after a step: kernels that pack and unpack them, and what goes to and comes from whom.
struct Message {
    /// None where the step packs them.
    pack: Option<(Kernel, Bound)>,
    unpack: (Kernel, Bound),
    going: Pieces,
    coming: Pieces,
    /// Populations that go and come.
    counts: [u32; 2],
}

/// Kernels and messages of the exchange.
pub(crate) struct Exchange {
    // Indexed by whether the step is odd.
    messages: [Message; 2],
    channel: RankChannel,
    stride: u32,
    /// Whether odd steps bring all populations of the halo's nodes, so that a part does their even steps too.
    refills: bool,
    /// Whether a message, that after an odd step or not, is packed in what is recorded.
    packed: Option<bool>,
}

/// What a step's kernel binds that packs messages: see crossing.wgsl.
pub(crate) struct PackBindings {
    /// By whether the step is odd.
    lists: [Buffer; 2],
    message: Buffer,
    /// Some also where the kernel could send messages by itself and does not.
    signals: [Buffer; 2],
}

impl PackBindings {
    /// No messages.
    pub fn none(gpu: &Gpu) -> Result<Self> {
        let buffer = || gpu.buffer("no message", 16);
        Ok(Self { lists: [buffer()?, buffer()?], message: buffer()?, signals: [buffer()?, buffer()?] })
    }

    /// What a step binds, odd or else even.
    pub fn table(&self, odd: bool) -> [(&'static str, &Buffer); 4] {
        let [arrived, sent] = &self.signals;
        let list = &self.lists[usize::from(odd)];
        [("crossing", list), ("message", &self.message), ("arrived", arrived), ("sent", sent)]
    }
}

impl Exchange {
    /// An exchange after every step: after an even one each part sends its own slots and fills its halo's, after an
    /// odd one it sends its halo's back.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn new(gpu: &Gpu, variant: &Variant, buffers: &Buffers, crossing: &Crossing, linked: bool) -> Result<Self> {
        let back = Refill {
            out: crossing.halo.clone(),
            into: crossing.own.clone(),
            going: crossing.neighbours.clone(),
            coming: crossing.neighbours.clone(),
        };
        Self::made(gpu, variant, buffers, crossing, &back, (false, linked))
    }

    /// An exchange after every odd step, which brings all that the next two need, but for the first step, where that
    /// is even.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn refilling(
        gpu: &Gpu,
        variant: &Variant,
        buffers: &Buffers,
        crossing: &Crossing,
        refill: &Refill,
        linked: bool,
    ) -> Result<Self> {
        Self::made(gpu, variant, buffers, crossing, refill, (true, linked))
    }

    fn made(
        gpu: &Gpu,
        variant: &Variant,
        buffers: &Buffers,
        crossing: &Crossing,
        after_odd: &Refill,
        (refills, linked): (bool, bool),
    ) -> Result<Self> {
        let width = variant.precision.stored_bytes();
        // A piece without words may get one.
        let ranks = after_odd.going.len() + after_odd.coming.len();
        let bytes = |places: usize| (width * (places + ranks).max(crossing.len())) as u64;
        let (out, answer) = (bytes(after_odd.out.len()), bytes(after_odd.into.len()));
        // After an odd step the whole interior is still to be done; after every step there is less to do than a
        // message takes.
        let channel = match refills {
            _ if linked => RankChannel::linked(gpu, "halo", out, answer)?,
            true => RankChannel::new(gpu, gpu.background_channel("halo", out, answer)?),
            false => RankChannel::prompt(gpu, "halo", out, answer)?,
        };
        let signals = channel.signals();
        let variant = Variant { delivery: Delivery::through(&channel), ..*variant };
        let kernel = |shader, places: &[Place], message| -> Result<(Kernel, Bound)> {
            let words: Vec<u32> = places.iter().flat_map(|place| [place.pair, place.index]).collect();
            let places = gpu.buffer("places", 4 * words.len() as u64)?;
            gpu.upload(&places, 0, &words)?;
            let mut table: Vec<(&str, &Buffer)> = vec![("places", &places), ("message", message)];
            table.extend(buffers.table(&[]));
            table.extend(signals.iter().flat_map(|signals| signals.buffers()));
            make(gpu, &variant, shader, false, &table)
        };
        let pieces = |slots: &[(usize, usize)]| slots.iter().map(|&(rank, slots)| (rank, slots * width)).collect();
        let message = |out: &[Place], into: &[Place], going: &Slots, coming: &Slots| -> Result<Message> {
            let (out, sent) = answered(out, going, coming);
            let (into, came) = answered(into, coming, going);
            Ok(Message {
                pack: (!variant.packs(Shader::Step))
                    .then(|| kernel(Shader::Pack, &out, channel.send_buffer()))
                    .transpose()?,
                unpack: kernel(Shader::Unpack, &into, channel.receive_buffer())?,
                going: pieces(&sent),
                coming: pieces(&came),
                counts: [out.len() as u32, into.len() as u32],
            })
        };
        let messages = [
            message(&crossing.own, &crossing.halo, &crossing.neighbours, &crossing.neighbours)?,
            message(&after_odd.out, &after_odd.into, &after_odd.going, &after_odd.coming)?,
        ];
        Ok(Self { messages, channel, stride: buffers.stride, refills, packed: None })
    }

    /// Whether the messages of all ranks are so short that they should pass through a [linked](RankChannel::linked)
    /// channel. This rank sends what `crossing` says and, if there is one, `refill`. Collective.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn may_link(
        gpu: &Gpu,
        comm: &dyn Comm,
        precision: Precision,
        crossing: &Crossing,
        refill: Option<&Refill>,
    ) -> Result<bool> {
        let refill = refill.map_or(0, |refill| refill.out.len().max(refill.into.len()));
        let mut longest = [(precision.stored_bytes() * crossing.len().max(refill)) as f64];
        comm.max(&mut longest)?;
        Ok(precision == Precision::F32 && is_short(gpu, longest[0] as u64))
    }

    /// Seconds spent on messages so far.
    pub fn phases(&self) -> Phases {
        self.channel.phases()
    }

    /// Whether odd steps bring all populations of the halo's nodes.
    pub fn refills(&self) -> bool {
        self.refills
    }

    /// Whether what is recorded packs a message.
    pub fn is_packed(&self) -> bool {
        self.packed.is_some()
    }

    /// What the step binds so that it packs messages: workgroups have `each` of `nodes`, in even and in odd steps.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn pack_bindings(
        &self,
        gpu: &Gpu,
        crossing: &Crossing,
        nodes: Range<u32>,
        each: [u32; 2],
    ) -> Result<PackBindings> {
        let list = |odd: bool| -> Result<Buffer> {
            let items = crossing.by_workgroup(odd, nodes.clone(), each[usize::from(odd)]);
            let list = gpu.buffer("what crosses", size_of_val(items.as_slice()) as u64)?;
            gpu.upload(&list, 0, &items)?;
            Ok(list)
        };
        let mut pack_bindings = PackBindings::none(gpu)?;
        pack_bindings.lists = [list(false)?, list(true)?];
        pack_bindings.message = self.channel.send_buffer().clone();
        if let Some(signals) = self.channel.signals() {
            let [arrived, sent, _] = signals.buffers().map(|(_, buffer)| buffer.clone());
            pack_bindings.signals = [arrived, sent];
        }
        Ok(pack_bindings)
    }

    /// The number of the next message, where what packs it has to send it by itself.
    pub fn sent_by_kernel(&self) -> Option<u32> {
        self.channel.next_round()
    }

    /// Sends off what goes out after a step; packs it first, unless the step did.
    pub fn record_send(&mut self, recorder: &mut Recorder, odd: bool) {
        let message = &self.messages[usize::from(odd)];
        recorder.phase("pack halo");
        if let Some((kernel, bound)) = &message.pack {
            let count = message.counts[0];
            recorder.dispatch(
                kernel,
                bound,
                count,
                &[0, count, self.stride, self.sent_by_kernel().unwrap_or_default()],
            );
        }
        self.channel.send(recorder, length(&message.going));
        self.packed = Some(odd);
    }

    /// Where a message is packed in what is recorded: records how what arrives is put in its places, after what is to
    /// be done meanwhile. Says whether there is one, after an odd step or not.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn receive<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>) -> Result<Option<bool>> {
        let Some(odd) = self.packed.take() else { return Ok(None) };
        let message = &self.messages[usize::from(odd)];
        let pieces = (message.going.clone(), message.coming.clone());
        self.channel.await_answer(comm, recorder, "exchange halo", pieces)?;
        let (count, (kernel, bound)) = (message.counts[1], &message.unpack);
        recorder.phase("unpack halo");
        let round = self.channel.round().unwrap_or_default();
        recorder.dispatch(kernel, bound, count, &[0, count, self.stride, round]);
        Ok(Some(odd))
    }
}

/// What to send, so that every rank that sends words gets some: through a link, two ranks send each other words or
/// neither does. `places` and `going` are what has to be sent, `coming` is what arrives. A rank that would get nothing
/// gets one word without meaning. Returns the places and the pieces.
fn answered(places: &[Place], going: &Slots, coming: &Slots) -> (Vec<Place>, Vec<(usize, usize)>) {
    let mut pieces: Vec<_> = going.iter().copied().filter(|&(_, count)| count > 0).collect();
    let is_silent = |&&(rank, count): &&(usize, usize)| count > 0 && pieces.iter().all(|piece| piece.0 != rank);
    let silent: Vec<_> = coming.iter().filter(is_silent).map(|&(rank, _)| (rank, 1)).collect();
    let nowhere = vec![Place { pair: u32::MAX, index: 0 }; silent.len()];
    pieces.extend(silent);
    ([places, &nowhere].concat(), pieces)
}

#[cfg(test)]
mod tests {
    use hematite_gpu::{Needs, PUT, Template, WORKGROUP, render};

    use super::*;

    /// Of three parts that meet, one may need populations of another that needs none of its own.
    #[test]
    fn a_rank_that_sends_words_gets_words() {
        let place = |index| Place { pair: 2, index };
        let (going, coming) = ([(0, 2), (3, 0)], [(0, 1), (1, 4), (3, 5)]);
        let (places, pieces) = answered(&[place(7), place(8)], &going, &coming);
        assert_eq!(pieces, [(0, 2), (1, 1), (3, 1)]);
        assert_eq!(places[..2], [place(7), place(8)]);
        assert_eq!(places.iter().filter(|place| place.pair > 9).count(), 2);
        let four = [1, 2, 3, 4].map(place);
        assert_eq!(answered(&four, &[(1, 4)], &[(1, 1)]), (four.to_vec(), vec![(1, 4)]));
    }

    const TEXT: &str = "struct Span { count: u32, packs: u32 }
        var<immediate> span: Span;
        var<storage, read_write> numbers: array<u32>;
        #include \"crossing.wgsl\"
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) group: vec3<u32>) {
            numbers[group.x] = number_at(group.x) * 2u + u32(packing(number_at(group.x)));
        }";

    /// Each workgroup begins once, also those that rows of workgroups have too many; those that pack come first.
    #[test]
    fn workgroups_that_pack_begin() {
        let gpu = Gpu::open(0, Needs::default()).expect("a device");
        let context = minijinja::context! {
            workgroup => WORKGROUP, width => 1, pairs => Vec::<u32>::new(), word => "u32", linked => false,
        };
        let crossing = Template { name: "crossing.wgsl", text: include_str!("crossing.wgsl") };
        let wgsl = render(Template { name: "numbers.wgsl", text: TEXT }, &[crossing, PUT], &context);
        let kernel = Kernel::new(&gpu, "numbers", &wgsl, 8).expect("made");
        let groups: u32 = 12;
        let [none, message] = [0; 2].map(|_| gpu.buffer("nothing", 16).expect("room"));
        let numbers = gpu.buffer("numbers", 4 * u64::from(groups)).expect("room");
        let bound = kernel.bind(&gpu, &[("crossing", &none), ("message", &message), ("numbers", &numbers)]);
        // Groups with nodes, and the first that packs; u32::MAX where none does.
        for (of_nodes, first) in [(10, 7), (10, 0), (10, 9), (10, u32::MAX), (12, 5), (1, 0)] {
            let mut recorder = Recorder::new(&gpu);
            recorder.dispatch(&kernel, &bound, groups * WORKGROUP, &[of_nodes * WORKGROUP - 3, first]);
            recorder.submit();
            let found: Vec<u32> = gpu.download(&numbers, 0, groups as usize).expect("reads");
            let packs = first.min(of_nodes)..of_nodes;
            let others = (0..packs.start).chain(of_nodes..groups).map(|number| 2 * number);
            let expected: Vec<u32> = packs.clone().map(|number| 2 * number + 1).chain(others).collect();
            assert_eq!(found, expected, "{of_nodes} groups, from {first} on they pack");
        }
    }
}
