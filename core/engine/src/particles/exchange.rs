//! Messages about particles between owners and ghosts.

use hematite_comm::{Comm, exchange_pieces};
use hematite_config::Result;
use hematite_gpu::{Buffer, Gpu, KernelSignals, Recorder};

use super::Particles;
use super::arrays::Listed;
use super::messages::{MessageKernel, Way};
use super::properties::Property;
use crate::rank_channel::RankChannel;

/// [`Particles::pack_ahead`] packs the last count plus 1/16 of it plus 16.
const AHEAD: u32 = 16;

/// The channel and the kernels of messages about particles, and the numbers of particles in messages.
#[derive(Default)]
pub(super) struct Messaging {
    room: Option<Room>,
    kernels: Vec<MessageKernel>,
    /// For each neighbour, the number of own particles that it sees.
    pub sent: Vec<u32>,
    /// For each neighbour, the number of its particles that this rank sees.
    pub received: Vec<u32>,
    /// By list, how many particles are packed before their number is known: the last number and some more.
    ahead: [u32; 2],
}

struct Room {
    words: u64,
    channel: RankChannel,
}

impl Room {
    fn kernel_message(&self, message: fn(&RankChannel) -> &Buffer, round: fn(&KernelSignals) -> u32) -> KernelMessage {
        let signals = self.channel.signals().cloned();
        KernelMessage { buffer: message(&self.channel).clone(), round: signals.as_ref().map_or(0, round), signals }
    }
}

/// Where received particles go: the place of the first, and the number from each neighbour.
type Side = (u32, Vec<u32>);

/// A message on its way to the neighbours, and the place for the messages that they send.
#[must_use = "the neighbours wait for it"]
pub struct Pending {
    names: Vec<&'static str>,
    sent: Vec<u32>,
    /// Bytes for each particle.
    record: usize,
    into: Side,
    /// Whether the channel has the message.
    sent_off: bool,
}

/// A message that a kernel of the physics writes or reads.
pub struct KernelMessage {
    /// The words of the message, by neighbour, then by particle.
    pub buffer: Buffer,
    /// The signals if the kernel must send or await the message itself, even a message about no particle.
    pub signals: Option<KernelSignals>,
    /// The number of the message, for `signals`.
    pub round: u32,
}

impl Messaging {
    fn room(&mut self, gpu: &Gpu, words: u64) -> Result<&mut Room> {
        let room = match self.room.take() {
            Some(room) if room.words >= words => room,
            _ => {
                let words = words + words / 2 + 64;
                Room { words, channel: RankChannel::prompt(gpu, "messages of particles", 4 * words, 4 * words)? }
            }
        };
        Ok(self.room.insert(room))
    }

    /// The index of the kernel for `properties`, which is made at its first use.
    fn kernel(&mut self, gpu: &Gpu, way: Way, properties: &[&Property]) -> Result<usize> {
        let names = || properties.iter().map(|property| property.declared.name);
        let signals = self.room.as_ref().is_some_and(|room| room.channel.signals().is_some());
        let fits = |message: &MessageKernel| {
            message.way == way && message.signals == signals && message.names.iter().copied().eq(names())
        };
        if let Some(known) = self.kernels.iter().position(fits) {
            return Ok(known);
        }
        self.kernels.push(MessageKernel::new(gpu, way, properties, signals)?);
        Ok(self.kernels.len() - 1)
    }
}

impl Particles {
    /// Whether the kernel that reads `pending` must wait for it itself. Kernels recorded before it, and the work that
    /// it does before it waits, are then done while the message travels.
    pub fn awaited_by_kernel(&self, pending: &Pending) -> bool {
        pending.sent_off && self.messaging.room.as_ref().is_some_and(|room| room.channel.signals().is_some())
    }

    /// Records that owners send the properties `names` of their particles to ghosts. What is recorded before
    /// [`Particles::receive`] is done while the message travels.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn update_ghosts(&mut self, recorder: &mut Recorder, names: &[&'static str]) -> Result<Pending> {
        let (sent, received) = (self.messaging.sent.clone(), self.messaging.received.clone());
        self.send(recorder, names, sent, (self.own, received))
    }

    /// A message between owners and ghosts for a kernel of the physics to write, of up to `words` words for each ghost;
    /// `None` if neither side has ghosts. Then call [`Particles::send_to_owners`] or [`Particles::send_to_ghosts`]. A
    /// kernel that reads one message and writes the next needs the same `words` for both.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn kernel_message(&mut self, words: u32) -> Result<Option<KernelMessage>> {
        let (going, coming): (u32, u32) = (self.messaging.received.iter().sum(), self.messaging.sent.iter().sum());
        if going + coming == 0 {
            return Ok(None);
        }
        let room = self.messaging.room(&self.gpu, u64::from(going.max(coming)) * u64::from(words))?;
        Ok(Some(room.kernel_message(RankChannel::send_buffer, KernelSignals::next_round)))
    }

    /// Sends the message that a kernel wrote, `words` words for each ghost, to the owners of ghosts. There a kernel
    /// reads it, see [`Particles::receive_in_kernel`].
    pub fn send_to_owners(&mut self, recorder: &mut Recorder, words: u32) -> Pending {
        let (sent, received) = (self.messaging.sent.clone(), self.messaging.received.clone());
        self.send_filled(recorder, words, received, (0, sent))
    }

    /// Sends the message that a kernel wrote, `words` words for each ghost, from owners to ghosts, which come after the
    /// own particles.
    pub fn send_to_ghosts(&mut self, recorder: &mut Recorder, words: u32) -> Pending {
        let (sent, received) = (self.messaging.sent.clone(), self.messaging.received.clone());
        self.send_filled(recorder, words, sent, (self.own, received))
    }

    fn send_filled(&mut self, recorder: &mut Recorder, words: u32, sent: Vec<u32>, into: Side) -> Pending {
        let record = 4 * words as usize;
        if let Some(room) = &self.messaging.room {
            room.channel.send(recorder, sent.iter().sum::<u32>() as usize * record);
        }
        Pending { names: Vec::new(), sent, record, into, sent_off: true }
    }

    /// Receives `pending`, as [`Particles::receive`] does, for a kernel of the physics; `None` if no message comes.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn receive_in_kernel<'g>(
        &mut self,
        comm: &'g dyn Comm,
        recorder: &mut Recorder<'g>,
        pending: &Pending,
    ) -> Result<Option<KernelMessage>> {
        let Pending { sent, record, into: (.., received), sent_off, .. } = pending;
        let Some(room) = self.messaging.room.as_ref().filter(|_| *sent_off) else { return Ok(None) };
        let pieces = |counts: &[u32]| {
            let piece = |(&rank, &count): (&usize, &u32)| (count > 0).then_some((rank, count as usize * record));
            self.tiles.neighbours.iter().zip(counts).filter_map(piece).collect()
        };
        room.channel.await_answer(comm, recorder, "exchange bodies", (pieces(sent), pieces(received)))?;
        Ok(Some(room.kernel_message(RankChannel::receive_buffer, KernelSignals::round)))
    }

    /// Packs and sends the properties `names` of the listed particles, `sent` for each neighbour.
    fn send(&mut self, recorder: &mut Recorder, names: &[&'static str], sent: Vec<u32>, into: Side) -> Result<Pending> {
        let (going, coming): (u32, u32) = (sent.iter().sum(), into.1.iter().sum());
        let record = self.words_of(names);
        self.messaging.room(&self.gpu, u64::from(going.max(coming)) * u64::from(record))?;
        // Sends even if messages only come in: the channel answers only what was sent.
        let sent_off = going + coming > 0;
        if sent_off {
            self.record_send(recorder, names, going)?;
        }
        Ok(Pending { names: names.to_vec(), sent, record: 4 * record as usize, into, sent_off })
    }

    /// Packs and sends the properties `names` of the likely number of listed particles, so that the message need not
    /// wait for the actual number. Returns how many were packed.
    ///
    /// # Errors
    /// Where the device has no room.
    pub(super) fn pack_ahead(&mut self, recorder: &mut Recorder, which: Listed, names: &[&'static str]) -> Result<u32> {
        let count = u64::from(self.messaging.ahead[which as usize]).min(self.arrays.list_room()) as u32;
        if count > 0 {
            self.messaging.room(&self.gpu, u64::from(count) * u64::from(self.words_of(names)))?;
            self.record_send(recorder, names, count)?;
        }
        Ok(count)
    }

    /// Drops the message about `packed` particles that [`Particles::pack_ahead`] sent.
    ///
    /// # Errors
    /// When the device is lost.
    pub(super) fn discard_ahead(&self, recorder: &mut Recorder, packed: u32) -> Result<()> {
        match self.messaging.room.as_ref().filter(|_| packed > 0) {
            Some(room) => room.channel.discard(recorder),
            None => Ok(()),
        }
    }

    /// The message about the listed particles, `sent` for each neighbour. It is the message of
    /// [`Particles::pack_ahead`] if all particles are among its `packed`; else they are packed again.
    ///
    /// # Errors
    /// When the device is lost or has no room.
    pub(super) fn send_listed(
        &mut self,
        recorder: &mut Recorder,
        (which, packed): (Listed, u32),
        names: &[&'static str],
        sent: Vec<u32>,
        into: Side,
    ) -> Result<Pending> {
        let (going, coming): (u32, u32) = (sent.iter().sum(), into.1.iter().sum());
        self.messaging.ahead[which as usize] =
            if self.tiles.neighbours.is_empty() { 0 } else { going + going / AHEAD + AHEAD };
        let record = self.words_of(names);
        let fits = |room: &&mut Room| packed >= going && u64::from(coming) * u64::from(record) <= room.words;
        match self.messaging.room.as_mut().filter(|_| packed > 0) {
            Some(room) if fits(&room) => {
                Ok(Pending { names: names.to_vec(), sent, record: 4 * record as usize, into, sent_off: true })
            }
            _ => {
                self.discard_ahead(recorder, packed)?;
                self.send(recorder, names, sent, into)
            }
        }
    }

    /// Words for each particle in a message of the properties `names`.
    pub fn words_of(&self, names: &[&'static str]) -> u32 {
        self.arrays.properties.called(names).iter().map(|property| property.words()).sum()
    }

    /// Records that the properties `names` of the first `count` listed particles are packed and sent.
    fn record_send(&mut self, recorder: &mut Recorder, names: &[&'static str], count: u32) -> Result<()> {
        self.record_message(recorder, "pack bodies", (Way::Pack, names), (0, count))?;
        let bytes = 4 * count as usize * self.words_of(names) as usize;
        if let Some(room) = &self.messaging.room {
            room.channel.send(recorder, bytes);
        }
        Ok(())
    }

    /// Exchanges `pending` with the neighbours, and records that received particles are unpacked. Collective among
    /// neighbours.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn receive<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, pending: Pending) -> Result<()> {
        if self.receive_in_kernel(comm, recorder, &pending)?.is_none() {
            return Ok(());
        }
        let Pending { names, into: (first, received), .. } = pending;
        self.record_message(recorder, "unpack bodies", (Way::Unpack, &names), (first, received.iter().sum()))
    }

    fn record_message(
        &mut self,
        recorder: &mut Recorder,
        phase: &'static str,
        (way, names): (Way, &[&'static str]),
        (first, count): (u32, u32),
    ) -> Result<()> {
        let properties = self.arrays.properties.called(names);
        let kernel = self.messaging.kernel(&self.gpu, way, &properties)?;
        // A kernel that sends or awaits itself runs for empty messages too: the rounds of sender and receiver must
        // agree.
        let signals = |room: &&Room| room.channel.signals().is_some();
        if let Some(room) = self.messaging.room.as_ref().filter(|room| count > 0 || signals(room)) {
            recorder.phase(phase);
            let properties = (&*properties, self.arrays.properties.stride);
            let places = (&room.channel, &self.arrays.list);
            self.messaging.kernels[kernel].record(recorder, properties, places, (first, count));
        }
        Ok(())
    }

    /// Sends each neighbour one of `numbers` and returns the numbers that the neighbours send.
    pub(super) fn swap(&self, comm: &dyn Comm, numbers: &[u32]) -> Result<Vec<u32>> {
        let words: Vec<_> = self.tiles.neighbours.iter().map(|&rank| (rank, 4)).collect();
        let mut theirs = vec![0_u32; numbers.len()];
        exchange_pieces(comm, &words, bytemuck::cast_slice(numbers), bytemuck::cast_slice_mut(&mut theirs))?;
        Ok(theirs)
    }
}
