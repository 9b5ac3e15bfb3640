//! The section of a run's config that fixes the solvent.

use hematite_units::quantity::{Friction, Mass, Temperature};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a run's config says of the solvent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LangevinSections {
    /// The fluid.
    #[serde(default)]
    pub fluid: FluidSection,
}

/// How the fluid is computed: the name of a method, which holds what belongs to it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct FluidSection {
    /// A solvent at rest without hydrodynamics around polymers, e.g. {"temperature": "300 K", "friction": "1e-8 kg/s"}.
    /// `time.step` gives the time step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub langevin: Option<LangevinConfig>,
}

/// A solvent at rest without hydrodynamics: friction and thermal noise on each bead.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LangevinConfig {
    /// Temperature, e.g. "300 K".
    pub temperature: Temperature,
    /// Friction of a bead, force over velocity, e.g. "1e-8 kg/s": by itself a bead diffuses with kT over it.
    pub friction: Friction,
    /// Mass of a bead whose chain gives no other "mass". Default: 10 times friction times time step, so that friction takes a
    /// tenth of a velocity in a step. What chains do in times far above mass over friction does not depend on it. In a step
    /// friction may take half of a velocity at most: the lower the share, the more exact the motion, and the shorter the steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bead_mass: Option<Mass>,
    /// Another number makes another run with the same statistics.
    #[serde(default = "one")]
    pub seed: u64,
}

fn one() -> u64 {
    1
}
