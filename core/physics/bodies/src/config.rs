//! What a run says of its rigid bodies.

use std::collections::BTreeMap;

use hematite_units::quantity::{Density, Energy, Force, Length};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The rigid bodies of the case: how they meet the fluid and each other.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BodiesConfig {
    /// By population, e.g. {"red": {"density": "1100 kg/m3"}}.
    pub populations: BTreeMap<String, BodyConfig>,
    /// Repulsion between bodies and from walls.
    pub contact: BodyContactConfig,
    /// Openings through which bodies come in, by name, e.g. {"inlet": {}}: as the case holds them behind the opening, period
    /// after period, with the fluid that comes in. Bodies go out wherever they are carried out.
    pub inflow: BTreeMap<String, BodyInflowConfig>,
}

/// A population of rigid bodies.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BodyConfig {
    /// Mass density. Default: that of the fluid.
    pub density: Option<Density>,
    /// Half widths of the region in which a body meets the fluid, over its semi-axes. Wider regions are smoother and make the
    /// drag softer; below some 1.6 a body would have more friction than its region lets it have. Half widths are two lattice
    /// spacings at least: narrower regions feel the lattice.
    pub region: f64,
    /// Half widths of the region along the axes, instead of `region`, e.g. ["8 um", "8 um", "4 um"]; one lattice spacing at least.
    pub half_widths: Option<[Length; 3]>,
    /// Friction along the axes over that of Stokes for an ellipsoid alone.
    pub friction: f64,
    /// Rotational friction about the axes over that of Stokes.
    pub rotational_friction: f64,
    /// A constant force on each, e.g. its weight less its buoyancy ["0 N", "0 N", "-0.1 pN"]. Bodies hand it on to the fluid and
    /// nothing holds the fluid in return but walls and openings: where all directions are periodic the whole goes faster and
    /// faster, unless "drive.force" is given as much the other way.
    pub force: Option<[Force; 3]>,
    /// Whether the strain of the fluid turns a body as well as its rotation does, by Jeffery's law.
    pub strain_torque: bool,
    /// Relative well depths of contacts along the axes: where one is larger, contacts at that end are stiffer.
    pub depths: [f64; 3],
}

impl Default for BodyConfig {
    fn default() -> Self {
        Self {
            density: None,
            region: 2.0,
            half_widths: None,
            friction: 1.0,
            rotational_friction: 1.0,
            force: None,
            strain_torque: true,
            depths: [1.0; 3],
        }
    }
}

/// Gay and Berne's potential, repulsive only, and the same from walls. Cells are touched as `cells.contact` says.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BodyContactConfig {
    /// Width sigma of the soft layer: repulsion begins at a gap of 0.12 sigma and is stiff below it. Default: one lattice
    /// spacing, or the thickness of the thinnest body where that is less.
    pub softness: Option<Length>,
    /// Energy epsilon of two bodies that touch. Default: as much as the time step bears well, see the log.
    pub energy: Option<Energy>,
    /// Energy of a body that touches a wall. Default: as `energy`.
    pub wall_energy: Option<Energy>,
    /// Gay and Berne's exponent nu, by which orientation changes the energy of contacts.
    pub nu: u32,
    /// Gay and Berne's exponent mu, by which relative well depths do; at least 1 where depths are given.
    pub mu: u32,
}

/// Rigid bodies that come in through an opening.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BodyInflowConfig {
    /// Length of the stretch behind the opening whose seeded bodies come in again and again, e.g. "50 um". The vessel should be
    /// straight so far. Default: six of their largest diameters.
    pub length: Option<Length>,
    /// Share of the volume that bodies take up in what comes in, e.g. 0.1; at most what the seeded bodies bring. Default: that.
    pub hematocrit: Option<f64>,
}
