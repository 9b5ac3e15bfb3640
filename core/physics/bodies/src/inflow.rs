//! From a run's config and what the case holds behind openings to gates and feeders.

use std::collections::HashSet;

use hematite_case::{Ellipsoid, Header, Opening, Placed, Population};
use hematite_config::{Fault, Result};
use hematite_engine::passage::{EntrySchedule, known_openings as known};
use hematite_engine::sites::Coordinate;
use hematite_geometry::OpeningKind;

use super::feeder::{Feeder, Waiting};
use super::gate::Gate;
use super::parameters::Kind;
use super::resolve::Rigid;
use crate::config::{BodiesConfig, BodyInflowConfig};

/// How far apart the places are at which a body on its way in is checked against walls, lattice units.
const PACE: f64 = 0.5;

/// Length of a feeder in largest diameters of the bodies, unless the run says otherwise.
const DIAMETERS: f64 = 6.0;

impl BodyInflowConfig {
    /// Length of the feeder for bodies so large, in lattice units of `spacing` metres. The lattice goes on for `reach` behind
    /// the opening.
    fn length_for(&self, diameter: f64, reach: f64, spacing: f64) -> Result<f64> {
        let length = self.length.map_or(reach.min(DIAMETERS * diameter), |length| length.si() / spacing);
        if length > reach {
            return Err(Fault::usage(format!(
                "length {:.3e} m is more than the lattice goes on behind the opening, {:.3e} m, so that no bodies wait in the rest: \
                 take that at most",
                length * spacing,
                reach * spacing
            )));
        }
        if length < diameter {
            return Err(Fault::usage(format!(
                "length {:.3e} m is below the diameter of the bodies, {:.3e} m: take at least that, best several times as much",
                length * spacing,
                diameter * spacing
            )));
        }
        Ok(length)
    }

    /// Share of what waits that comes in, where all of it would be the share `seeded` of the volume that comes in.
    fn share_of(&self, seeded: f64) -> Result<f64> {
        match self.hematocrit {
            None => Ok(1.0),
            Some(asked) if asked > 0.0 && asked <= seeded => Ok(asked / seeded),
            Some(asked) => Err(Fault::usage(format!(
                "hematocrit {asked} must be above 0 and at most {seeded:.3}, with which the bodies that the case holds behind the \
                 opening come in: seed the case with more"
            ))),
        }
    }
}

/// Speed at the opening's node nearest to `at` over the mean speed.
fn share_at(at: [f64; 3], opening: &Opening, sites: &[[i32; 3]]) -> f64 {
    let apart = |site: &[i32; 3]| -> f64 {
        let offset = [0, 1, 2].map(|axis| f64::from(site[axis]) - at[axis]);
        let along: f64 = (0..3).map(|axis| offset[axis] * opening.normal[axis]).sum();
        (0..3).map(|axis| (offset[axis] - along * opening.normal[axis]).powi(2)).sum()
    };
    let nearest = sites.iter().zip(&opening.nodes).min_by(|a, b| apart(a.0).total_cmp(&apart(b.0)));
    nearest.map_or(0.0, |(_, node)| f64::from(node.developed))
}

/// What a case has at its openings.
pub struct Entrances<'a> {
    /// The openings.
    pub openings: &'a [Opening],
    /// Positions of the nodes of each.
    pub sites: &'a [Vec<[i32; 3]>],
    /// Positions of the fluid nodes within [`Rigid::entrance`] of those through which bodies come in.
    pub fluid: &'a HashSet<[i32; 3]>,
}

impl Rigid {
    /// Finds the openings through which bodies go, and the feeders of those through which they come in.
    ///
    /// # Errors
    /// A usage fault for an inflow that cannot be: an opening that is none of the case's or a moving wall, no seeded bodies
    /// behind it, more hematocrit than was seeded there.
    pub fn open(
        &mut self,
        config: &BodiesConfig,
        header: &Header,
        populations: &[Population],
        entrances: &Entrances,
    ) -> Result<()> {
        known("bodies.inflow", config.inflow.keys(), header)?;
        let openings = entrances.openings.iter().zip(entrances.sites).enumerate();
        for (k, (opening, sites)) in openings {
            if opening.kind == OpeningKind::Wall || sites.is_empty() {
                continue;
            }
            let extreme = |pick: fn(i32, i32) -> i32, from: i32| {
                [0, 1, 2].map(|axis| sites.iter().map(|site| site[axis]).fold(from, pick))
            };
            let (low, high) = (extreme(i32::min, i32::MAX), extreme(i32::max, i32::MIN));
            let mut gate = Gate { opening: k, normal: opening.normal, low, high, feeder: None };
            if let Some(inflow) = config.inflow.get(&opening.name) {
                let key = format!("bodies.inflow.{}", opening.name);
                let corner = |axis: usize| (gate.normal[axis] * (header.extent[axis] as f64 - 1.0)).max(0.0);
                let reach = (0..3).map(corner).sum::<f64>() - gate.plane();
                let feeder = self.feeder((inflow, reach), &gate, (opening, sites), entrances.fluid, populations);
                gate.feeder = Some(feeder.map_err(|fault| fault.within(key))?);
            }
            self.gates.push(gate);
        }
        Ok(())
    }

    /// How far from the nodes of an opening fluid is looked for where bodies come in, in sites.
    pub fn entrance(&self) -> i32 {
        (4.0 * self.parameters.radius()).ceil() as i32 + 2
    }

    fn feeder(
        &mut self,
        (inflow, reach): (&BodyInflowConfig, f64),
        gate: &Gate,
        (opening, sites): (&Opening, &[[i32; 3]]),
        fluid: &HashSet<[i32; 3]>,
        populations: &[Population],
    ) -> Result<Feeder> {
        let (spacing, normal) = (self.parameters.spacing, gate.normal);
        let length = inflow.length_for(2.0 * self.parameters.radius(), reach, spacing)?;
        let (mut bodies, mut flux) = (Vec::new(), 0.0);
        for state in self.at_start(populations) {
            let kind = &self.parameters.kinds[state.kind as usize];
            let centre = state.position.map(Coordinate::value);
            let along: f64 = (0..3).map(|a| normal[a] * centre[a]).sum();
            let back = along - gate.plane() - kind.ellipsoid(state.orientation).extent(normal);
            if !(0.0..length).contains(&back) {
                continue;
            }
            let position = [0, 1, 2].map(|a| centre[a] - back * normal[a]);
            let placed = Placed { centre: position, orientation: state.orientation, scale: 1.0 / spacing };
            let vertices: Vec<[f64; 3]> = placed.vertices(&populations[state.kind as usize].surface).collect();
            let Some(room) = self.room(&vertices, normal, 2.0 * kind.radius(), fluid) else { continue };
            let share = share_at(position, opening, sites);
            if share > 0.0 {
                flux += kind.volume() * share;
                let schedule = EntrySchedule { way: length - back, share, entered: 0 };
                bodies.push(Waiting { kind: state.kind, position, orientation: state.orientation, room, schedule });
            }
        }
        if bodies.is_empty() {
            return Err(Fault::usage(
                "the case has no bodies behind this opening to take after: seed it with a hematocrit, or take a longer \"length\"",
            ));
        }
        // Of what comes in: bodies where the flow is faster come in more often than their share of the vessel.
        let seeded = flux / (opening.area * length);
        let keep = inflow.share_of(seeded)?;
        self.notes.push(format!(
            "bodies come in through \"{}\" as the {} of the case within {:.3e} m behind it, {:.3} of the volume that comes in",
            opening.name,
            bodies.len(),
            length * spacing,
            keep * seeded
        ));
        let fastest = bodies.iter().map(|body| body.schedule.share).fold(0.0, f64::max);
        Ok(Feeder { length, area: opening.area, keep, fastest, bodies, late: 0 })
    }

    /// How far a body with these `vertices` can go along the normal, at most `most`, without leaving the fluid; none where it
    /// is not within it.
    fn room(&self, vertices: &[[f64; 3]], normal: [f64; 3], most: f64, fluid: &HashSet<[i32; 3]>) -> Option<f64> {
        let inside = |far: &f64| vertices.iter().all(|x| fluid.contains(&self.site(x, *far, normal)));
        (0..).map(|k| PACE * f64::from(k)).take_while(|far| *far <= most).take_while(inside).last()
    }

    /// The site nearest to a place that lies `far` beyond `x`, within the domain's periods.
    fn site(&self, x: &[f64; 3], far: f64, normal: [f64; 3]) -> [i32; 3] {
        [0, 1, 2].map(|a| {
            let site = (x[a] + far * normal[a]).round() as i32;
            if self.parameters.periodic[a] { site.rem_euclid(self.parameters.extent[a] as i32) } else { site }
        })
    }
}

impl Kind {
    /// The body, turned so.
    pub fn ellipsoid(&self, orientation: [f64; 4]) -> Ellipsoid {
        Ellipsoid { semi_axes: self.shape.axes, orientation }
    }

    /// Its volume, lattice units.
    fn volume(&self) -> f64 {
        4.0 / 3.0 * std::f64::consts::PI * self.shape.axes.iter().product::<f64>()
    }
}
