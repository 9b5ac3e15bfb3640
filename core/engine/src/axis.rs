//! Names of the lattice's axes in configs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An axis of the lattice.
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
