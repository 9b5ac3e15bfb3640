//! Messages about particles: from owners to copies, from copies to owners.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_gpu::{Gpu, Mailbox, Recorder};

use super::Particles;
use super::messages::{Message, Way};
use super::properties::Property;

/// Mailbox and kernels of messages, and how many particles they are about.
#[derive(Default)]
pub(super) struct Post {
    room: Option<Room>,
    kernels: Vec<Message>,
    /// Of each neighbour, how many of the own particles it sees.
    pub sent: Vec<u32>,
    /// Of each neighbour, how many of its particles this rank sees.
    pub received: Vec<u32>,
}

struct Room {
    words: u64,
    mailbox: Mailbox,
    out: Vec<u8>,
    into: Vec<u8>,
}

/// What some of the particles are to others: which kernel moves them, the first of them, how many by neighbour.
type Side = (Way, u32, Vec<u32>);

/// A message that was packed, and what is to be done with the one that comes in return.
#[must_use = "the neighbours wait for it"]
pub struct Parcel {
    names: Vec<&'static str>,
    sent: Vec<u32>,
    /// Bytes of a particle.
    record: usize,
    into: Side,
}

impl Post {
    fn room(&mut self, gpu: &Gpu, words: u64) -> Result<&mut Room> {
        let room = match self.room.take() {
            Some(room) if room.words >= words => room,
            _ => {
                let words = words + words / 2 + 64;
                let bytes = 4 * words as usize;
                let mailbox = gpu.mailbox("messages of particles", bytes as u64, bytes as u64)?;
                Room { words, mailbox, out: vec![0; bytes], into: vec![0; bytes] }
            }
        };
        Ok(self.room.insert(room))
    }

    /// The number of the kernel for some properties; made where there is none yet.
    fn kernel(&mut self, gpu: &Gpu, way: Way, properties: &[&Property]) -> Result<usize> {
        let names = || properties.iter().map(|property| property.declared.name);
        let fits = |message: &Message| message.way == way && message.names.iter().copied().eq(names());
        if let Some(known) = self.kernels.iter().position(fits) {
            return Ok(known);
        }
        self.kernels.push(Message::new(gpu, way, properties)?);
        Ok(self.kernels.len() - 1)
    }
}

impl Particles {
    /// Begins to give copies what their owners hold in the properties called `names`, after what `recorder` holds. What is
    /// recorded before [`Particles::arrive`] is done while the message travels.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn forward(&mut self, recorder: &mut Recorder, names: &[&'static str]) -> Result<Parcel> {
        let (sent, received) = (self.post.sent.clone(), self.post.received.clone());
        self.send(recorder, names, (Way::PackListed, 0, sent), (Way::Unpack, self.own, received))
    }

    /// Begins to add what copies hold in the integers called `name` to what their owners hold; else as [`Particles::forward`].
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn reverse(&mut self, recorder: &mut Recorder, name: &'static str) -> Result<Parcel> {
        let (sent, received) = (self.post.sent.clone(), self.post.received.clone());
        self.send(recorder, &[name], (Way::Pack, self.own, received), (Way::Add, 0, sent))
    }

    /// Packs the properties called `names` of some particles for neighbours, of whom some others come.
    pub(super) fn send(
        &mut self,
        recorder: &mut Recorder,
        names: &[&'static str],
        (out, first, sent): Side,
        into: Side,
    ) -> Result<Parcel> {
        let (going, coming): (u32, u32) = (sent.iter().sum(), into.2.iter().sum());
        let properties = self.arrays.properties.called(names);
        let record: u32 = properties.iter().map(|property| property.words()).sum();
        self.post.room(&self.gpu, u64::from(going.max(coming)) * u64::from(record))?;
        self.record_message(recorder, "pack bodies", (out, names), (first, going))?;
        if let Some(room) = self.post.room.as_mut().filter(|_| going + coming > 0) {
            recorder.post(&mut room.mailbox, 4 * u64::from(going) * u64::from(record));
        }
        Ok(Parcel { names: names.to_vec(), sent, record: 4 * record as usize, into })
    }

    /// Submits what is recorded, takes `parcel` to the neighbours, and records what is to be done with what came. Collective
    /// among neighbours.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn arrive(&mut self, comm: &dyn Comm, recorder: &mut Recorder, parcel: Parcel) -> Result<()> {
        let Parcel { names, sent, record, into: (way, first, received) } = parcel;
        let (going, coming): (u32, u32) = (sent.iter().sum(), received.iter().sum());
        let Some(room) = self.post.room.as_mut().filter(|_| going + coming > 0) else { return Ok(()) };
        let out = &mut room.out[..going as usize * record];
        // Also where nothing goes out: then what came last was taken out of the mailbox.
        recorder.receive(&mut room.mailbox, out)?;
        let gpu = recorder.gpu();
        let into = &mut room.into[..coming as usize * record];
        {
            let _span = gpu.span("exchange bodies");
            exchange(comm, &self.tiles.neighbours, (out, &sent), (into, &received), record)?;
            room.mailbox.answer(gpu, into);
        }
        self.record_message(recorder, "unpack bodies", (way, &names), (first, coming))
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
        if let Some(room) = self.post.room.as_ref().filter(|_| count > 0) {
            recorder.phase(phase);
            let message = if way.packs() { room.mailbox.out() } else { room.mailbox.incoming() };
            let buffers = (message, &self.arrays.list);
            self.post.kernels[kernel].record(
                recorder,
                (&properties, self.arrays.properties.stride),
                buffers,
                (first, count),
            );
        }
        Ok(())
    }

    /// What each neighbour says of itself, one number each.
    pub(super) fn swap(&self, comm: &dyn Comm, numbers: &[u32]) -> Result<Vec<u32>> {
        let ones = vec![1; numbers.len()];
        let mut theirs = vec![0_u32; numbers.len()];
        let (out, into) = (bytemuck::cast_slice(numbers), bytemuck::cast_slice_mut(&mut theirs));
        exchange(comm, &self.tiles.neighbours, (out, &ones), (into, &ones), 4)?;
        Ok(theirs)
    }
}

/// Sends pieces of `out`, `sent[k]` records of so many `bytes` to neighbour k, and fills `into` with what comes, `received[k]` from
/// it.
fn exchange(
    comm: &dyn Comm,
    neighbours: &[usize],
    (mut out, sent): (&[u8], &[u32]),
    (mut into, received): (&mut [u8], &[u32]),
    bytes: usize,
) -> Result<()> {
    let (mut send, mut receive) = (Vec::new(), Vec::new());
    for (k, &rank) in neighbours.iter().enumerate() {
        let (piece, rest) = out.split_at(sent[k] as usize * bytes);
        out = rest;
        if !piece.is_empty() {
            send.push((rank, piece));
        }
        let (piece, rest) = into.split_at_mut(received[k] as usize * bytes);
        into = rest;
        if !piece.is_empty() {
            receive.push((rank, piece));
        }
    }
    if !send.is_empty() || !receive.is_empty() {
        comm.exchange(&send, &mut receive)?;
    }
    Ok(())
}
