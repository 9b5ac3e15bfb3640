//! Sums over ranks: each rank interpolates velocities of vertices from its own nodes, and adds the sums of the other
//! ranks that hold the cell.

use std::ops::Range;
use std::sync::LazyLock;

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_gpu::{
    Bound, Buffer, Gpu, Kernel, KernelSignals, MAIN, PUT, Recorder, STRETCHES, Stretch, TAKE, Template, WORKGROUP,
    long_message, render,
};
use minijinja::context;

use crate::rank_channel::{Phases, Pieces, RankChannel, is_short};

/// Bytes of shares whose way takes longer than other work takes by being done in two parts; the environment variable
/// HEMATITE_LONG_SHARES gives another number.
static LONG: LazyLock<u32> = LazyLock::new(|| {
    let given = std::env::var("HEMATITE_LONG_SHARES").ok().and_then(|bytes| bytes.parse().ok());
    given.unwrap_or(1 << 20)
});

/// Exchanges the velocities of shared cells, as integers, with the other ranks that hold them. A message is ordered by
/// rank, then by number of the cell, with the same list on both sides. Points of walls are exchanged in the same way.
#[derive(Default)]
pub struct SumExchange {
    room: Option<Room>,
    /// Words of the message.
    words: u32,
    /// Stretches that they are in.
    stretches: u32,
    /// Whether sums pass through linked channels, on all ranks.
    linked: bool,
    /// (rank, bytes) of the piece of the message for each rank.
    pieces: Pieces,
    /// Time spent by earlier channels.
    earlier: Phases,
}

/// Buffers for some number of words and stretches.
struct Room {
    words: usize,
    stretches: usize,
    /// Whether the channel is linked.
    linked: bool,
    list: Buffer,
    channel: RankChannel,
    gather: (Kernel, Bound),
    add: (Kernel, Bound),
}

/// Room for `needed` words or stretches and some more.
fn with_spare(needed: usize) -> usize {
    needed + needed / 2
}

/// `signals`: the kernel sends or awaits the message itself. `linked`: so it does, through a link.
fn wgsl(add: bool, signals: bool, linked: bool) -> String {
    let context = context! {
        add,
        linked,
        word => "i32",
        longest => Stretch::LONGEST,
        workgroup => WORKGROUP,
        sends => signals && !add,
        awaits => signals && add,
    };
    render(Template { name: "words.wgsl", text: include_str!("words.wgsl") }, &[MAIN, STRETCHES, PUT, TAKE], &context)
}

impl SumExchange {
    /// Whether messages of up to `most_words` words, the most of any rank, are short enough for
    /// [linked](RankChannel::linked) channels. Linked channels stay linked up to twice that length, so that they are not
    /// made anew time and again.
    pub fn may_link(&self, gpu: &Gpu, most_words: usize) -> bool {
        let bytes = 4 * with_spare(most_words) as u64;
        is_short(gpu, if self.linked { bytes / 2 } else { bytes })
    }

    /// Sets the lists: for each other rank, ascending, the ranges of words in `drift` that it shares with this rank.
    /// All ranks must have received what was sent. `linked`: sums pass through linked channels, on all ranks.
    ///
    /// # Errors
    /// Where the device lacks room or is lost.
    pub fn share(&mut self, gpu: &Gpu, drift: &Buffer, lists: &[(usize, Vec<Range<u32>>)], linked: bool) -> Result<()> {
        let (mut stretches, mut words) = (Vec::new(), 0);
        for range in lists.iter().flat_map(|(_, ranges)| ranges) {
            stretches.extend(Stretch::of(range.clone(), words));
            words += range.len() as u32;
        }
        let bytes = |ranges: &[Range<u32>]| 4 * ranges.iter().map(ExactSizeIterator::len).sum::<usize>();
        self.pieces = lists.iter().map(|(rank, ranges)| (*rank, bytes(ranges))).collect();
        (self.words, self.stretches, self.linked) = (words, stretches.len() as u32, linked);
        if stretches.is_empty() {
            return Ok(());
        }
        let needed = [words as usize, stretches.len()];
        let fits = |room: &Room| room.words >= needed[0] && room.stretches >= needed[1] && room.linked == linked;
        if !self.room.as_ref().is_some_and(fits) {
            self.make_room(gpu, drift, needed.map(with_spare), linked)?;
        }
        let Some(room) = &self.room else { return Ok(()) };
        room.channel.forget();
        gpu.upload(&room.list, 0, &stretches)
    }

    /// Binds new arrays of vertices. Lists have to be set anew.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn rebind(&mut self, gpu: &Gpu, drift: &Buffer) -> Result<()> {
        match &self.room {
            Some(room) => self.make_room(gpu, drift, [room.words, room.stretches], room.linked),
            None => Ok(()),
        }
    }

    fn make_room(&mut self, gpu: &Gpu, drift: &Buffer, [words, stretches]: [usize; 2], linked: bool) -> Result<()> {
        let bytes = 4 * words as u64;
        let list = gpu.buffer("stretches of shared words", (size_of::<Stretch>() * stretches) as u64)?;
        let channel = if linked {
            RankChannel::linked(gpu, "shares", bytes, bytes)?
        } else if bytes >= long_message() as u64 {
            RankChannel::prompt(gpu, "shares", bytes, bytes)?
        } else {
            // The copy engine takes longer to begin than a kernel takes for a short message.
            RankChannel::new(gpu, gpu.channel("shares", bytes, bytes)?)
        };
        let made = |add: bool, message: &Buffer| -> Result<(Kernel, Bound)> {
            let signals = channel.signals();
            let kernel =
                Kernel::new(gpu, "velocities of shared cells", &wgsl(add, signals.is_some(), channel.is_linked()), 8)?;
            let mut buffers = vec![("words", drift), ("stretches", &list), ("message", message)];
            buffers.extend(signals.into_iter().flat_map(KernelSignals::buffers));
            let bound = kernel.bind(gpu, &buffers);
            Ok((kernel, bound))
        };
        let (gather, add) = (made(false, channel.send_buffer())?, made(true, channel.receive_buffer())?);
        self.earlier = self.phases();
        self.room = Some(Room { words, stretches, linked, list, channel, gather, add });
        Ok(())
    }

    /// Words of the message.
    pub fn words(&self) -> usize {
        self.words as usize
    }

    /// Whether sums pass through linked channels.
    pub fn is_linked(&self) -> bool {
        self.linked
    }

    /// Whether there is nothing to exchange.
    pub fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// Whether what travels is so much that other work should be done meanwhile.
    pub fn is_long(&self) -> bool {
        !self.is_empty() && 4 * self.words >= *LONG
    }

    /// Records that the sums of this rank, computed by what `recorder` holds, are sent.
    pub fn record_send(&self, recorder: &mut Recorder) {
        let Some(room) = self.room.as_ref().filter(|_| !self.is_empty()) else { return };
        recorder.phase("pack shares");
        let items = self.stretches * Stretch::LONGEST;
        let round = room.channel.next_round().unwrap_or_default();
        recorder.dispatch(&room.gather.0, &room.gather.1, items, &[items, round]);
        room.channel.send(recorder, 4 * self.words as usize);
    }

    /// Records that the sums of other ranks are awaited and added to those that were sent. What is recorded between the
    /// two goes on while messages travel.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn record_receive<'g>(&self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>) -> Result<()> {
        let Some(room) = self.room.as_ref().filter(|_| !self.is_empty()) else { return Ok(()) };
        let pieces = (self.pieces.clone(), self.pieces.clone());
        room.channel.await_answer(comm, recorder, "exchange shares", pieces)?;
        recorder.phase("add shares");
        let items = self.stretches * Stretch::LONGEST;
        let round = room.channel.round().unwrap_or_default();
        recorder.dispatch(&room.add.0, &room.add.1, items, &[items, round]);
        Ok(())
    }

    /// Time spent on messages so far.
    pub fn phases(&self) -> Phases {
        self.earlier + self.room.as_ref().map(|room| room.channel.phases()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_are_valid_wgsl() {
        for add in [false, true] {
            for (signals, linked) in [(false, false), (true, false), (false, true)] {
                wgsl_checks::validate(("shares", add, signals, linked), &wgsl(add, signals, linked));
            }
        }
    }
}
