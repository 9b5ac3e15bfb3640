//! CASE.json.

use std::num::NonZeroUsize;

use hematite_geometry::{GeometryConfig, OpeningConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a case is made from. Lengths carry units ("4 um"); paths are relative to this file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct CaseConfig {
    /// Where there is fluid.
    pub geometry: GeometryConfig,
    /// Where fluid comes in and goes out, and which walls move. The run prescribes their values by name.
    #[serde(default)]
    pub openings: Vec<OpeningConfig>,
    /// Numbers of ranks to store partitions for, e.g. [1, 4]. A run on another number makes its own.
    #[serde(default)]
    pub parts: Vec<NonZeroUsize>,
}
