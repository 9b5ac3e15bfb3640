//! Cells through openings: out where the flow takes them, in from feeders.

use hematite_comm::{Comm, agree};
use hematite_config::Result;

use super::gate::{Gate, Waiting};
use super::holders::Bounds;
use super::kind::Held;
use super::parameters::{LOOK, reach};
use super::time_step::Suspension;

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

    /// Puts in the cells of feeders that are due and find room. All ranks find the same. Collective.
    pub(super) fn let_in(&mut self, comm: &dyn Comm) -> Result<()> {
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
            for (c, cell) in feeder.cells.iter_mut().enumerate() {
                if anew {
                    cell.turn.pass(travelled, feeder.length);
                }
                if cell.turn.beyond(travelled, feeder.length) >= 0.0 {
                    due.push((g, c));
                }
            }
        }
        if due.is_empty() {
            return Ok(());
        }
        let waiting =
            |gates: &[Gate], (g, c): (usize, usize)| gates[g].feeder.as_ref().map(|feeder| feeder.cells[c].clone());
        let candidates: Vec<Waiting> = due.iter().filter_map(|&at| waiting(&self.gates, at)).collect();
        let mut taken: Vec<i64> = agree(comm, self.taken(&candidates))?;
        comm.sum(&mut taken)?;
        let mut inside: Vec<Vec<[f64; 3]>> = Vec::new();
        for ((&(g, c), candidate), taken) in due.iter().zip(&candidates).zip(taken) {
            let vertices = candidate.record.points(self.parameters.dimension);
            let gap = self.gap(candidate.kind);
            let keep = self.gates[g].feeder.as_ref().map_or(1.0, |feeder| feeder.keep);
            if !candidate.turn.is_kept(c as u64, keep) {
                self.count_entry(g, c);
                continue;
            }
            if taken > 0 || inside.iter().any(|other| too_near(&vertices, other, gap)) {
                continue;
            }
            let bounds = Bounds::of(self.parameters.dimension, &candidate.record);
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
        }
        Ok(())
    }

    pub(super) fn count_entry(&mut self, gate: usize, cell: usize) {
        if let Some(feeder) = &mut self.gates[gate].feeder {
            feeder.cells[cell].turn.entered += 1;
        }
    }

    /// For each candidate whether a cell that this rank holds is in its place.
    pub(super) fn taken(&self, candidates: &[Waiting]) -> Result<Vec<i64>> {
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

    /// Least distance between the vertices of a cell that comes in and those of others: the contact range, and the distance of
    /// its own vertices, below which surfaces may cross.
    pub(super) fn gap(&self, kind: usize) -> f64 {
        let surface = &self.kinds[kind].surface;
        let edges = surface.edges();
        let length = |[a, b]: [u32; 2]| {
            let (a, b) = (surface.vertices[a as usize], surface.vertices[b as usize]);
            (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
        };
        let mean = edges.iter().map(|&edge| length(edge)).sum::<f64>() / edges.len().max(1) as f64;
        self.parameters.contact.as_ref().map_or(0.0, |contact| contact.range).max(mean)
    }
}

/// Whether any two vertices are nearer than `gap`, or one cell may lie inside the other.
fn too_near(a: &[[f64; 3]], b: &[[f64; 3]], gap: f64) -> bool {
    let extent = |points: &[[f64; 3]], axis: usize| {
        points.iter().fold([f64::MAX, f64::MIN], |[low, high], x| [low.min(x[axis]), high.max(x[axis])])
    };
    let holds = |[l, h]: [f64; 2], [low, high]: [f64; 2]| l <= low && high <= h;
    let within = |a: &[[f64; 3]], b: &[[f64; 3]]| (0..3).all(|axis| holds(extent(a, axis), extent(b, axis)));
    let near = |x: &[f64; 3], y: &[f64; 3]| (0..3).map(|k| (x[k] - y[k]).powi(2)).sum::<f64>() < gap * gap;
    within(a, b) || within(b, a) || a.iter().any(|x| b.iter().any(|y| near(x, y)))
}
