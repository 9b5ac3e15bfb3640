//! The section of a run's config about polymers.

use std::collections::BTreeMap;

use hematite_units::quantity::Length;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a run's config says of polymers.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct PolymerSections {
    /// The polymers of the case: what holds their beads together and keeps them apart.
    #[serde(default)]
    pub polymers: PolymersConfig,
}

/// The polymers of the case: chains of beads. Energies are in units of kT. E.g. {"populations": {"chain": {"bonds":
/// {"harmonic": {"stiffness": 1000}}, "bending": 5}}}.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PolymersConfig {
    /// By name of the population in the case. Those that are not named have the defaults.
    pub populations: BTreeMap<String, ChainConfig>,
    /// Steps of the beads' motion in a time step of the fluid. Default: as many as the stiffest of the bonds and forces need.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub_steps: Option<u32>,
}

/// The chains of a population.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ChainConfig {
    /// Mass of a bead, a whole number up to 200: in "srd" over that of a particle of the fluid, by default that of the fluid in a
    /// collision cell; in "langevin" over its "bead_mass", by default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<u32>,
    /// What holds neighbours along the chain together.
    pub bonds: BondConfig,
    /// Stiffness kappa of bends, kT: the energy of the angle theta between two bonds that follow each other is kappa (1 - cos
    /// theta). The persistence length is about kappa bonds in 3-D, 2 kappa bonds in 2-D. Default 0: chains are flexible.
    pub bending: f64,
    /// What keeps beads apart that are not neighbours along a chain, and those of different chains. Default: "wca" with the
    /// beads' diameter in the case; "none" where that is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<PairConfig>,
}

/// What holds neighbours along a chain together. l is the length of bonds in the case.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum BondConfig {
    /// Springs of the length l: k (r - l)^2 / 2. No other force acts between neighbours along the chain.
    Harmonic {
        /// k, in kT / l^2; above 0. The length of bonds varies by about 1 / sqrt(k).
        stiffness: f64,
    },
    /// Finitely extensible springs: -k R^2 ln(1 - (r / R)^2) / 2; what keeps beads apart acts between neighbours too.
    Fene {
        /// k, in kT / l^2; above 0. Usual: 30.
        stiffness: f64,
        /// R, in l: the longest that a bond can be; above 1. Usual: 1.5.
        extension: f64,
    },
}

impl Default for BondConfig {
    fn default() -> Self {
        Self::Harmonic { stiffness: 1000.0 }
    }
}

/// Forces between beads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PairConfig {
    /// None: chains pass through each other and themselves.
    None,
    /// The repulsive part of the Lennard-Jones potential, up to 2^(1/6) diameters (Weeks, Chandler and Andersen).
    Wca {
        /// epsilon, kT.
        #[serde(default = "one")]
        energy: f64,
        /// sigma. Default: the beads' diameter in the case.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        diameter: Option<Length>,
    },
    /// The Lennard-Jones potential 4 epsilon ((sigma / r)^12 - (sigma / r)^6): beads attract each other beyond 2^(1/6) sigma.
    LennardJones {
        /// epsilon, kT.
        #[serde(default = "one")]
        energy: f64,
        /// sigma. Default: the beads' diameter in the case.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        diameter: Option<Length>,
        /// Distance beyond which it is cut, in sigma.
        #[serde(default = "cutoff")]
        cutoff: f64,
    },
}

fn one() -> f64 {
    1.0
}

fn cutoff() -> f64 {
    2.5
}
