//! What comes in through an opening: copies of the bodies that the case holds behind it, upstream of it period after period.
//!
//! Each comes nearer with the speed that the opening's flow has where the body is, as far as the fluid that came in says. When
//! it is inside as a whole and there is room, it is put into the fluid; where there is none, at the place of another.

use std::collections::HashSet;

use hematite_case::{Ellipsoid, Header, Opening, Placed, Population};
use hematite_config::{Fault, Result};
use hematite_engine::passage::known_openings as known;
use hematite_engine::passage::{EntrySchedule, unit};
use hematite_engine::sites::Coordinate;
use hematite_geometry::OpeningKind;

use super::resolve::Rigid;
use super::{Gate, Kind};
use crate::config::{BodiesConfig, BodyInflowConfig};

/// How far apart the places are at which a body on its way in is checked against walls, lattice units.
const PACE: f64 = 0.5;

/// Places of others that are tried where a body has no room in its own.
const TRIES: usize = 48;

/// Draws among which they are.
const DRAWS: u64 = 192;

/// Length of a feeder in largest diameters of the bodies, unless the run says otherwise.
const DIAMETERS: f64 = 6.0;

/// Bodies that come in, period after period.
#[derive(Clone, Debug, PartialEq)]
pub struct Feeder {
    /// Its length along the normal, lattice units.
    pub length: f64,
    /// The opening's area, lattice units.
    pub area: f64,
    /// Share of its bodies that come in.
    pub keep: f64,
    /// The fastest speed of its bodies, for a mean speed of 1.
    pub fastest: f64,
    /// Its bodies in the order in which they are tried.
    pub bodies: Vec<Waiting>,
    /// How many entries were due by the last look for which there was no room.
    pub late: u64,
}

/// A body of a feeder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waiting {
    /// Its population.
    pub kind: u32,
    /// Its centre where it is just inside, lattice units; nodes at whole numbers.
    pub position: [f64; 3],
    /// Unit quaternion (w, x, y, z).
    pub orientation: [f64; 4],
    /// How far beyond that place it may be put in where it comes late, lattice units.
    pub room: f64,
    /// When it comes in.
    pub schedule: EntrySchedule,
}

/// A body that would come in now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Its population.
    pub kind: u32,
    /// Its centre, lattice units.
    pub position: [f64; 3],
    /// Unit quaternion (w, x, y, z).
    pub orientation: [f64; 4],
}

impl Feeder {
    /// The bodies that are due when the flow has gone `travelled` lattice units at mean speed, by their numbers, and how far
    /// they are late.
    pub fn due(&self, travelled: f64) -> impl Iterator<Item = (usize, f64)> + '_ {
        let late = move |body: &Waiting| body.schedule.beyond(travelled, self.length);
        self.bodies.iter().map(late).enumerate().filter(|&(_, late)| late >= 0.0)
    }

    /// How many entries were due so far and did not take place.
    pub fn missed(&self, travelled: f64) -> u64 {
        self.bodies.iter().map(|body| body.schedule.late(travelled, self.length)).sum()
    }

    /// Counts that the body with this number came in, or was none of the share that does.
    pub fn count(&mut self, number: usize) {
        self.bodies[number].schedule.entered += 1;
        self.late -= 1;
    }

    /// Where the body with this number may be put in after `step` steps, so much `late`: at its own place and as far along
    /// `normal` as it would be, then at places of others of its population, more often where the flow is faster.
    pub fn places(
        &self,
        number: usize,
        late: f64,
        step: u64,
        normal: [f64; 3],
    ) -> impl Iterator<Item = Candidate> + '_ {
        let own = self.bodies[number];
        let placed = move |at: &Waiting, far: f64| {
            let position = [0, 1, 2].map(|a| at.position[a] + far * normal[a]);
            Candidate { kind: own.kind, position, orientation: at.orientation }
        };
        let key = step.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add((number as u64) << 16);
        let other = move |k: u64| {
            let draw = |which: u64| unit(key + 4 * k + which);
            let at = &self.bodies[(draw(0) * self.bodies.len() as f64) as usize];
            (at.kind == own.kind && draw(1) * self.fastest <= at.schedule.share).then(|| placed(at, draw(2) * at.room))
        };
        std::iter::once(placed(&own, late.min(own.room))).chain((0..DRAWS).filter_map(other).take(TRIES))
    }
}

impl BodyInflowConfig {
    /// Length of the feeder for bodies so large, in lattice units of `spacing` metres.
    fn length_for(&self, diameter: f64, spacing: f64) -> Result<f64> {
        let length = self.length.map_or(DIAMETERS * diameter, |length| length.si() / spacing);
        if length < diameter {
            return Err(Fault::usage(format!(
                "length {:.3e} m is below the diameter of the bodies, {:.3e} m: take at least that, best several times as much",
                length * spacing,
                diameter * spacing
            )));
        }
        Ok(length)
    }

    /// Share of what waits that comes in, where the case holds the hematocrit `seeded`.
    fn share_of(&self, seeded: f64) -> Result<f64> {
        match self.hematocrit {
            None => Ok(1.0),
            Some(asked) if asked > 0.0 && asked <= seeded => Ok(asked / seeded),
            Some(asked) => Err(Fault::usage(format!(
                "hematocrit {asked} must be above 0 and at most {seeded:.3}, that of the bodies which the case holds behind the \
                 opening: seed the case with more"
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
                let feeder = self.feeder(inflow, &gate, (opening, sites), entrances.fluid, populations);
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
        inflow: &BodyInflowConfig,
        gate: &Gate,
        (opening, sites): (&Opening, &[[i32; 3]]),
        fluid: &HashSet<[i32; 3]>,
        populations: &[Population],
    ) -> Result<Feeder> {
        let (spacing, normal) = (self.parameters.spacing, gate.normal);
        let length = inflow.length_for(2.0 * self.parameters.radius(), spacing)?;
        let (mut bodies, mut volume) = (Vec::new(), 0.0);
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
                volume += kind.volume();
                let schedule = EntrySchedule { way: length - back, share, entered: 0 };
                bodies.push(Waiting { kind: state.kind, position, orientation: state.orientation, room, schedule });
            }
        }
        if bodies.is_empty() {
            return Err(Fault::usage(
                "the case has no bodies behind this opening to take after: seed it with a hematocrit, or take a longer \"length\"",
            ));
        }
        let seeded = volume / (opening.area * length);
        let keep = inflow.share_of(seeded)?;
        self.notes.push(format!(
            "bodies come in through \"{}\" as the {} of the case within {:.3e} m behind it, hematocrit {:.3}",
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
