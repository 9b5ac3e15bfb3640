//! Directions of the lattice, as configs name them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A direction of the lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Along x.
    X,
    /// Along y.
    Y,
    /// Along z.
    Z,
}
