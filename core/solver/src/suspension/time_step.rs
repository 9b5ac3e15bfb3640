//! The cells of one rank: their time step, and what dumps and checkpoints ask of them.
//!
//! After each step of the fluid, which leaves its velocities at the nodes: interpolate them to the vertices, add the
//! other holders' shares, move; then membranes, contact, and the forces go to the nodes for the fluid's next step.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use hematite_cells::{Mechanics, Surface};
use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};
use hematite_gpu::{Gpu, Recorder};

use super::bounds::BoundingBoxes;
use super::contact::{Contact, ContactParameters, WallPoint};
use super::coupling::{Coupling, FASTEST, LARGEST_FORCE, Support};
use super::gate::{Gate, Waiting};
use super::holders::{Bounds, Holders};
use super::inside::Inside;
use super::kind::{Held, Kind};
use super::map::SiteMap;
use super::pull::{Pull, Pulls};
use super::record::{Coordinate, Record};
use super::trade::Trade;
use super::vertices::{DRIFT_SCALE, NONE, Range, Vertices};
use crate::lattice_boltzmann::Shared;
use crate::membrane::Membrane;
use crate::{Bodies, Precision};

/// Time steps from one look at health, holders and exits to the next.
pub const LOOK: u64 = 16;

/// The mean speed into the domain at each opening in time step t, lattice units.
pub type Inflow = Arc<dyn Fn(u64) -> Vec<f64>>;

/// What a run fixes for its cells, lattice units.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// 2 or 3.
    pub dimension: usize,
    /// Arithmetic.
    pub precision: Precision,
    /// The kernel between vertices and nodes.
    pub support: Support,
    /// Membranes and contact every so many steps.
    pub every: u64,
    /// Vertices move every so many steps; divides `every`.
    pub move_every: u64,
    /// Steps in which cells seeded small grow to full size.
    pub growth: u64,
    /// Contact between cells and with walls.
    pub contact: Option<ContactParameters>,
    /// Steps between marks of the nodes inside cells, where viscosities differ.
    pub mark_every: Option<u64>,
    /// The populations.
    pub kinds: Vec<KindParameters>,
    /// Constant forces on vertices.
    pub pulls: Vec<Pull>,
    /// Metres of a lattice unit, and of node (0, 0, 0): where a broken cell is.
    pub spacing: f64,
    /// See `spacing`.
    pub origin: [f64; 3],
    /// Sites of the domain along x, y, z.
    pub extent: [usize; 3],
    /// Directions in which it wraps.
    pub periodic: [bool; 3],
}

/// A population in lattice units.
#[derive(Clone, Debug)]
pub struct KindParameters {
    /// Its name.
    pub name: String,
    /// The shape at full size.
    pub surface: Surface,
    /// What its membrane is made of.
    pub mechanics: Mechanics,
    /// Cells in the case.
    pub seeded: u64,
}

/// What is around a rank's own nodes.
pub struct Surroundings {
    /// Positions of own nodes.
    pub own: Vec<[i32; 3]>,
    /// Where sites are on the device.
    pub map: SiteMap,
    /// Points on the walls.
    pub walls: Vec<WallPoint>,
    /// Openings through which cells go.
    pub gates: Vec<Gate>,
    /// How fast the fluid comes in there.
    pub inflow: Inflow,
}

/// Vertices of the cells that this rank answers for, ascending by number within each population.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Global number of each cell.
    pub id: Vec<u64>,
    /// Population of each cell.
    pub kind: Vec<u32>,
    /// Positions of vertices, cell after cell; nodes at whole numbers, not wrapped.
    pub position: Vec<[f64; 3]>,
    /// Velocities in the last move.
    pub velocity: Vec<[f64; 3]>,
    /// Forces of the membranes.
    pub force: Vec<[f64; 3]>,
}

/// Cells of a population: seeded + inserted = inside + left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// In the case.
    pub seeded: u64,
    /// Come in through openings.
    pub inserted: u64,
    /// In the domain now.
    pub inside: u64,
    /// Gone through openings.
    pub left: u64,
}

/// Seconds spent on cells, by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellPhases {
    /// Waiting for kernels.
    pub compute: f64,
    /// Messages between ranks.
    pub communication: f64,
    /// Looks: health, holders, migration.
    pub migration: f64,
}

/// The cells of one rank.
pub struct Suspension {
    gpu: Gpu,
    rank: u32,
    alone: bool,
    parameters: Parameters,
    vertices: Vertices,
    kinds: Vec<Kind>,
    coupling: Coupling,
    contact: Option<Contact>,
    inside: Option<Inside>,
    boxes: BoundingBoxes,
    holders: Holders,
    trade: Trade,
    gates: Vec<Gate>,
    inflow: Inflow,
    /// How far the fluid has come in at each gate at mean speed.
    travelled: Vec<f64>,
    /// Number of the next cell that comes in.
    next_id: u64,
    /// Whether slots were filled since their sizes were last written.
    filled: bool,
    phases: CellPhases,
}

impl Parameters {
    /// A state after a multiple of this many steps is whole: positions, drifts and sizes tell the rest.
    pub fn period(&self) -> u64 {
        let common = |a: u64, b: u64| a / gcd(a, b) * b;
        common(common(self.every, self.mark_every.unwrap_or(1)), LOOK)
    }

    /// Sites around own nodes that a rank's map must hold: all that act on a vertex which may touch them.
    pub fn map_margin(&self) -> i32 {
        let contact = self.contact.as_ref().map_or(0.0, |contact| contact.range().max(contact.wall_reach()));
        (self.support.reach() + contact + FASTEST * self.every as f64).ceil() as i32 + 1
    }
}

impl Suspension {
    /// Puts cells into the fluid: of all `cells` (population, number, state) those that come near this rank's nodes.
    /// `step` is the number of steps done. Collective.
    ///
    /// # Errors
    /// When the device lacks room or is lost, or a rank is.
    pub fn new(
        gpu: &Gpu,
        comm: &dyn Comm,
        parameters: Parameters,
        shared: Shared,
        surroundings: Surroundings,
        step: u64,
        cells: impl IntoIterator<Item = (usize, u64, Record)>,
    ) -> Result<Self> {
        let rank = comm.rank() as u32;
        let holders = Holders::collect(comm, &surroundings.own, parameters.extent, parameters.periodic)?;
        let margin = reach(&parameters);
        let mut near: Vec<Vec<(u64, Record, Held)>> = parameters.kinds.iter().map(|_| Vec::new()).collect();
        for (kind, id, record) in cells {
            let bounds = Bounds::of(parameters.dimension, &record);
            let held = Held {
                slot: 0,
                seeded_scale: record.seeded_scale,
                holders: holders.of(bounds.widened(margin)),
                bounds,
            };
            if held.holders.contains(&rank) {
                near[kind].push((id, record, held));
            }
        }
        let room = |cells: usize| if comm.size() > 1 { cells + cells / 4 + 16 } else { cells };
        let rooms: Vec<usize> = near.iter().map(|cells| room(cells.len())).collect();
        let (vertices, ranges) = arrays(gpu, &parameters, &rooms)?;
        let coupling = Coupling::new(
            gpu,
            parameters.precision,
            parameters.dimension,
            parameters.support,
            &surroundings.map,
            &vertices,
            &shared,
        )?;
        let contact = match &parameters.contact {
            Some(contact) => Some(Contact::new(
                gpu,
                parameters.precision,
                contact,
                &surroundings.map,
                &vertices,
                &surroundings.walls,
            )?),
            None => None,
        };
        let inside = match &shared.inside {
            Some(marks) => {
                let surfaces: Vec<&Surface> = parameters.kinds.iter().map(|kind| &kind.surface).collect();
                Some(Inside::new(gpu, &surroundings.map, &vertices, marks, &surfaces)?)
            }
            None => None,
        };
        let boxes = BoundingBoxes::new(gpu, parameters.dimension, &vertices)?;
        let mut kinds = Vec::with_capacity(ranges.len());
        for (k, (kind, range)) in parameters.kinds.iter().zip(ranges).enumerate() {
            let (precision, dimension) = (parameters.precision, parameters.dimension);
            kinds.push(Kind {
                name: kind.name.clone(),
                surface: kind.surface.clone(),
                membrane: Membrane::new(
                    gpu,
                    parameters.precision,
                    parameters.dimension,
                    &kind.surface,
                    &kind.mechanics,
                    &vertices,
                    &range,
                )?,
                pulls: Pulls::new(gpu, precision, dimension, &parameters.pulls, k, &vertices, &range)?,
                range,
                seeded: kind.seeded,
                inserted: 0,
                left: 0,
                cells: BTreeMap::new(),
                free: Vec::new(),
            });
        }
        let trade = Trade::new(gpu)?;
        let mut suspension = Self {
            gpu: gpu.clone(),
            rank,
            alone: comm.size() == 1,
            parameters,
            vertices,
            kinds,
            coupling,
            contact,
            inside,
            boxes,
            holders,
            trade,
            travelled: vec![0.0; surroundings.gates.len()],
            gates: surroundings.gates,
            inflow: surroundings.inflow,
            next_id: 0,
            filled: false,
            phases: CellPhases::default(),
        };
        for (kind, cells) in near.into_iter().enumerate() {
            for (id, record, held) in cells {
                suspension.put(kind, id, &record, held)?;
            }
        }
        suspension.next_id = suspension.kinds.iter().map(|kind| kind.seeded).sum();
        for look in (LOOK..=step).step_by(LOOK as usize) {
            suspension.travel(look);
        }
        suspension.share(comm)?;
        // A run that comes here without a restart has the sizes of the look before.
        suspension.write_scales(step.saturating_sub(LOOK))?;
        let mut recorder = Recorder::new(gpu);
        suspension.record_marks(&mut recorder);
        suspension.record_forces(&mut recorder, step);
        recorder.submit();
        suspension.write_scales(step)?;
        suspension.filled = false;
        gpu.wait()?;
        Ok(suspension)
    }

    /// How many cells of each population there are and were, on all ranks. Collective.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn tally(&self, comm: &dyn Comm) -> Result<Vec<Tally>> {
        let answers = |kind: &Kind| kind.cells.values().filter(|held| held.holders.first() == Some(&self.rank)).count();
        let own = self.kinds.iter().flat_map(|kind| [kind.inserted, answers(kind) as i64, kind.left]);
        let mut counts: Vec<i64> = own.collect();
        comm.sum(&mut counts)?;
        let tally = |(kind, count): (&Kind, &[i64])| Tally {
            seeded: kind.seeded,
            inserted: count[0] as u64,
            inside: count[1] as u64,
            left: count[2] as u64,
        };
        Ok(self.kinds.iter().zip(counts.chunks(3)).map(tally).collect())
    }

    /// Puts back how many cells of each population came in and left before a restart, and what [`Suspension::entered`]
    /// gave.
    pub fn restore_counts(&mut self, counts: &[[u64; 2]], entered: &[u64]) {
        for (kind, &[inserted, left]) in self.kinds.iter_mut().zip(counts) {
            self.next_id += inserted;
            if self.rank == 0 {
                (kind.inserted, kind.left) = (inserted as i64, left as i64);
            }
        }
        let feeders = self.gates.iter_mut().filter_map(|gate| gate.feeder.as_mut());
        for (waiting, &entered) in feeders.flat_map(|feeder| &mut feeder.cells).zip(entered) {
            waiting.entered = entered;
        }
    }

    /// How often each cell of the feeders has come in.
    pub fn entered(&self) -> Vec<u64> {
        let feeders = self.gates.iter().filter_map(|gate| gate.feeder.as_ref());
        feeders.flat_map(|feeder| &feeder.cells).map(|waiting| waiting.entered).collect()
    }

    /// Seconds spent so far, by phase.
    pub fn phases(&self) -> CellPhases {
        self.phases
    }

    /// The cells that this rank answers for, after `step` steps.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn snapshot(&self, step: u64) -> Result<Snapshot> {
        let (dimension, stride) = (self.parameters.dimension, self.vertices.stride as usize);
        let position: Vec<Coordinate> = self.gpu.download(&self.vertices.position, 0, dimension * stride)?;
        let drift: Vec<i32> = self.gpu.download(&self.vertices.drift, 0, dimension * stride)?;
        let force = self.membrane_forces(step)?;
        let mut snapshot = Snapshot::default();
        let along = |v: usize, value: &dyn Fn(usize) -> f64| {
            std::array::from_fn(|axis| if axis < dimension { value(axis * stride + v) } else { 0.0 })
        };
        for (k, kind) in self.kinds.iter().enumerate() {
            for (&id, held) in kind.cells.iter().filter(|(_, held)| held.holders.first() == Some(&self.rank)) {
                snapshot.id.push(id);
                snapshot.kind.push(k as u32);
                let first = kind.first_vertex(held.slot) as usize;
                for v in first..first + kind.range.vertices as usize {
                    snapshot.position.push(along(v, &|at| position[at].value()));
                    snapshot.velocity.push(along(v, &|at| f64::from(drift[at]) / DRIFT_SCALE));
                    snapshot.force.push(along(v, &|at| force[at]));
                }
            }
        }
        Ok(snapshot)
    }

    /// Forces of the membranes alone. Those of contact are whole only on vertices near this rank's nodes; they are put aside
    /// and back.
    fn membrane_forces(&self, step: u64) -> Result<Vec<f64>> {
        let bytes = self.vertices.force.bytes() as usize;
        let whole: Vec<u8> = self.gpu.download(&self.vertices.force, 0, bytes)?;
        let mut recorder = Recorder::new(&self.gpu);
        for kind in &self.kinds {
            kind.membrane.record(&mut recorder, &kind.range, step as u32);
        }
        recorder.submit();
        let membranes: Vec<u8> = self.gpu.download(&self.vertices.force, 0, bytes)?;
        self.gpu.upload(&self.vertices.force, 0, &whole)?;
        Ok(self.parameters.precision.unpack_real(&membranes))
    }

    /// The states of the cells of one population that this rank answers for, ascending by number.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn records(&self, kind: usize) -> Result<Vec<(u64, Record)>> {
        let answers: Vec<u64> = self.kinds[kind]
            .cells
            .iter()
            .filter(|(_, held)| held.holders.first() == Some(&self.rank))
            .map(|(&id, _)| id)
            .collect();
        let records = self.take(&answers.iter().map(|&id| (kind, id)).collect::<Vec<_>>())?;
        Ok(answers.into_iter().zip(records).collect())
    }

    /// Membranes, contact, and their forces to the nodes.
    fn record_forces(&self, recorder: &mut Recorder, step: u64) {
        if step.is_multiple_of(self.parameters.every) {
            for kind in &self.kinds {
                kind.membrane.record(recorder, &kind.range, step as u32);
                if let Some(pulls) = &kind.pulls {
                    pulls.record(recorder, &kind.range, self.vertices.stride);
                }
            }
            if let Some(contact) = &self.contact {
                contact.record(recorder, step as u32);
            }
        }
        self.coupling.record_clear(recorder);
        self.coupling.record_spread(recorder, step as u32);
    }

    /// Marks the nodes inside cells.
    fn record_marks(&self, recorder: &mut Recorder) {
        if let Some(inside) = &self.inside {
            inside.record(recorder, self.kinds.iter().map(|kind| &kind.range));
        }
    }

    /// What follows once vertices have moved, after `step` steps.
    fn record_answer(&self, recorder: &mut Recorder, step: u64) {
        if self.parameters.mark_every.is_some_and(|every| step.is_multiple_of(every)) {
            self.record_marks(recorder);
        }
        self.record_forces(recorder, step);
    }

    fn moves_after(&self, step: u64) -> bool {
        (step + 1).is_multiple_of(self.parameters.move_every)
    }

    /// Puts a cell into an empty slot; makes more room where there is none.
    fn put(&mut self, kind: usize, id: u64, record: &Record, mut held: Held) -> Result<()> {
        let slot = match self.kinds[kind].take_slot() {
            Some(slot) => slot,
            None => {
                self.grow(kind)?;
                self.kinds[kind].take_slot().ok_or_else(|| Fault::io("no room for a cell that came in"))?
            }
        };
        held.slot = slot;
        let kind = &mut self.kinds[kind];
        let (first, vertices) = (kind.first_vertex(slot) as usize, kind.range.vertices as usize);
        let stride = self.vertices.stride as usize;
        for axis in 0..self.parameters.dimension {
            let part = axis * vertices..(axis + 1) * vertices;
            self.gpu.write(&self.vertices.position, axis * stride + first, &record.position[part.clone()]);
            self.gpu.write(&self.vertices.drift, axis * stride + first, &record.drift[part.clone()]);
            self.gpu.write(&self.vertices.before, axis * stride + first, &record.drift[part]);
        }
        let at = kind.range.first_slot + slot;
        self.gpu.write(&self.vertices.slot_of, first, &vec![at; vertices]);
        self.gpu.write(&self.vertices.cell, at as usize, &[id as u32]);
        self.gpu.write(&self.vertices.broken, at as usize, &[u32::MAX]);
        kind.cells.insert(id, held);
        self.filled = true;
        Ok(())
    }

    /// Forgets a cell.
    fn drop_cell(&mut self, kind: usize, id: u64) {
        let kind = &mut self.kinds[kind];
        let Some(held) = kind.cells.remove(&id) else { return };
        let first = kind.first_vertex(held.slot) as usize;
        self.gpu.write(&self.vertices.slot_of, first, &vec![NONE; kind.range.vertices as usize]);
        kind.free.push(held.slot);
    }

    /// The states of some cells.
    fn take(&self, cells: &[(usize, u64)]) -> Result<Vec<Record>> {
        if cells.is_empty() {
            return Ok(Vec::new());
        }
        let (dimension, stride) = (self.parameters.dimension, self.vertices.stride as usize);
        let position: Vec<Coordinate> = self.gpu.download(&self.vertices.position, 0, dimension * stride)?;
        let drift: Vec<i32> = self.gpu.download(&self.vertices.drift, 0, dimension * stride)?;
        let record = |&(kind, id): &(usize, u64)| {
            let kind = &self.kinds[kind];
            let held = &kind.cells[&id];
            let (first, count) = (kind.first_vertex(held.slot) as usize, kind.range.vertices as usize);
            let parts = (0..dimension).map(|axis| axis * stride + first..axis * stride + first + count);
            Record {
                seeded_scale: held.seeded_scale,
                position: parts.clone().flat_map(|part| position[part].to_vec()).collect(),
                drift: parts.flat_map(|part| drift[part].to_vec()).collect(),
            }
        };
        Ok(cells.iter().map(record).collect())
    }

    /// Makes the arrays anew with more room for a population.
    fn grow(&mut self, full: usize) -> Result<()> {
        let held: Vec<(usize, u64)> =
            self.kinds.iter().enumerate().flat_map(|(k, kind)| kind.cells.keys().map(move |&id| (k, id))).collect();
        let records = self.take(&held)?;
        let mut rooms: Vec<usize> = self.kinds.iter().map(|kind| kind.range.room as usize).collect();
        rooms[full] += rooms[full] / 2 + 16;
        let (vertices, ranges) = arrays(&self.gpu, &self.parameters, &rooms)?;
        self.vertices = vertices;
        self.coupling.rebind(&self.gpu, &self.vertices);
        if let Some(contact) = &mut self.contact {
            contact.rebind(&self.gpu, &self.vertices)?;
        }
        if let Some(inside) = &mut self.inside {
            inside.rebind(&self.gpu, &self.vertices);
        }
        self.boxes.rebind(&self.gpu, &self.vertices)?;
        self.trade.rebind(&self.gpu, &self.vertices.drift)?;
        let mut cells = Vec::with_capacity(held.len());
        for (kind, range) in self.kinds.iter_mut().zip(ranges) {
            kind.range = range;
            kind.free.clear();
            kind.membrane.bind(&self.gpu, &self.vertices, &kind.range)?;
            if let Some(pulls) = &mut kind.pulls {
                pulls.rebind(&self.gpu, &self.vertices);
            }
            cells.extend(std::mem::take(&mut kind.cells).into_values());
        }
        for (((kind, id), record), held) in held.into_iter().zip(&records).zip(cells) {
            self.put(kind, id, record, held)?;
        }
        Ok(())
    }

    /// Sizes of cells that grow, as they are after `step` steps.
    fn write_scales(&self, step: u64) -> Result<()> {
        let grown =
            if self.parameters.growth == 0 { 1.0 } else { (step as f64 / self.parameters.growth as f64).min(1.0) };
        let mut scales = vec![1.0_f32; self.vertices.slots as usize];
        let mut areas = vec![0.0_f32; self.vertices.slots as usize];
        for kind in &self.kinds {
            let area = kind.surface.area() / f64::from(kind.range.vertices);
            for held in kind.cells.values() {
                let slot = (kind.range.first_slot + held.slot) as usize;
                let seeded = f64::from(held.seeded_scale);
                let scale = seeded + (1.0 - seeded) * grown;
                scales[slot] = scale as f32;
                areas[slot] = (area * scale.powi(self.parameters.dimension as i32 - 1)) as f32;
            }
        }
        self.gpu.upload(&self.vertices.scale, 0, &scales)?;
        match &self.contact {
            Some(contact) => contact.write_areas(&self.gpu, &areas),
            None => Ok(()),
        }
    }

    /// Lists the vertices shared with each other rank.
    fn share(&mut self, comm: &dyn Comm) -> Result<()> {
        if comm.size() == 1 {
            return Ok(());
        }
        let mut lists: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for kind in &self.kinds {
            for held in kind.cells.values() {
                let first = kind.first_vertex(held.slot);
                for &other in held.holders.iter().filter(|&&other| other != self.rank) {
                    let list = lists.entry(other as usize).or_default();
                    for axis in 0..self.parameters.dimension as u32 {
                        let from = axis * self.vertices.stride + first;
                        list.extend(from..from + kind.range.vertices);
                    }
                }
            }
        }
        let lists: Vec<(usize, Vec<u32>)> = lists.into_iter().collect();
        self.trade.share(&self.gpu, &self.vertices.drift, &lists)
    }

    /// The flow goes on at the gates from the look before to the one after `step` steps.
    fn travel(&mut self, step: u64) {
        let speeds = (self.inflow)(step);
        for (travelled, gate) in self.travelled.iter_mut().zip(&self.gates) {
            *travelled += LOOK as f64 * speeds.get(gate.opening).copied().unwrap_or(0.0);
        }
    }

    /// Takes out the cells that go through openings.
    fn let_out(&mut self, boxes: &[Bounds]) {
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
        }
    }

    /// Puts in the cells of feeders that are due and find room. All ranks find the same.
    fn let_in(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        self.travel(step);
        let mut due = Vec::new();
        for (g, (gate, &travelled)) in self.gates.iter().zip(&self.travelled).enumerate() {
            let Some(feeder) = &gate.feeder else { continue };
            let waiting = feeder.cells.iter().enumerate();
            due.extend(waiting.filter(|(_, cell)| cell.is_due(travelled, feeder.length)).map(|(c, _)| (g, c)));
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
            let vertices = points(self.parameters.dimension, &candidate.record);
            let gap = self.gap(candidate.kind);
            let keep = self.gates[g].feeder.as_ref().map_or(1.0, |feeder| feeder.keep);
            if !candidate.is_kept(c as u64, keep) {
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
            }
            self.next_id += 1;
            inside.push(vertices);
            self.count_entry(g, c);
        }
        Ok(())
    }

    fn count_entry(&mut self, gate: usize, cell: usize) {
        if let Some(feeder) = &mut self.gates[gate].feeder {
            feeder.cells[cell].entered += 1;
        }
    }

    /// For each candidate whether a cell that this rank holds is in its place.
    fn taken(&self, candidates: &[Waiting]) -> Result<Vec<i64>> {
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
            let (own, other) = (&candidates[candidate], points(dimension, &records[at]));
            if too_near(&points(dimension, &own.record), &other, self.gap(own.kind)) {
                taken[candidate] = 1;
            }
        }
        Ok(taken)
    }

    /// Least distance between the vertices of a cell that comes in and those of others: the contact range, and the distance of
    /// its own vertices, below which surfaces may cross.
    fn gap(&self, kind: usize) -> f64 {
        let surface = &self.kinds[kind].surface;
        let edges = surface.edges();
        let length = |[a, b]: [u32; 2]| {
            let (a, b) = (surface.vertices[a as usize], surface.vertices[b as usize]);
            (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
        };
        let mean = edges.iter().map(|&edge| length(edge)).sum::<f64>() / edges.len().max(1) as f64;
        self.parameters.contact.as_ref().map_or(0.0, |contact| contact.range).max(mean)
    }

    /// Finds anew which ranks hold which cells, and sends cells to the ranks they come near.
    fn migrate(&mut self, comm: &dyn Comm, boxes: &[Bounds]) -> Result<()> {
        let margin = reach(&self.parameters);
        let mut leaving = Vec::new();
        let mut sent: BTreeMap<usize, Vec<(usize, u64)>> = BTreeMap::new();
        for (k, kind) in self.kinds.iter_mut().enumerate() {
            for (&id, held) in &mut kind.cells {
                held.bounds = boxes[(kind.range.first_slot + held.slot) as usize];
                let holders = self.holders.of(held.bounds.widened(margin));
                if held.holders.first() == Some(&self.rank) {
                    for &new in holders.iter().filter(|rank| !held.holders.contains(rank)) {
                        sent.entry(new as usize).or_default().push((k, id));
                    }
                }
                if !holders.contains(&self.rank) {
                    leaving.push((k, id));
                }
                held.holders = holders;
            }
        }
        let arrived = self.ship(comm, &sent)?;
        for (kind, id) in leaving {
            self.drop_cell(kind, id);
        }
        for (kind, id, record) in arrived {
            let bounds = Bounds::of(self.parameters.dimension, &record);
            let holders = self.holders.of(bounds.widened(margin));
            self.put(kind, id, &record, Held { slot: 0, seeded_scale: record.seeded_scale, holders, bounds })?;
        }
        Ok(())
    }

    /// Sends the states of cells to other ranks; gives those that came, by population and number.
    fn ship(&self, comm: &dyn Comm, sent: &BTreeMap<usize, Vec<(usize, u64)>>) -> Result<Vec<(usize, u64, Record)>> {
        if self.alone {
            return Ok(Vec::new());
        }
        let wanted: Vec<(usize, u64)> = sent.values().flatten().copied().collect();
        let mut records = self.take(&wanted)?.into_iter();
        let mut messages: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for (&rank, cells) in sent {
            let message = messages.entry(rank).or_default();
            for (&(kind, id), record) in cells.iter().zip(records.by_ref()) {
                message.extend((kind as u64).to_le_bytes());
                message.extend(id.to_le_bytes());
                message.extend(bytemuck::cast_slice::<i64, u8>(&record.words()));
            }
        }
        let others: Vec<usize> = (0..comm.size()).filter(|&rank| rank != self.rank as usize).collect();
        let sizes: Vec<[u8; 8]> =
            others.iter().map(|rank| (messages.get(rank).map_or(0, Vec::len) as u64).to_le_bytes()).collect();
        let mut coming = vec![[0_u8; 8]; others.len()];
        let send: Vec<(usize, &[u8])> =
            others.iter().zip(&sizes).map(|(&rank, size)| (rank, size.as_slice())).collect();
        let mut receive: Vec<(usize, &mut [u8])> =
            others.iter().zip(&mut coming).map(|(&rank, size)| (rank, size.as_mut_slice())).collect();
        comm.exchange(&send, &mut receive)?;
        let mut inbox: Vec<(usize, Vec<u8>)> = others
            .iter()
            .zip(&coming)
            .map(|(&rank, size)| (rank, vec![0; u64::from_le_bytes(*size) as usize]))
            .collect();
        inbox.retain(|(_, bytes)| !bytes.is_empty());
        let send: Vec<(usize, &[u8])> = messages.iter().map(|(&rank, bytes)| (rank, bytes.as_slice())).collect();
        let mut receive: Vec<(usize, &mut [u8])> =
            inbox.iter_mut().map(|(rank, bytes)| (*rank, bytes.as_mut_slice())).collect();
        comm.exchange(&send, &mut receive)?;

        let damaged = || Fault::lost_rank("the state of a cell arrived damaged");
        let mut arrived = Vec::new();
        for (_, bytes) in inbox {
            let words: Vec<i64> = bytemuck::pod_collect_to_vec(&bytes);
            let mut rest = words.as_slice();
            while let [kind, id, after @ ..] = rest {
                let kind = usize::try_from(*kind).ok().filter(|&k| k < self.kinds.len()).ok_or_else(damaged)?;
                let width = Record::width(self.parameters.dimension, self.kinds[kind].range.vertices as usize);
                let (record, after) = after.split_at_checked(width).ok_or_else(damaged)?;
                arrived.push((kind, *id as u64, Record::from_words(record).ok_or_else(damaged)?));
                rest = after;
            }
        }
        arrived.sort_unstable_by_key(|&(kind, id, _)| (kind, id));
        Ok(arrived)
    }

    /// Refuses to go on with a broken cell. Collective.
    ///
    /// # Errors
    /// A numerical failure that names the cell, its place and the step; when the device or a rank is lost.
    pub fn check_sound(&self, comm: &dyn Comm) -> Result<()> {
        agree(comm, self.check())
    }

    /// The fault of the first broken cell, if any.
    fn check(&self) -> Result<()> {
        let broken: Vec<u32> = self.gpu.download(&self.vertices.broken, 0, self.vertices.slots as usize)?;
        let slot = |kind: &Kind, held: &Held| broken[(kind.range.first_slot + held.slot) as usize];
        let first = self
            .kinds
            .iter()
            .flat_map(|kind| kind.cells.iter().map(move |(&id, held)| (slot(kind, held), id, kind, held)))
            .filter(|&(step, ..)| step != u32::MAX)
            .min_by_key(|&(step, id, ..)| (step, id));
        let Some((step, id, kind, held)) = first else { return Ok(()) };
        let bounds = self.boxes.read(&self.gpu)?[(kind.range.first_slot + held.slot) as usize];
        let at: Vec<String> = (0..self.parameters.dimension)
            .map(|axis| {
                let middle = 0.5 * (f64::from(bounds.low[axis]) + f64::from(bounds.high[axis])) + 0.5;
                format!("{:.4e}", self.parameters.origin[axis] + middle * self.parameters.spacing)
            })
            .collect();
        let (force, speed) = self.extremes(kind, held)?;
        Err(Fault::numerical(format!(
            "cell {id} of population \"{}\" broke at step {step} near ({}) m: a vertex moved faster than {FASTEST} lattice spacings a \
             step, got a force above {LARGEST_FORCE} in lattice units, or came into the wall (now: speed {speed:.3e}, force {force:.3e}). Dumps up \
             to now are whole. Take a shorter time step, softer mechanics or contact, or a slower flow",
            kind.name,
            at.join(", ")
        )))
    }
}

impl Suspension {
    /// The largest components of force and velocity of a cell's vertices, lattice units.
    fn extremes(&self, kind: &Kind, held: &Held) -> Result<(f64, f64)> {
        let (first, count) = (kind.first_vertex(held.slot) as usize, kind.range.vertices as usize);
        let width = self.parameters.precision.real_bytes();
        let (mut largest, mut fastest) = (0.0_f64, 0.0_f64);
        for axis in 0..self.parameters.dimension {
            let at = axis * self.vertices.stride as usize + first;
            let force: Vec<u8> = self.gpu.download(&self.vertices.force, at * width, count * width)?;
            let drift: Vec<i32> = self.gpu.download(&self.vertices.drift, at, count)?;
            let force = self.parameters.precision.unpack_real(&force);
            // NaN is the largest of all.
            largest = force.into_iter().fold(largest, |a, f| if f.abs() <= a { a } else { f.abs() });
            fastest = drift.into_iter().fold(fastest, |a, u| a.max((f64::from(u) / DRIFT_SCALE).abs()));
        }
        Ok((largest, fastest))
    }
}

impl Bodies for Suspension {
    fn alone(&self) -> bool {
        self.alone
    }

    fn until_look(&self, step: u64) -> u64 {
        LOOK - step % LOOK
    }

    fn record(&mut self, recorder: &mut Recorder, step: u64) {
        if self.moves_after(step) {
            self.coupling.record_interpolate(recorder, step as u32);
            self.coupling.record_advance(recorder, step as u32, self.parameters.move_every as u32);
            self.record_answer(recorder, step + 1);
        }
    }

    fn step(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        if !self.moves_after(step) {
            return Ok(());
        }
        let mut recorder = Recorder::new(&self.gpu);
        self.coupling.record_interpolate(&mut recorder, step as u32);
        let [compute, communication] = self.trade.trade(&self.gpu, comm, recorder)?;
        self.phases.compute += compute;
        self.phases.communication += communication;
        let mut recorder = Recorder::new(&self.gpu);
        self.trade.record_add(&mut recorder);
        self.coupling.record_advance(&mut recorder, step as u32, self.parameters.move_every as u32);
        self.record_answer(&mut recorder, step + 1);
        recorder.submit();
        Ok(())
    }

    fn look(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        if !step.is_multiple_of(LOOK) {
            return Ok(());
        }
        let start = Instant::now();
        self.check_sound(comm)?;
        if !self.alone || !self.gates.is_empty() {
            let boxes = self.boxes.read(&self.gpu)?;
            self.let_out(&boxes);
            self.migrate(comm, &boxes)?;
            self.let_in(comm, step)?;
            self.share(comm)?;
        }
        if self.filled || step <= self.parameters.growth + LOOK {
            self.write_scales(step)?;
            self.filled = false;
        }
        self.phases.migration += start.elapsed().as_secs_f64();
        Ok(())
    }
}

/// The vertices of a cell, lattice units.
fn points(dimension: usize, record: &Record) -> Vec<[f64; 3]> {
    let vertices = record.position.len() / dimension;
    let along = |a: usize, v: usize| if a < dimension { record.position[a * vertices + v].value() } else { 0.0 };
    (0..vertices).map(|v| [0, 1, 2].map(|a| along(a, v))).collect()
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

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Sites around a cell whose owners have to hold it until the next look: what its vertices may reach, the kernel, and
/// the vertices of other cells that push it there.
fn reach(parameters: &Parameters) -> i32 {
    let contact = parameters.contact.as_ref().map_or(0.0, |contact| contact.range());
    (FASTEST * LOOK as f64 + parameters.support.reach() + contact).ceil() as i32 + 1
}

/// Arrays with room for so many cells of each population, and where each stands.
fn arrays(gpu: &Gpu, parameters: &Parameters, rooms: &[usize]) -> Result<(Vertices, Vec<Range>)> {
    let mut ranges = Vec::with_capacity(rooms.len());
    let (mut vertex, mut slot) = (0_u64, 0_u64);
    for (kind, &room) in parameters.kinds.iter().zip(rooms) {
        let vertices = kind.surface.vertices.len() as u64;
        ranges.push(Range {
            first_vertex: vertex as u32,
            first_slot: slot as u32,
            vertices: vertices as u32,
            room: room as u32,
            cells: 0,
        });
        vertex += vertices * room as u64;
        slot += room as u64;
    }
    let stride = vertex.next_multiple_of(64).max(64);
    if stride * parameters.dimension as u64 > u64::from(u32::MAX) {
        return Err(Fault::usage(format!("{vertex} vertices of cells on one rank: use more ranks")));
    }
    let vertices = Vertices::new(gpu, parameters.dimension, parameters.precision, stride as u32, slot.max(1) as u32)?;
    Ok((vertices, ranges))
}
