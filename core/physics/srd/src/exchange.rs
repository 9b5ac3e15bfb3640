//! Messages between ranks in each time step: the sums of cells that others use, and particles on the sites of others.
//!
//! A piece of a message holds the number of its particles, the sums of the shared cells, and room for particles. Particles
//! that have just left still count in the sums of the rank that they leave, so that one message does for both.

use std::rc::Rc;

use hematite_comm::{Comm, agree, all_to_all};
use hematite_config::Result;
use hematite_engine::Phases;
use hematite_engine::rank_channel::{Pieces, RankChannel};
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, Recorder};

use crate::cells::{Cells, Shared};
use crate::parameters::Parameters;
use crate::shaders::Shader;

/// Least room for particles in a message.
const LEAST: u32 = 256;

/// The messages of one rank.
pub struct Exchange {
    /// What [`Shader::Step`] writes to.
    neighbours: Buffer,
    leaving: Buffer,
    outbox: Buffer,
    /// `None` without other ranks.
    messages: Option<Messages>,
    generosity: u32,
}

struct Messages {
    channel: RankChannel,
    out: Way,
    into: Way,
    headers: Buffer,
    senders: Buffer,
    /// Places for particles in all messages that come in.
    entries: u32,
    /// Pack, add, enter, close.
    kernels: [Kernel; 4],
    bound: Option<AllBound>,
}

/// Kernels bound to buffers; `enter` to those of each set of arrays.
struct AllBound {
    pack: Bound,
    add: Bound,
    enter: [Bound; 2],
    close: Bound,
}

/// Messages in one direction.
struct Way {
    pieces: Pieces,
    /// `array<vec2<u32>>`: words of the message and of the sums.
    words: Buffer,
    count: u32,
}

/// One piece of a message, in words.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Where the number of particles stands.
    header: u32,
    /// Where particles begin.
    records: u32,
    /// How many there may be.
    most: u32,
    end: u32,
}

/// Lays out the pieces of a message with the sums of `cells` and room for `most` particles each.
fn pieces_of(parameters: &Parameters, lists: &[(&[u32], u32)]) -> Vec<Piece> {
    let mut at = 0;
    let piece = |&(cells, most): &(&[u32], u32)| {
        let header = at;
        let records = header + 1 + cells.len() as u32 * parameters.width();
        at = records + most * parameters.record();
        Piece { header, records, most, end: at }
    };
    lists.iter().map(piece).collect()
}

impl Way {
    fn new(gpu: &Gpu, parameters: &Parameters, pieces: &[Piece], shared: &[(usize, &[u32])]) -> Result<Self> {
        let width = parameters.width();
        let words = pieces.iter().zip(shared).flat_map(|(piece, (_, cells))| {
            let first = piece.header + 1;
            let of_cell =
                move |(k, &cell): (u32, &u32)| (0..width).map(move |w| [first + k * width + w, cell * width + w]);
            (0..).zip(*cells).flat_map(of_cell)
        });
        let words: Vec<[u32; 2]> = words.collect();
        let list = gpu.buffer("shared words of cells", 8 * words.len().max(1) as u64)?;
        gpu.upload(&list, 0, &words)?;
        let bytes = |(piece, (rank, _)): (&Piece, &(usize, &[u32]))| (*rank, 4 * (piece.end - piece.header) as usize);
        let pieces: Vec<(usize, usize)> = pieces.iter().zip(shared).map(bytes).collect();
        Ok(Self { pieces: Rc::from(pieces), words: list, count: words.len() as u32 })
    }
}

impl Exchange {
    /// The messages for the cells that ranks share. `generosity`: how many times more room for particles than usual.
    /// Collective.
    ///
    /// # Errors
    /// When the device lacks room, or a rank is lost.
    pub fn new(gpu: &Gpu, comm: &dyn Comm, parameters: &Parameters, cells: &Cells, generosity: u32) -> Result<Self> {
        let shared = &cells.shared;
        let most = |of: &Shared| {
            // M lambda times 0.4 particles cross a face in a step at rest, at most 1.45 at the speed of sound.
            let crossing = f64::from(of.faces[0].max(1)) * parameters.particles * parameters.speed;
            generosity * (LEAST + (1.5 * crossing).ceil() as u32)
        };
        let mine: Vec<u32> = shared.iter().map(most).collect();
        let mut told: Vec<Vec<u32>> = vec![Vec::new(); comm.size()];
        shared.iter().zip(&mine).for_each(|(of, &most)| told[of.rank].push(most));
        let come = all_to_all(comm, &told)?;
        let theirs = |of: &Shared| come[of.rank].first().copied().unwrap_or(0);
        let outgoing: Vec<(&[u32], u32)> = shared.iter().zip(&mine).map(|(of, &most)| (&of.theirs[..], most)).collect();
        let incoming: Vec<(&[u32], u32)> = shared.iter().map(|of| (&of.ours[..], theirs(of))).collect();
        let (out, into) = (pieces_of(parameters, &outgoing), pieces_of(parameters, &incoming));
        agree(comm, Self::with(gpu, parameters, cells, (&out, &into), generosity))
    }

    fn with(
        gpu: &Gpu,
        parameters: &Parameters,
        cells: &Cells,
        (out, into): (&[Piece], &[Piece]),
        generosity: u32,
    ) -> Result<Self> {
        let list = |label: &str, words: &[u32]| {
            let buffer = gpu.buffer(label, 4 * words.len().max(4) as u64)?;
            gpu.upload(&buffer, 0, words)?;
            Ok(buffer)
        };
        let places: Vec<u32> = out.iter().flat_map(|piece| [piece.records, piece.most]).collect();
        let neighbours = list("pieces for neighbours", &places)?;
        let leaving = gpu.buffer("particles that leave", 4 * out.len().max(1) as u64)?;
        if cells.shared.is_empty() {
            let outbox = gpu.buffer("no message", 4)?;
            return Ok(Self { neighbours, leaving, outbox, messages: None, generosity });
        }
        let bytes = |pieces: &[Piece]| 4 * u64::from(pieces.last().map_or(0, |piece| piece.end));
        let channel = RankChannel::new(gpu, gpu.channel("cells and particles", bytes(out), bytes(into))?);
        let lists = |of: fn(&Shared) -> &[u32]| -> Vec<(usize, &[u32])> {
            cells.shared.iter().map(|shared| (shared.rank, of(shared))).collect()
        };
        let headers: Vec<u32> = out.iter().map(|piece| piece.header).collect();
        let (mut senders, mut entries) = (Vec::new(), 0);
        for piece in into {
            senders.extend([entries, piece.header, piece.records, piece.most]);
            entries += piece.most;
        }
        // `arrayLength` in kernels is the number of senders.
        let senders_buffer = gpu.buffer("pieces of neighbours", 4 * senders.len() as u64)?;
        gpu.upload(&senders_buffer, 0, &senders)?;
        let kernel = |shader: Shader| shader.kernel(gpu, parameters);
        let messages = Messages {
            out: Way::new(gpu, parameters, out, &lists(|shared| &shared.theirs))?,
            into: Way::new(gpu, parameters, into, &lists(|shared| &shared.ours))?,
            headers: list("numbers of particles", &headers)?,
            senders: senders_buffer,
            entries,
            kernels: [kernel(Shader::Pack)?, kernel(Shader::Add)?, kernel(Shader::Enter)?, kernel(Shader::Close)?],
            bound: None,
            channel,
        };
        let outbox = messages.channel.send_buffer().clone();
        Ok(Self { neighbours, leaving, outbox, messages: Some(messages), generosity })
    }

    /// Whether there are no other ranks.
    pub fn is_empty(&self) -> bool {
        self.messages.is_none()
    }

    /// How many times more room for particles there is than usual.
    pub fn generosity(&self) -> u32 {
        self.generosity
    }

    /// Names and buffers for [`Shader::Step`].
    pub fn named(&self) -> [(&'static str, &Buffer); 3] {
        [("neighbours", &self.neighbours), ("leaving", &self.leaving), ("outbox", &self.outbox)]
    }

    /// Binds the kernels to the buffers `named` with each of the two sets of arrays.
    pub fn bind(&mut self, gpu: &Gpu, named: &[Vec<(&'static str, &Buffer)>; 2]) {
        let Some(messages) = &mut self.messages else { return };
        let [pack, add, enter, close] = &messages.kernels;
        let inbox = ("inbox", messages.channel.receive_buffer());
        let into = [("shared_words", &messages.into.words), ("senders", &messages.senders), inbox];
        let out = [
            ("shared_words", &messages.out.words),
            ("headers", &messages.headers),
            ("leaving", &self.leaving),
            ("outbox", &self.outbox),
        ];
        let with = |kernel: &Kernel, side: usize, more: &[(&'static str, &Buffer)]| {
            kernel.bind(gpu, &[more, &named[side]].concat())
        };
        messages.bound = Some(AllBound {
            pack: with(pack, 0, &out),
            add: with(add, 0, &into),
            enter: [with(enter, 0, &into), with(enter, 1, &into)],
            close: with(close, 0, &into),
        });
    }

    /// Records that the message of a step goes out.
    pub fn send(&self, recorder: &mut Recorder) {
        let Some((messages, bound)) = self.ready() else { return };
        let (neighbours, length) = (messages.out.pieces.len() as u32, messages.out.pieces.iter().map(|p| p.1).sum());
        recorder.phase("pack cells");
        let words = neighbours + messages.out.count;
        recorder.dispatch(&messages.kernels[0], &bound.pack, words, &[words, neighbours]);
        messages.channel.send(recorder, length);
    }

    fn ready(&self) -> Option<(&Messages, &AllBound)> {
        let messages = self.messages.as_ref()?;
        Some((messages, messages.bound.as_ref()?))
    }

    /// Records that what other ranks sent comes in. `side`: which set of arrays holds the particles; `step`: the next
    /// step; `span`: immediate data for so many invocations.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn receive<'g>(
        &self,
        comm: &'g dyn Comm,
        recorder: &mut Recorder<'g>,
        (side, step): (usize, u64),
        span: impl Fn(u32) -> Vec<u32>,
    ) -> Result<()> {
        let Some((messages, bound)) = self.ready() else { return Ok(()) };
        let [_, add, enter, close] = &messages.kernels;
        let pieces = (messages.out.pieces.clone(), messages.into.pieces.clone());
        messages.channel.await_answer(comm, recorder, "exchange cells", pieces)?;
        recorder.phase("add cells");
        recorder.dispatch(add, &bound.add, messages.into.count, &[messages.into.count]);
        recorder.dispatch(enter, &bound.enter[side], messages.entries, &span(messages.entries));
        recorder.dispatch(close, &bound.close, 1, &[1, step as u32]);
        Ok(())
    }

    /// Time spent on messages so far.
    pub fn phases(&self) -> Phases {
        self.messages.as_ref().map(|messages| messages.channel.phases()).unwrap_or_default()
    }
}
