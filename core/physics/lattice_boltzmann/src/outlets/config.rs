//! What a run's config says of the vessels behind an outlet.

use hematite_units::hydraulic::{Compliance, Resistance};
use hematite_units::quantity::Pressure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
