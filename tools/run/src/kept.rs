//! A state in memory, to be moved from one partition to the next.

use std::collections::BTreeMap;

use hematite_case::NodeId;
use hematite_comm::{Comm, Route, gather_all};
use hematite_config::{Fault, Result};
use hematite_dump::{Bits, Lists};
use hematite_engine::{EachRecord, Keep, Records, Saved, StateHeader};

use crate::ranks::{node_route, together};
use crate::setup::Setup;
use crate::system::System;

/// The state of all physics on this rank, and the members of all ranks.
pub struct Kept {
    header: StateHeader,
    /// The own nodes when the state was taken.
    own: Vec<NodeId>,
    arrays: BTreeMap<String, Bits>,
    some: BTreeMap<String, (Vec<NodeId>, Vec<i64>)>,
    lists: BTreeMap<String, Lists>,
    records: BTreeMap<String, Vec<Records>>,
}

/// Stores the state of physics at nodes.
struct Taking<'k> {
    arrays: &'k mut BTreeMap<String, Bits>,
    some: &'k mut BTreeMap<String, (Vec<NodeId>, Vec<i64>)>,
    lists: &'k mut BTreeMap<String, Lists>,
}

impl Keep for Taking<'_> {
    fn own(&mut self, name: &str, bits: Bits) -> Result<()> {
        once(name, self.arrays.insert(name.to_owned(), bits).is_none())
    }

    fn some(&mut self, name: &str, nodes: Vec<NodeId>, values: Vec<i64>) -> Result<()> {
        once(name, self.some.insert(name.to_owned(), (nodes, values)).is_none())
    }

    fn lists(&mut self, name: &str, lists: Lists) -> Result<()> {
        once(name, self.lists.insert(name.to_owned(), lists).is_none())
    }
}

/// Refuses a second array of the same name, which would replace the first.
fn once(name: &str, first: bool) -> Result<()> {
    if first { Ok(()) } else { Err(Fault::usage(format!("the run keeps two arrays \"{name}\""))) }
}

impl Kept {
    /// Takes the members of all ranks, but no state at nodes yet. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn members(comm: &dyn Comm, setup: &Setup, system: &System) -> Result<Self> {
        let mut kept = Self {
            header: StateHeader {
                step: system.step(),
                clock: *system.clock(),
                nodes: setup.nodes(),
                source: "the state before balancing".to_owned(),
                notes: system.notes(),
                populations: system.counts(comm, &setup.ground)?,
            },
            own: setup.ground.own_ids().to_vec(),
            arrays: BTreeMap::new(),
            some: BTreeMap::new(),
            lists: BTreeMap::new(),
            records: BTreeMap::new(),
        };
        for (_, members) in system.members() {
            let own = together(comm, || members.records())?;
            for (&k, Records { ids, width, words }) in members.populations().iter().zip(own) {
                let of_all = gather_all(comm, bytemuck::cast_slice(&ids))?.into_iter();
                let words_of_all = gather_all(comm, bytemuck::cast_slice(&words))?;
                let all = of_all.zip(words_of_all).map(|(ids, words)| Records {
                    ids: bytemuck::pod_collect_to_vec(&ids),
                    width,
                    words: bytemuck::pod_collect_to_vec(&words),
                });
                kept.records.insert(setup.ground.populations[k].name.clone(), all.collect());
            }
        }
        Ok(kept)
    }

    /// Takes the state of physics at nodes too. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn take_nodes(&mut self, comm: &dyn Comm, setup: &Setup, system: &System) -> Result<()> {
        let mut taking = Taking { arrays: &mut self.arrays, some: &mut self.some, lists: &mut self.lists };
        together(comm, || system.physics.iter().try_for_each(|physics| physics.save(&setup.ground, &mut taking)))
    }

    /// The words of each member of a population.
    pub fn words(&self, population: &str) -> impl Iterator<Item = &[i64]> {
        let ranks = self.records.get(population).into_iter().flatten();
        ranks.flat_map(|rank| rank.words.chunks(rank.width.max(1)))
    }
}

/// A state in memory, read at the nodes that this rank owns now.
pub struct Arriving<'a> {
    comm: &'a dyn Comm,
    kept: Kept,
    route: Route,
}

impl<'a> Arriving<'a> {
    /// The state `kept`, for this rank with the nodes `own`. Collective.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn new(comm: &'a dyn Comm, kept: Kept, own: &[NodeId]) -> Result<Self> {
        let route = node_route(comm, &kept.own, own)?;
        Ok(Self { comm, kept, route })
    }
}

impl Saved for Arriving<'_> {
    fn header(&self) -> &StateHeader {
        &self.kept.header
    }

    fn own(&self, name: &str) -> Result<Bits> {
        let missing = || Fault::usage(format!("{}: no array \"{name}\"", self.kept.header.source));
        let held = self.kept.arrays.get(name).ok_or_else(missing)?;
        Ok(held.like(&self.route.bring(self.comm, &held.bytes(), held.width())?))
    }

    fn some(&self, name: &str, nodes: &[NodeId]) -> Result<Vec<i64>> {
        let missing = || Fault::usage(format!("{}: no array \"{name}\"", self.kept.header.source));
        let (held, values) = self.kept.some.get(name).ok_or_else(missing)?;
        let route = node_route(self.comm, held, nodes)?;
        let raw = route.bring(self.comm, bytemuck::cast_slice(values), size_of::<i64>())?;
        Ok(bytemuck::pod_collect_to_vec(&raw))
    }

    fn lists(&self, name: &str) -> Result<Lists> {
        let missing = || Fault::usage(format!("{}: no lists \"{name}\"", self.kept.header.source));
        let held = self.kept.lists.get(name).ok_or_else(missing)?;
        let (counts, bytes) = self.route.bring_lists(
            self.comm,
            &held.counts,
            bytemuck::cast_slice(&held.values),
            size_of::<i64>() * held.width,
        )?;
        Ok(Lists { width: held.width, counts, values: bytemuck::pod_collect_to_vec(&bytes) })
    }

    fn records(&self, population: &str, then: &mut EachRecord) -> Result<()> {
        for rank in self.kept.records.get(population).into_iter().flatten() {
            for (&id, words) in rank.ids.iter().zip(rank.words.chunks(rank.width.max(1))) {
                then(id, words)?;
            }
        }
        Ok(())
    }
}
