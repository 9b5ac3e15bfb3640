//! What a membrane is made of: laws and moduli, in configs and as numbers.
//!
//! In 2-D a membrane is a sheet that extends along z. Moduli therefore have the same units as in 3-D: N/m for tension,
//! J for bending, Pa for the enclosed volume, Pa s m for the viscosity. Energies are those of one metre of depth.

mod config;
mod preset;

pub use config::{BendingConfig, InPlaneConfig, MechanicsConfig};
pub use preset::Preset;

use hematite_units::LatticeUnits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The mechanics of a kind of cell, in one consistent set of units: SI, or the lattice's after
/// [`Mechanics::in_lattice`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mechanics {
    /// Elasticity within the membrane.
    pub in_plane: Option<InPlane>,
    /// Elasticity against bending.
    pub bending: Option<Bending>,
    /// Modulus k_f of fairing, against folds that are one or two sides wide.
    pub fairing: f64,
    /// Modulus k_l of `k_l / 2 sum (A_t - A_t0)^2 / A_t0` over triangles; 0 in 2-D.
    pub local_area: f64,
    /// Modulus k_a of `k_a / 2 (A - A_0)^2 / A_0` of the whole area; in 2-D of the perimeter.
    pub global_area: f64,
    /// Modulus k_v of `k_v / 2 (V - V_0)^2 / V_0` of the volume; in 2-D of the area.
    pub volume: f64,
    /// Target volume V_0 over that of the shape.
    pub volume_share: f64,
    /// Surface viscosity of the membrane.
    pub viscosity: f64,
    /// Viscosity of the fluid inside over that outside.
    pub contrast: f64,
}

/// Elasticity within the membrane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InPlane {
    /// 2-D: `k / 2 (l - l0)^2 / l0` a side.
    Linear {
        /// Modulus.
        k: f64,
    },
    /// 2-D, hardening (finitely extensible): `-k / 2 l0 s^2 ln(1 - (e / s)^2)`, `e = l / l0 - 1`, s the largest
    /// strain: `limit - 1` in stretching, 1/2 in compression.
    Hardening {
        /// Modulus at small strain.
        k: f64,
        /// Largest length over that at rest, above 1.
        limit: f64,
    },
    /// 3-D: worm-like chains on the edges with a power-law repulsion (Fedosov, Caswell and Karniadakis 2010).
    WlcPower {
        /// Shear modulus.
        mu: f64,
        /// Rest length over the largest length.
        x0: f64,
        /// Exponent m of the repulsion.
        power: f64,
    },
    /// 3-D: Skalak's law on triangles, `W = g / 4 (I1^2 + 2 I1 - 2 I2 + c I2^2)`.
    Skalak {
        /// Shear modulus G_s.
        g: f64,
        /// Area dilation constant C.
        c: f64,
    },
    /// 3-D: neo-Hookean, `W = g / 2 (I1 - 1 + 1 / (I2 + 1))`.
    NeoHookean {
        /// Shear modulus G_s.
        g: f64,
    },
}

impl InPlane {
    /// The modulus at small strain: of shear in 3-D, of stretching in 2-D.
    pub fn modulus(&self) -> f64 {
        match *self {
            Self::Linear { k } | Self::Hardening { k, .. } => k,
            Self::WlcPower { mu, .. } => mu,
            Self::Skalak { g, .. } | Self::NeoHookean { g } => g,
        }
    }
}

/// Elasticity against bending.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bending {
    /// 2-D: `kappa / 2 sum (theta / l - c_0)^2 l` over vertices, `theta` the turning angle.
    Ring {
        /// Modulus.
        kappa: f64,
        /// Reference curvature c_0.
        rest: Rest,
    },
    /// 3-D: Kantor and Nelson's, on the angle between neighbouring triangles.
    KantorNelson {
        /// Equivalent Helfrich modulus, kappa = sqrt(3) / 2 k_b.
        kappa: f64,
        /// Reference angles.
        rest: Rest,
    },
    /// 3-D: Gompper and Kroll's discrete Helfrich energy, `kappa / 2 int (2 H)^2 dA`.
    GompperKroll {
        /// Modulus.
        kappa: f64,
    },
}

/// The reference of bending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rest {
    /// Flat: no curvature.
    #[default]
    Flat,
    /// The curvature of the shape.
    Shape,
}

impl Mechanics {
    /// Converts from SI to lattice units.
    pub fn in_lattice(&self, units: &LatticeUnits) -> Self {
        let tension = units.stress() * units.dx;
        let energy = tension * units.dx * units.dx;
        let mut lattice = self.clone();
        match &mut lattice.in_plane {
            Some(InPlane::Linear { k } | InPlane::Hardening { k, .. }) => *k /= tension,
            Some(InPlane::WlcPower { mu, .. }) => *mu /= tension,
            Some(InPlane::Skalak { g, .. } | InPlane::NeoHookean { g }) => *g /= tension,
            None => {}
        }
        match &mut lattice.bending {
            Some(
                Bending::Ring { kappa, .. } | Bending::KantorNelson { kappa, .. } | Bending::GompperKroll { kappa },
            ) => {
                *kappa /= energy;
            }
            None => {}
        }
        lattice.fairing /= tension;
        lattice.local_area /= tension;
        lattice.global_area /= tension;
        lattice.volume /= units.stress();
        lattice.viscosity /= units.stress() * units.dt * units.dx;
        lattice
    }
}

#[cfg(test)]
mod tests;
