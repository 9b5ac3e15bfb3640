//! A state in memory, on its way from one partition to the next.

use std::collections::BTreeMap;

use hematite_case::NodeId;
use hematite_comm::{Comm, Route, gather_all};
use hematite_config::{Fault, Result};
use hematite_dump::{Bits, PopulationState};
use hematite_engine::{EachRecord, Keep, Records, Saved};
use serde_json::Value;

use crate::ranks::{node_route, together};
use crate::setup::Setup;
use crate::system::System;

/// The state of all physics on this rank, and the members of all ranks.
pub struct Kept {
    step: u64,
    nodes: u64,
    /// The own nodes when it was taken.
    own: Vec<NodeId>,
    notes: BTreeMap<&'static str, Value>,
    populations: Vec<PopulationState>,
    arrays: BTreeMap<String, Bits>,
    some: BTreeMap<String, (Vec<NodeId>, Vec<i64>)>,
    records: BTreeMap<String, Vec<Records>>,
}

/// Takes numbers at nodes.
struct Taking<'k> {
    arrays: &'k mut BTreeMap<String, Bits>,
    some: &'k mut BTreeMap<String, (Vec<NodeId>, Vec<i64>)>,
}

impl Keep for Taking<'_> {
    fn own(&mut self, name: &str, bits: Bits) -> Result<()> {
        self.arrays.insert(name.to_owned(), bits);
        Ok(())
    }

    fn some(&mut self, name: &str, nodes: Vec<NodeId>, values: Vec<i64>) -> Result<()> {
        self.some.insert(name.to_owned(), (nodes, values));
        Ok(())
    }
}

impl Kept {
    /// The members of all ranks, and nothing at nodes so far. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn members(comm: &dyn Comm, setup: &Setup, system: &System) -> Result<Self> {
        let mut kept = Self {
            step: system.step(),
            nodes: setup.nodes(),
            own: setup.ground.own_ids().to_vec(),
            notes: system.physics.iter().map(|physics| (physics.name(), physics.note())).collect(),
            populations: system.counts(comm, &setup.ground)?,
            arrays: BTreeMap::new(),
            some: BTreeMap::new(),
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

    /// Takes what physics have at nodes too. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn take_nodes(&mut self, comm: &dyn Comm, setup: &Setup, system: &System) -> Result<()> {
        let mut taking = Taking { arrays: &mut self.arrays, some: &mut self.some };
        together(comm, || system.physics.iter().try_for_each(|physics| physics.save(&setup.ground, &mut taking)))
    }

    /// The members of a population: their words.
    pub fn words(&self, population: &str) -> impl Iterator<Item = &[i64]> {
        let ranks = self.records.get(population).into_iter().flatten();
        ranks.flat_map(|rank| rank.words.chunks(rank.width.max(1)))
    }
}

/// A state in memory as the ranks that own nodes now find it.
pub struct Arriving<'a> {
    comm: &'a dyn Comm,
    kept: Kept,
    route: Route,
}

impl<'a> Arriving<'a> {
    /// The state that was `kept`, for ranks with the nodes `own`. Collective.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn new(comm: &'a dyn Comm, kept: Kept, own: &[NodeId]) -> Result<Self> {
        let route = node_route(comm, &kept.own, own)?;
        Ok(Self { comm, kept, route })
    }
}

impl Saved for Arriving<'_> {
    fn step(&self) -> u64 {
        self.kept.step
    }

    fn nodes(&self) -> u64 {
        self.kept.nodes
    }

    fn source(&self) -> String {
        "the state before balancing".to_owned()
    }

    fn note(&self, physics: &str) -> &Value {
        self.kept.notes.get(physics).unwrap_or(&Value::Null)
    }

    fn passed(&self, population: &str) -> [u64; 2] {
        passed(&self.kept.populations, population)
    }

    fn own(&self, name: &str) -> Result<Bits> {
        let missing = || Fault::lost_rank(format!("array {name} was not kept"));
        let held = self.kept.arrays.get(name).ok_or_else(missing)?;
        Ok(held.like(&self.route.bring(self.comm, &held.bytes(), held.width())?))
    }

    fn some(&self, name: &str, nodes: &[NodeId]) -> Result<Vec<i64>> {
        let missing = || Fault::lost_rank(format!("array {name} was not kept"));
        let (held, values) = self.kept.some.get(name).ok_or_else(missing)?;
        let route = node_route(self.comm, held, nodes)?;
        let raw = route.bring(self.comm, bytemuck::cast_slice(values), size_of::<i64>())?;
        Ok(bytemuck::pod_collect_to_vec(&raw))
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

/// How many of a population were inserted, and left.
pub fn passed(populations: &[PopulationState], name: &str) -> [u64; 2] {
    let found = populations.iter().find(|population| population.name == name);
    found.map_or([0; 2], |population| [population.count.inserted, population.count.left])
}
