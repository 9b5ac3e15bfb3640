//! How strongly a flow is expected to stretch the membranes of cells, from what is prescribed.

use std::f64::consts::PI;

use hematite_engine::{Medium, ShearRate};

use crate::KindParameters;

/// Above this capillary number membranes of meshes may break. Red cells of 162 vertices in a tube of 20 um, bent by a right
/// angle, flow at 5 and break at 11 (docs/endurance.md).
const LARGEST_CAPILLARY: f64 = 5.0;

/// The capillary number `mu rate R / G` of a population of meshes, with R the radius of a ball of its volume and G the shear modulus of
/// its membrane. None for rings.
pub fn capillary_number(medium: &Medium, kind: &KindParameters, shear: &ShearRate) -> Option<f64> {
    let modulus = kind.mechanics.in_plane.filter(|_| kind.surface.dimension == 3)?.modulus();
    let radius = (kind.surface.volume() * 3.0 / (4.0 * PI)).cbrt();
    let viscosity = medium.nu / medium.units.kinematic_viscosity();
    Some(viscosity * shear.rate * radius / modulus)
}

/// What to say of a population whose capillary number is too large.
pub fn capillary_advice(medium: &Medium, kind: &KindParameters, shear: &ShearRate) -> Option<String> {
    let capillary = capillary_number(medium, kind, shear)?;
    (capillary > LARGEST_CAPILLARY).then(|| {
        format!(
            "cells of \"{}\" have capillary number {capillary:.1} at the shear rate {:.2e} /s {}: above {LARGEST_CAPILLARY} their \
             membranes may break; take a slower flow, or a stiffer \"in_plane\" in their mechanics",
            kind.name,
            shear.rate / medium.units.dt,
            shear.from
        )
    })
}
