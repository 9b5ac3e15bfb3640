//! Cells through openings: out where the flow takes them, in from feeders.

use hematite_comm::{Comm, agree};
use hematite_config::Result;
use hematite_engine::sites::Bounds;
use hematite_engine::{CameIn, DRIFT_SCALE, entry_gap};
use hematite_membrane::NONE;

use super::feeder::{ENTRY, Entry, Feeder};
use super::look::LOOK;
use super::parameters::Parameters;
use super::record::Record;
use super::roster::Held;
use super::suspension::Suspension;

/// Vertices of a cell that comes in keep this share of the mean side's length off those of others: where a side goes through
/// a triangle, both of that length, one of its ends is nearer than 0.77 of it to a corner.
const SIDES: f64 = 0.8;

/// They also keep this share of the contact's range off, about as much as cells do that a case holds.
const RANGE: f64 = 0.5;

/// A cell that would come in.
pub(super) struct Candidate {
    /// Number of its gate.
    gate: usize,
    /// Its number in the column, and the period.
    entry: (usize, i64),
    kind: usize,
    record: Record,
}

impl Suspension {
    /// Counts how far columns have carried their cells since the look before; frees those that have been carried far enough.
    pub(super) fn carry_on(&mut self) {
        if self.gates.is_empty() {
            return;
        }
        let step: Vec<Option<f64>> =
            self.gates.iter().map(|gate| gate.feeder.as_ref().map(|feeder| feeder.step())).collect();
        for kind in &mut self.kinds {
            for (_, held) in kind.cells.by_slot_mut() {
                let Some(by) = &mut held.carried else { continue };
                let column = step.get(by.gate as usize).copied().flatten();
                by.gone += column.unwrap_or_default();
                if column.is_none() || by.gone >= by.until {
                    held.carried = None;
                    self.gpu.write(&self.vertices.carrier, (kind.range.first_slot + held.slot) as usize, &[NONE]);
                    self.passed = true;
                }
            }
        }
    }

    /// Takes out the cells that go through openings, and those that a column has carried back to where they came in; others are
    /// now where `boxes` say.
    ///
    /// # Errors
    /// When the device is lost.
    pub(super) fn let_out(&mut self, boxes: &[Bounds]) -> Result<()> {
        if self.gates.is_empty() {
            return Ok(());
        }
        let mut leaving = Vec::new();
        for (k, kind) in self.kinds.iter_mut().enumerate() {
            for (id, held) in kind.cells.by_slot_mut() {
                let now = boxes[(kind.range.first_slot + held.slot) as usize];
                let leaves = match held.carried {
                    Some(by) => by.gone < 0.0,
                    None => self.gates.iter().any(|gate| gate.passes(held.bounds, now)),
                };
                if leaves {
                    leaving.push((k, id));
                }
                held.bounds = now;
            }
        }
        self.take_out(&leaving)
    }

    /// Takes out cells that this rank holds, by population and number; one rank counts each as gone.
    fn take_out(&mut self, leaving: &[(usize, u64)]) -> Result<()> {
        for &(kind, id) in leaving {
            let answers = self.kinds[kind].cells[id].holders.first() == Some(&self.rank);
            self.kinds[kind].left += i64::from(answers);
            self.passed = true;
        }
        self.drop_cells(leaving)
    }

    /// What tells feeders how far the fluid has come in; `None` without feeders.
    pub(super) fn feeds(&self) -> Option<&CameIn> {
        self.came_in.as_ref().filter(|_| self.gates.iter().any(|gate| gate.feeder.is_some()))
    }

    /// Puts in the cells of columns that are due and find room, and lets columns go on. `counts`: of what came in through this
    /// rank's nodes of each opening. All ranks find the same. Collective.
    pub(super) fn let_in(&mut self, comm: &dyn Comm, counts: Vec<i64>) -> Result<()> {
        let Some(came_in) = self.feeds() else { return Ok(()) };
        let mass = came_in.mass_of(comm, counts)?;
        let (anew, dimension) = (std::mem::take(&mut self.anew), self.parameters.dimension);
        let (mut candidates, mut started) = (Vec::new(), Vec::new());
        for (g, gate) in self.gates.iter_mut().enumerate() {
            let Some(feeder) = &mut gate.feeder else { continue };
            let travelled = mass[gate.opening] / feeder.area;
            if anew {
                feeder.begin(travelled);
            }
            let first = !feeder.progress.begun;
            if first {
                feeder.start();
                started.push(g);
            }
            for c in 0..feeder.cells.len() {
                let (entry, period) = feeder.entry(c, first);
                match entry {
                    Entry::Wait => {}
                    Entry::Try(beyond) => candidates.push(Candidate {
                        gate: g,
                        entry: (c, period),
                        kind: feeder.cells[c].kind,
                        record: feeder.cells[c].at(beyond, g, feeder.direction, dimension),
                    }),
                    Entry::Pass => feeder.progress.periods[c] = period,
                    Entry::Lost => {
                        feeder.progress.periods[c] = period;
                        feeder.progress.lost += u64::from(!feeder.begins());
                    }
                }
            }
        }
        self.tell_coming();
        for gate in &mut self.gates {
            if let Some(feeder) = &mut gate.feeder {
                feeder.follow(mass[gate.opening] / feeder.area);
            }
        }
        self.write_column_speeds();
        if !started.is_empty() {
            let made = started.into_iter().try_for_each(|gate| self.make_room(gate, &candidates));
            // Those that come in fill the slots of those that made room.
            agree(comm, made.and_then(|()| self.flush()))?;
        }
        if candidates.is_empty() {
            return Ok(());
        }
        let mut taken: Vec<i64> =
            agree(comm, self.taken(&candidates).and_then(|by| self.taken_by_solids(&candidates, by)))?;
        comm.sum(&mut taken)?;
        let mut inside: Vec<(usize, Vec<[f64; 3]>)> = Vec::new();
        for (candidate, taken) in candidates.iter().zip(taken) {
            let vertices = candidate.record.points(dimension);
            let gap = self.gap(candidate.kind);
            // Cells of one column keep apart by themselves.
            let beside = |(gate, other): &(usize, Vec<_>)| *gate != candidate.gate && too_near(&vertices, other, gap);
            if taken > 0 || inside.iter().any(beside) {
                continue;
            }
            let held = Held::of(&candidate.record, &self.holders, &self.parameters, self.looks.way());
            self.kinds[candidate.kind].inserted += i64::from(held.holders.first() == Some(&self.rank));
            if held.holders.contains(&self.rank) {
                self.put(candidate.kind, self.numbering.next(), &candidate.record, held)?;
                self.passed = true;
            }
            self.numbering.count(1);
            inside.push((candidate.gate, vertices));
            if let Some(feeder) = &mut self.gates[candidate.gate].feeder {
                let (c, period) = candidate.entry;
                feeder.progress.periods[c] = period;
                feeder.progress.came += 1;
            }
        }
        Ok(())
    }

    /// Takes out the cells of the case that stand where the column of a gate reaches to, or in the place of one of its cells.
    fn make_room(&mut self, gate: usize, candidates: &[Candidate]) -> Result<()> {
        let own: Vec<(Bounds, Vec<[f64; 3]>, f64)> = candidates
            .iter()
            .filter(|candidate| candidate.gate == gate)
            .map(|Candidate { kind, record, .. }| {
                let dimension = self.parameters.dimension;
                (record.bounds(dimension), record.points(dimension), self.gap(*kind))
            })
            .collect();
        let gate = &self.gates[gate];
        let deep = ENTRY + gate.feeder.as_ref().map_or(0.0, Feeder::reach);
        let stands_there = |cell: Bounds| {
            let nodes = gate.nodes;
            let apart = |a: usize| cell.high[a] < nodes.low[a] || cell.low[a] > nodes.high[a];
            let beside = (0..3).any(|a| gate.normal[a].abs() < 0.5 && apart(a));
            !beside && (-deep..deep).contains(&gate.depth(cell))
        };
        let mut near = Vec::new();
        for (k, kind) in self.kinds.iter().enumerate() {
            for (id, held) in kind.cells.by_slot().filter(|(_, held)| held.carried.is_none()) {
                let meets = |(bounds, ..): &(Bounds, Vec<_>, f64)| bounds.widened(2).meets(held.bounds);
                if stands_there(held.bounds) || own.iter().any(meets) {
                    near.push((k, id));
                }
            }
        }
        let records = self.take(&near)?;
        let mut leaving = Vec::new();
        for ((k, id), record) in near.into_iter().zip(records) {
            let (held, points) = (&self.kinds[k].cells[id], record.points(self.parameters.dimension));
            if stands_there(held.bounds) || own.iter().any(|(_, other, gap)| too_near(other, &points, *gap)) {
                leaving.push((k, id));
            }
        }
        self.take_out(&leaving)
    }

    /// Tells the device how fast columns go.
    pub(super) fn write_column_speeds(&self) {
        let dimension = self.parameters.dimension;
        for (g, gate) in self.gates.iter().enumerate() {
            let Some(feeder) = &gate.feeder else { continue };
            let along = |a: usize| (feeder.progress.speed * feeder.direction[a] * DRIFT_SCALE).round() as i32;
            let speed: Vec<i32> = (0..dimension).map(along).collect();
            self.gpu.write(&self.vertices.column_speed, g * dimension, &speed);
        }
    }

    /// Of each feeder: the number of its opening, how many cells came in, and how many found no room.
    pub fn feeders(&self) -> impl Iterator<Item = (usize, u64, u64)> {
        self.gates.iter().filter_map(|gate| {
            let progress = &gate.feeder.as_ref()?.progress;
            Some((gate.opening, progress.came, progress.lost))
        })
    }

    /// For each candidate whether a cell that this rank holds is in its place.
    pub(super) fn taken(&self, candidates: &[Candidate]) -> Result<Vec<i64>> {
        let dimension = self.parameters.dimension;
        let boxes: Vec<Bounds> = candidates.iter().map(|cell| cell.record.bounds(dimension)).collect();
        let same_column = |held: &Held, candidate: usize| {
            held.carried.is_some_and(|by| by.gate as usize == candidates[candidate].gate)
        };
        let mut pairs = Vec::new();
        for (k, kind) in self.kinds.iter().enumerate() {
            for (id, held) in kind.cells.by_slot() {
                let near = |&(candidate, bounds): &(usize, &Bounds)| {
                    held.bounds.widened(2 + LOOK as i32 / 4).meets(*bounds) && !same_column(held, candidate)
                };
                pairs.extend(boxes.iter().enumerate().filter(near).map(|(candidate, _)| (candidate, (k, id))));
            }
        }
        let mut wanted: Vec<(usize, u64)> = pairs.iter().map(|&(_, cell)| cell).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let of = |record: &Record| record.points(dimension);
        let others: Vec<Vec<[f64; 3]>> = self.take(&wanted)?.iter().map(of).collect();
        let points: Vec<Vec<[f64; 3]>> = candidates.iter().map(|candidate| of(&candidate.record)).collect();
        let mut taken = vec![0; candidates.len()];
        for (candidate, cell) in pairs {
            let other = &others[wanted.partition_point(|&before| before < cell)];
            if taken[candidate] == 0 && too_near(&points[candidate], other, self.gap(candidates[candidate].kind)) {
                taken[candidate] = 1;
            }
        }
        Ok(taken)
    }

    /// Adds to `taken` whether a rigid body of this rank's own is in the place of each candidate.
    fn taken_by_solids(&self, candidates: &[Candidate], mut taken: Vec<i64>) -> Result<Vec<i64>> {
        let solids = self.surface.as_ref().and_then(|surface| surface.borrow().solids.clone());
        let Some(solids) = solids else { return Ok(taken) };
        let solids = solids.read(&self.gpu)?;
        let Parameters { dimension, extent, periodic, .. } = self.parameters;
        for (candidate, taken) in candidates.iter().zip(&mut taken) {
            let (vertices, gap) = (candidate.record.points(dimension), self.gap_to_solids(candidate.kind));
            *taken += i64::from(solids.iter().any(|solid| solid.meets(&vertices, gap, extent, periodic)));
        }
        Ok(taken)
    }

    /// Tells rigid bodies that come in which cells will come in next, so that they leave them their places: those less far from these than
    /// they are carried on.
    fn tell_coming(&self) {
        let Some(surface) = &self.surface else { return };
        let mut coming = Vec::new();
        for (g, gate) in self.gates.iter().enumerate() {
            let Some(feeder) = &gate.feeder else { continue };
            for c in 0..feeder.cells.len() {
                if let Some(beyond) = feeder.awaited(c) {
                    let record = feeder.cells[c].at(beyond, g, feeder.direction, self.parameters.dimension);
                    coming.push(record.points(self.parameters.dimension));
                }
            }
        }
        surface.borrow_mut().coming = coming;
    }

    /// Least distance between the vertices of a cell that comes in and rigid bodies.
    fn gap_to_solids(&self, kind: usize) -> f64 {
        let range = self.parameters.contact.as_ref().map_or(0.0, |contact| contact.range);
        entry_gap(range, self.kinds[kind].mean_side)
    }

    /// Least distance between the vertices of a cell that comes in and those of others.
    pub(super) fn gap(&self, kind: usize) -> f64 {
        let range = self.parameters.contact.as_ref().map_or(0.0, |contact| contact.range);
        (RANGE * range).max(SIDES * self.kinds[kind].mean_side)
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
