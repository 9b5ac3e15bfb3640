//! What drives a fluid from within, and its state at the start, as configs prescribe them.

use hematite_case::Header;
use hematite_config::{Fault, Result};
use hematite_units::quantity::{ForceDensity, Pressure, Time, Velocity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Axis;
use crate::waveform::WaveformConfig;

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

impl DriveConfig {
    /// Body force a volume, N/m3, with that of the pressure drop; then the gradient of the pressure drop alone, Pa/m.
    /// Both along x, y, z.
    ///
    /// # Errors
    /// A usage fault where the number of components or the axis does not fit the case, or a waveform has nothing to act
    /// on.
    pub fn force(&self, header: &Header) -> Result<([f64; 3], [f64; 3])> {
        let dimension = header.set.dimension();
        if self.force.is_none() && self.pressure_drop.is_none() {
            let idle = [("ramp", self.ramp.is_some()), ("waveform", self.waveform != WaveformConfig::Constant)];
            if let Some((key, _)) = idle.into_iter().find(|&(_, given)| given) {
                return Err(Fault::usage(format!(
                    "drive.{key} has no effect without drive.force and drive.pressure_drop: give one of these, or leave it \
                     out; openings have waveforms and ramps of their own"
                )));
            }
        }
        let mut force = [0.0; 3];
        if let Some(components) = &self.force {
            if components.len() != dimension {
                return Err(Fault::usage(format!(
                    "drive.force has {} components, the case {dimension} dimensions",
                    components.len()
                )));
            }
            for (total, component) in force.iter_mut().zip(components) {
                *total = component.si();
            }
        }
        let mut gradient = [0.0; 3];
        if let Some(drop) = &self.pressure_drop {
            let axis = drop.axis as usize;
            if axis >= dimension || !header.periodic[axis] {
                return Err(Fault::usage(format!(
                    "drive.pressure_drop: {:?} is not a periodic direction of the case; name it in \"periodic\" of its geometry",
                    drop.axis
                )));
            }
            gradient[axis] = drop.drop.si() / (header.extent[axis] as f64 * header.spacing);
            force[axis] += gradient[axis];
        }
        Ok((force, gradient))
    }
}

/// Checks that a wall of the given `normal` moves along itself: one that moves otherwise would leave its place.
///
/// # Errors
/// A usage fault where its `velocity` has a part along the normal.
pub fn moves_along_itself(velocity: [f64; 3], normal: [f64; 3]) -> Result<()> {
    let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|axis| a[axis] * b[axis]).sum::<f64>();
    let (across, speed) = (dot(velocity, normal).abs(), dot(velocity, velocity).sqrt());
    if across <= 1e-3 * speed {
        return Ok(());
    }
    Err(Fault::usage(format!(
        "a wall moves along itself, and {:.0} % of this velocity is along its normal ({:.3}, {:.3}, {:.3}): fluid would be pressed \
         against a wall that stays where it is. Leave that part out",
        100.0 * across / speed,
        normal[0],
        normal[1],
        normal[2]
    )))
}

/// The fluid at the start.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InitialConfig {
    /// Velocity along x, y (and z), the same everywhere.
    #[serde(default)]
    pub velocity: Option<Vec<Velocity>>,
}

impl InitialConfig {
    /// The velocity along x, y, z, m/s.
    ///
    /// # Errors
    /// A usage fault where the number of components does not fit the case.
    pub fn velocity(&self, dimension: usize) -> Result<[f64; 3]> {
        let given = self.velocity.as_deref().unwrap_or_default();
        if self.velocity.is_some() && given.len() != dimension {
            return Err(Fault::usage(format!(
                "initial.velocity has {} components, the case {dimension} dimensions",
                given.len()
            )));
        }
        Ok(std::array::from_fn(|axis| given.get(axis).map_or(0.0, |u| u.si())))
    }
}
