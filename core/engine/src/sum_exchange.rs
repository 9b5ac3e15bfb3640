//! The exchange of velocities: each rank interpolates from its own nodes and adds what the cell's other holders found.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, MAIN, Recorder, Template, WORKGROUP, render};
use minijinja::context;

use crate::courier::{Courier, Phases, Pieces};

/// The velocities of shared cells, as integers, to and from the other holders. For each of them in ascending order, the
/// cells held by both in ascending order of their numbers, the same list on both sides. Points of walls are traded alike.
pub struct Trade {
    gather: Kernel,
    add: Kernel,
    room: Option<Room>,
    count: u32,
    /// (rank, bytes) of each holder's piece of the message.
    pieces: Pieces,
    /// Of the rooms before this one.
    earlier: Phases,
}

/// Buffers for some number of words.
struct Room {
    words: usize,
    list: Buffer,
    courier: Courier,
    gather: Bound,
    add: Bound,
}

fn wgsl(add: bool) -> String {
    let context = context! { add, workgroup => WORKGROUP };
    render(Template { name: "words.wgsl", text: include_str!("words.wgsl") }, &[MAIN], &context)
}

impl Trade {
    /// One without lists so far.
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

    /// Takes new lists: for each other holder, ascending, the indices in `drift` of the words they share.
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

    /// Binds anew after the arrays of vertices moved.
    pub fn rebind(&mut self, gpu: &Gpu, drift: &Buffer) -> Result<()> {
        match &self.room {
            Some(room) => self.make_room(gpu, drift, room.words),
            None => Ok(()),
        }
    }

    fn make_room(&mut self, gpu: &Gpu, drift: &Buffer, words: usize) -> Result<()> {
        let bytes = 4 * words;
        let list = gpu.buffer("shared words", bytes as u64)?;
        let courier = Courier::new(gpu, gpu.mailbox("shares", bytes as u64, bytes as u64)?);
        let bind = |kernel: &Kernel, message: &Buffer| {
            kernel.bind(gpu, &[("words", drift), ("list", &list), ("message", message)])
        };
        let (gather, add) = (bind(&self.gather, courier.out()), bind(&self.add, courier.incoming()));
        self.earlier = self.phases();
        self.room = Some(Room { words, list, courier, gather, add });
        Ok(())
    }

    /// Sends this rank's shares, which are made by what `recorder` holds, and brings those of the others to the device, for what is
    /// recorded after.
    pub fn trade<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>) -> Result<()> {
        let Some(room) = self.room.as_ref().filter(|_| self.count > 0) else { return Ok(()) };
        recorder.phase("pack shares");
        recorder.dispatch(&self.gather, &room.gather, self.count, &[self.count]);
        room.courier.post(recorder, 4 * self.count as usize);
        room.courier.await_answer(comm, recorder, "exchange shares", (self.pieces.clone(), self.pieces.clone()))
    }

    /// Seconds spent on messages so far.
    pub fn phases(&self) -> Phases {
        self.earlier + self.room.as_ref().map(|room| room.courier.phases()).unwrap_or_default()
    }

    /// Adds what arrived.
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
