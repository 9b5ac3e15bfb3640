//! Bodies that come in through openings.

use std::collections::{HashMap, HashSet};

use hematite_cells::RigidShape;
use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};
use hematite_engine::Solid;
use hematite_engine::particles::GONE;
use hematite_engine::sites::Coordinate;
use hematite_gpu::Recorder;
use rayon::prelude::*;

use super::feeder::Candidate;
use super::gay_berne::{Tensor, added};
use super::meeting::MetCell;
use super::rigid_bodies::RigidBodies;
use super::rotation::axes_of;
use super::{Parameters, State};

/// Fewest candidates for a thread, some 20 us of work.
const PER_THREAD: usize = 128;

/// A body that is due.
struct Due {
    gate: usize,
    number: usize,
    /// Where it may be put in, best first.
    places: Vec<Candidate>,
}

/// A body where it stands, with its part of what says how near others are.
struct Standing {
    body: Candidate,
    tensor: Tensor,
}

/// Boxes as wide as bodies reach; along a periodic axis there is but one.
#[derive(Clone, Copy)]
struct Boxes {
    width: f64,
    periodic: [bool; 3],
}

impl Boxes {
    /// The box of a place.
    fn of(&self, at: [f64; 3]) -> [i32; 3] {
        [0, 1, 2].map(|a| if self.periodic[a] { 0 } else { (at[a] / self.width).floor() as i32 })
    }

    /// The given box, then those around it. In this order, as most candidates without room find a body in their own box.
    fn around(&self, [x, y, z]: [i32; 3]) -> impl Iterator<Item = [i32; 3]> {
        let [u, v, w]: [&[i32]; 3] = self.periodic.map(|periodic| if periodic { &[0][..] } else { &[0, -1, 1] });
        u.iter().flat_map(move |u| v.iter().flat_map(move |v| w.iter().map(move |w| [x + u, y + v, z + w])))
    }
}

impl RigidBodies {
    /// How often each body of the feeders has come in.
    pub fn entered(&self) -> Vec<u64> {
        let feeders = self.passage.gates.iter().filter_map(|gate| gate.feeder.as_ref());
        feeders.flat_map(|feeder| &feeder.bodies).map(|waiting| waiting.schedule.entered).collect()
    }

    /// Of each feeder: the number of its opening, how often its bodies came in, and how many entries were due in which there was no room.
    pub fn feeders(&self) -> impl Iterator<Item = (usize, u64, u64)> {
        self.passage.gates.iter().filter_map(|gate| {
            let feeder = gate.feeder.as_ref()?;
            Some((gate.opening, feeder.bodies.iter().map(|body| body.schedule.entered).sum(), feeder.late))
        })
    }

    /// Puts back how many bodies of each population came in before a restart, and what [`RigidBodies::entered`] gave. Where that
    /// was of other feeders, those of now go on as if theirs had come in so far.
    pub fn restore_inserted(&mut self, inserted: &[u64], entered: &[u64]) {
        self.passage.inserted.copy_from_slice(inserted);
        self.passage.numbering.count(inserted.iter().sum::<u64>());
        self.passage.anew = entered.len() != self.entered().len();
        if self.passage.anew {
            return;
        }
        let feeders = self.passage.gates.iter_mut().filter_map(|gate| gate.feeder.as_mut());
        for (waiting, &entered) in feeders.flat_map(|feeder| &mut feeder.bodies).zip(entered) {
            waiting.schedule.entered = entered;
        }
    }

    /// Puts in the bodies of feeders that are due after `step` steps and that find room. All ranks find the same. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost; when numbers of bodies run out.
    pub(super) fn let_in(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        if !self.passage.feeds() {
            return Ok(());
        }
        let due = self.due(comm, step)?;
        let places: Vec<Candidate> = due.iter().flat_map(|due| due.places.clone()).collect();
        let mut taken = agree(comm, self.taken(&places).and_then(|by| self.taken_by_cells(&places, by)))?;
        comm.sum(&mut taken)?;
        let mut taken = taken.into_iter();
        let mut inside: Vec<Standing> = Vec::new();
        let mut states = Vec::new();
        for Due { gate, number, places } in due {
            let free: Vec<bool> = taken.by_ref().take(places.len()).map(|taken| taken == 0).collect();
            let free = places.iter().zip(free).filter(|&(_, free)| free).map(|(place, _)| *place);
            let mut free = free.into_iter().map(|place| self.parameters.standing(place));
            let room = free.find(|place| !inside.iter().any(|other| self.parameters.too_near(place, other)));
            if let Some(place) = room {
                states.push(self.next_state(&place.body)?);
                inside.push(place);
                self.count_entry(gate, number);
            }
        }
        if states.is_empty() {
            return Ok(());
        }
        let words: Vec<_> = states.iter().map(|state| state.words(self.parameters.precision)).collect();
        agree(comm, self.particles.insert(words))?;
        let gpu = self.gpu.clone();
        let mut recorder = Recorder::new(&gpu);
        self.rebuild(comm, &mut recorder, step)?;
        recorder.flush()?;
        Ok(())
    }

    fn count_entry(&mut self, gate: usize, number: usize) {
        if let Some(feeder) = &mut self.passage.gates[gate].feeder {
            feeder.count(number);
        }
    }

    /// The candidate with a number of its own, at rest.
    fn next_state(&mut self, candidate: &Candidate) -> Result<State> {
        let id = u32::try_from(self.passage.numbering.next())
            .map_err(|_| Fault::numerical("more than 4294967296 bodies came in: numbers run out"))?;
        self.passage.numbering.count(1);
        self.passage.inserted[candidate.kind as usize] += 1;
        Ok(State::at_rest(id, candidate.kind, candidate.position.map(Coordinate::of), candidate.orientation))
    }

    /// The bodies that are due after `step` steps; those that are not among the share that comes in have had theirs.
    /// Collective.
    fn due(&mut self, comm: &dyn Comm, step: u64) -> Result<Vec<Due>> {
        let Some(came_in) = self.shared.as_ref().and_then(|shared| shared.came_in.as_ref()) else {
            return Ok(Vec::new());
        };
        let mass = came_in.on_all_ranks(comm, &self.gpu)?;
        let mut due = Vec::new();
        for (g, gate) in self.passage.gates.iter_mut().enumerate() {
            let Some(feeder) = &mut gate.feeder else { continue };
            let travelled = mass[gate.opening] / feeder.area;
            if self.passage.anew {
                feeder.bodies.iter_mut().for_each(|body| body.schedule.pass(travelled, feeder.length));
            }
            feeder.late = feeder.missed(travelled);
            for (number, late) in feeder.due(travelled).collect::<Vec<_>>() {
                if feeder.bodies[number].schedule.is_kept(number as u64, feeder.keep) {
                    let places = feeder.places(number, late, step, gate.normal).collect();
                    due.push(Due { gate: g, number, places });
                } else {
                    feeder.count(number);
                }
            }
        }
        self.passage.anew = false;
        Ok(due)
    }

    /// For each candidate whether one of this rank's own bodies is in its place.
    fn taken(&self, candidates: &[Candidate]) -> Result<Vec<i64>> {
        let mut taken = vec![0; candidates.len()];
        if candidates.is_empty() || self.own() == 0 {
            return Ok(taken);
        }
        let parameters = &self.parameters;
        let boxes = Boxes { width: parameters.range(), periodic: parameters.periodic };
        let bodies = self.bodies_near(candidates, boxes)?;
        taken.par_iter_mut().zip(candidates).with_min_len(PER_THREAD).for_each(|(taken, &candidate)| {
            let around = boxes.around(boxes.of(candidate.position));
            let candidate = parameters.standing(candidate);
            let mut others = around.filter_map(|at| bodies.get(&at)).flatten();
            *taken = i64::from(others.any(|body| parameters.too_near(&candidate, body)));
        });
        Ok(taken)
    }

    /// The own bodies in the boxes of `candidates` and in those around them.
    fn bodies_near(&self, candidates: &[Candidate], boxes: Boxes) -> Result<HashMap<[i32; 3], Vec<Standing>>> {
        let used: HashSet<[i32; 3]> = candidates.iter().map(|candidate| boxes.of(candidate.position)).collect();
        let near: HashSet<[i32; 3]> = used.into_iter().flat_map(|at| boxes.around(at)).collect();
        let [words, gone, kind, orientation] = self.particles.words(["position", GONE.name, "kind", "orientation"])?;
        let orientation = self.parameters.precision.unpack_real(bytemuck::cast_slice(&orientation));
        let own = gone.len();
        let place = |i: usize| {
            [0, 1, 2].map(|a| {
                let at = 2 * (a * own + i);
                Coordinate { site: words[at] as i32, fraction: words[at + 1] }.value()
            })
        };
        let mut bodies: HashMap<[i32; 3], Vec<Standing>> = HashMap::new();
        for (i, position) in (0..own).filter(|&i| gone[i] == 0).map(|i| (i, place(i))) {
            let at = boxes.of(position);
            if near.contains(&at) {
                let orientation = [0, 1, 2, 3].map(|a| orientation[a * own + i]);
                let body = self.parameters.standing(Candidate { kind: kind[i], position, orientation });
                bodies.entry(at).or_default().push(body);
            }
        }
        Ok(bodies)
    }

    /// Adds to `taken` whether a cell that this rank holds, or that comes in next, is in the place of each candidate.
    fn taken_by_cells(&self, candidates: &[Candidate], mut taken: Vec<i64>) -> Result<Vec<i64>> {
        let Some(meeting) = self.meeting.as_ref().filter(|_| !candidates.is_empty()) else { return Ok(taken) };
        let Parameters { extent, periodic, .. } = self.parameters;
        for MetCell { vertices, gap } in meeting.cells()? {
            for (candidate, taken) in candidates.iter().zip(&mut taken) {
                let shape = RigidShape { semi_axes: self.parameters.kinds[candidate.kind as usize].shape.axes };
                let solid = Solid { centre: candidate.position, orientation: candidate.orientation, shape };
                *taken += i64::from(solid.meets(&vertices, gap, extent, periodic));
            }
        }
        Ok(taken)
    }
}

impl Parameters {
    fn standing(&self, body: Candidate) -> Standing {
        Standing { body, tensor: self.kinds[body.kind as usize].shape.tensor(&axes_of(body.orientation)) }
    }

    /// Whether two bodies overlap, or repel each other more than bodies that touch.
    fn too_near(&self, a: &Standing, b: &Standing) -> bool {
        let apart = self.apart(a.body.position, b.body.position);
        let [shape, other] = [a, b].map(|standing| &self.kinds[standing.body.kind as usize].shape);
        let range = self.pairs.range(shape, other);
        if apart.iter().map(|r| r * r).sum::<f64>() >= range * range {
            return false;
        }
        let rho = self.pairs.rho(apart, added(a.tensor, b.tensor));
        let ellipsoid = |body: &Candidate| self.kinds[body.kind as usize].ellipsoid(body.orientation);
        // rho is made of a lower bound of Perram and Wertheim's contact function: bodies that overlap have one below gamma.
        let may_overlap = rho < self.pairs.gamma || rho.is_nan();
        rho < 1.0 || may_overlap && ellipsoid(&a.body).overlaps(&ellipsoid(&b.body), apart)
    }

    /// From one place to the nearest image of another.
    fn apart(&self, from: [f64; 3], to: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|a| {
            let (r, period) = (to[a] - from[a], self.extent[a] as f64);
            if self.periodic[a] { r - period * (r / period).round() } else { r }
        })
    }
}
