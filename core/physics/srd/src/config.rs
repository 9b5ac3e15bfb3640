//! The sections of a run's config that fix the fluid.

use hematite_engine::{DriveConfig, InitialConfig};
use hematite_units::quantity::{Density, Temperature, Velocity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a run's config says of the fluid and what drives it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SrdSections {
    /// The fluid.
    #[serde(default)]
    pub fluid: FluidSection,
    /// What is prescribed at each moving wall of the case, by name.
    #[serde(default)]
    pub openings: BTreeMap<String, MovingWall>,
    /// Body force or pressure drop.
    #[serde(default)]
    pub drive: DriveConfig,
    /// The fluid at the start; at rest by default.
    #[serde(default)]
    pub initial: InitialConfig,
}

/// The section that says whether the run has this fluid: the others may be meant for another one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct FluidChoice {
    /// The fluid.
    #[serde(default)]
    pub fluid: FluidSection,
}

/// How the fluid is computed: the name of a method, which holds what belongs to it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct FluidSection {
    /// By stochastic rotation dynamics, e.g. {"density": "1000 kg/m3", "temperature": "300 K", "mean_free_path": 0.1}.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub srd: Option<SrdConfig>,
}

/// A fluid of particles by stochastic rotation dynamics, also called multi-particle collision dynamics.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SrdConfig {
    /// Mass density, e.g. "1000 kg/m3".
    pub density: Density,
    /// Temperature, e.g. "300 K".
    pub temperature: Temperature,
    /// Mean number of particles in a collision cell, which is as large as the lattice spacing: 2 to 200.
    #[serde(default = "ten")]
    pub particles_per_cell: f64,
    /// Angle of the rotation, degrees: above 0, at most 180; 130 by default. For "collision": "rotation".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<f64>,
    /// Distance that a particle goes in a time step with the thermal speed sqrt(kT/m) along an axis, in lattice spacings:
    /// it fixes the time step. 0.1 makes a liquid. In its place the time step itself may be given as `time.step`.
    #[serde(default)]
    pub mean_free_path: Option<f64>,
    /// What particles of a cell do to each other.
    #[serde(default)]
    pub collision: Collision,
    /// Whether collisions conserve the angular momentum of each cell that no wall cuts. It matters where the fluid turns as a
    /// whole, or where viscosities differ, and costs time.
    #[serde(default)]
    pub angular_momentum: bool,
    /// Share of cells, chosen at random in each step, whose energy is drawn anew from the distribution of the temperature:
    /// from 0 to 1; 0.1 by default. With 0 energy is conserved, and a force heats the fluid. With much more than the
    /// default, stresses are forgotten sooner, which changes the viscosity of fluids with long mean free paths. For
    /// "collision": "rotation".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thermostat: Option<f64>,
    /// Whether collision cells are shifted at random in each step. Without it particles that fly short ways stay among
    /// themselves, and results depend on how fast the fluid moves past the lattice.
    #[serde(default = "yes")]
    pub grid_shift: bool,
    /// What walls do.
    #[serde(default)]
    pub walls: Walls,
    /// Particles are counted at nodes after multiples of this number of steps: fields are means of these counts since the
    /// dump before.
    #[serde(default = "every")]
    pub sample_every: u64,
    /// Another number makes another run with the same statistics.
    #[serde(default = "one")]
    pub seed: u64,
}

fn ten() -> f64 {
    10.0
}

impl SrdConfig {
    /// Angle of the rotation, degrees.
    pub fn angle(&self) -> f64 {
        self.angle.unwrap_or(130.0)
    }

    /// Share of cells whose energy is drawn anew in a step. Andersen's collision draws all velocities anew by itself.
    pub fn thermostat(&self) -> f64 {
        match self.collision {
            Collision::Rotation => self.thermostat.unwrap_or(0.1),
            Collision::Andersen => 0.0,
        }
    }
}

fn yes() -> bool {
    true
}

fn every() -> u64 {
    10
}

fn one() -> u64 {
    1
}

/// What particles of a cell do to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Collision {
    /// Velocities about the mean of the cell turn by `angle`: in 3-D about a random axis, in 2-D to a random side.
    #[default]
    Rotation,
    /// Velocities about the mean of the cell are drawn anew from the distribution of the temperature.
    Andersen,
}

/// What walls do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Walls {
    /// Particles bounce back the way they came; cells that a wall cuts are filled with virtual particles.
    #[default]
    NoSlip,
    /// Particles bounce back without virtual particles: the fluid slips a little.
    BounceBack,
    /// Particles keep their velocity along the wall.
    Slip,
}

/// What is prescribed at a moving wall.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MovingWall {
    /// Velocity of the wall along x, y (and z).
    #[serde(default)]
    pub wall_velocity: Option<Vec<Velocity>>,
}
