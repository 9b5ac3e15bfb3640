//! The mechanics of a population in a config: keys that replace those of a preset.

use hematite_config::{Fault, Result};
use hematite_units::number::exact;
use hematite_units::quantity::{Energy, Pressure, SurfaceTension, SurfaceViscosity};
use schemars::{JsonSchema, Schema, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Bending, InPlane, Mechanics, Preset, Rest};

/// Mechanics of a membrane: the name of a preset, e.g. "red_cell", or an object, e.g. {"like": "red_cell", "in_plane":
/// {"law": "wlc", "shear_modulus": "10 uN/m"}, "contrast": 5}. Keys that are not given come from the preset `like`, by
/// default from that of the shape. In 2-D a membrane is a sheet that extends along z, with moduli in the same units as
/// in 3-D.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schemars(rename = "MechanicsConfig", transform = or_a_name)]
pub struct MechanicsConfig {
    /// The preset to start from, e.g. "red_cell". Default: the one that belongs to the shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<Preset>,
    /// Elasticity within the membrane, e.g. {"law": "skalak", "shear_modulus": "5 uN/m", "dilation": 10}.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_plane: Option<InPlaneConfig>,
    /// Elasticity against bending, e.g. {"law": "gompper_kroll", "modulus": "2e-19 J"}.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bending: Option<BendingConfig>,
    /// Modulus k against folds that are one or two sides of the mesh wide, for which bending is too weak, e.g. "100
    /// uN/m". The energy is k/2 (0.4 l)^2 sum q^3 / (1 + q^2) over sides ij (2-D: over l), with l the mean side and q
    /// the positive part of (d^2 - d_0^2) / (0.4 l)^2; d = |u_i - u_j|, u_i from vertex i to the mean of its
    /// neighbours, d_0 that of the shape at rest. The shape at rest does not feel it, and shapes that the mesh resolves
    /// hardly do. Default: red and white cells 100 uN/m (2-D: 300 uN/m), others none; "0 N/m" switches it off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairing: Option<SurfaceTension>,
    /// 3-D: modulus k of k/2 sum (A - A0)^2 / A0 over triangles, e.g. "5 uN/m"; "0 N/m" switches it off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_area: Option<SurfaceTension>,
    /// Modulus k of k/2 (A - A0)^2 / A0 of the whole area (2-D: perimeter), e.g. "10 mN/m". A modulus too large for the
    /// time step is refused. Default: that of the preset, or the largest for the time step where that is less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global_area: Option<SurfaceTension>,
    /// Modulus k of k/2 (V - V0)^2 / V0 of the volume (2-D: area), e.g. "10 kPa". As for `global_area`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<Pressure>,
    /// Target volume V0 of the cell over that of its shape, above 0 and up to 1.2, e.g. 0.9. Default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume_share: Option<f64>,
    /// Surface viscosity of the membrane, e.g. "1e-10 Pa s m". Default 0: that of a red cell, 0.4 uPa s m, needs time
    /// steps far below those of blood flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viscosity: Option<SurfaceViscosity>,
    /// Viscosity of the fluid inside over that outside, 0.1 to 20, e.g. 5. Each population may have its own, up to 8
    /// that differ from 1 in a run. Default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contrast: Option<f64>,
}

/// Elasticity within the membrane: `linear` and `hardening` in 2-D, `wlc`, `skalak` and `neo_hookean` in 3-D, `none` in
/// both. Its reference is the shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "law", rename_all = "snake_case", deny_unknown_fields)]
pub enum InPlaneConfig {
    /// None.
    None {},
    /// 2-D: springs, energy k/2 (l - l0)^2 / l0 a side.
    Linear {
        /// Modulus k, e.g. "100 uN/m".
        modulus: SurfaceTension,
    },
    /// 2-D: springs that harden in stretching towards `limit` times their rest length, up to 50 times the stiffness at
    /// rest, and in compression towards half of it, up to 3 times.
    Hardening {
        /// Modulus at small strain, e.g. "100 uN/m".
        modulus: SurfaceTension,
        /// Largest length over the rest length, above 1, e.g. 1.2.
        #[serde(default = "default_limit")]
        limit: f64,
    },
    /// 3-D: worm-like chains on the edges with a power-law repulsion, the cytoskeleton of red cells.
    Wlc {
        /// Shear modulus, e.g. "5 uN/m".
        shear_modulus: SurfaceTension,
        /// Rest length over the largest length, between 0 and 1. Default 1/2.2.
        #[serde(default = "default_x0")]
        x0: f64,
        /// Exponent of the repulsion, above 0. Default 2.
        #[serde(default = "default_power")]
        power: f64,
    },
    /// 3-D: Skalak's law, which resists shear and dilation.
    Skalak {
        /// Shear modulus, e.g. "5 uN/m".
        shear_modulus: SurfaceTension,
        /// Dilation constant C, above -1/2, e.g. 10. Default 1.
        #[serde(default = "default_dilation")]
        dilation: f64,
    },
    /// 3-D: the neo-Hookean law, a thin sheet of rubber.
    NeoHookean {
        /// Shear modulus, e.g. "5 uN/m".
        shear_modulus: SurfaceTension,
    },
}

fn default_limit() -> f64 {
    1.2
}

fn default_x0() -> f64 {
    1.0 / 2.2
}

fn default_power() -> f64 {
    2.0
}

fn default_dilation() -> f64 {
    1.0
}

/// Elasticity against bending: `ring` in 2-D, `kantor_nelson` and `gompper_kroll` in 3-D, `none` in both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "law", rename_all = "snake_case", deny_unknown_fields)]
pub enum BendingConfig {
    /// None.
    None {},
    /// 2-D: on the angle by which the ring turns at a vertex.
    Ring {
        /// Modulus, e.g. "4e-19 J".
        modulus: Energy,
        /// The state without bending energy: "flat" (default) or "shape".
        #[serde(default)]
        rest: Rest,
    },
    /// 3-D: on the angle between neighbouring triangles.
    KantorNelson {
        /// Helfrich modulus, e.g. "2.4e-19 J".
        modulus: Energy,
        /// The state without bending energy: "flat" (default) or "shape".
        #[serde(default)]
        rest: Rest,
    },
    /// 3-D: Helfrich's energy on the mean curvature at vertices, without reference.
    GompperKroll {
        /// Helfrich modulus, e.g. "2.4e-19 J".
        modulus: Energy,
    },
}

impl MechanicsConfig {
    /// The preset alone.
    pub fn like(preset: Preset) -> Self {
        Self { like: Some(preset), ..Self::default() }
    }

    /// Adds the keys of `other` that are not given here. A preset given here counts for all keys: then nothing is
    /// added.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self.like.is_some() {
            return self;
        }
        Self {
            like: other.like,
            in_plane: self.in_plane.or(other.in_plane),
            bending: self.bending.or(other.bending),
            fairing: self.fairing.or(other.fairing),
            local_area: self.local_area.or(other.local_area),
            global_area: self.global_area.or(other.global_area),
            volume: self.volume.or(other.volume),
            volume_share: self.volume_share.or(other.volume_share),
            viscosity: self.viscosity.or(other.viscosity),
            contrast: self.contrast.or(other.contrast),
        }
    }

    /// The mechanics in SI in 2 or 3 dimensions; keys that are not given come from `like`, or else from `preset`.
    ///
    /// # Errors
    /// A usage fault that names key, value, limit and remedy: a law of the other dimension, a number out of range.
    pub fn resolve(&self, dimension: usize, preset: Preset) -> Result<Mechanics> {
        let preset = self.like.unwrap_or(preset).mechanics(dimension);
        if dimension == 2 && self.local_area.is_some_and(|k| k.si() != 0.0) {
            return Err(Fault::usage(
                "\"local_area\" is of triangles, which are for 3-D cases: take it out, or use \"in_plane\" to hold the sides",
            ));
        }
        Ok(Mechanics {
            in_plane: self.in_plane.map_or(Ok(preset.in_plane), |law| law.resolve(dimension))?,
            bending: self.bending.map_or(Ok(preset.bending), |law| law.resolve(dimension))?,
            fairing: penalty("fairing", self.fairing.map(|k| k.si()), preset.fairing, "N/m")?,
            local_area: penalty("local_area", self.local_area.map(|k| k.si()), preset.local_area, "N/m")?,
            global_area: penalty("global_area", self.global_area.map(|k| k.si()), preset.global_area, "N/m")?,
            volume: penalty("volume", self.volume.map(|k| k.si()), preset.volume, "Pa")?,
            volume_share: share(self.volume_share.unwrap_or(preset.volume_share))?,
            viscosity: penalty("viscosity", self.viscosity.map(|eta| eta.si()), preset.viscosity, "Pa s m")?,
            contrast: contrast(self.contrast.unwrap_or(preset.contrast))?,
        })
    }
}

impl From<Preset> for MechanicsConfig {
    fn from(preset: Preset) -> Self {
        Self::like(preset)
    }
}

impl InPlaneConfig {
    fn resolve(self, dimension: usize) -> Result<Option<InPlane>> {
        let law = |name, wanted: usize| {
            of_dimension("in_plane", name, wanted, dimension, ["linear or hardening", "wlc, skalak or neo_hookean"])
        };
        let modulus = |key, modulus: SurfaceTension| positive("in_plane", key, modulus.si(), "N/m");
        Ok(match self {
            Self::None {} => None,
            Self::Linear { modulus: k } => {
                law("linear", 2)?;
                Some(InPlane::Linear { k: modulus("modulus", k)? })
            }
            Self::Hardening { modulus: k, limit } => {
                law("hardening", 2)?;
                let limit = within("in_plane.limit", limit, limit > 1.0, "above 1", "1.2 lets sides grow by a fifth")?;
                Some(InPlane::Hardening { k: modulus("modulus", k)?, limit })
            }
            Self::Wlc { shear_modulus, x0, power } => {
                law("wlc", 3)?;
                let inside = x0 > 0.0 && x0 < 1.0;
                let x0 = within("in_plane.x0", x0, inside, "between 0 and 1", "red cells: 0.4545")?;
                let power = within("in_plane.power", power, power > 0.0, "above 0", "red cells: 2")?;
                Some(InPlane::WlcPower { mu: modulus("shear_modulus", shear_modulus)?, x0, power })
            }
            Self::Skalak { shear_modulus, dilation } => {
                law("skalak", 3)?;
                let stable = dilation > -0.5;
                let c =
                    within("in_plane.dilation", dilation, stable, "above -0.5", "capsules: 1, red cells: 10 and more")?;
                Some(InPlane::Skalak { g: modulus("shear_modulus", shear_modulus)?, c })
            }
            Self::NeoHookean { shear_modulus } => {
                law("neo_hookean", 3)?;
                Some(InPlane::NeoHookean { g: modulus("shear_modulus", shear_modulus)? })
            }
        })
    }
}

impl BendingConfig {
    fn resolve(self, dimension: usize) -> Result<Option<Bending>> {
        let law = |name, wanted: usize| {
            of_dimension("bending", name, wanted, dimension, ["ring", "kantor_nelson or gompper_kroll"])
        };
        let kappa = |modulus: Energy| positive("bending", "modulus", modulus.si(), "J");
        Ok(match self {
            Self::None {} => None,
            Self::Ring { modulus, rest } => {
                law("ring", 2)?;
                Some(Bending::Ring { kappa: kappa(modulus)?, rest })
            }
            Self::KantorNelson { modulus, rest } => {
                law("kantor_nelson", 3)?;
                Some(Bending::KantorNelson { kappa: kappa(modulus)?, rest })
            }
            Self::GompperKroll { modulus } => {
                law("gompper_kroll", 3)?;
                Some(Bending::GompperKroll { kappa: kappa(modulus)? })
            }
        })
    }
}

/// Refuses a law that is for `wanted` dimensions when the case has others; `laws` names the laws of 2-D and of 3-D.
fn of_dimension(key: &str, name: &str, wanted: usize, dimension: usize, laws: [&str; 2]) -> Result<()> {
    if wanted == dimension {
        return Ok(());
    }
    let known = laws[usize::from(dimension == 3)];
    Err(Fault::usage(format!(
        "\"{key}\": the law \"{name}\" is for {wanted}-D cases, this case is {dimension}-D: use {known}, or none"
    )))
}

fn positive(parent: &str, key: &str, value: f64, unit: &str) -> Result<f64> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    let value = exact(value);
    Err(Fault::usage(format!(
        "\"{parent}.{key}\" is {value} {unit}; it must be above 0: to switch it off write \"{parent}\": {{\"law\": \"none\"}}"
    )))
}

/// A modulus or viscosity that may be 0.
fn penalty(key: &str, given: Option<f64>, preset: f64, unit: &str) -> Result<f64> {
    let value = given.unwrap_or(preset);
    if value >= 0.0 && value.is_finite() {
        return Ok(value);
    }
    let (value, preset) = (exact(value), exact(preset));
    Err(Fault::usage(format!(
        "\"{key}\" is {value} {unit}; it must not be below 0: \"0 {unit}\" switches it off, without the key it is {preset} {unit}"
    )))
}

fn share(share: f64) -> Result<f64> {
    let inside = share > 0.0 && share <= 1.2;
    within("volume_share", share, inside, "above 0 and at most 1.2", "1 keeps the volume of the shape")
}

fn contrast(contrast: f64) -> Result<f64> {
    let inside = (0.1..=20.0).contains(&contrast);
    within(
        "contrast",
        contrast,
        inside,
        "from 0.1 to 20",
        "1 is the same fluid inside as outside, red cells have about 5",
    )
}

fn within(key: &str, value: f64, inside: bool, limit: &str, advice: &str) -> Result<f64> {
    if inside && value.is_finite() {
        return Ok(value);
    }
    Err(Fault::usage(format!("\"{key}\" is {value}; it must be {limit} ({advice})")))
}

/// Adds to a schema that the name of a preset may stand in place of the object.
fn or_a_name(schema: &mut Schema) {
    let mut object = schema.clone();
    let description = object.remove("description");
    let names = ["red_cell", "white_cell", "platelet", "capsule", "vesicle", "rigid"];
    *schema = json_schema!({"anyOf": [{"type": "string", "enum": names}, object]});
    if let Some(description) = description {
        schema.insert("description".into(), description);
    }
}

impl Serialize for MechanicsConfig {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        Self::serialize(self, to)
    }
}

impl<'de> Deserialize<'de> for MechanicsConfig {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_any(NameOrKeys)
    }
}

struct NameOrKeys;

impl<'de> Visitor<'de> for NameOrKeys {
    type Value = MechanicsConfig;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the name of a preset (\"red_cell\") or an object of mechanics")
    }

    fn visit_str<E: Error>(self, name: &str) -> std::result::Result<MechanicsConfig, E> {
        Preset::deserialize(serde::de::value::StrDeserializer::new(name)).map(MechanicsConfig::like)
    }

    fn visit_map<A: MapAccess<'de>>(self, keys: A) -> std::result::Result<MechanicsConfig, A::Error> {
        MechanicsConfig::deserialize(MapAccessDeserializer::new(keys))
    }
}
