//! How strongly a flow is expected to stretch the membranes of cells, from what is prescribed.

use std::f64::consts::PI;

use hematite_case::Header;
use hematite_geometry::OpeningKind;

use crate::Plan;
use crate::expected::{Domain, Expected};
use crate::suspension::KindParameters;

/// Above this capillary number membranes of meshes may break. Red cells of 162 vertices in a tube of 20 um, bent by a right
/// angle, flow at 5 and break at 11 (docs/endurance.md).
const LARGEST_CAPILLARY: f64 = 5.0;

/// The shear rate that is expected at a wall.
#[derive(Clone, Debug, PartialEq)]
pub struct ShearRate {
    /// The rate, 1 / time step.
    pub rate: f64,
    /// Where it comes from, to follow "the shear rate ... /s".
    pub from: String,
}

impl Plan {
    /// The largest shear rate of developed flow at walls, `4 u / D` with u the speed on the axis and D the width. It is taken at
    /// velocity openings, and at pressure openings, through which what comes in leaves in proportion to their areas. Where pressures
    /// or a force drive the fluid it follows from the `expected` speed and the hydraulic diameter of the domain. Narrower places in
    /// between are not known. None where nothing drives the fluid.
    pub fn wall_shear(&self, header: &Header, domain: &Domain, expected: Option<&Expected>) -> Option<ShearRate> {
        let width = |area: f64| if header.set.dimension() == 2 { area } else { 2.0 * (area / PI).sqrt() };
        let of = |kind: OpeningKind| {
            header.openings.iter().zip(&domain.peaks).filter(move |(opening, _)| opening.kind == kind)
        };
        let inflow: f64 = of(OpeningKind::Velocity).map(|(opening, peak)| peak * opening.area).sum();
        let outlets: f64 = of(OpeningKind::Pressure).map(|(opening, _)| opening.area).sum();
        let through = of(OpeningKind::Velocity).map(|(opening, &peak)| (opening, peak));
        let out = of(OpeningKind::Pressure).map(|(opening, _)| (opening, inflow / outlets));
        let at_openings = through.chain(out).map(|(opening, speed)| ShearRate {
            rate: 4.0 * speed / width(opening.area),
            from: format!("of developed flow at opening \"{}\"", opening.name),
        });
        let diameter = 4.0 * domain.nodes as f64 / domain.walls as f64;
        let driven = expected
            .filter(|_| inflow == 0.0)
            .map(|expected| ShearRate { rate: 4.0 * expected.speed / diameter, from: expected.from.clone() });
        at_openings
            .chain(driven)
            .filter(|found| found.rate.is_finite() && found.rate > 0.0)
            .max_by(|a, b| a.rate.total_cmp(&b.rate))
    }

    /// What to say of a population of meshes whose capillary number `mu rate R / G` is too large, with R the radius of a ball of
    /// its volume and G the shear modulus of its membrane. None for rings.
    pub fn capillary_advice(&self, kind: &KindParameters, shear: &ShearRate) -> Option<String> {
        let modulus = kind.mechanics.in_plane.filter(|_| kind.surface.dimension == 3)?.modulus();
        let radius = (kind.surface.volume() * 3.0 / (4.0 * PI)).cbrt();
        let viscosity = self.nu / self.units.kinematic_viscosity();
        let capillary = viscosity * shear.rate * radius / modulus;
        (capillary > LARGEST_CAPILLARY).then(|| {
            format!(
                "cells of \"{}\" have capillary number {capillary:.1} at the shear rate {:.2e} /s {}: above {LARGEST_CAPILLARY} their \
                 membranes may break; take a slower flow, or a stiffer \"in_plane\" in their mechanics",
                kind.name,
                shear.rate / self.units.dt,
                shear.from
            )
        })
    }
}
