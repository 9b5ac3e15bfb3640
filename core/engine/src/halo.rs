//! Halo exchange: sends rows of words at nodes from their owners to the halos of other ranks.

use std::collections::HashMap;

use hematite_case::{NodeId, Part};
use hematite_comm::{Comm, gather_all};
use hematite_config::{Fault, Result};
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, MAIN, Recorder, Template, WORKGROUP, render};
use minijinja::context;

use crate::rank_channel::{Phases, Pieces, RankChannel};

/// Sends the row of words of each own node at the interface to the halos of other ranks.
pub struct HaloExchange {
    /// Words of a row.
    width: u32,
    /// Own and halo nodes.
    nodes: usize,
    gather: Kernel,
    scatter: Kernel,
    out: Side,
    into: Side,
    /// `None` if the part has no neighbour.
    channel: Option<RankChannel>,
}

/// The nodes of the rows in one message.
struct Side {
    count: u32,
    list: Buffer,
    pieces: Pieces,
}

/// A halo exchange bound to one array.
pub struct BoundHalo {
    gather: Bound,
    scatter: Bound,
}

fn wgsl(scatter: bool, width: u32) -> String {
    let context = context! { scatter, width, workgroup => WORKGROUP };
    render(Template { name: "copy_words.wgsl", text: include_str!("copy_words.wgsl") }, &[MAIN], &context)
}

impl HaloExchange {
    /// A halo exchange of rows of `width` words for the nodes of `part`. Collective.
    ///
    /// # Errors
    /// When the device lacks room, or a rank is lost.
    pub fn new(gpu: &Gpu, comm: &dyn Comm, part: &Part, width: u32) -> Result<Self> {
        let into: Vec<(usize, Vec<u32>)> = part
            .neighbours
            .iter()
            .map(|neighbour| (neighbour.part, neighbour.halo.clone().map(|n| n as u32).collect()))
            .collect();
        let out = wanted_of(comm, part)?;
        let channel = match into.is_empty() && out.is_empty() {
            true => None,
            false => {
                let row = 4 * u64::from(width);
                let bytes = |lists: &[(usize, Vec<u32>)]| lists.iter().map(|(_, list)| row * list.len() as u64).sum();
                Some(RankChannel::new(gpu, gpu.channel("halo", bytes(&out), bytes(&into))?))
            }
        };
        let kernel = |scatter: bool| Kernel::new(gpu, "words of halos", &wgsl(scatter, width), 4);
        let (gather, scatter) = (kernel(false)?, kernel(true)?);
        let (out, into) = (Side::new(gpu, &out, width)?, Side::new(gpu, &into, width)?);
        Ok(Self { width, nodes: part.id.len(), gather, scatter, out, into, channel })
    }

    /// Time spent on messages so far.
    pub fn phases(&self) -> Phases {
        self.channel.as_ref().map(RankChannel::phases).unwrap_or_default()
    }

    /// Binds the exchange to `words`, an array with a row for each own and halo node.
    ///
    /// # Panics
    /// When the array has another size, which is a bug of the program.
    pub fn bind(&self, gpu: &Gpu, words: &Buffer) -> Option<BoundHalo> {
        let bytes = 4 * u64::from(self.width) * self.nodes as u64;
        assert!(words.bytes() == bytes, "an array of {} bytes for {bytes} bytes of rows at nodes", words.bytes());
        let channel = self.channel.as_ref()?;
        let bind = |kernel: &Kernel, side: &Side, message: &Buffer| {
            kernel.bind(gpu, &[("words", words), ("list", &side.list), ("message", message)])
        };
        let (gather, scatter) = (
            bind(&self.gather, &self.out, channel.send_buffer()),
            bind(&self.scatter, &self.into, channel.receive_buffer()),
        );
        Some(BoundHalo { gather, scatter })
    }

    /// Records the exchange: halos get the rows of their owners. Collective among neighbours.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn record<'g>(&self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, bound: &Option<BoundHalo>) -> Result<()> {
        let (Some(channel), Some(bound)) = (&self.channel, bound) else { return Ok(()) };
        recorder.phase("pack halo");
        let words = [&self.out, &self.into].map(|side| side.count * self.width);
        recorder.dispatch(&self.gather, &bound.gather, words[0], &[words[0]]);
        channel.send(recorder, 4 * words[0] as usize);
        let pieces = (self.out.pieces.clone(), self.into.pieces.clone());
        channel.await_answer(comm, recorder, "exchange halo", pieces)?;
        recorder.dispatch(&self.scatter, &bound.scatter, words[1], &[words[1]]);
        Ok(())
    }
}

impl Side {
    fn new(gpu: &Gpu, lists: &[(usize, Vec<u32>)], width: u32) -> Result<Self> {
        let words: Vec<u32> = lists.iter().flat_map(|(_, list)| list.iter().copied()).collect();
        let list = gpu.buffer("nodes of halos", 4 * words.len().max(1) as u64)?;
        if !words.is_empty() {
            gpu.upload(&list, 0, &words)?;
        }
        let pieces = lists.iter().map(|(rank, list)| (*rank, 4 * width as usize * list.len())).collect();
        Ok(Self { count: words.len() as u32, list, pieces })
    }
}

/// For each rank, ascending, the own nodes in its halo, in the order of the halo. Collective.
fn wanted_of(comm: &dyn Comm, part: &Part) -> Result<Vec<(usize, Vec<u32>)>> {
    let mut asked: Vec<u64> = Vec::new();
    for neighbour in &part.neighbours {
        asked.extend([neighbour.part as u64, neighbour.halo.len() as u64]);
        asked.extend(part.id[neighbour.halo.clone()].iter().map(|id| id.0));
    }
    let own: HashMap<NodeId, u32> = part.id[..part.own].iter().copied().zip(0..).collect();
    let mut wanted = Vec::new();
    for (rank, bytes) in gather_all(comm, bytemuck::cast_slice(&asked))?.into_iter().enumerate() {
        let words: Vec<u64> = bytemuck::pod_collect_to_vec(&bytes);
        let mut rest = &words[..];
        while let Some(([of, count], ids)) = rest.split_first_chunk::<2>() {
            let (ids, others) = ids.split_at((*count as usize).min(ids.len()));
            if *of == comm.rank() as u64 {
                let local = |id: &u64| own.get(&NodeId(*id)).copied();
                let missing = || Fault::lost_rank(format!("rank {rank} asks for nodes that this one does not own"));
                wanted.push((rank, ids.iter().map(local).collect::<Option<Vec<u32>>>().ok_or_else(missing)?));
            }
            rest = others;
        }
    }
    Ok(wanted)
}
