//! What a config says of the cells of a case.

use std::path::{Path, PathBuf};

use hematite_cells::{MechanicsConfig, ShapeConfig};
use hematite_config::{Fault, Result, sibling};
use hematite_units::quantity::Length;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plan::words;

/// Cells of one kind, e.g. {"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.45}. Exactly one of
/// `hematocrit`, `count` and `positions` says how many.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PopulationConfig {
    /// Its name, by which runs and dumps call it.
    pub name: String,
    /// The shape of each cell at rest, e.g. {"kind": "red_cell"}.
    pub shape: ShapeConfig,
    /// Whether these are rigid bodies, which keep their shape; 3-D only, kinds "sphere", "ellipsoid" and "platelet".
    /// Default false: membranes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rigid: bool,
    /// What the membrane is made of, in place of what belongs to the shape. A run may say otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mechanics: Option<MechanicsConfig>,
    /// The volume that these cells enclose over that of the lumen (2-D: areas), e.g. 0.45. Vessels that are too narrow for the cells
    /// do not count, and those in which cells can only follow each other in a row count in part; `mkcase` says how much does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hematocrit: Option<f64>,
    /// Number of cells, e.g. 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// A CSV file, a row a cell, with the centres in the coordinates of the domain and how each cell is turned: columns
    /// `x [um]`, `y [um]`, in 3-D `z [um]` and optionally a quaternion `qw`, `qx`, `qy`, `qz`, in 2-D optionally
    /// `angle [deg]`. These cells stay where they are put.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<PathBuf>,
}

impl PopulationConfig {
    /// The files it is made from, relative to the config at `path`.
    pub fn inputs(&self, path: &Path) -> Vec<PathBuf> {
        let mesh = match &self.shape {
            ShapeConfig::Mesh { file, .. } => Some(file),
            _ => None,
        };
        self.positions.iter().chain(mesh).map(|file| sibling(path, file)).collect()
    }

    /// Checks the numbers, and that one thing says how many cells there are.
    pub(super) fn check(&self) -> Result<()> {
        let given = [
            ("hematocrit", self.hematocrit.is_some()),
            ("count", self.count.is_some()),
            ("positions", self.positions.is_some()),
        ];
        let given: Vec<&str> = given.into_iter().filter(|(_, there)| *there).map(|(key, _)| key).collect();
        if given.len() != 1 {
            let found = if given.is_empty() { "none".to_owned() } else { given.join(" and ") };
            return Err(Fault::usage(format!(
                "exactly one of \"hematocrit\", \"count\" and \"positions\" says how many {} there are; found {found}",
                words(self.rigid)[1]
            )));
        }
        if self.rigid && self.mechanics.is_some() {
            return Err(Fault::usage(
                "keys \"rigid\" and \"mechanics\" are both given; a rigid body has no membrane: leave one of them out",
            ));
        }
        match self.hematocrit {
            Some(share) if !(share > 0.0 && share < 1.0) => Err(Fault::usage(format!(
                "key \"hematocrit\" is {share}; it is the share of the lumen that the {} take up, above 0 and below 1, e.g. 0.45",
                words(self.rigid)[1]
            ))),
            _ if self.count == Some(0) => Err(Fault::usage("key \"count\" is 0: ask for 1 or more")),
            _ => Ok(()),
        }
    }
}

/// How cells are put into the lumen, e.g. {"seed": 7, "gap": "0.4 um"}.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SeedingConfig {
    /// The seed of the random draws; the same seed gives the same cells. Default 1.
    pub seed: u64,
    /// Smallest distance between the surfaces of two cells. Default: half a lattice spacing; for rigid bodies a quarter
    /// of their shortest semi-axis where that is less (between bodies and cells the mean of the two).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<Length>,
    /// Smallest distance of a cell from walls and openings. Default: half a lattice spacing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_gap: Option<Length>,
    /// What happens to cells for which there is no room at full size. Default: "if_needed". Rigid bodies for which there
    /// is none are left out.
    pub growth: Growth,
}

/// What happens to cells for which there is no room at full size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Growth {
    /// They are placed smaller, and the run grows them.
    #[default]
    IfNeeded,
    /// They are left out.
    Never,
}

impl Default for SeedingConfig {
    fn default() -> Self {
        Self { seed: 1, gap: None, wall_gap: None, growth: Growth::IfNeeded }
    }
}

impl SeedingConfig {
    /// The gaps between cells, where the config says, and to the wall, in lattice units.
    pub(super) fn gaps(&self, spacing: f64) -> Result<(Option<f64>, f64)> {
        let gap = |key: &str, given: Option<Length>, most: f64| {
            let gap = given.map_or(HALF, |length| length.si() / spacing);
            if (0.0..=most).contains(&gap) {
                return Ok(gap);
            }
            Err(Fault::usage(format!(
                "key \"{key}\" is {gap:.3} lattice spacings; it is 0 to {most} (half a spacing keeps cells apart)"
            )))
        };
        Ok((self.gap.map(|given| gap("gap", Some(given), 20.0)).transpose()?, gap("wall_gap", self.wall_gap, 5.0)?))
    }
}

/// The gap where a config names none, in lattice spacings.
pub(super) const HALF: f64 = 0.5;
