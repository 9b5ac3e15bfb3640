//! The state of a physics as it is saved: into checkpoints and out of them, and from one partition to the next.

use hematite_case::NodeId;
use hematite_config::{Fault, Result};
use hematite_dump::Bits;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Takes the state of a physics at the nodes of this rank.
pub trait Keep {
    /// Numbers at all own nodes.
    ///
    /// # Errors
    /// When they cannot be written.
    fn own(&mut self, name: &str, bits: Bits) -> Result<()>;

    /// Whole numbers at some own nodes.
    ///
    /// # Errors
    /// When they cannot be written.
    fn some(&mut self, name: &str, nodes: Vec<NodeId>, values: Vec<i64>) -> Result<()>;
}

/// Each member of a population: its number and its words.
pub type EachRecord<'e> = dyn FnMut(u64, &[i64]) -> Result<()> + 'e;

/// A saved state, whichever ranks it was saved on.
pub trait Saved {
    /// Time steps done.
    fn step(&self) -> u64;

    /// Nodes of the whole lattice that it holds.
    fn nodes(&self) -> u64;

    /// What names the state in messages.
    fn source(&self) -> String;

    /// What a physics noted of itself, the same on all ranks; null where it noted nothing.
    fn note(&self, physics: &str) -> &Value;

    /// What was inserted and left of a population, by its name.
    fn passed(&self, population: &str) -> [u64; 2];

    /// Numbers at the own nodes of this rank, in their order. Collective.
    ///
    /// # Errors
    /// A usage fault where there are none of the name; when a rank is lost.
    fn own(&self, name: &str) -> Result<Bits>;

    /// Whole numbers at some own nodes. Collective.
    ///
    /// # Errors
    /// A usage fault where there are none of the name; when a rank is lost.
    fn some(&self, name: &str, nodes: &[NodeId]) -> Result<Vec<i64>>;

    /// Goes through the members of a population on all ranks.
    ///
    /// # Errors
    /// Those of `then`; when a file cannot be read.
    fn records(&self, population: &str, then: &mut EachRecord) -> Result<()>;
}

/// A note of a physics as what it is.
///
/// # Errors
/// A usage fault where it is something else.
pub fn noted<T: DeserializeOwned + Default>(saved: &dyn Saved, physics: &str) -> Result<T> {
    match saved.note(physics) {
        Value::Null => Ok(T::default()),
        note => serde_json::from_value(note.clone())
            .map_err(|error| Fault::usage(format!("{}: what \"{physics}\" noted: {error}", saved.source()))),
    }
}
