//! Cells through openings: out where the flow takes them, in from feeders.

use hematite_comm::{Comm, agree};
use hematite_config::Result;

use super::holders::Bounds;
use super::kind::Held;
use super::parameters::{LOOK, reach};
use super::record::Record;
use super::time_step::Suspension;
use crate::clearing::shifted;
use crate::turn::Turn;

/// Vertices of a cell that comes in keep this share of the mean side's length off those of others: where a side goes through
/// a triangle, both of that length, one of its ends is nearer than 0.77 of it to a corner.
const SIDES: f64 = 0.8;

/// They also keep this share of the contact's range off, about as much as cells do that a case holds.
const RANGE: f64 = 0.5;

/// So many cells that are due are tried at a look.
const MOST_TRIED: usize = 8;

/// A cell that would come in at one of its places.
pub(super) struct Candidate {
    /// Numbers of its gate, and in the feeder.
    from: (usize, usize),
    kind: usize,
    turn: Turn,
    record: Record,
}

impl Suspension {
    /// Takes out the cells that go through openings.
    pub(super) fn let_out(&mut self, boxes: &[Bounds]) {
        let mut leaving = Vec::new();
        for (k, kind) in self.kinds.iter().enumerate() {
            for (&id, held) in &kind.cells {
                let now = boxes[(kind.range.first_slot + held.slot) as usize];
                if self.gates.iter().any(|gate| gate.passes(held.bounds, now)) {
                    leaving.push((k, id, held.holders.first() == Some(&self.rank)));
                }
            }
        }
        for (kind, id, answers) in leaving {
            self.kinds[kind].left += i64::from(answers);
            self.drop_cell(kind, id);
            self.passed = true;
        }
    }

    /// Puts in cells of feeders that are due and find room after `step` steps. All ranks find the same. Collective.
    pub(super) fn let_in(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        let Some(came_in) = self.came_in.as_ref().filter(|_| self.gates.iter().any(|gate| gate.feeder.is_some()))
        else {
            return Ok(());
        };
        let mass = came_in.on_all_ranks(comm, &self.gpu)?;
        let anew = std::mem::take(&mut self.anew);
        let mut due = Vec::new();
        for (g, gate) in self.gates.iter_mut().enumerate() {
            let Some(feeder) = &mut gate.feeder else { continue };
            let travelled = mass[gate.opening] / feeder.area;
            feeder.late = 0;
            for (c, cell) in feeder.cells.iter_mut().enumerate() {
                if anew {
                    cell.turn.pass(travelled, feeder.length);
                }
                let late = cell.turn.late(travelled, feeder.length);
                if late > 0 {
                    due.push((g, c));
                    feeder.late += late;
                }
            }
        }
        if due.is_empty() {
            return Ok(());
        }
        // Each has its turn to be tried.
        let first = (step / LOOK) as usize * MOST_TRIED % due.len();
        due.rotate_left(first);
        due.truncate(MOST_TRIED);
        let dimension = self.parameters.dimension;
        let mut candidates = Vec::new();
        for &(g, c) in &due {
            let cell = self.gates[g].feeder.as_ref().map(|feeder| feeder.cells[c].clone());
            candidates.extend(cell.iter().flat_map(|cell| {
                let at = |&shift: &[i32; 3]| Candidate {
                    from: (g, c),
                    kind: cell.kind,
                    turn: cell.turn,
                    record: shifted(&cell.record, dimension, shift),
                };
                cell.places.iter().map(at)
            }));
        }
        let mut taken: Vec<i64> = agree(comm, self.taken(&candidates))?;
        comm.sum(&mut taken)?;
        let mut inside: Vec<Vec<[f64; 3]>> = Vec::new();
        let mut last = None;
        for (candidate, taken) in candidates.iter().zip(taken) {
            let (g, c) = candidate.from;
            if last == Some((g, c)) {
                continue;
            }
            let keep = self.gates[g].feeder.as_ref().map_or(1.0, |feeder| feeder.keep);
            if !candidate.turn.is_kept(c as u64, keep) {
                self.count_entry(g, c);
                last = Some((g, c));
                continue;
            }
            let vertices = candidate.record.points(dimension);
            let gap = self.gap(candidate.kind);
            if taken > 0 || inside.iter().any(|other| too_near(&vertices, other, gap)) {
                continue;
            }
            let bounds = Bounds::of(dimension, &candidate.record);
            let holders = self.holders.of(bounds.widened(reach(&self.parameters)));
            self.kinds[candidate.kind].inserted += i64::from(holders.first() == Some(&self.rank));
            if holders.contains(&self.rank) {
                let held = Held { slot: 0, seeded_scale: candidate.record.seeded_scale, holders, bounds };
                self.put(candidate.kind, self.next_id, &candidate.record, held)?;
                self.passed = true;
            }
            self.next_id += 1;
            inside.push(vertices);
            self.count_entry(g, c);
            last = Some((g, c));
        }
        Ok(())
    }

    /// Of each feeder: the number of its opening, how often its cells came in, and how many turns passed in which there was no room.
    pub fn feeders(&self) -> impl Iterator<Item = (usize, u64, u64)> {
        self.gates.iter().filter_map(|gate| {
            let feeder = gate.feeder.as_ref()?;
            Some((gate.opening, feeder.cells.iter().map(|cell| cell.turn.entered).sum(), feeder.late))
        })
    }

    pub(super) fn count_entry(&mut self, gate: usize, cell: usize) {
        if let Some(feeder) = &mut self.gates[gate].feeder {
            feeder.cells[cell].turn.entered += 1;
            feeder.late -= 1;
        }
    }

    /// For each candidate whether a cell that this rank holds is in its place.
    pub(super) fn taken(&self, candidates: &[Candidate]) -> Result<Vec<i64>> {
        let dimension = self.parameters.dimension;
        let boxes: Vec<Bounds> = candidates.iter().map(|cell| Bounds::of(dimension, &cell.record)).collect();
        let mut pairs = Vec::new();
        for (k, kind) in self.kinds.iter().enumerate() {
            for (&id, held) in &kind.cells {
                let near = |&(_, bounds): &(usize, &Bounds)| held.bounds.widened(2 + LOOK as i32 / 4).meets(*bounds);
                pairs.extend(boxes.iter().enumerate().filter(near).map(|(candidate, _)| (candidate, (k, id))));
            }
        }
        let mut wanted: Vec<(usize, u64)> = pairs.iter().map(|&(_, cell)| cell).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let records = self.take(&wanted)?;
        let mut taken = vec![0; candidates.len()];
        for (candidate, cell) in pairs {
            let at = wanted.partition_point(|&other| other < cell);
            let (own, other) = (&candidates[candidate], records[at].points(dimension));
            if too_near(&own.record.points(dimension), &other, self.gap(own.kind)) {
                taken[candidate] = 1;
            }
        }
        Ok(taken)
    }

    /// Least distance between the vertices of a cell that comes in and those of others.
    pub(super) fn gap(&self, kind: usize) -> f64 {
        let surface = &self.kinds[kind].surface;
        let edges = surface.edges();
        let length = |[a, b]: [u32; 2]| {
            let (a, b) = (surface.vertices[a as usize], surface.vertices[b as usize]);
            (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
        };
        let mean = edges.iter().map(|&edge| length(edge)).sum::<f64>() / edges.len().max(1) as f64;
        let range = self.parameters.contact.as_ref().map_or(0.0, |contact| contact.range);
        (RANGE * range).max(SIDES * mean)
    }
}

/// Whether any two vertices are nearer than `gap`, or one cell may lie inside the other.
fn too_near(a: &[[f64; 3]], b: &[[f64; 3]], gap: f64) -> bool {
    let extent = |points: &[[f64; 3]]| {
        [0, 1, 2].map(|axis| {
            points.iter().fold([f64::MAX, f64::MIN], |[low, high], x| [low.min(x[axis]), high.max(x[axis])])
        })
    };
    let (of_a, of_b) = (extent(a), extent(b));
    let holds = |a: &[[f64; 2]; 3], b: &[[f64; 2]; 3]| (0..3).all(|k| a[k][0] <= b[k][0] && b[k][1] <= a[k][1]);
    if holds(&of_a, &of_b) || holds(&of_b, &of_a) {
        return true;
    }
    let beside = |x: &[f64; 3], of: &[[f64; 2]; 3]| (0..3).all(|k| of[k][0] - gap < x[k] && x[k] < of[k][1] + gap);
    let others: Vec<&[f64; 3]> = b.iter().filter(|x| beside(x, &of_a)).collect();
    let near = |x: &[f64; 3], y: &[f64; 3]| (0..3).map(|k| (x[k] - y[k]).powi(2)).sum::<f64>() < gap * gap;
    !others.is_empty() && a.iter().filter(|x| beside(x, &of_b)).any(|x| others.iter().any(|y| near(x, y)))
}
