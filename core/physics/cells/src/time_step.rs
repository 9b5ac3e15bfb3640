//! The cells of one rank: what they consist of and their time step.
//!
//! After each step of the fluid, which leaves its velocities at the nodes: interpolate them to the vertices, add the
//! other holders' shares, move; then membranes, contact, and the forces go to the nodes for the fluid's next step.

use std::collections::BTreeMap;
use std::time::Instant;

use hematite_cells::Surface;
use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::passage::Numbering;
use hematite_engine::{CameIn, Physics, SharedNodes, SharedSurface, SumExchange};
use hematite_gpu::{Gpu, Recorder};
use hematite_membrane::{CAPPED_LIMIT, FORCE_LIMIT, Membrane, Vertices};

use super::arrays::arrays;
use super::bounds::BoundingBoxes;
use super::cap::Cap;
use super::contact::Contact;
use super::coupling::Coupling;
use super::gate::Gate;
use super::holders::Holders;
use super::inside::Inside;
use super::kind::{Held, Kind};
use super::look::LOOK;
use super::parameters::{KindParameters, Parameters, Surroundings, reach};
use super::pull::Pulls;
use super::record::Record;
use super::surface;
use super::wall_distance::WallDistance;

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
    pub(super) gpu: Gpu,
    pub(super) rank: u32,
    pub(super) alone: bool,
    pub(super) parameters: Parameters,
    pub(super) vertices: Vertices,
    pub(super) kinds: Vec<Kind>,
    pub(super) coupling: Coupling,
    pub(super) wall: WallDistance,
    pub(super) contact: Option<Contact>,
    pub(super) cap: Option<Cap>,
    pub(super) inside: Option<Inside>,
    pub(super) boxes: BoundingBoxes,
    pub(super) holders: Holders,
    pub(super) sum_exchange: SumExchange,
    /// The vertices as others touch them, where they do.
    pub(super) surface: Option<SharedSurface>,
    pub(super) gates: Vec<Gate>,
    /// Mass that has come in, where the case has openings.
    pub(super) came_in: Option<CameIn>,
    /// Whether feeders go on as if theirs had come in so far.
    pub(super) anew: bool,
    /// Numbers of cells that come in.
    pub(super) numbering: Numbering,
    /// Whether slots were filled since their sizes were last written.
    pub(super) filled: bool,
    /// Whether slots were filled or emptied since contact was told.
    pub(super) changed: bool,
    /// Whether cells came in, from feeders or other ranks, or went out since forces were found.
    pub(super) passed: bool,
    /// Seconds that looks took.
    migrating: f64,
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
        mut shared: SharedNodes,
        surroundings: Surroundings,
        step: u64,
        cells: impl IntoIterator<Item = (usize, u64, Record)>,
    ) -> Result<Self> {
        let rank = comm.rank() as u32;
        let holders = Holders::collect(comm, &surroundings.own, parameters.extent, parameters.periodic)?;
        let margin = reach(&parameters);
        let mut near: Vec<Vec<(u64, Record, Held)>> = parameters.kinds.iter().map(|_| Vec::new()).collect();
        for (kind, id, record) in cells {
            let bounds = record.bounds(parameters.dimension);
            let held = Held::of(&record, holders.of(bounds.widened(margin)), bounds);
            if held.holders.contains(&rank) {
                near[kind].push((id, record, held));
            }
        }
        // Vertices that are near each other in memory touch the same nodes.
        for cells in &mut near {
            cells.sort_by_key(|(id, _, held)| (held.bounds.place(), *id));
        }
        let room = |cells: usize| if comm.size() > 1 { cells + cells / 4 + 16 } else { cells };
        let rooms: Vec<usize> = near.iter().map(|cells| room(cells.len())).collect();
        let (vertices, ranges) = arrays(gpu, &parameters, &rooms)?;
        let pushed = parameters.pushed_within.is_some();
        shared.surface = pushed.then(|| surface::share(gpu, &vertices)).transpose()?;
        let wall = WallDistance::new(gpu, &surroundings.wall_distance)?;
        let coupling =
            Coupling::new(gpu, parameters.precision, parameters.support, &surroundings.map, &wall, &vertices, &shared)?;
        let contact = match &parameters.contact {
            Some(contact) => Some(Contact::new(
                gpu,
                parameters.precision,
                contact,
                parameters.every,
                &surroundings.map,
                &vertices,
                &wall,
            )?),
            None => None,
        };
        let cap = match parameters.growth {
            0 => None,
            _ => Some(Cap::new(gpu, parameters.precision, parameters.dimension, parameters.growth_cap, &vertices)?),
        };
        let inside = match &shared.inside {
            Some(marks) => {
                let contrasts = parameters.contrasts();
                let bit = |kind: &KindParameters| {
                    contrasts.iter().position(|&other| other == kind.mechanics.contrast).map(|bit| bit as u32)
                };
                let surfaces: Vec<(&Surface, Option<u32>)> =
                    parameters.kinds.iter().map(|kind| (&kind.surface, bit(kind))).collect();
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
        let sum_exchange = SumExchange::new(gpu)?;
        let mut suspension = Self {
            gpu: gpu.clone(),
            rank,
            alone: comm.size() == 1,
            parameters,
            vertices,
            kinds,
            coupling,
            wall,
            contact,
            cap,
            inside,
            boxes,
            holders,
            sum_exchange,
            surface: shared.surface.clone(),
            came_in: shared.came_in.clone(),
            anew: false,
            gates: surroundings.gates,
            numbering: Numbering::after(0),
            filled: false,
            changed: false,
            passed: false,
            migrating: 0.0,
        };
        for (kind, cells) in near.into_iter().enumerate() {
            for (id, record, held) in cells {
                suspension.put(kind, id, &record, held)?;
            }
        }
        suspension.numbering = Numbering::after(suspension.kinds.iter().map(|kind| kind.seeded).sum());
        suspension.share(comm)?;
        suspension.answer_anew(step)?;
        suspension.write_surface(step)?;
        suspension.filled = false;
        gpu.wait()?;
        Ok(suspension)
    }

    /// Gives cells that come in these numbers, in place of those after the run's own.
    pub fn number_from(&mut self, numbering: Numbering) {
        self.numbering = numbering;
    }

    /// Seconds spent so far, by phase.
    pub fn phases(&self) -> CellPhases {
        let messages = self.sum_exchange.phases();
        CellPhases {
            compute: messages.compute,
            communication: messages.communication + messages.packing,
            migration: self.migrating,
        }
    }

    /// What caps the forces after `step` steps.
    fn cap_at(&self, step: u64) -> Option<&Cap> {
        self.cap.as_ref().filter(|_| self.parameters.capped_until().is_some_and(|last| step <= last))
    }

    /// The forces of membranes alone, over those that were there.
    pub(super) fn record_membranes(&self, recorder: &mut Recorder, step: u64) {
        let limit = if self.cap_at(step).is_some() { CAPPED_LIMIT } else { FORCE_LIMIT };
        for kind in &self.kinds {
            kind.membrane.record_below(recorder, &kind.range, step as u32, limit);
        }
    }

    /// Membranes, contact, and their forces to the nodes, where these need not wait for what others push with.
    fn record_forces(&self, recorder: &mut Recorder, step: u64) {
        if self.parameters.finds_forces_at(step) {
            recorder.phase("membranes");
            self.record_membranes(recorder, step);
            for kind in &self.kinds {
                if let Some(pulls) = &kind.pulls {
                    pulls.record(recorder, &kind.range, self.vertices.stride);
                }
            }
            if let Some(contact) = &self.contact {
                contact.record(recorder, step as u32);
            }
            if let Some(cap) = self.cap_at(step) {
                cap.record(recorder);
            }
        }
        if self.surface.is_none() {
            recorder.phase("spread");
            self.coupling.record_clear(recorder);
            self.coupling.record_spread(recorder, step as u32);
        }
    }

    /// Adds the forces on vertices to those that others left at the nodes, which began with zero.
    fn record_spread(&self, recorder: &mut Recorder, step: u64) {
        recorder.phase("spread");
        self.coupling.record_spread(recorder, step as u32);
    }

    /// Marks the nodes inside cells.
    fn record_marks(&self, recorder: &mut Recorder) {
        if let Some(inside) = &self.inside {
            recorder.phase("marks");
            inside.record(recorder, self.kinds.iter().map(|kind| &kind.range));
        }
    }

    /// What cells answer after `step` steps, where they have moved or more is due.
    fn record_answer(&self, recorder: &mut Recorder, step: u64) {
        let (moved, parameters) = (step.is_multiple_of(self.parameters.move_every), &self.parameters);
        if !(moved || parameters.finds_forces_at(step) || parameters.marks_at(step)) {
            return;
        }
        if parameters.marks_at(step) {
            self.record_marks(recorder);
        }
        self.record_forces(recorder, step);
    }

    /// What the cells that are there now answer after `step` steps, a multiple of [`LOOK`], in place of what those before did. Sizes
    /// at that are those of the look before.
    fn answer_anew(&self, step: u64) -> Result<()> {
        self.write_scales(step.saturating_sub(LOOK))?;
        let mut recorder = Recorder::new(&self.gpu);
        self.record_answer(&mut recorder, step);
        recorder.submit();
        self.write_scales(step)
    }

    fn moves_after(&self, step: u64) -> bool {
        (step + 1).is_multiple_of(self.parameters.move_every)
    }
}

impl Physics for Suspension {
    fn name(&self) -> &'static str {
        "cells"
    }

    fn until_look(&self, step: u64) -> u64 {
        LOOK - step % LOOK
    }

    fn step<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        if self.moves_after(step) {
            recorder.phase("interpolate");
            self.coupling.record_interpolate(recorder, step as u32, self.parameters.move_every as u32);
            if !self.alone {
                self.sum_exchange.record_exchange(comm, recorder)?;
                recorder.phase("add shares");
                self.sum_exchange.record_add(recorder);
            }
            recorder.phase("move");
            self.coupling.record_advance(recorder, step as u32, self.parameters.move_every as u32);
        }
        self.record_answer(recorder, step + 1);
        Ok(())
    }

    /// Others have pushed vertices meanwhile.
    fn complete<'g>(&mut self, _: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        if self.surface.is_some() {
            self.record_spread(recorder, step + 1);
        }
        Ok(())
    }

    fn settle(&mut self, _: &dyn Comm, step: u64) -> Result<()> {
        if self.surface.is_some() {
            let mut recorder = Recorder::new(&self.gpu);
            self.record_spread(&mut recorder, step);
            recorder.submit();
        }
        Ok(())
    }

    fn look(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        if !step.is_multiple_of(LOOK) {
            return Ok(());
        }
        let start = Instant::now();
        let _span = self.gpu.span("look");
        self.check_sound(comm)?;
        if !self.alone || !self.gates.is_empty() {
            let boxes = self.boxes.read(&self.gpu)?;
            self.carry_on();
            self.let_out(&boxes);
            self.migrate(comm, &boxes)?;
            self.let_in(comm)?;
            self.share(comm)?;
        }
        if let Some(contact) = self.contact.as_ref().filter(|_| self.changed) {
            contact.forget(&self.gpu);
        }
        if self.changed || step <= self.parameters.growth + LOOK {
            self.write_surface(step)?;
        }
        self.changed = false;
        if std::mem::take(&mut self.passed) {
            // The state after a step is that of the cells that are there: a restart from it finds the same forces.
            self.answer_anew(step)?;
        } else if self.filled || step <= self.parameters.growth + LOOK {
            self.write_scales(step)?;
        }
        self.filled = false;
        self.migrating += start.elapsed().as_secs_f64();
        Ok(())
    }
}
