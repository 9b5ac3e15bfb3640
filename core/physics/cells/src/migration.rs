//! Cells from rank to rank: who holds which, and what holders share.

use std::collections::BTreeMap;
use std::ops::Range;

use hematite_comm::Comm;
use hematite_config::{Fault, Result};

use super::parameters::reach;
use super::record::Record;
use super::roster::Held;
use super::suspension::Suspension;
use super::watch::Stray;

impl Suspension {
    /// Lists the vertices shared with each other rank, where the lists of any rank have changed. Collective.
    pub(super) fn share(&mut self, comm: &dyn Comm) -> Result<()> {
        if comm.size() == 1 {
            return Ok(());
        }
        let lists = self.shares_anew.then(|| self.shared_with_each());
        let words = match &lists {
            Some(lists) => lists.iter().flat_map(|(_, ranges)| ranges).map(ExactSizeIterator::len).sum(),
            None => self.sum_exchange.words(),
        };
        let mut largest = [words as f64, f64::from(u8::from(lists.is_some()))];
        comm.max(&mut largest)?;
        let linked = self.sum_exchange.may_link(&self.gpu, largest[0] as usize);
        // Ranks that share with each other agree upon places in messages, so that all or none set their lists.
        let anew = largest[1] > 0.0 || linked != self.sum_exchange.is_linked();
        if anew {
            self.shares_anew = false;
            let lists = lists.unwrap_or_else(|| self.shared_with_each());
            self.sum_exchange.share(&self.gpu, &self.vertices.drift, &lists, linked)?;
        }
        // Kernels also have lists of the cells that no other rank holds, which change with any cell.
        if self.sum_exchange.is_long() && (anew || self.changed) { self.tell_apart() } else { Ok(()) }
    }

    /// The words of `drift` shared with each other rank. All holders list cells in the same order.
    fn shared_with_each(&self) -> Vec<(usize, Vec<Range<u32>>)> {
        let mut lists: BTreeMap<usize, Vec<Range<u32>>> = BTreeMap::new();
        for kind in &self.kinds {
            for held in kind.cells.shared() {
                let first = kind.first_vertex(held.slot);
                for &other in held.holders.iter().filter(|&&other| other != self.rank) {
                    let list = lists.entry(other as usize).or_default();
                    for axis in 0..self.parameters.dimension as u32 {
                        let from = axis * self.vertices.stride + first;
                        list.push(from..from + kind.range.vertices);
                    }
                }
            }
        }
        lists.into_iter().collect()
    }

    /// Tells kernels which cells other ranks hold too.
    fn tell_apart(&mut self) -> Result<()> {
        let Self { gpu, kinds, coupling, .. } = self;
        for kind in &mut *kinds {
            let held = kind.cells.by_slot().map(|(_, held)| (held.slot, held.is_shared()));
            kind.membrane.tell_apart(gpu, &kind.range, held)?;
        }
        let cells = kinds.iter().flat_map(|kind| {
            kind.cells.by_slot().map(|(_, held)| {
                let first = kind.first_vertex(held.slot);
                let vertices = first..first + kind.range.vertices;
                (kind.range.first_slot + held.slot, vertices, held.is_shared())
            })
        });
        coupling.tell_apart(gpu, cells)
    }

    /// Finds anew which ranks hold `strays`, and sends cells to the ranks they come near. Those that arrive are on the device
    /// after [`Suspension::flush`]. Collective.
    pub(super) fn migrate(&mut self, comm: &dyn Comm, strays: &[Stray]) -> Result<()> {
        let margin = reach(&self.parameters, self.looks.way());
        let mut leaving = Vec::new();
        let mut sent: BTreeMap<usize, Vec<(usize, u64)>> = BTreeMap::new();
        for &(slot, bounds) in strays {
            let Some(k) = self.kinds.iter().rposition(|kind| kind.range.first_slot <= slot) else { continue };
            let kind = &mut self.kinds[k];
            let own_slot = slot - kind.range.first_slot;
            // A cell that went out in this look has left its slot.
            let Some((id, held)) = kind.cells.at(own_slot) else { continue };
            let (holders, steady) = self.holders.of(bounds.widened(margin));
            if held.holders.first() == Some(&self.rank) {
                for &new in holders.iter().filter(|rank| !held.holders.contains(rank)) {
                    sent.entry(new as usize).or_default().push((k, id));
                }
            }
            if !holders.contains(&self.rank) {
                leaving.push((k, id));
            }
            self.shares_anew |= held.holders != holders;
            self.watch.hold(&self.gpu, &mut self.writes, slot, &steady)?;
            kind.cells.hold(own_slot, holders, steady);
        }
        let arrived = self.ship(comm, &sent)?;
        self.drop_cells(&leaving)?;
        // Forces on their vertices are not due before the next step of membranes.
        self.passed |= !arrived.is_empty() && self.parameters.every > 1;
        let came = !arrived.is_empty();
        for (kind, id, record) in arrived {
            let held = Held::of(&record, &self.holders, &self.parameters, self.looks.way());
            self.put(kind, id, &record, held)?;
        }
        // Cells that come in through openings take the slots of those that went to other ranks.
        if came && !self.gates.is_empty() { self.flush() } else { Ok(()) }
    }

    /// Sends the states of cells to other ranks; gives those that came, by population and number.
    pub(super) fn ship(
        &self,
        comm: &dyn Comm,
        sent: &BTreeMap<usize, Vec<(usize, u64)>>,
    ) -> Result<Vec<(usize, u64, Record)>> {
        if self.alone {
            return Ok(Vec::new());
        }
        let wanted: Vec<(usize, u64)> = sent.values().flatten().copied().collect();
        let mut records = self.take(&wanted)?.into_iter();
        let mut messages: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for (&rank, cells) in sent {
            let message = messages.entry(rank).or_default();
            for (&(kind, id), record) in cells.iter().zip(records.by_ref()) {
                message.extend((kind as u64).to_le_bytes());
                message.extend(id.to_le_bytes());
                message.extend(bytemuck::cast_slice::<i64, u8>(&record.words()));
            }
        }
        let others: Vec<usize> = (0..comm.size()).filter(|&rank| rank != self.rank as usize).collect();
        let sizes: Vec<[u8; 8]> =
            others.iter().map(|rank| (messages.get(rank).map_or(0, Vec::len) as u64).to_le_bytes()).collect();
        let mut coming = vec![[0_u8; 8]; others.len()];
        let send: Vec<(usize, &[u8])> =
            others.iter().zip(&sizes).map(|(&rank, size)| (rank, size.as_slice())).collect();
        let mut receive: Vec<(usize, &mut [u8])> =
            others.iter().zip(&mut coming).map(|(&rank, size)| (rank, size.as_mut_slice())).collect();
        comm.exchange(&send, &mut receive)?;
        let mut inbox: Vec<(usize, Vec<u8>)> = others
            .iter()
            .zip(&coming)
            .map(|(&rank, size)| (rank, vec![0; u64::from_le_bytes(*size) as usize]))
            .collect();
        inbox.retain(|(_, bytes)| !bytes.is_empty());
        let send: Vec<(usize, &[u8])> = messages.iter().map(|(&rank, bytes)| (rank, bytes.as_slice())).collect();
        let mut receive: Vec<(usize, &mut [u8])> =
            inbox.iter_mut().map(|(rank, bytes)| (*rank, bytes.as_mut_slice())).collect();
        comm.exchange(&send, &mut receive)?;

        let damaged = || Fault::lost_rank("the state of a cell arrived damaged");
        let mut arrived = Vec::new();
        for (_, bytes) in inbox {
            let words: Vec<i64> = bytemuck::pod_collect_to_vec(&bytes);
            let mut rest = words.as_slice();
            while let [kind, id, after @ ..] = rest {
                let kind = usize::try_from(*kind).ok().filter(|&k| k < self.kinds.len()).ok_or_else(damaged)?;
                let width = Record::width(self.parameters.dimension, self.kinds[kind].range.vertices as usize);
                let (record, after) = after.split_at_checked(width).ok_or_else(damaged)?;
                arrived.push((kind, *id as u64, Record::from_words(record).ok_or_else(damaged)?));
                rest = after;
            }
        }
        arrived.sort_unstable_by_key(|&(kind, id, _)| (kind, id));
        Ok(arrived)
    }
}
