//! Messages about particles between owners and ghosts.

use hematite_comm::{Comm, exchange_pieces};
use hematite_config::Result;
use hematite_gpu::{Gpu, Recorder};

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

/// A message on its way to the neighbours, and the place for the messages that they send.
#[must_use = "the neighbours wait for it"]
pub struct Pending {
    names: Vec<&'static str>,
    /// Numbers of particles in the messages to the neighbours, and in those from them.
    going: Vec<u32>,
    coming: Vec<u32>,
    /// Bytes for each particle.
    record: usize,
    to: Receiver,
    /// Whether the channel has the message.
    sent_off: bool,
}

/// The particles that a message is for.
#[derive(Clone, Copy)]
pub(super) enum Receiver {
    /// Ghosts or arriving particles, from this place on.
    From(u32),
    /// The owners of ghosts, which add it to their own.
    Owners,
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
    /// Records that owners send the properties `names` of their particles to ghosts. What is recorded before
    /// [`Particles::receive`] is done while the message travels.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn update_ghosts(&mut self, recorder: &mut Recorder, names: &[&'static str]) -> Result<Pending> {
        let (sent, received) = (self.messaging.sent.clone(), self.messaging.received.clone());
        self.send(recorder, names, (sent, received), Receiver::From(self.own))
    }

    /// Records that the properties `names` of ghosts, whole numbers of one word, are sent to the owners, which add them
    /// to their own. What is recorded before [`Particles::receive`] is done while the message travels; by then the
    /// owners' own numbers must be there.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn add_to_owners(&mut self, recorder: &mut Recorder, names: &[&'static str]) -> Result<Pending> {
        let (sent, received) = (self.messaging.sent.clone(), self.messaging.received.clone());
        self.send(recorder, names, (received, sent), Receiver::Owners)
    }

    /// Packs and sends the properties `names` of the listed particles, or of ghosts to their owners: `going` to each
    /// neighbour, `coming` from each.
    fn send(
        &mut self,
        recorder: &mut Recorder,
        names: &[&'static str],
        (going, coming): (Vec<u32>, Vec<u32>),
        to: Receiver,
    ) -> Result<Pending> {
        let (out, back): (u32, u32) = (going.iter().sum(), coming.iter().sum());
        let record = self.words_of(names);
        self.messaging.room(&self.gpu, u64::from(out.max(back)) * u64::from(record))?;
        // Sends even if messages only come in: the channel answers only what was sent.
        let sent_off = out + back > 0;
        if sent_off {
            self.record_send(recorder, names, to, out)?;
        }
        Ok(Pending { names: names.to_vec(), going, coming, record: 4 * record as usize, to, sent_off })
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
            self.record_send(recorder, names, Receiver::From(0), count)?;
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

    /// The message about the listed particles: `going` to each neighbour, and `coming` from each to places from `first`
    /// on. It is the message of [`Particles::pack_ahead`] if all particles are among its `packed`; else they are packed
    /// again.
    ///
    /// # Errors
    /// When the device is lost or has no room.
    pub(super) fn send_listed(
        &mut self,
        recorder: &mut Recorder,
        (which, packed): (Listed, u32),
        names: &[&'static str],
        (going, coming): (Vec<u32>, Vec<u32>),
        first: u32,
    ) -> Result<Pending> {
        let (out, back): (u32, u32) = (going.iter().sum(), coming.iter().sum());
        self.messaging.ahead[which as usize] =
            if self.tiles.neighbours.is_empty() { 0 } else { out + out / AHEAD + AHEAD };
        let record = self.words_of(names);
        let fits = |room: &&mut Room| packed >= out && u64::from(back) * u64::from(record) <= room.words;
        let to = Receiver::From(first);
        match self.messaging.room.as_mut().filter(|_| packed > 0) {
            Some(room) if fits(&room) => {
                Ok(Pending { names: names.to_vec(), going, coming, record: 4 * record as usize, to, sent_off: true })
            }
            _ => {
                self.discard_ahead(recorder, packed)?;
                self.send(recorder, names, (going, coming), to)
            }
        }
    }

    /// Words for each particle in a message of the properties `names`.
    fn words_of(&self, names: &[&'static str]) -> u32 {
        self.arrays.properties.called(names).iter().map(|property| property.words()).sum()
    }

    /// Records that the properties `names` of `count` particles are packed and sent.
    fn record_send(&mut self, recorder: &mut Recorder, names: &[&'static str], to: Receiver, count: u32) -> Result<()> {
        let packed = match to {
            Receiver::From(_) => (Way::PackListed, 0),
            Receiver::Owners => (Way::PackRange, self.own),
        };
        self.record_message(recorder, "pack particles", names, packed, count)?;
        let bytes = 4 * count as usize * self.words_of(names) as usize;
        if let Some(room) = &self.messaging.room {
            room.channel.send(recorder, bytes);
        }
        Ok(())
    }

    /// Exchanges `pending` with the neighbours, and records that received particles are unpacked, or added to the
    /// owners' own. Collective among neighbours.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn receive<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, pending: Pending) -> Result<()> {
        let Pending { names, going, coming, record, to, sent_off } = pending;
        let Some(room) = self.messaging.room.as_ref().filter(|_| sent_off) else { return Ok(()) };
        let pieces = |counts: &[u32]| {
            let piece = |(&rank, &count): (&usize, &u32)| (count > 0).then_some((rank, count as usize * record));
            self.tiles.neighbours.iter().zip(counts).filter_map(piece).collect()
        };
        room.channel.await_answer(comm, recorder, "exchange particles", (pieces(&going), pieces(&coming)))?;
        let unpacked = match to {
            Receiver::From(first) => (Way::UnpackRange, first),
            Receiver::Owners => (Way::AddToListed, 0),
        };
        self.record_message(recorder, "unpack particles", &names, unpacked, coming.iter().sum())
    }

    fn record_message(
        &mut self,
        recorder: &mut Recorder,
        phase: &'static str,
        names: &[&'static str],
        (way, first): (Way, u32),
        count: u32,
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
