//! Sums over ranks: each rank interpolates velocities of vertices from its own nodes, and adds the sums of the other
//! ranks that hold the cell.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, MAIN, Recorder, Template, WORKGROUP, render};
use minijinja::context;

use crate::rank_channel::{Phases, Pieces, RankChannel};

/// Exchanges the velocities of shared cells, as integers, with the other ranks that hold them. A message is ordered by
/// rank, then by number of the cell, with the same list on both sides. Points of walls are exchanged in the same way.
pub struct SumExchange {
    gather: Kernel,
    add: Kernel,
    room: Option<Room>,
    count: u32,
    /// (rank, bytes) of the piece of the message for each rank.
    pieces: Pieces,
    /// Time spent by earlier channels.
    earlier: Phases,
}

/// Buffers for some number of words.
struct Room {
    words: usize,
    list: Buffer,
    channel: RankChannel,
    gather: Bound,
    add: Bound,
}

fn wgsl(add: bool) -> String {
    let context = context! { add, workgroup => WORKGROUP };
    render(Template { name: "words.wgsl", text: include_str!("words.wgsl") }, &[MAIN], &context)
}

impl SumExchange {
    /// An exchange without lists.
    ///
    /// # Errors
    /// Where the device refuses a kernel.
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let kernel = |add: bool| Kernel::new(gpu, "velocities of shared cells", &wgsl(add), 4);
        Ok(Self {
            gather: kernel(false)?,
            add: kernel(true)?,
            room: None,
            count: 0,
            pieces: [].into(),
            earlier: Phases::default(),
        })
    }

    /// Sets the lists: for each other rank, ascending, the indices in `drift` of the words that it shares with this
    /// rank.
    pub fn share(&mut self, gpu: &Gpu, drift: &Buffer, lists: &[(usize, Vec<u32>)]) -> Result<()> {
        let list: Vec<u32> = lists.iter().flat_map(|(_, words)| words).copied().collect();
        self.pieces = lists.iter().map(|(rank, words)| (*rank, 4 * words.len())).collect();
        self.count = list.len() as u32;
        if list.is_empty() {
            return Ok(());
        }
        if self.room.as_ref().is_none_or(|room| room.words < list.len()) {
            self.make_room(gpu, drift, list.len() + list.len() / 2)?;
        }
        self.room.as_ref().map_or(Ok(()), |room| gpu.upload(&room.list, 0, &list))
    }

    /// Binds new arrays of vertices.
    pub fn rebind(&mut self, gpu: &Gpu, drift: &Buffer) -> Result<()> {
        match &self.room {
            Some(room) => self.make_room(gpu, drift, room.words),
            None => Ok(()),
        }
    }

    fn make_room(&mut self, gpu: &Gpu, drift: &Buffer, words: usize) -> Result<()> {
        let bytes = 4 * words;
        let list = gpu.buffer("shared words", bytes as u64)?;
        let channel = RankChannel::new(gpu, gpu.channel("shares", bytes as u64, bytes as u64)?);
        let bind = |kernel: &Kernel, message: &Buffer| {
            kernel.bind(gpu, &[("words", drift), ("list", &list), ("message", message)])
        };
        let (gather, add) = (bind(&self.gather, channel.send_buffer()), bind(&self.add, channel.receive_buffer()));
        self.earlier = self.phases();
        self.room = Some(Room { words, list, channel, gather, add });
        Ok(())
    }

    /// Records that the sums of this rank, computed by what `recorder` holds, are sent, and those of other ranks
    /// brought to the device.
    pub fn record_exchange<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>) -> Result<()> {
        let Some(room) = self.room.as_ref().filter(|_| self.count > 0) else { return Ok(()) };
        recorder.phase("pack shares");
        recorder.dispatch(&self.gather, &room.gather, self.count, &[self.count]);
        room.channel.send(recorder, 4 * self.count as usize);
        room.channel.await_answer(comm, recorder, "exchange shares", (self.pieces.clone(), self.pieces.clone()))
    }

    /// Time spent on messages so far.
    pub fn phases(&self) -> Phases {
        self.earlier + self.room.as_ref().map(|room| room.channel.phases()).unwrap_or_default()
    }

    /// Records that the sums of other ranks are added.
    pub fn record_add(&self, recorder: &mut Recorder) {
        if let Some(room) = self.room.as_ref().filter(|_| self.count > 0) {
            recorder.dispatch(&self.add, &room.add, self.count, &[self.count]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_are_valid_wgsl() {
        for add in [false, true] {
            let source = wgsl(add);
            wgsl_checks::validate("shares", &source);
        }
    }
}
