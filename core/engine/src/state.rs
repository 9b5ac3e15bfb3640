//! The saved state of a physics, for checkpoints and for changes of the partition.

use std::collections::BTreeMap;

use hematite_case::NodeId;
use hematite_config::{Fault, Result};
use hematite_dump::{Bits, Clock, Lists, PopulationState};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Stores the state of a physics at the nodes of this rank. No two arrays of a run have the same name.
pub trait Keep {
    /// Stores numbers at all own nodes.
    ///
    /// # Errors
    /// When they cannot be written.
    fn own(&mut self, name: &str, bits: Bits) -> Result<()>;

    /// Stores whole numbers at some own nodes.
    ///
    /// # Errors
    /// When they cannot be written.
    fn some(&mut self, name: &str, nodes: Vec<NodeId>, values: Vec<i64>) -> Result<()>;

    /// Stores lists of items at all own nodes.
    ///
    /// # Errors
    /// When they cannot be written.
    fn lists(&mut self, name: &str, lists: Lists) -> Result<()>;
}

/// A function that is called with the number and the words of each member of a population.
pub type EachRecord<'e> = dyn FnMut(u64, &[i64]) -> Result<()> + 'e;

/// The header of a saved state, the same on every rank.
#[derive(Clone, Debug)]
pub struct StateHeader {
    /// Time steps done.
    pub step: u64,
    /// The times of the run's steps.
    pub clock: Clock,
    /// Nodes of the whole lattice.
    pub nodes: u64,
    /// Name of the state in messages.
    pub source: String,
    /// The note of each physics, by name of the physics: see [`Physics::note`](crate::Physics::note).
    pub notes: BTreeMap<String, Value>,
    /// Counts of each population.
    pub populations: Vec<PopulationState>,
}

impl StateHeader {
    /// The note of a physics; the default value if there is none.
    ///
    /// # Errors
    /// A usage fault where the note is no `T`.
    pub fn note<T: DeserializeOwned + Default>(&self, physics: &str) -> Result<T> {
        match self.notes.get(physics) {
            None | Some(Value::Null) => Ok(T::default()),
            Some(note) => serde_json::from_value(note.clone())
                .map_err(|error| Fault::usage(format!("{}: what \"{physics}\" noted: {error}", self.source))),
        }
    }

    /// How many members of a population were inserted, and how many left.
    pub fn passed(&self, population: &str) -> [u64; 2] {
        let found = self.populations.iter().find(|known| known.name == population);
        found.map_or([0; 2], |known| [known.count.inserted, known.count.left])
    }
}

/// A saved state, readable on any number of ranks.
pub trait Saved {
    /// Its header.
    fn header(&self) -> &StateHeader;

    /// Numbers at the own nodes of this rank, in their order. Collective.
    ///
    /// # Errors
    /// A usage fault where there is no array of this name; when a rank is lost.
    fn own(&self, name: &str) -> Result<Bits>;

    /// Whole numbers at some own nodes. Collective.
    ///
    /// # Errors
    /// A usage fault where there is no array of this name; when a rank is lost.
    fn some(&self, name: &str, nodes: &[NodeId]) -> Result<Vec<i64>>;

    /// Lists of items at the own nodes of this rank, in their order. Collective.
    ///
    /// # Errors
    /// A usage fault where there are no lists of this name; when a rank is lost.
    fn lists(&self, name: &str) -> Result<Lists>;

    /// Calls `then` with all members of a population, from all ranks that saved them.
    ///
    /// # Errors
    /// Those of `then`; when a file cannot be read.
    fn records(&self, population: &str, then: &mut EachRecord) -> Result<()>;
}
