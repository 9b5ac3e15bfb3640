//! CASE.json.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use hematite_case::{PolymerConfig, PopulationConfig, SeedingConfig};
use hematite_geometry::{FieldConfig, GeometryConfig, OpeningConfig, RegionConfig, WallPartConfig};
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
    /// Named parts of the wall, e.g. [{"name": "cylinder", "box": {"min": ["0.1 m", "0.1 m"], "max": ["0.3 m", "0.3
    /// m"]}}]: runs record the force and torque of the fluid on each ("forces" in the RUN.json).
    #[serde(default)]
    pub wall_parts: Vec<WallPartConfig>,
    /// Named sets of fluid nodes, which runs use by name and dumps may hold, e.g. [{"name": "water", "box": {"min": ["0
    /// m", "0 m"], "max": ["1 m", "2 m"]}}, {"name": "vent", "colour": "#ff0000"}].
    #[serde(default)]
    pub regions: Vec<RegionConfig>,
    /// Numbers at nodes that do not change, by name, which runs use and dumps may hold, e.g. {"elevation": {"image":
    /// "etna.tif", "unit": "1 m"}}.
    #[serde(default)]
    pub fields: BTreeMap<String, FieldConfig>,
    /// Populations of cells in the fluid at the start, e.g. [{"name": "red", "shape": {"kind": "red_cell"},
    /// "hematocrit": 0.45}].
    #[serde(default)]
    pub cells: Vec<PopulationConfig>,
    /// Populations of polymers in the fluid at the start, e.g. [{"name": "chain", "beads": 32, "bond": "1 um", "count": 50}].
    /// For runs whose "fluid" is made of particles.
    #[serde(default)]
    pub polymers: Vec<PolymerConfig>,
    /// How the cells are put into the lumen; its "seed" is that of polymers too.
    #[serde(default)]
    pub seeding: SeedingConfig,
    /// For runs with "walls": "immersed" in their "fluid", whose walls act through an immersed boundary: points on the
    /// walls and a layer of nodes beyond them. Default: points where there are cells, no layer, so that such runs are
    /// refused. {} takes the best spacing.
    #[serde(default)]
    pub walls: Option<WallsConfig>,
    /// Numbers of ranks to store partitions for, e.g. [1, 4]. A run on another number makes its own.
    #[serde(default)]
    pub parts: Vec<NonZeroUsize>,
}

/// Points on the smoothed walls, and the layer of nodes beyond the walls that their kernels reach.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WallsConfig {
    /// Distance between neighbouring points in lattice spacings, from 0.25 to 2; above 1, flow leaks between the
    /// points.
    pub spacing: f64,
}

impl Default for WallsConfig {
    fn default() -> Self {
        Self { spacing: 0.75 }
    }
}

impl CaseConfig {
    /// The spacing of the points on the walls, in lattice spacings, if points are asked for or there are cells.
    pub fn wall_points(&self) -> Option<f64> {
        let cells = (!self.cells.is_empty()).then(WallsConfig::default);
        self.walls.clone().or(cells).map(|walls| walls.spacing)
    }
}
