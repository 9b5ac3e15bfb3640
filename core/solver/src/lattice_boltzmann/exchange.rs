//! The exchange of crossing populations with neighbouring parts.

use std::ops::Add;
use std::time::Instant;

use hematite_comm::{Comm, exchange_unequal};
use hematite_config::Result;
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, Mailbox, Recorder};

use super::buffers::Buffers;
use super::halo::Crossing;
use super::kernels::make;
use super::links::Place;
use super::refill::Refill;
use super::shaders::{Shader, Variant};

/// Seconds spent in the phases of the time step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phases {
    /// Waiting for kernels.
    pub compute: f64,
    /// Messages between ranks.
    pub communication: f64,
    /// Packing, and copies between device and host.
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

/// (rank, number of slots) of each piece of a message.
type Pieces = Vec<(usize, usize)>;

/// The populations that cross after a step: kernels that pack and unpack them, and what goes to and comes from whom.
struct Message {
    pack: (Kernel, Bound),
    unpack: (Kernel, Bound),
    going: Pieces,
    coming: Pieces,
}

/// Kernels and messages of the exchange.
pub(crate) struct Exchange {
    // Indexed by whether the step is odd.
    messages: [Message; 2],
    mailbox: Mailbox,
    out: Vec<u8>,
    into: Vec<u8>,
    /// Bytes of a population.
    width: usize,
    stride: u32,
    /// Whether odd steps bring all populations of the halo's nodes, so that a part does their even steps too.
    refills: bool,
    /// Whether a message, that after an odd step or not, is packed in what is recorded.
    packed: Option<bool>,
    /// The same of one that is submitted and has not arrived yet.
    on_its_way: Option<bool>,
}

impl Exchange {
    /// An exchange after every step: after an even one each part sends its own slots and fills its halo's, after an odd one it sends
    /// its halo's back.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn new(gpu: &Gpu, variant: &Variant, buffers: &Buffers, crossing: &Crossing) -> Result<Self> {
        let back = Refill {
            out: crossing.halo.clone(),
            into: crossing.own.clone(),
            going: crossing.neighbours.clone(),
            coming: crossing.neighbours.clone(),
        };
        Self::made(gpu, variant, buffers, crossing, &back, false)
    }

    /// An exchange after every odd step, which brings all that the next two need, but for the first step, where that is even.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn refilling(
        gpu: &Gpu,
        variant: &Variant,
        buffers: &Buffers,
        crossing: &Crossing,
        refill: &Refill,
    ) -> Result<Self> {
        Self::made(gpu, variant, buffers, crossing, refill, true)
    }

    fn made(
        gpu: &Gpu,
        variant: &Variant,
        buffers: &Buffers,
        crossing: &Crossing,
        after_odd: &Refill,
        refills: bool,
    ) -> Result<Self> {
        let width = variant.precision.stored_bytes();
        let bytes = |places: usize| (width * places.max(crossing.len())) as u64;
        let (out, answer) = (bytes(after_odd.out.len()), bytes(after_odd.into.len()));
        // After an odd step the whole interior is still to be done; after every step there is less to do than a message takes.
        let mailbox =
            if refills { gpu.background_mailbox("halo", out, answer)? } else { gpu.mailbox("halo", out, answer)? };
        let kernel = |shader, places: &[Place], message| -> Result<(Kernel, Bound)> {
            let words: Vec<u32> = places.iter().flat_map(|place| [place.pair, place.index]).collect();
            let places = gpu.buffer("places", 4 * words.len() as u64)?;
            gpu.upload(&places, 0, &words)?;
            let mut table: Vec<(&str, &Buffer)> = vec![("places", &places), ("message", message)];
            table.extend(buffers.table(&[]));
            make(gpu, variant, shader, false, &table)
        };
        let message = |out: &[Place], into: &[Place], going: &Pieces, coming: &Pieces| -> Result<Message> {
            Ok(Message {
                pack: kernel(Shader::Pack, out, mailbox.out())?,
                unpack: kernel(Shader::Unpack, into, mailbox.incoming())?,
                going: going.clone(),
                coming: coming.clone(),
            })
        };
        let messages = [
            message(&crossing.own, &crossing.halo, &crossing.neighbours, &crossing.neighbours)?,
            message(&after_odd.out, &after_odd.into, &after_odd.going, &after_odd.coming)?,
        ];
        let [out, into] = [&after_odd.out, &after_odd.into].map(|places| vec![0; bytes(places.len()) as usize]);
        Ok(Self {
            messages,
            mailbox,
            out,
            into,
            width,
            stride: buffers.stride,
            refills,
            packed: None,
            on_its_way: None,
        })
    }

    /// Whether odd steps bring all populations of the halo's nodes.
    pub fn refills(&self) -> bool {
        self.refills
    }

    /// Whether what is recorded packs a message.
    pub fn is_packed(&self) -> bool {
        self.packed.is_some()
    }

    /// Packs what goes out after a step and sends it off.
    pub fn record_pack(&mut self, recorder: &mut Recorder, odd: bool) {
        let message = &self.messages[usize::from(odd)];
        let (count, (kernel, bound)) = (slots(&message.going), &message.pack);
        recorder.phase("pack halo");
        recorder.dispatch(kernel, bound, count as u32, &[0, count as u32, self.stride, 0]);
        recorder.post(&mut self.mailbox, (count * self.width) as u64);
        self.packed = Some(odd);
    }

    /// Where a message is packed in what is recorded: submits that, once the message before has arrived, and records how what
    /// arrives is put in its places. It is to arrive before that is submitted. Says whether there is one, after an odd step or not.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn send(&mut self, comm: &dyn Comm, recorder: &mut Recorder, phases: &mut Phases) -> Result<Option<bool>> {
        let Some(odd) = self.packed.take() else { return Ok(None) };
        recorder.seal();
        self.arrive(comm, recorder.gpu(), phases)?;
        recorder.flush();
        self.on_its_way = Some(odd);
        let message = &self.messages[usize::from(odd)];
        let (count, (kernel, bound)) = (slots(&message.coming) as u32, &message.unpack);
        recorder.phase("unpack halo");
        recorder.dispatch(kernel, bound, count, &[0, count, self.stride, 0]);
        Ok(Some(odd))
    }

    /// Takes the message on its way, if any, to the neighbours, and brings what arrives to the device, for what is submitted next.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn arrive(&mut self, comm: &dyn Comm, gpu: &Gpu, phases: &mut Phases) -> Result<()> {
        let Some(odd) = self.on_its_way.take() else { return Ok(()) };
        let Message { going, coming, .. } = &self.messages[usize::from(odd)];
        let bytes =
            |pieces: &Pieces| pieces.iter().map(|&(rank, slots)| (rank, slots * self.width)).collect::<Vec<_>>();
        let (out, into) = (&mut self.out[..slots(going) * self.width], &mut self.into[..slots(coming) * self.width]);
        let start = Instant::now();
        self.mailbox.receive(gpu, out)?;
        let read = Instant::now();
        phases.compute += (read - start).as_secs_f64();

        let _span = gpu.span("exchange halo");
        exchange_unequal(comm, (&bytes(going), out), (&bytes(coming), into))?;
        let traded = Instant::now();
        phases.communication += (traded - read).as_secs_f64();

        self.mailbox.answer(gpu, into);
        phases.packing += traded.elapsed().as_secs_f64();
        Ok(())
    }
}

/// Slots of all pieces.
fn slots(pieces: &Pieces) -> usize {
    pieces.iter().map(|&(_, slots)| slots).sum()
}
