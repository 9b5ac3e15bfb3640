//! What a physics tells of itself for a line of the ledger.

use serde_json::Value;

/// What a physics tells of itself at a step.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Its mass, where it accounts for any.
    pub mass: Option<Mass>,
    /// A number for each of its columns, see [`Planned::columns`](crate::Planned::columns).
    pub values: Vec<f64>,
    /// What the log has of it: keys and values.
    pub log: Vec<(&'static str, Value)>,
}

/// Mass, kg.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mass {
    /// Inside.
    pub inside: f64,
    /// What has come in through each entry since the start, see [`Planned::entries`](crate::Planned::entries).
    pub through: Vec<f64>,
}
