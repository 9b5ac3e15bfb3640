//! How fast a run's fluid can be expected to be, from what is prescribed.

use std::f64::consts::PI;

use hematite_case::Header;
use hematite_engine::ShearRate;
use hematite_geometry::OpeningKind;
use hematite_units::groups::{CS2, developed_speed};

use crate::Plan;

/// What an estimate needs to know of the domain, all ranks together, lattice units.
#[derive(Clone, Debug, Default)]
pub struct Domain {
    /// Fluid nodes.
    pub nodes: i64,
    /// Area of the walls, moving ones included, lattice units.
    pub wall_area: f64,
    /// The largest speed prescribed at each opening ([`Plan::peaks`]).
    pub peaks: Vec<f64>,
    /// The speed at the start.
    pub start: f64,
}

/// The largest speed that is prescribed, or follows from what is.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The speed, lattice units.
    pub speed: f64,
    /// Where it comes from, to follow "the ... m/s".
    pub from: String,
}

impl Plan {
    /// The largest of the velocities prescribed at openings and moving walls, at the peak of profile and waveform, that at the
    /// start, and what a pressure difference or a body force drives: `G D^2 / (16 nu)`, the axis' speed in a round tube under the
    /// gradient `G` (2-D: `G D^2 / (32 nu)`, that in a channel), with the hydraulic diameter `D = 4 volume / wall area`, and, for
    /// pressures, at most what Bernoulli's equation lets a difference `p` accelerate a fluid to, `sqrt(2 p / rho)`. Between pressure
    /// openings the gradient is taken over the volume over half of their areas, the length of a vessel with an opening at either end.
    /// None where nothing is prescribed, or nothing but a force in a domain without walls.
    pub fn expected(&self, header: &Header, domain: &Domain) -> Option<Expected> {
        let viscosity = CS2 * (self.tau - 0.5);
        let diameter = 4.0 * domain.nodes as f64 / domain.wall_area;
        let developed = |gradient: f64| developed_speed(gradient, diameter, viscosity, header.set.dimension());
        let openings = header.openings.iter().zip(&domain.peaks).map(|(opening, &peak)| {
            let what = if opening.kind == OpeningKind::Wall { "moving wall" } else { "opening" };
            (peak, format!("prescribed at {what} \"{}\"", opening.name))
        });
        let pressure = self.pressure_difference();
        let areas = header.openings.iter().filter(|opening| opening.kind == OpeningKind::Pressure);
        let length = 2.0 * domain.nodes as f64 / areas.map(|opening| opening.area).sum::<f64>();
        let driven = developed(CS2 * pressure / length).min((2.0 * CS2 * pressure).sqrt());
        let forced = developed(self.largest_force());
        let others = [
            (domain.start, "given at the start".to_owned()),
            (driven, "estimated from the pressures at openings".to_owned()),
            (forced, "estimated from the body force".to_owned()),
        ];
        openings
            .chain(others)
            .filter(|(speed, _)| speed.is_finite() && *speed > 0.0)
            .max_by(|(a, _), (b, _)| a.total_cmp(b))
            .map(|(speed, from)| Expected { speed, from })
    }

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
        let diameter = 4.0 * domain.nodes as f64 / domain.wall_area;
        let driven = expected
            .filter(|_| inflow == 0.0)
            .map(|expected| ShearRate { rate: 4.0 * expected.speed / diameter, from: expected.from.clone() });
        at_openings
            .chain(driven)
            .filter(|found| found.rate.is_finite() && found.rate > 0.0)
            .max_by(|a, b| a.rate.total_cmp(&b.rate))
    }
}
