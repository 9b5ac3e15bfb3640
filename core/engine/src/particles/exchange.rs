//! Messages about particles: from owners to copies, from copies to owners.

use hematite_comm::{Comm, exchange_pieces};
use hematite_config::Result;
use hematite_gpu::{Buffer, Gpu, Recorder, Signals};

use super::Particles;
use super::arrays::Listed;
use super::messages::{Message, Way};
use super::properties::Property;
use crate::courier::Courier;

/// One of so many particles more than the last time, and so many, are packed ahead.
const AHEAD: u32 = 16;

/// Mailbox and kernels of messages, and how many particles they are about.
#[derive(Default)]
pub(super) struct Post {
    room: Option<Room>,
    kernels: Vec<Message>,
    /// Of each neighbour, how many of the own particles it sees.
    pub sent: Vec<u32>,
    /// Of each neighbour, how many of its particles this rank sees.
    pub received: Vec<u32>,
    /// By what is listed, how many particles are packed before it is known how many there are: those of the last time and some more.
    ahead: [u32; 2],
}

struct Room {
    words: u64,
    courier: Courier,
}

impl Room {
    fn letter(&self, message: fn(&Courier) -> &Buffer, round: fn(&Signals) -> u32) -> Letter {
        let signals = self.courier.signals().cloned();
        Letter { message: message(&self.courier).clone(), round: signals.as_ref().map_or(0, round), signals }
    }
}

/// Where what comes goes: the first of the particles, how many by neighbour.
type Side = (u32, Vec<u32>);

/// A message that was packed, and what is to be done with the one that comes in return.
#[must_use = "the neighbours wait for it"]
pub struct Parcel {
    names: Vec<&'static str>,
    sent: Vec<u32>,
    /// Bytes of a particle.
    record: usize,
    into: Side,
    /// Whether there is something to take out of the mailbox.
    posted: bool,
}

/// A message that a kernel of the body's fills or takes in.
pub struct Letter {
    /// What stands in it: the words of a particle together, those of the first piece first.
    pub message: Buffer,
    /// Where there are such, the kernel has to post or to await by itself, also where the message is about none.
    pub signals: Option<Signals>,
    /// The message's number for that.
    pub round: u32,
}

impl Post {
    fn room(&mut self, gpu: &Gpu, words: u64) -> Result<&mut Room> {
        let room = match self.room.take() {
            Some(room) if room.words >= words => room,
            _ => {
                let words = words + words / 2 + 64;
                Room { words, courier: Courier::prompt(gpu, "messages of particles", 4 * words, 4 * words)? }
            }
        };
        Ok(self.room.insert(room))
    }

    /// The number of the kernel for some properties; made where there is none yet.
    fn kernel(&mut self, gpu: &Gpu, way: Way, properties: &[&Property]) -> Result<usize> {
        let names = || properties.iter().map(|property| property.declared.name);
        let signals = self.room.as_ref().is_some_and(|room| room.courier.signals().is_some());
        let fits = |message: &Message| {
            message.way == way && message.signals == signals && message.names.iter().copied().eq(names())
        };
        if let Some(known) = self.kernels.iter().position(fits) {
            return Ok(known);
        }
        self.kernels.push(Message::new(gpu, way, properties, signals)?);
        Ok(self.kernels.len() - 1)
    }
}

impl Particles {
    /// Whether the kernel that takes in `parcel` has to wait for it by itself: what is recorded before that kernel then is done meanwhile, and
    /// so is what the kernel does before it waits.
    pub fn awaited_by_kernel(&self, parcel: &Parcel) -> bool {
        parcel.posted && self.post.room.as_ref().is_some_and(|room| room.courier.signals().is_some())
    }

    /// Begins to give copies what their owners hold in the properties called `names`, after what `recorder` holds. What is
    /// recorded before [`Particles::arrive`] is done while the message travels.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn forward(&mut self, recorder: &mut Recorder, names: &[&'static str]) -> Result<Parcel> {
        let (sent, received) = (self.post.sent.clone(), self.post.received.clone());
        self.send(recorder, names, sent, (self.own, received))
    }

    /// Where a kernel of the body's own puts a message between owners and copies: of each copy up to `words` words together, one copy's after the
    /// other's; none where there are no copies on either side. Then call [`Particles::reverse`] or [`Particles::answer`]. A kernel that takes in
    /// one message and fills the next has the same `words` for both.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn letter(&mut self, words: u32) -> Result<Option<Letter>> {
        let (going, coming): (u32, u32) = (self.post.received.iter().sum(), self.post.sent.iter().sum());
        if going + coming == 0 {
            return Ok(None);
        }
        let room = self.post.room(&self.gpu, u64::from(going.max(coming)) * u64::from(words))?;
        Ok(Some(room.letter(Courier::out, Signals::next_round)))
    }

    /// Sends off what a kernel filled with `words` words a copy, to the copies' owners. Another takes it in, see
    /// [`Particles::arrive_for_kernel`], at the places that particles have.
    pub fn reverse(&mut self, recorder: &mut Recorder, words: u32) -> Parcel {
        let (sent, received) = (self.post.sent.clone(), self.post.received.clone());
        self.send_filled(recorder, words, received, (0, sent))
    }

    /// The same from owners to copies, the first of which comes after the own particles.
    pub fn answer(&mut self, recorder: &mut Recorder, words: u32) -> Parcel {
        let (sent, received) = (self.post.sent.clone(), self.post.received.clone());
        self.send_filled(recorder, words, sent, (self.own, received))
    }

    fn send_filled(&mut self, recorder: &mut Recorder, words: u32, sent: Vec<u32>, into: Side) -> Parcel {
        let record = 4 * words as usize;
        if let Some(room) = &self.post.room {
            room.courier.post(recorder, sent.iter().sum::<u32>() as usize * record);
        }
        Parcel { names: Vec::new(), sent, record, into, posted: true }
    }

    /// As [`Particles::arrive`], for a kernel of the body's own that takes in what comes; none where nothing does.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn arrive_for_kernel<'g>(
        &mut self,
        comm: &'g dyn Comm,
        recorder: &mut Recorder<'g>,
        parcel: &Parcel,
    ) -> Result<Option<Letter>> {
        let Parcel { sent, record, into: (.., received), posted, .. } = parcel;
        let Some(room) = self.post.room.as_ref().filter(|_| *posted) else { return Ok(None) };
        let pieces = |counts: &[u32]| {
            let piece = |(&rank, &count): (&usize, &u32)| (count > 0).then_some((rank, count as usize * record));
            self.tiles.neighbours.iter().zip(counts).filter_map(piece).collect()
        };
        room.courier.await_answer(comm, recorder, "exchange bodies", (pieces(sent), pieces(received)))?;
        Ok(Some(room.letter(Courier::incoming, Signals::round)))
    }

    /// Packs the properties called `names` of the particles listed, `sent` for each neighbour, of whom some others come.
    fn send(&mut self, recorder: &mut Recorder, names: &[&'static str], sent: Vec<u32>, into: Side) -> Result<Parcel> {
        let (going, coming): (u32, u32) = (sent.iter().sum(), into.1.iter().sum());
        let record = self.words_of(names);
        self.post.room(&self.gpu, u64::from(going.max(coming)) * u64::from(record))?;
        // Also where nothing goes out: then what came last was taken out of the mailbox.
        let posted = going + coming > 0;
        if posted {
            self.record_post(recorder, names, going)?;
        }
        Ok(Parcel { names: names.to_vec(), sent, record: 4 * record as usize, into, posted })
    }

    /// Packs the properties called `names` of as many of those listed as there are likely to be, so that the message is on its way
    /// with their number; gives how many.
    ///
    /// # Errors
    /// Where the device has no room.
    pub(super) fn pack_ahead(&mut self, recorder: &mut Recorder, which: Listed, names: &[&'static str]) -> Result<u32> {
        let count = u64::from(self.post.ahead[which as usize]).min(self.arrays.list_room()) as u32;
        if count > 0 {
            self.post.room(&self.gpu, u64::from(count) * u64::from(self.words_of(names)))?;
            self.record_post(recorder, names, count)?;
        }
        Ok(count)
    }

    /// Takes back what [`Particles::pack_ahead`] sent off about `packed` particles.
    ///
    /// # Errors
    /// When the device is lost.
    pub(super) fn discard_ahead(&self, recorder: &mut Recorder, packed: u32) -> Result<()> {
        match self.post.room.as_ref().filter(|_| packed > 0) {
            Some(room) => room.courier.discard(recorder),
            None => Ok(()),
        }
    }

    /// The message about those listed, `sent` to each neighbour, of which `packed` are packed: what [`Particles::pack_ahead`] packed
    /// where that is all of them, else packed anew.
    ///
    /// # Errors
    /// When the device is lost or has no room.
    pub(super) fn parcel_of_listed(
        &mut self,
        recorder: &mut Recorder,
        (which, packed): (Listed, u32),
        names: &[&'static str],
        sent: Vec<u32>,
        into: Side,
    ) -> Result<Parcel> {
        let (going, coming): (u32, u32) = (sent.iter().sum(), into.1.iter().sum());
        self.post.ahead[which as usize] =
            if self.tiles.neighbours.is_empty() { 0 } else { going + going / AHEAD + AHEAD };
        let record = self.words_of(names);
        let fits = |room: &&mut Room| packed >= going && u64::from(coming) * u64::from(record) <= room.words;
        match self.post.room.as_mut().filter(|_| packed > 0) {
            Some(room) if fits(&room) => {
                Ok(Parcel { names: names.to_vec(), sent, record: 4 * record as usize, into, posted: true })
            }
            _ => {
                self.discard_ahead(recorder, packed)?;
                self.send(recorder, names, sent, into)
            }
        }
    }

    /// Words of a particle in a message of the properties called `names`.
    pub fn words_of(&self, names: &[&'static str]) -> u32 {
        self.arrays.properties.called(names).iter().map(|property| property.words()).sum()
    }

    /// Packs the properties called `names` of the first `count` particles listed and sends them off.
    fn record_post(&mut self, recorder: &mut Recorder, names: &[&'static str], count: u32) -> Result<()> {
        self.record_message(recorder, "pack bodies", (Way::Pack, names), (0, count))?;
        let bytes = 4 * count as usize * self.words_of(names) as usize;
        if let Some(room) = &self.post.room {
            room.courier.post(recorder, bytes);
        }
        Ok(())
    }

    /// Takes `parcel` to the neighbours, and records what is to be done with what comes. Collective among neighbours.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn arrive<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, parcel: Parcel) -> Result<()> {
        if self.arrive_for_kernel(comm, recorder, &parcel)?.is_none() {
            return Ok(());
        }
        let Parcel { names, into: (first, received), .. } = parcel;
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
        let kernel = self.post.kernel(&self.gpu, way, &properties)?;
        // Kernels that post and await by themselves have to also where a message is about none: the next one must not overtake it.
        let signals = |room: &&Room| room.courier.signals().is_some();
        if let Some(room) = self.post.room.as_ref().filter(|room| count > 0 || signals(room)) {
            recorder.phase(phase);
            let properties = (&*properties, self.arrays.properties.stride);
            let places = (&room.courier, &self.arrays.list);
            self.post.kernels[kernel].record(recorder, properties, places, (first, count));
        }
        Ok(())
    }

    /// What each neighbour says of itself, one number each.
    pub(super) fn swap(&self, comm: &dyn Comm, numbers: &[u32]) -> Result<Vec<u32>> {
        let words: Vec<_> = self.tiles.neighbours.iter().map(|&rank| (rank, 4)).collect();
        let mut theirs = vec![0_u32; numbers.len()];
        exchange_pieces(comm, &words, bytemuck::cast_slice(numbers), bytemuck::cast_slice_mut(&mut theirs))?;
        Ok(theirs)
    }
}
