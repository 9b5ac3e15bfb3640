//! The parts of a run's config that fix the fluid and what drives it.

use std::path::PathBuf;

use hematite_engine::Precision;
use hematite_engine::waveform::WaveformConfig;
use hematite_units::hydraulic::{Compliance, Resistance};
use hematite_units::quantity::{Density, DynamicViscosity, FlowRate, Length, Pressure, Time, Velocity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the fluid is computed: the name of a method, which holds what belongs to it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct FluidSection {
    /// By the lattice Boltzmann method, e.g. {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "tau": 0.8}.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lattice_boltzmann: Option<FluidConfig>,
}

/// A fluid by the lattice Boltzmann method.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FluidConfig {
    /// Mass density at rest, e.g. "1025 kg/m3".
    pub density: Density,
    /// Dynamic viscosity, e.g. "1.2 mPa s".
    pub viscosity: DynamicViscosity,
    /// The relaxation time in lattice units, which fixes the time step: above 0.5, best from 0.6 to 1.2. In its place the time step
    /// itself may be given as `time.step`.
    #[serde(default)]
    pub tau: Option<f64>,
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

/// The default of [`FluidConfig::magic`].
pub(crate) fn three_sixteenths() -> f64 {
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
    /// counts the little mass that it adds or takes. Nodes on which cells or bodies push stay half-way.
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

/// A Windkessel behind an outlet: flow goes through `proximal` into `compliance`, and from there through `distal` to
/// `distal_pressure`. Without `proximal` it has two elements, with it three. In 2-D, units are those of a metre of
/// depth.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindkesselConfig {
    /// Resistance before the compliance, e.g. "1 GPa s/m3" (2-D: "10 MPa s/m2"). Default: none.
    #[serde(default)]
    pub proximal: Option<Resistance>,
    /// Volume that it takes in a pressure, e.g. "1e-12 m3/Pa" (2-D: "1e-12 m2/Pa").
    pub compliance: Compliance,
    /// Resistance behind the compliance, e.g. "10 GPa s/m3" (2-D: "100 MPa s/m2").
    pub distal: Resistance,
    /// Pressure behind the distal resistance, above that of the fluid at rest. Default: 0.
    #[serde(default)]
    pub distal_pressure: Option<Pressure>,
    /// Pressure in the compliance at the start. Default: the distal pressure.
    #[serde(default)]
    pub initial: Option<Pressure>,
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

/// How the force on a part of the wall is taken down.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForceConfig {
    /// The point of the torque: x, y (and z), from the image's lower-left corner. Default: the mean of the middles of the links
    /// into the part, which for a closed obstacle is near its centroid; `log.jsonl` says where.
    #[serde(default)]
    pub about: Option<Vec<Length>>,
}
