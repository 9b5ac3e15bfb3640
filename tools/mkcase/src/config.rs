//! CASE.json.

use std::num::NonZeroUsize;

use hematite_case::{PopulationConfig, SeedingConfig};
use hematite_geometry::{GeometryConfig, OpeningConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a case is made from. Lengths carry units ("4 um", "0.5 mm"); paths are relative to this file. E.g.
/// {"geometry": {"image": "vessel.png", "spacing": "4 um"}, "openings": [{"name": "inlet", "kind": "velocity",
/// "face": "x-"}, {"name": "outlet", "kind": "pressure", "face": "x+"}]}.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct CaseConfig {
    /// Where there is fluid.
    pub geometry: GeometryConfig,
    /// Where fluid comes in and goes out, and which walls move. The run prescribes their values by name. None: a closed
    /// or periodic domain.
    #[serde(default)]
    pub openings: Vec<OpeningConfig>,
    /// Populations of cells in the fluid at the start, e.g. [{"name": "red", "shape": {"kind": "red_cell"},
    /// "hematocrit": 0.45}].
    #[serde(default)]
    pub cells: Vec<PopulationConfig>,
    /// How the cells are put into the lumen.
    #[serde(default)]
    pub seeding: SeedingConfig,
    /// Numbers of ranks to store partitions for, e.g. [1, 4]. A run on another number makes its own.
    #[serde(default)]
    pub parts: Vec<NonZeroUsize>,
}
