//! What a config says of the polymers of a case.

use hematite_units::quantity::Length;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Polymers of one kind: chains of beads, e.g. {"name": "chain", "beads": 32, "bond": "1 um", "count": 50}. Exactly one of
/// `count` and `volume_fraction` says how many.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolymerConfig {
    /// Its name, by which runs and dumps call it.
    pub name: String,
    /// Number of beads of each chain.
    pub beads: u32,
    /// Distance of neighbours along a chain at rest.
    pub bond: Length,
    /// Least distance at the start of beads that are no neighbours along a chain. Runs take it for the diameter of beads.
    /// Default: 0.8 bonds. "0 m" lets chains pass through each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diameter: Option<Length>,
    /// Whether the last bead is bonded to the first. Default: false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ring: bool,
    /// Number of chains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The volume of all beads, spheres of their diameter, over that of the fluid (2-D: areas), e.g. 0.05; as many whole chains
    /// as fit into it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume_fraction: Option<f64>,
}
