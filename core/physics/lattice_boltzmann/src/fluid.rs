//! The fluid of one part and its time step.

mod checks;
mod neighbours;
mod state;
mod wall_forces;

use std::collections::HashMap;
use std::ops::Range;

use hematite_case::Part;
use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::{CameIn, NodeForces, Phases, SharedNodes};
use hematite_gpu::{Bound, Gpu, Kernel, Recorder};

use super::Row;
use super::boundary::Prescribed;
use super::buffers::Buffers;
use super::checks::Checks;
use super::exchange::Exchange;
use super::halo::Crossing;
use super::immersed_walls::HeldWalls;
use super::kernels::make;
use super::parameters::{Parameters, terms};
use super::refill::Draft;
use super::shaders::{self, Delivery, Packing, Shader, Tuning, Variant};
use super::wall_forces::Exchanged;
use super::walls::Walls;

/// Nodes that one pass over the moments brings to the host.
const MOMENT_CHUNK: usize = 1 << 17;

/// The fluid of one part on one device.
pub struct Fluid {
    gpu: Gpu,
    variant: Variant,
    buffers: Buffers,
    kernels: HashMap<(Shader, bool), (Kernel, Bound)>,
    exchange: Option<Exchange>,
    crossing: Crossing,
    /// This part's draft of an exchange after odd steps alone; `None` where it is impossible, or all parts have settled it.
    draft: Option<Draft>,
    asked: bool,
    /// Whether populations of other parts are received after all physics have recorded their step, on all ranks.
    receives_late: bool,
    /// Whether the halo's nodes have all their populations, after an odd step.
    whole_halo: bool,
    walls: Option<HeldWalls>,
    /// Whether the walls' forces are those for the next step.
    held: bool,
    /// Own nodes, from the first on, that a step does while the interface's populations travel.
    interior: u32,
    own: u32,
    /// Own nodes and copies of neighbours'.
    nodes: u32,
    opening_nodes: Vec<usize>,
    /// Body force of each step of the batch at hand, as dispatches take it.
    forces: Vec<u32>,
    step: u64,
    /// The first step of the batch at hand.
    first: u64,
    /// Parts of the wall whose force is asked for.
    exchanged: Option<Exchanged>,
    checks: Checks,
}

impl Fluid {
    /// Puts `part` on the device, at rest. Takes the links out of `part`.
    ///
    /// # Errors
    /// Where the device lacks room or a feature.
    pub fn new(gpu: &Gpu, part: &mut Part, parameters: &Parameters) -> Result<Self> {
        Self::tuned(gpu, part, parameters, Tuning::of(gpu, parameters.precision))
    }

    /// The same, with a say in how steps are done, which makes no difference but to their speed.
    ///
    /// # Errors
    /// Those of [`Fluid::new`].
    pub fn tuned(gpu: &Gpu, part: &mut Part, parameters: &Parameters, tuning: Tuning) -> Result<Self> {
        let variant = Variant {
            set: parameters.set,
            precision: parameters.precision,
            omega_plus: parameters.omega_plus,
            omega_minus: parameters.omega_minus,
            force: parameters.force,
            immersed: parameters.immersed,
            held: matches!(parameters.walls, Walls::Immersed(_)),
            openings: part.openings.len(),
            terms: terms(&parameters.openings),
            tuning,
            delivery: Delivery::of(gpu),
        };
        let draft = neighbours::draft(gpu, part, parameters);
        let (mut buffers, crossing) = Buffers::new(gpu, &variant, part, &parameters.openings, &parameters.walls)?;
        // A dispatch of several rows rounds its groups up to whole rows, to less than twice as many.
        let groups = 2 * part.own.div_ceil(hematite_gpu::WORKGROUP as usize) as u64;
        buffers.add(gpu, "partial", 20 * groups)?;
        buffers.add(gpu, "checked", Checks::BYTES)?;
        buffers.add(gpu, "passing", 4 * u64::from(buffers.entries))?;
        let checks = Checks::new(gpu, buffers.get("checked").clone())?;
        let chunk = part.own.min(MOMENT_CHUNK) * 6 * variant.precision.real_bytes();
        buffers.add(gpu, "moments", chunk as u64)?;
        if parameters.immersed.is_some() {
            buffers.add_immersed(gpu, &variant)?;
        }
        let walls = match &parameters.walls {
            Walls::Immersed(points) => Some(HeldWalls::new(gpu, &variant, &mut buffers, points)?),
            _ => None,
        };
        let alignment = match variant.packs(Shader::Step) {
            // Interior and interface meet where workgroups do.
            true => variant.nodes_of_workgroup(false).max(variant.nodes_of_workgroup(true)),
            false => shaders::LARGEST_WIDTH,
        };
        let mut fluid = Self {
            gpu: gpu.clone(),
            variant,
            exchange: None,
            crossing,
            draft,
            asked: false,
            receives_late: false,
            whole_halo: false,
            walls,
            held: false,
            kernels: HashMap::new(),
            interior: part.interior as u32 / alignment * alignment,
            own: part.own as u32,
            nodes: part.id.len() as u32,
            opening_nodes: part.openings.iter().map(Vec::len).collect(),
            forces: Vec::new(),
            buffers,
            step: 0,
            first: 0,
            exchanged: None,
            checks,
        };
        if fluid.crossing.len() > 0 {
            fluid.exchange = Some(Exchange::new(gpu, &fluid.variant, &fluid.buffers, &fluid.crossing, false)?);
        }
        fluid.prepare_step()?;
        fluid.prepare(Shader::Check, false)?;
        for odd in [false, true] {
            if fluid.buffers.entries > 0 {
                fluid.prepare(Shader::Openings, odd)?;
                if fluid.buffers.corrects_flow {
                    fluid.prepare(Shader::Excess, odd)?;
                }
            }
            if !fluid.buffers.wall_nodes.is_empty() {
                fluid.prepare(Shader::Walls, odd)?;
            }
            let mut of_part = part.openings.iter().zip(&parameters.openings);
            if of_part.any(|(nodes, kind)| *kind == Prescribed::Pressure && !nodes.is_empty()) {
                fluid.prepare(Shader::Pressure, odd)?;
            }
        }
        Ok(fluid)
    }

    /// What bodies share with the fluid, where it was made for them.
    pub fn shared(&self) -> SharedNodes {
        SharedNodes {
            node_forces: NodeForces { words: self.buffers.get("node_force").clone(), wide: self.variant.tuning.wide },
            node_velocity: self.buffers.get("node_velocity").clone(),
            inside: self.variant.contrast().then(|| self.buffers.get("inside").clone()),
            stride: self.buffers.stride,
            came_in: (!self.opening_nodes.is_empty()).then(|| CameIn {
                ledger: self.buffers.get("ledger").clone(),
                nodes: self.opening_nodes.clone(),
                quantum: super::MASS_QUANTUM,
            }),
            surface: None,
        }
    }

    /// Time steps done.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Number of own nodes.
    pub fn own(&self) -> usize {
        self.own as usize
    }

    /// Bytes that the step's kernel reads and writes for one node, the mean of an even and an odd step: populations, links on
    /// odd steps, and what it shares with cells and immersed walls.
    pub fn bytes_per_update(&self) -> f64 {
        let variant = &self.variant;
        let populations = 2 * variant.set.q() * variant.precision.stored_bytes();
        let axes = variant.set.dimension();
        let cells = if variant.immersed.is_some() { axes * (4 + variant.precision.real_bytes()) } else { 0 };
        let inside = if variant.contrast() { 4 } else { 0 };
        let walls = if variant.held { 4 * axes } else { 0 };
        let links = self.buffers.link_bytes as f64 / f64::from(self.own.max(1));
        (populations + cells + inside + walls) as f64 + 0.5 * links
    }

    /// Seconds that messages have taken so far, by phase.
    pub fn phases(&self) -> Phases {
        let crossing = self.exchange.as_ref().map(Exchange::phases).unwrap_or_default();
        crossing + self.walls.as_ref().map(HeldWalls::phases).unwrap_or_default()
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Makes ready for steps `steps`, in which `row` is prescribed. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn begin(&mut self, comm: &dyn Comm, steps: Range<u64>, row: &dyn Fn(u64) -> Row) -> Result<()> {
        self.ask(comm)?;
        if !self.held {
            self.hold(comm, &row(steps.start))?;
        }
        self.first = steps.start;
        let mut numbers = Vec::new();
        self.forces.clear();
        for t in steps.start..=steps.end {
            let row = row(t);
            row.append(&mut numbers);
            self.forces.extend(shaders::immediate_words(self.variant.set, row.force));
        }
        self.gpu.write(self.buffers.get("schedule"), 0, &self.variant.precision.pack_real(&numbers));
        Ok(())
    }

    /// Records a step, see `Physics::step`.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn record<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>) -> Result<()> {
        let row = (self.step - self.first) as u32;
        match self.exchange.take() {
            Some(mut exchange) => {
                let recorded = self.step_with_neighbours(comm, &mut exchange, recorder, row);
                self.exchange = Some(exchange);
                recorded?;
            }
            None => self.record_whole_step(recorder, row),
        }
        self.step += 1;
        Ok(())
    }

    /// Records what follows the others' step: populations that may be received late, immersed walls, which have to know
    /// the forces that others left, and checks.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn complete<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>) -> Result<()> {
        if self.receives_late {
            self.receive_packed(comm, recorder)?;
        }
        let row = (self.step - self.first) as u32;
        if let Some(walls) = &mut self.walls {
            walls.step(comm, recorder, self.step % 2 == 1, row)?;
        }
        self.record_check(comm, recorder, row)
    }

    /// Records what ends a batch: what is packed is sent, checks are brought to the host.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn end<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>) -> Result<()> {
        self.receive_packed(comm, recorder)?;
        self.checks.bring(recorder);
        Ok(())
    }

    /// Takes note that cells and bodies may have left other forces since the last step: [`Fluid::begin`] then makes those of
    /// immersed walls anew.
    pub fn settle(&mut self) {
        self.held &= self.walls.is_none() || self.variant.immersed.is_none();
    }

    /// Makes the forces of immersed walls those for the next step, whose row is `next`, where bodies have left theirs.
    /// Before the first step [`Fluid::begin`] does it, unless it is done. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn hold(&mut self, comm: &dyn Comm, next: &Row) -> Result<()> {
        self.set_row(next);
        if let Some(walls) = &mut self.walls {
            let mut recorder = Recorder::new(&self.gpu);
            walls.step(comm, &mut recorder, self.step % 2 == 1, 0)?;
            recorder.flush()?;
        }
        self.held = true;
        Ok(())
    }

    /// One step of all own nodes.
    fn record_whole_step(&self, recorder: &mut Recorder, row: u32) {
        recorder.phase("fluid");
        let odd = self.step % 2 == 1;
        self.record_entries(recorder, Shader::Pressure, odd, row);
        self.record_step(recorder, odd, 0..self.own, row, Packing::NONE);
        self.record_boundaries(recorder, !odd, row);
    }

    fn record_step(&self, recorder: &mut Recorder, odd: bool, nodes: Range<u32>, row: u32, packing: Packing) {
        let (kernel, bound) = &self.kernels[&(Shader::Step, odd)];
        let width = shaders::width(Shader::Step, self.variant.precision, odd);
        // Past the last own node is room, or copies of neighbours' nodes, which are stale during even steps without these nodes.
        let count = (nodes.end - nodes.start).div_ceil(width);
        let mut words = vec![nodes.start / width, count, self.buffers.stride / width, row];
        if self.variant.packs(Shader::Step) {
            words.extend(packing.words());
        }
        if self.variant.immediate_force(Shader::Step) {
            let pairs = self.variant.set.q() / 2;
            words.extend(&self.forces[row as usize * pairs..][..pairs]);
        }
        recorder.dispatch(kernel, bound, count, &words);
    }

    /// Mends what came back from walls and openings.
    fn record_boundaries(&self, recorder: &mut Recorder, odd: bool, row: u32) {
        self.record_exchanged(recorder, false);
        self.record_entries(recorder, Shader::Walls, odd, row);
        self.record_entries(recorder, Shader::Excess, odd, row);
        self.record_entries(recorder, Shader::Openings, odd, row);
        self.record_exchanged(recorder, true);
    }

    /// Runs a kernel on the entries of openings or walls, where the run has any; `odd` says how populations stand now.
    pub(super) fn record_entries(&self, recorder: &mut Recorder, shader: Shader, odd: bool, row: u32) {
        if let Some((kernel, bound)) = self.kernels.get(&(shader, odd)) {
            let count = match shader {
                Shader::Walls => self.wall_nodes().len() as u32,
                Shader::WallForces => self.buffers.force_entries,
                _ => self.buffers.entries,
            };
            recorder.dispatch(kernel, bound, count, &[0, count, self.buffers.stride, row]);
        }
    }

    /// Makes ready for the force on parts of the wall, `entries` nodes with their links in the order of `exchanged`.
    pub(super) fn add_wall_forces(&mut self, exchanged: Exchanged, entries: &[[u32; 2]]) -> Result<()> {
        if !entries.is_empty() {
            self.buffers.add_wall_forces(&self.gpu, self.dimension(), entries)?;
            self.prepare(Shader::WallForces, false)?;
        }
        self.exchanged = Some(exchanged);
        Ok(())
    }

    pub(super) fn exchanged(&self) -> Option<&Exchanged> {
        self.exchanged.as_ref()
    }

    pub(super) fn exchanged_mut(&mut self) -> Option<&mut Exchanged> {
        self.exchanged.as_mut()
    }

    /// The first `count` words of what nodes gave to walls.
    pub(super) fn read_exchanged(&self, count: usize) -> Result<Vec<i32>> {
        if count == 0 { Ok(Vec::new()) } else { self.gpu.download(self.buffers.get("exchanged"), 0, count) }
    }

    /// 2 or 3.
    pub(super) fn dimension(&self) -> usize {
        self.variant.set.dimension()
    }

    fn set_row(&self, now: &Row) {
        let mut numbers = Vec::new();
        now.append(&mut numbers);
        self.gpu.write(self.buffers.get("schedule"), 0, &self.variant.precision.pack_real(&numbers));
    }

    /// Runs a kernel that only looks, on populations as they stand now.
    fn run(&mut self, shader: Shader, first: u32, count: u32) -> Result<()> {
        let odd = self.step % 2 == 1;
        self.prepare(shader, odd)?;
        let (kernel, bound) = &self.kernels[&(shader, odd)];
        let mut recorder = Recorder::new(&self.gpu);
        recorder.dispatch(kernel, bound, count, &[first, count, self.buffers.stride, 0]);
        recorder.submit();
        Ok(())
    }

    fn prepare(&mut self, shader: Shader, odd: bool) -> Result<()> {
        if !self.kernels.contains_key(&(shader, odd)) {
            let aliases: &[_] = if shader == Shader::Walls { &[("ledger", "wall_ledger")] } else { &[] };
            let made = make(&self.gpu, &self.variant, shader, odd, &self.buffers.table(aliases))?;
            self.kernels.insert((shader, odd), made);
        }
        Ok(())
    }
}
