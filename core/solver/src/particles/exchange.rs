//! Messages about particles: from owners to copies, from copies to owners.

use std::collections::HashMap;

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_gpu::{Bound, Buffer, Gpu, Recorder, Staging};

use super::Particles;
use super::moves::{Place, Way};

/// Buffers of messages, and how many particles they are about.
#[derive(Default)]
pub(super) struct Post {
    room: Option<Room>,
    /// Of each neighbour, how many of the own particles it sees.
    pub sent: Vec<u32>,
    /// Of each neighbour, how many of its particles this rank sees.
    pub received: Vec<u32>,
}

struct Room {
    words: u64,
    out: Buffer,
    into: Buffer,
    staging: Staging,
    bound: HashMap<(Way, &'static str), Bound>,
}

impl Post {
    /// Forgets what was bound to arrays that are no more.
    pub fn forget(&mut self) {
        if let Some(room) = &mut self.room {
            room.bound.clear();
        }
    }

    fn room(&mut self, gpu: &Gpu, words: u64) -> Result<&mut Room> {
        if self.room.as_ref().is_none_or(|room| room.words < words) {
            let words = words + words / 2 + 64;
            self.room = Some(Room {
                words,
                out: gpu.buffer("particles out", 4 * words)?,
                into: gpu.buffer("particles in", 4 * words)?,
                staging: gpu.staging("particles", 4 * words)?,
                bound: HashMap::new(),
            });
        }
        Ok(self.room.as_mut().expect("just made"))
    }
}

impl Particles {
    /// Gives copies what their owners hold in the properties called `names`, after the work of `recorder`; `meanwhile` is
    /// called while the message travels. Collective among neighbours.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn forward(
        &mut self,
        comm: &dyn Comm,
        recorder: Recorder,
        names: &[&'static str],
        meanwhile: impl FnOnce(),
    ) -> Result<()> {
        let (sent, received) = (self.post.sent.clone(), self.post.received.clone());
        let own = self.own;
        self.send(comm, recorder, names, (Way::PackListed, 0, &sent), (Way::Unpack, own, &received), meanwhile)
    }

    /// Adds what copies hold in the integers called `name` to what their owners hold, after the work of `recorder`;
    /// `meanwhile` is called while the message travels. Collective among neighbours.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn reverse(
        &mut self,
        comm: &dyn Comm,
        recorder: Recorder,
        name: &'static str,
        meanwhile: impl FnOnce(),
    ) -> Result<()> {
        let (sent, received) = (self.post.sent.clone(), self.post.received.clone());
        let own = self.own;
        self.send(comm, recorder, &[name], (Way::Pack, own, &received), (Way::Add, 0, &sent), meanwhile)
    }

    /// Sends the properties called `names` of so many particles to each neighbour and takes in those of so many from each:
    /// (way, first particle, particles by neighbour).
    pub(super) fn send(
        &mut self,
        comm: &dyn Comm,
        mut recorder: Recorder,
        names: &[&'static str],
        (out, first_out, sent): (Way, u32, &[u32]),
        (into, first_into, received): (Way, u32, &[u32]),
        meanwhile: impl FnOnce(),
    ) -> Result<()> {
        let (going, coming): (u32, u32) = (sent.iter().sum(), received.iter().sum());
        if going + coming == 0 {
            recorder.submit();
            meanwhile();
            return Ok(());
        }
        let gpu = self.gpu.clone();
        let properties = &self.arrays.properties;
        let record: u32 = names.iter().map(|name| properties.property(name).words()).sum();
        let room = self.post.room(&gpu, u64::from(going.max(coming)) * u64::from(record))?;
        let (moves, list, stride) = (&self.moves, &self.arrays.list, properties.stride);
        let mut all = |recorder: &mut Recorder, way: Way, first: u32, count: u32| {
            let mut offset = 0;
            for &name in names {
                let property = properties.property(name);
                let message = if matches!(way, Way::Pack | Way::PackListed) { &room.out } else { &room.into };
                let bound =
                    room.bound.entry((way, name)).or_insert_with(|| moves.bind(&gpu, way, property, message, list));
                moves.record(recorder, (way, bound), property, stride, (first, count), Place { record, offset });
                offset += property.words();
            }
        };
        recorder.phase("exchange of bodies");
        all(&mut recorder, out, first_out, going);
        let bytes = 4 * going as usize * record as usize;
        if bytes > 0 {
            recorder.copy_out(&room.out, 0, &room.staging, bytes as u64);
        }
        let packed = recorder.submit();
        meanwhile();
        let message = match bytes {
            0 => Vec::new(),
            _ => gpu.read(&room.staging, &packed, |mapped| mapped[..bytes].to_vec())?,
        };
        let arrived = exchange(comm, &self.tiles.neighbours, &message, (sent, received), 4 * record as usize)?;
        if !arrived.is_empty() {
            gpu.write(&room.into, 0, &arrived);
            let mut recorder = Recorder::new(&gpu);
            recorder.phase("exchange of bodies");
            all(&mut recorder, into, first_into, coming);
            recorder.submit();
        }
        Ok(())
    }

    /// What each neighbour says of itself, one number each.
    pub(super) fn swap(&self, comm: &dyn Comm, numbers: &[u32]) -> Result<Vec<u32>> {
        let ones = vec![1; numbers.len()];
        let bytes = exchange(comm, &self.tiles.neighbours, bytemuck::cast_slice(numbers), (&ones, &ones), 4)?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}

/// Sends pieces of `message`, `sent[k]` records of so many `bytes` to neighbour k, and gives what came, `received[k]` from it.
fn exchange(
    comm: &dyn Comm,
    neighbours: &[usize],
    message: &[u8],
    (sent, received): (&[u32], &[u32]),
    bytes: usize,
) -> Result<Vec<u8>> {
    let mut arrived = vec![0; received.iter().sum::<u32>() as usize * bytes];
    let (mut send, mut receive) = (Vec::new(), Vec::new());
    let (mut out, mut into) = (message, arrived.as_mut_slice());
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
    Ok(arrived)
}
