//! What a run says of its cells.

use std::collections::BTreeMap;

use hematite_cells::MechanicsConfig;
use hematite_engine::Axis;
use hematite_units::quantity::{Force, Length, Pressure, SurfaceTension, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The cells of the case: what their membranes are made of, how they meet the fluid and each other.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CellsConfig {
    /// Mechanics by population, e.g. {"red": {"contrast": 5}}: keys given here take the place of the case's.
    pub mechanics: BTreeMap<String, MechanicsConfig>,
    /// Points across of the kernel between vertices (and points of immersed walls) and nodes: 2, 3 or 4. Fewer are
    /// faster and sharper, more are smoother.
    pub kernel: u8,
    /// Membranes and contact every so many time steps, a multiple of `move_every`. They are counted anew from each 16th step on, so
    /// that more than 16 are as 16.
    pub every: u64,
    /// Vertices move every so many time steps, with the velocity of the last one.
    pub move_every: u64,
    /// Time in which cells that were seeded small grow to full size. Default: 4000 time steps.
    pub growth: Option<Time>,
    /// The largest force on a vertex while cells grow, e.g. "500 pN" (2-D: of a layer one lattice spacing thick); a larger
    /// one is shortened to it. Default: half of what breaks a cell at the time step, which is 1/16 in lattice units, or less
    /// where the fluid is so thin that this would move a vertex by more than 1/16 of a lattice spacing in a time step.
    pub growth_force: Option<Force>,
    /// Repulsion between cells and from walls, and adhesion.
    pub contact: ContactConfig,
    /// Populations whose cells are pulled at both ends, as by optical tweezers, e.g. {"red": {"force": "100 pN"}}.
    pub stretch: BTreeMap<String, StretchConfig>,
    /// Openings through which cells come in with the fluid, by name, e.g. {"inlet": {}}. Cells go out wherever the flow does.
    pub inflow: BTreeMap<String, InflowConfig>,
    /// Where viscosities inside and outside differ: nodes inside cells are marked every so many time steps.
    pub mark_every: u64,
}

impl Default for CellsConfig {
    fn default() -> Self {
        Self {
            mechanics: BTreeMap::new(),
            kernel: 2,
            every: 1,
            move_every: 1,
            growth: None,
            growth_force: None,
            contact: ContactConfig::default(),
            stretch: BTreeMap::new(),
            inflow: BTreeMap::new(),
            mark_every: 20,
        }
    }
}

/// A constant force that pulls each cell of a population apart.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StretchConfig {
    /// The force at each end, e.g. "100 pN" (2-D: of a layer one lattice spacing thick); a negative one presses.
    pub force: Force,
    /// The axis along which the ends lie on the shape, and along which the force acts in the domain: the two agree for cells
    /// that stand as their shape does, which a file of positions says.
    #[serde(default = "StretchConfig::default_axis")]
    pub axis: Axis,
    /// Share of the vertices that each end has, above 0 and at most 0.5.
    #[serde(default = "StretchConfig::default_share")]
    pub share: f64,
}

impl StretchConfig {
    fn default_axis() -> Axis {
        Axis::X
    }

    fn default_share() -> f64 {
        0.02
    }
}

/// Cells that come in through an opening: a column of them, as wide as the opening, that goes with the flow, period after period. Its
/// cells do not change their shape, and push on those before them, for one to two diameters behind the opening; then they are free.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct InflowConfig {
    /// Length of the column, after which it begins again, e.g. "50 um". Default: six of the cells' largest diameters.
    pub length: Option<Length>,
    /// Share of the volume that cells take up in what comes in, e.g. 0.3, populations in the proportions of the case. Default: that of
    /// the case's vessels that are wide enough for the cells.
    pub hematocrit: Option<f64>,
}

/// Forces between vertices of different cells, and between vertices and walls, below a distance. In 2-D the sides of one cell repel
/// each other, too, where a fold brings them together.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ContactConfig {
    /// Distance at which repulsion begins, e.g. "0.5 um". Default: one lattice spacing.
    pub range: Option<Length>,
    /// Pressure with which touching membranes repel each other, and rigid bodies push them, e.g. "50 Pa"; "0 Pa" switches contact off,
    /// where the case has no rigid bodies. Default: as much as the time step bears well, see the log.
    pub strength: Option<Pressure>,
    /// The same for walls. Default: as `strength`.
    pub wall_strength: Option<Pressure>,
    /// Attraction beyond the repulsion, by a Morse potential. Default: none.
    pub adhesion: Option<AdhesionConfig>,
}

/// Morse's potential between membranes, `D (exp(-2 b (r - r0)) - 2 exp(-b (r - r0)))` an area, cut off at 2.5 r0.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdhesionConfig {
    /// Depth D of the potential an area, e.g. "1 uN/m" (= 1 uJ/m2).
    pub energy: SurfaceTension,
    /// Distance r0 of its minimum, e.g. "0.5 um".
    pub distance: Length,
    /// Length 1/b over which it falls off, e.g. "0.2 um".
    pub width: Length,
}
