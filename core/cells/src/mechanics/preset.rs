//! Mechanics that a config can name: the presets.
//!
//! Moduli that hold areas and volumes are penalties, not material constants: stiff enough that shear stresses of 20 Pa
//! change them by a few tenths of a percent, soft enough for explicit steps of 0.1 us at 0.5 um (2-D: 0.15 us at 1 um).
//! The stiffest mode is the breathing of the volume V, against the mass of a fluid layer of thickness h, two lattice
//! spacings. Its rate sqrt(k_v A / (V rho h)) is 4e6 a second at 10 kPa, 0.4 a step.
//!
//! Fairing is no material constant either. A fluid's shear stress tau compresses the tail of a red cell of radius R
//! with a tension of about tau R. Folds one side l wide buckle above kappa (pi / l)^2, which is 2 uN/m for red cells of
//! 162 vertices: without fairing they become saw teeth in blood at 5 Pa. `validation --only drift` shows a red cell
//! with and without fairing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Bending, InPlane, Mechanics, Rest};

/// Mechanics by name; keys given beside `like` replace those of the preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// A healthy red cell. 3-D: the model of Fedosov, Caswell and Karniadakis (Biophys. J. 98, 2215, 2010), worm-like
    /// chains with x0 = 1/2.2 and m = 2, bending 0.24 aJ without reference angles; shear modulus 5 uN/m, below their
    /// 6.3 uN/m; local area 50 uN/m in place of their 6.3, as triangles else collapse in crowded flows; global area 10
    /// mN/m, volume 10 kPa.
    /// Stretched by 13 of 642 vertices on each side it lies within the bars of Mills et al. (Mech. Chem. Biosyst. 1,
    /// 169, 2004): 10.1 by 7.0 um at 25 pN, 13.7 by 5.5 um at 100 pN, 15.9 by 4.6 um at 190 pN. 2-D: sides of 100 uN/m
    /// at small strain that harden towards 1.2 times their length, perimeter 10 mN/m, area 10 kPa, bending 2 aJ. This
    /// is five times the bending modulus of a red cell, for two reasons. A ring lacks the shear elasticity mu that
    /// keeps a red cell from crumpling (mu R^2 is 40 aJ). And folds under a shear stress tau are (kappa / tau)^(1/3)
    /// long, which sides of up to 1 um must resolve at 5 Pa. There is no reference curvature, so no vertex is special
    /// when the membrane treads. At the section's reduced area 0.46 such a ring rests biconcave, 8.4 um long and 2.1 um
    /// thick, with a waist of 1.1 um: wider than the 0.81 um of the section from which it starts, so that its sides
    /// stay apart.
    RedCell,
    /// A white or tumour cell: an elastic sphere with Skalak's law at 100 uN/m and C = 10 (leukocytes as capsules have
    /// a Young's modulus of 300 to 1200 uN/m: Jadhav, Eggleton and Konstantopoulos, Biophys. J. 88, 96, 2005), bending
    /// 2 aJ about the shape. 2-D: linear sides, 300 uN/m.
    WhiteCell,
    /// A platelet at rest: ten times a red cell's shear modulus by Skalak's law, bending 4 aJ about the shape. 2-D:
    /// linear sides, 300 uN/m.
    Platelet,
    /// An elastic capsule without bending stiffness: Skalak's law at 20 uN/m, C = 1 (2-D: linear sides, 20 uN/m); the
    /// area is free, the volume is held against leaks at 1 kPa.
    Capsule,
    /// A lipid vesicle: bending 0.1 aJ (Gompper and Kroll's energy; 2-D: about the flat state), no shear elasticity,
    /// area and volume held, and the area of each triangle at 100 uN/m (2-D: the length of each side at 1 mN/m).
    Vesicle,
    /// As good as rigid under shear stresses up to about 1 Pa (2-D: 0.1 Pa): 2 mN/m by Skalak's law, C = 1, bending
    /// 100 aJ about the shape (2-D: linear sides, 5 mN/m, bending 1 fJ about the shape). Needs small time steps.
    Rigid,
}

impl Preset {
    /// The preset in 2 or 3 dimensions, in SI.
    pub fn mechanics(self, dimension: usize) -> Mechanics {
        let base =
            Mechanics { volume_share: 1.0, contrast: 1.0, global_area: 1e-2, volume: 1e4, ..Mechanics::default() };
        let (in_plane, bending) = match dimension {
            2 => self.ring(),
            _ => self.mesh(),
        };
        let mechanics = Mechanics { in_plane, bending, ..base };
        match (self, dimension) {
            (Self::RedCell, 3) => Mechanics { fairing: 1e-4, local_area: 5e-5, ..mechanics },
            (Self::WhiteCell, 3) => Mechanics { fairing: 1e-4, ..mechanics },
            (Self::RedCell | Self::WhiteCell, _) => Mechanics { fairing: 3e-4, ..mechanics },
            (Self::Vesicle, 3) => Mechanics { local_area: 1e-4, ..mechanics },
            (Self::Capsule, _) => Mechanics { global_area: 0.0, volume: 1e3, ..mechanics },
            _ => mechanics,
        }
    }

    fn ring(self) -> (Option<InPlane>, Option<Bending>) {
        let linear = |k| Some(InPlane::Linear { k });
        let about = |rest, kappa| Some(Bending::Ring { kappa, rest });
        match self {
            Self::RedCell => (Some(InPlane::Hardening { k: 1e-4, limit: 1.2 }), about(Rest::Flat, 2e-18)),
            Self::WhiteCell => (linear(3e-4), about(Rest::Shape, 2e-18)),
            Self::Platelet => (linear(3e-4), about(Rest::Shape, 4e-18)),
            Self::Capsule => (linear(2e-5), None),
            Self::Vesicle => (linear(1e-3), about(Rest::Flat, 1e-19)),
            Self::Rigid => (linear(5e-3), about(Rest::Shape, 1e-15)),
        }
    }

    fn mesh(self) -> (Option<InPlane>, Option<Bending>) {
        let skalak = |g, c| Some(InPlane::Skalak { g, c });
        let about = |rest, kappa| Some(Bending::KantorNelson { kappa, rest });
        match self {
            Self::RedCell => {
                (Some(InPlane::WlcPower { mu: 5e-6, x0: 1.0 / 2.2, power: 2.0 }), about(Rest::Flat, 2.4e-19))
            }
            Self::WhiteCell => (skalak(1e-4, 10.0), about(Rest::Shape, 2e-18)),
            Self::Platelet => (skalak(5e-5, 10.0), about(Rest::Shape, 4e-18)),
            Self::Capsule => (skalak(2e-5, 1.0), None),
            Self::Vesicle => (None, Some(Bending::GompperKroll { kappa: 1e-19 })),
            Self::Rigid => (skalak(2e-3, 1.0), about(Rest::Shape, 1e-16)),
        }
    }
}
