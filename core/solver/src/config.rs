//! The parts of a run's config that fix its physics.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hematite_cells::MechanicsConfig;
use hematite_units::hydraulic::Resistance;
use hematite_units::quantity::{
    Density, DynamicViscosity, Energy, FlowRate, Force, ForceDensity, Length, Pressure, SurfaceTension, Time, Velocity,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Precision;
pub use crate::outlets::WindkesselConfig;
use crate::waveform::WaveformConfig;

/// The fluid and how it is computed.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FluidConfig {
    /// Mass density at rest, e.g. "1025 kg/m3".
    pub density: Density,
    /// Dynamic viscosity, e.g. "1.2 mPa s".
    pub viscosity: DynamicViscosity,
    /// Collision operator.
    #[serde(default)]
    pub collision: Collision,
    /// Magic number of the two-relaxation-time collision; 3/16 puts flat walls exactly half-way.
    #[serde(default = "three_sixteenths")]
    pub magic: f64,
    /// Storage and arithmetic of the populations.
    #[serde(default)]
    pub precision: Precision,
    /// Where walls stop the fluid.
    #[serde(default)]
    pub walls: WallMethod,
}

fn three_sixteenths() -> f64 {
    3.0 / 16.0
}

/// Where walls stop the fluid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WallMethod {
    /// Half-way between the last fluid node and the first wall site: bounce-back. Walls are staircases.
    #[default]
    HalfWay,
    /// Where the smoothed wall cuts each link: interpolated bounce-back. Slanted and round walls are smooth; the ledger
    /// counts the little mass that it adds or takes.
    Interpolated,
    /// Where points on the smoothed wall, among nodes on both of its sides, hold the fluid through an immersed
    /// boundary, with the kernel of `cells.kernel`. The case needs "walls" in its CASE.json. The ledger counts the
    /// little mass that passes between the points.
    Immersed,
}

impl WallMethod {
    /// Its name in configs.
    pub fn name(self) -> &'static str {
        match self {
            Self::HalfWay => "half_way",
            Self::Interpolated => "interpolated",
            Self::Immersed => "immersed",
        }
    }
}

/// The collision operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Collision {
    /// Two relaxation times.
    #[default]
    Trt,
    /// One relaxation time (Bhatnagar, Gross and Krook).
    Bgk,
}

/// How long, and in which steps. One of `step` and `tau`, one of `steps` and `duration`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeConfig {
    /// The time step, e.g. "0.1 us".
    #[serde(default)]
    pub step: Option<Time>,
    /// The relaxation time in lattice units, which fixes the time step: above 0.5, best from 0.6 to 1.2.
    #[serde(default)]
    pub tau: Option<f64>,
    /// Number of time steps.
    #[serde(default)]
    pub steps: Option<u64>,
    /// Simulated time, e.g. "20 ms".
    #[serde(default)]
    pub duration: Option<Time>,
}

/// What is prescribed at one opening: exactly one of `velocity`, `flow_rate` and `split`, or a profile from a CSV file
/// alone, where the case says "velocity"; exactly one of `pressure`, `resistance` and `windkessel` where it says
/// "pressure"; `wall_velocity` or nothing at a moving wall.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpeningCondition {
    /// Mean velocity into the domain along the opening's normal; negative flows out.
    #[serde(default)]
    pub velocity: Option<Velocity>,
    /// Flow rate into the domain (3-D only).
    #[serde(default)]
    pub flow_rate: Option<FlowRate>,
    /// Share of what comes in through the velocity openings that is to go out here, at all times, e.g. 0.3. The rest
    /// needs an opening of kind "pressure".
    #[serde(default)]
    pub split: Option<f64>,
    /// Pressure above that of the fluid at rest, half-way between the opening and its nodes.
    #[serde(default)]
    pub pressure: Option<Pressure>,
    /// The pressure follows the flow: this times the flow rate out of the domain, e.g. "1 GPa s/m3", above
    /// `distal_pressure`; in 2-D for a metre of depth, e.g. "10 MPa s/m2".
    #[serde(default)]
    pub resistance: Option<Resistance>,
    /// Pressure where the resistance ends, above that of the fluid at rest. Default: 0.
    #[serde(default)]
    pub distal_pressure: Option<Pressure>,
    /// The pressure follows the flow by a Windkessel of two or three elements.
    #[serde(default)]
    pub windkessel: Option<WindkesselConfig>,
    /// Velocity of a moving wall along x, y (and z).
    #[serde(default)]
    pub wall_velocity: Option<Vec<Velocity>>,
    /// How the velocity is spread over the opening.
    #[serde(default)]
    pub profile: Profile,
    /// How the prescribed velocity or pressure goes with time.
    #[serde(default)]
    pub waveform: WaveformConfig,
    /// Rise smoothly from 0 over this time; so does the pressure of a resistance or Windkessel.
    #[serde(default)]
    pub ramp: Option<Time>,
}

/// How a velocity is spread over an opening.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Profile {
    /// The developed flow of the opening's own cross-section: a parabola in 2-D and in a round tube.
    #[default]
    Parabolic,
    /// The same everywhere.
    Flat,
    /// The developed flow of the opening's own cross-section as it oscillates, each harmonic of the waveform with its
    /// own profile (Womersley's in a round tube): for a "sine", or a "table" with a period, at an opening across x, y or z.
    Womersley,
    /// From a CSV file with columns `x [UNIT]`, `y [UNIT]`, `z [UNIT]` (those along the opening suffice) and
    /// `speed [UNIT]` along the normal, or `ux`, `uy` (and `uz`).
    Csv(PathBuf),
}

/// What drives the flow from within.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveConfig {
    /// Body force a volume along x, y (and z), e.g. ["1 kPa/m", "0 Pa/m"].
    #[serde(default)]
    pub force: Option<Vec<ForceDensity>>,
    /// Pressure drop over one period of a periodic direction.
    #[serde(default)]
    pub pressure_drop: Option<PressureDrop>,
    /// How force and pressure drop go with time.
    #[serde(default)]
    pub waveform: WaveformConfig,
    /// Rise smoothly from 0 over this time.
    #[serde(default)]
    pub ramp: Option<Time>,
}

/// A pressure that falls by `drop` over one period along `axis`, so that the fluid flows along it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PressureDrop {
    /// The periodic direction.
    pub axis: Axis,
    /// Pressure at its beginning less that at its end.
    pub drop: Pressure,
}

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

/// Gay and Berne's potential, repulsive only, and the same from walls.
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

/// Rigid bodies that come in through an opening.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BodyInflowConfig {
    /// Length of the stretch behind the opening whose seeded bodies come in again and again, e.g. "50 um". The vessel should be
    /// straight so far. Default: six of their largest diameters.
    pub length: Option<Length>,
    /// Share of the volume that bodies take up in what comes in, e.g. 0.1; at most as much as was seeded there. Default: as seeded.
    pub hematocrit: Option<f64>,
}

/// Forces between vertices of different cells, and between vertices and walls, below a distance. In 2-D the sides of one cell repel
/// each other, too, where a fold brings them together.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ContactConfig {
    /// Distance at which repulsion begins, e.g. "0.5 um". Default: one lattice spacing.
    pub range: Option<Length>,
    /// Pressure with which touching membranes repel each other, e.g. "50 Pa"; "0 Pa" switches contact off. Default: as
    /// much as the time step bears well, see the log.
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
