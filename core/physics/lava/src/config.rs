//! The sections of a run's config that fix lava and its vents.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hematite_units::quantity::{
    Acceleration, Density, DynamicViscosity, FlowRate, LatentHeat, Length, Pressure, SpecificHeat, Temperature, Time,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a run's config says of lava and its vents.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LavaSections {
    /// The fluid.
    #[serde(default)]
    pub fluid: FluidSection,
    /// What comes out of each vent, by the name of a region of the case, e.g. {"vent": {"effusion": {"rate": "30 m3/s"},
    /// "temperature": "1360 K"}}. For runs of "lava".
    #[serde(default)]
    pub vents: BTreeMap<String, VentConfig>,
}

/// How the fluid is computed: the name of a method, which holds what belongs to it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct FluidSection {
    /// Lava that flows over terrain and cools, e.g. {"density": "2600 kg/m3", "viscosity": {"giordano_dingwell": {"water": 0.1}},
    /// "yield_strength": {"exponential": {"strength": "8 Pa", "at": "1360 K", "decades_per_kelvin": 0.0089}}, "solidus": "1143 K"}.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lava: Option<LavaConfig>,
}

/// Lava: a Bingham fluid in cells of a terrain, by the model of MAGFLOW. The case is 2-D, and has a field with the elevation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LavaConfig {
    /// Mass density, e.g. "2600 kg/m3".
    pub density: Density,
    /// Viscosity.
    pub viscosity: ViscosityConfig,
    /// Yield strength: lava is at rest where it is sheared by less. Default: none.
    #[serde(default)]
    pub yield_strength: YieldConfig,
    /// Share of a black body's radiation that the surface emits, from 0 (no cooling) to 1.
    #[serde(default = "emissivity")]
    pub emissivity: f64,
    /// Heat capacity of a mass.
    #[serde(default = "heat_capacity")]
    pub heat_capacity: SpecificHeat,
    /// Lava below this temperature becomes solid, e.g. "1143 K". Needed where viscosity or yield strength depend on temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solidus: Option<Temperature>,
    /// Latent heat of a mass, e.g. "350 kJ/kg": below the solidus lava freezes bit by bit, as this heat is lost, and what is left
    /// stays fluid at the solidus. Default: all lava of a cell freezes at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latent_heat: Option<LatentHeat>,
    /// Between which cells lava flows, and how.
    #[serde(default)]
    pub neighbours: Neighbours,
    /// Acceleration of gravity.
    #[serde(default = "gravity")]
    pub gravity: Acceleration,
    /// The field of the case that holds the elevation of the ground, m.
    #[serde(default = "elevation")]
    pub elevation: String,
    /// Lava that is there at the start, e.g. [{"region": "dome", "thickness": "10 m", "temperature": "1360 K"}].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start: Vec<StartConfig>,
}

fn emissivity() -> f64 {
    0.9
}

fn heat_capacity() -> SpecificHeat {
    SpecificHeat(1150.0)
}

fn gravity() -> Acceleration {
    Acceleration(9.81)
}

fn elevation() -> String {
    "elevation".to_owned()
}

/// Viscosity.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ViscosityConfig {
    /// The same at all temperatures, e.g. "1000 Pa s".
    Constant(DynamicViscosity),
    /// Of lava of Etna by Giordano and Dingwell (Bull. Volcanol. 65, 8, 2003), from its temperature and its water.
    GiordanoDingwell(WaterConfig),
    /// exp(B / T): B times as many per cents for a per cent of temperature.
    Arrhenius(ArrheniusConfig),
}

/// Water in lava.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaterConfig {
    /// Per cent of the weight: 0.02 to 4; degassed lava has 0.05 to 0.2.
    pub water: f64,
}

/// A viscosity that falls with temperature like exp(B / T).
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArrheniusConfig {
    /// Viscosity at the temperature `at`, e.g. "1000 Pa s".
    pub viscosity: DynamicViscosity,
    /// This temperature, e.g. "1360 K".
    pub at: Temperature,
    /// B, the activation energy over the gas constant, e.g. "40000 K".
    pub activation: Temperature,
}

/// Yield strength.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum YieldConfig {
    /// The same at all temperatures, e.g. "500 Pa".
    Constant(Pressure),
    /// It grows by a factor with each kelvin of cooling.
    Exponential(SofteningConfig),
}

impl Default for YieldConfig {
    fn default() -> Self {
        Self::Constant(Pressure(0.0))
    }
}

/// A yield strength that falls with temperature like 10^(-slope T), as Ishihara et al. (Lava Flows and Domes, 1990) found.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SofteningConfig {
    /// Yield strength at the temperature `at`, e.g. "8 Pa".
    pub strength: Pressure,
    /// This temperature, e.g. "1360 K".
    pub at: Temperature,
    /// Decimal logarithm of the factor for a kelvin, e.g. 0.0089.
    pub decades_per_kelvin: f64,
}

/// Between which cells lava flows, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Neighbours {
    /// All eight, weighted so that lava spreads alike in all directions; the yield strength holds against the whole slope.
    #[default]
    Isotropic,
    /// All eight with the full width of a cell, each pair by itself, as in the first versions of MAGFLOW: piles become octagons, and
    /// flows in the open are twice as strong.
    Plain,
}

/// Lava at the start.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartConfig {
    /// A region of the case; all cells by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Thickness in each cell, e.g. "10 m".
    pub thickness: Length,
    /// Temperature, e.g. "1360 K".
    pub temperature: Temperature,
}

/// What comes out of a vent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VentConfig {
    /// Volume in time, over all cells of the vent alike.
    pub effusion: EffusionConfig,
    /// Temperature of what comes out, e.g. "1360 K".
    pub temperature: Temperature,
    /// Where the vent opens in its region, if not over all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub somewhere: Option<SomewhereConfig>,
}

/// A vent that opens around a cell of its region that is drawn at random, all cells alike: each member of an ensemble has
/// another one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SomewhereConfig {
    /// The vent is the cells of the region within this distance of the drawn one, e.g. "45 m".
    pub radius: Length,
    /// Seed of the draw.
    #[serde(default = "first_seed")]
    pub seed: u64,
}

fn first_seed() -> u64 {
    1
}

/// Volume in time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum EffusionConfig {
    /// The same at all times, e.g. "30 m3/s".
    Rate(FlowRate),
    /// A CSV file with the columns `time [UNIT]` and `rate [UNIT]`, times ascending, e.g. "effusion.csv": linear between its rows, a
    /// step at two rows of one time, none before the first and after the last row.
    File(PathBuf),
    /// The same as a list, e.g. [["0 h", "0 m3/s"], ["12 h", "30 m3/s"], ["72 h", "0 m3/s"]].
    Rows(Vec<(Time, FlowRate)>),
    /// From 0 to a peak and back.
    Bell(BellConfig),
}

/// An effusion that grows and falls like the square of a sine.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BellConfig {
    /// The largest rate, e.g. "30 m3/s".
    pub peak: FlowRate,
    /// From its begin to its end, e.g. "168 h".
    pub duration: Time,
}
