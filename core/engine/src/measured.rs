//! Measurements of a physics for a line of the ledger.

use serde_json::Value;

/// Measurements of a physics at a step.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Mass, if the physics accounts for any.
    pub mass: Option<Mass>,
    /// A number for each of its columns, see [`Planned::columns`](crate::Planned::columns).
    pub values: Vec<f64>,
    /// Keys and values for the log.
    pub log: Vec<(&'static str, Value)>,
}

/// Mass, kg.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mass {
    /// Inside.
    pub inside: f64,
    /// Net mass that came in through each entry since the start, see [`Planned::entries`](crate::Planned::entries).
    pub through: Vec<f64>,
}
