//! What comes in through an opening: copies of the bodies that the case holds behind it, upstream of it period after period.
//!
//! Each comes nearer with the speed that the opening's flow has where the body is, as far as the fluid that came in says. When
//! it is inside as a whole and there is room, it is put into the fluid; where there is none, at the place of another.

use hematite_engine::passage::{EntrySchedule, unit};

/// Places of others that are tried where a body has no room in its own.
const TRIES: usize = 48;

/// Draws among which they are.
const DRAWS: u64 = 192;

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
