//! The particles of one rank on its device, and the kernels of the time step.

use hematite_comm::{Comm, agree};
use hematite_config::Result;
use hematite_engine::{EmbeddedPoints, Phases, philox};
use hematite_gpu::{Bound, Gpu, Kernel, Recorder};

use crate::arrays::{Kernels, Room, Shared, of_cells};
use crate::cells::Cells;
use crate::exchange::Exchange;
use crate::health::{HEALTH, check};
use crate::parameters::Parameters;
use crate::particles::Particle;
use crate::points::Points;
use crate::shaders::STRIDES;

/// Time steps between looks, which sort particles by cell.
pub const LOOK: u64 = 64;

/// The random number by which cells are shifted.
const SHIFT: u32 = 2;

/// Above this part of 1024 of the room for particles in a message, messages get more room.
const CROWDED: u32 = 512;

/// Where the immediate data of kernels say which blocks of particles fly, and its values: see step.wgsl.
const PART: usize = 20;
const ALL: u32 = 0;
const MARKED: u32 = 1;
const OTHERS: u32 = 2;

/// Entries of the numbers of workgroups that the device finds: for marked blocks, for all slots in use.
const MARKED_BLOCKS: u64 = 0;
const SLOTS_IN_USE: u64 = 1;

/// The particles of one rank.
pub struct Solvent {
    gpu: Gpu,
    parameters: Parameters,
    cells: Cells,
    kernels: Kernels,
    shared: Shared,
    room: Room,
    exchange: Exchange,
    points: Option<Points>,
    collide: Bound,
    accumulate: Bound,
    measure: Bound,
    /// Which set of arrays holds the particles.
    side: usize,
    /// Slots in use after the last look.
    used: u32,
    /// Whether blocks of particles are marked that may get into cells that others use in the next step.
    marked: bool,
    /// Whether the message of the present step is on its way.
    sent: bool,
    /// Number of samples in the averages.
    samples: u64,
    /// Time spent by earlier exchanges.
    earlier: Phases,
}

/// Totals of all ranks, lattice units, masses in those of a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Totals {
    /// Mass, points included.
    pub mass: i64,
    /// Momentum.
    pub momentum: [f64; 3],
    /// Kinetic energy.
    pub energy: f64,
    /// kT: twice the energy about the mean velocities of cells for each degree of freedom.
    pub temperature: f64,
}

impl Solvent {
    /// Puts `particles`, on this rank's nodes, on the device. Then call [`Solvent::count`]. Collective.
    ///
    /// # Errors
    /// When the device lacks room, or a rank is lost.
    pub fn new(
        gpu: &Gpu,
        comm: &dyn Comm,
        (parameters, cells): (&Parameters, Cells),
        particles: &[Particle],
    ) -> Result<Self> {
        let slots = slots_for(comm, particles.len());
        let make = || {
            let kernels = Kernels::new(gpu, parameters, !cells.shared.is_empty())?;
            Ok((kernels, Shared::new(gpu, parameters, &cells)?))
        };
        let (kernels, shared) = agree(comm, make())?;
        let exchange = Exchange::new(gpu, comm, parameters, &cells, 1)?;
        let room = agree(comm, Room::new(gpu, (parameters, &cells, &kernels), &shared, &exchange, slots))?;
        let named = [&shared.named()[..], &of_cells(&cells)].concat();
        let points = agree(comm, Points::new(gpu, comm, parameters, &named))?;
        let collide = kernels.collide.bind(gpu, &named);
        let accumulate = kernels.accumulate.bind(gpu, &named);
        let measure = kernels.measure.bind(gpu, &named);
        let mut solvent = Self {
            gpu: gpu.clone(),
            parameters: parameters.clone(),
            cells,
            kernels,
            shared,
            room,
            exchange,
            points,
            collide,
            accumulate,
            measure,
            side: 0,
            used: 0,
            marked: false,
            sent: false,
            samples: 0,
            earlier: Phases::default(),
        };
        agree(comm, solvent.load(particles))?;
        solvent.bind_exchange();
        Ok(solvent)
    }

    /// The cells that this rank knows.
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// The points that the fluid carries.
    pub fn points(&self) -> Option<&EmbeddedPoints> {
        self.points.as_ref().map(Points::embedded)
    }

    /// The numbers of the fluid.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn bind_exchange(&mut self) {
        let Room { sides, holes, near, .. } = &self.room;
        let named = [0, 1].map(|k| {
            [
                &sides[k].arrays.named()[..],
                &self.shared.named(),
                &of_cells(&self.cells),
                &near.named(),
                &[("holes", holes)],
            ]
            .concat()
        });
        self.exchange.bind(&self.gpu, &named);
    }

    fn load(&mut self, particles: &[Particle]) -> Result<()> {
        let (slots, count) = (self.room.slots as usize, particles.len());
        let arrays = &self.room.sides[self.side].arrays;
        for axis in 0..self.parameters.dimension {
            let positions: Vec<i32> = particles.iter().map(|particle| particle.position[axis]).collect();
            let velocities: Vec<f32> = particles.iter().map(|particle| particle.velocity[axis]).collect();
            self.gpu.upload(&arrays.position, axis * slots, &positions)?;
            self.gpu.upload(&arrays.velocity, axis * slots, &velocities)?;
        }
        let labels: Vec<u32> = particles.iter().map(|particle| particle.label).collect();
        self.gpu.upload(&arrays.label, 0, &labels)?;
        // Any cell will do until they are counted.
        let mut homes = vec![self.cells.count; slots.max(1)];
        homes[..count].fill(0);
        self.gpu.upload(&arrays.home, 0, &homes)?;
        self.gpu.upload(&self.shared.tally, 0, &[count as u32, 0])?;
        self.used = count as u32;
        self.marked = false;
        Ok(())
    }

    /// The particles on this rank's nodes, in no order.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn particles(&self) -> Result<Vec<Particle>> {
        let (slots, used, dimension) =
            (self.room.slots as usize, self.dispatched() as usize, self.parameters.dimension);
        let arrays = &self.room.sides[self.side].arrays;
        let (mut positions, mut velocities) = (Vec::new(), Vec::new());
        for axis in 0..dimension {
            positions.push(self.gpu.download::<i32>(&arrays.position, axis * slots, used)?);
            velocities.push(self.gpu.download::<f32>(&arrays.velocity, axis * slots, used)?);
        }
        let labels = self.gpu.download::<u32>(&arrays.label, 0, used)?;
        let homes = self.gpu.download::<u32>(&arrays.home, 0, used)?;
        let particle = |i: usize| Particle {
            label: labels[i],
            position: [0, 1, 2].map(|a| positions.get(a).map_or(0, |of| of[i])),
            velocity: [0, 1, 2].map(|a| velocities.get(a).map_or(0.0, |of| of[i])),
        };
        Ok((0..used).filter(|&i| homes[i] != self.cells.count).map(particle).collect())
    }

    /// Particles on this rank at the last look.
    pub fn used(&self) -> u32 {
        self.used
    }

    /// Slots that kernels go through: with other ranks particles come and go between looks.
    fn dispatched(&self) -> u32 {
        if self.exchange.is_empty() { self.used } else { self.room.slots }
    }

    /// The shift of the cells in the collision of a step, in units of positions.
    fn shift(&self, step: u64) -> [i32; 3] {
        let Parameters { dimension, grid_shift, seed, .. } = self.parameters;
        let words = philox([step as u32, (step >> 32) as u32, SHIFT, 0], seed);
        let bits = 32 - self.parameters.bits();
        [0, 1, 2].map(|a| if grid_shift && a < dimension { (words[a] >> bits) as i32 } else { 0 })
    }

    /// Immediate data of kernels on all particles: `step` is that of random numbers, `collision` that of the shift.
    fn span(&self, count: u32, step: u64, collision: u64, kick: [f64; 3], moves: bool) -> Vec<u32> {
        let mut words = vec![count, self.room.slots, self.cells.count, step as u32];
        words.extend(self.cells.map.words());
        words.extend(self.shift(collision).map(|s| s as u32));
        words.extend(kick.map(|k| (k as f32).to_bits()));
        words.push(u32::from(moves));
        words.extend(self.shift(collision.saturating_sub(1)).map(|s| s as u32));
        words.extend([ALL, self.cells.first_near]);
        words
    }

    /// Sums up the particles of each cell for the collision of step `step`. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn count(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        let mut recorder = Recorder::new(&self.gpu);
        recorder.clear(&self.shared.sums);
        let count = self.dispatched();
        let span = self.span(count, step, step, [0.0; 3], false);
        recorder.dispatch(&self.kernels.step, &self.room.sides[self.side].step, count, &span);
        self.record_points(&mut recorder, step, [0.0; 3], false);
        self.exchange.send(&mut recorder);
        self.record_receipt(comm, &mut recorder, step)?;
        recorder.flush()?;
        Ok(())
    }

    fn record_receipt<'g>(&self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, collision: u64) -> Result<()> {
        let span = |count| self.span(count, collision, collision, [0.0; 3], false);
        self.exchange.receive(comm, recorder, (self.side, collision), span)
    }

    /// Records that embedded points are added to the sums for the collision of step `step`, after a `kick` if `moves`.
    fn record_points(&self, recorder: &mut Recorder, step: u64, kick: [f64; 3], moves: bool) {
        if let Some(points) = &self.points {
            points.record_addition(recorder, &self.span_of_points(points, step, kick, moves));
        }
    }

    fn span_of_points(&self, points: &Points, step: u64, kick: [f64; 3], moves: bool) -> Vec<u32> {
        let mut words = self.span(points.count(), step, step, kick, moves);
        words[1] = points.count();
        words
    }

    /// Records time step `step`: collision and flight; embedded points only collide, others move them before
    /// [`Solvent::record_sums`]. `kick`: what the body force adds to velocities in half a step.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn record_step<'g>(
        &mut self,
        comm: &'g dyn Comm,
        recorder: &mut Recorder<'g>,
        step: u64,
        kick: [f64; 3],
    ) -> Result<()> {
        recorder.phase("collide");
        let cells = self.cells.count;
        recorder.dispatch(&self.kernels.collide, &self.collide, cells, &self.span(cells, step, step, kick, true));
        self.record_flight(recorder, step, kick);
        match &self.points {
            Some(points) => points.record_collision(comm, recorder, &self.span_of_points(points, step, kick, true)),
            None => Ok(()),
        }
    }

    /// Records a kernel on all particles. With other ranks the device knows how many slots are in use once a step has been
    /// made since the last sort.
    fn dispatch(&self, recorder: &mut Recorder, kernel: &Kernel, bound: &Bound, span: &[u32]) {
        match self.marked {
            true => recorder.dispatch_indirect(kernel, bound, &self.room.near.arguments, SLOTS_IN_USE, span),
            false => recorder.dispatch(kernel, bound, self.dispatched(), span),
        }
    }

    /// Records flight and sums of particles. Where it can, lets the message go out before those fly that are not in it.
    fn record_flight(&mut self, recorder: &mut Recorder, step: u64, kick: [f64; 3]) {
        // Points that the fluid carries add to the sums later.
        self.sent = self.marked && self.points.is_none();
        let side = &self.room.sides[self.side];
        let fly = |recorder: &mut Recorder, part: u32| {
            let mut span = self.span(self.dispatched(), step, step + 1, kick, true);
            span[PART] = part;
            recorder.phase("stream");
            match part {
                MARKED => {
                    let arguments = &self.room.near.arguments;
                    recorder.dispatch_indirect(&self.kernels.step, &side.step, arguments, MARKED_BLOCKS, &span);
                }
                _ => self.dispatch(recorder, &self.kernels.step, &side.step, &span),
            }
        };
        if self.sent {
            fly(recorder, MARKED);
            self.exchange.send(recorder);
            fly(recorder, OTHERS);
        } else {
            fly(recorder, ALL);
        }
        self.marked = !self.exchange.is_empty();
    }

    /// Records what completes time step `step` when embedded points have moved: the sums for the next collision, and samples.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn record_sums<'g>(
        &mut self,
        comm: &'g dyn Comm,
        recorder: &mut Recorder<'g>,
        step: u64,
        kick: [f64; 3],
    ) -> Result<()> {
        self.record_points(recorder, step + 1, kick, true);
        if !self.sent {
            self.exchange.send(recorder);
        }
        self.record_receipt(comm, recorder, step + 1)?;
        if (step + 1).is_multiple_of(self.parameters.sample_every) {
            self.record_sample(recorder);
        }
        Ok(())
    }

    fn record_sample(&mut self, recorder: &mut Recorder) {
        recorder.phase("sample");
        let (count, side) = (self.dispatched(), &self.room.sides[self.side]);
        self.dispatch(recorder, &self.kernels.sample, &side.sample, &self.span(count, 0, 0, [0.0; 3], false));
        let words = self.cells.count * (2 + self.parameters.dimension as u32);
        recorder.dispatch(&self.kernels.accumulate, &self.accumulate, words, &[words]);
        self.samples += 1;
    }

    /// Forgets all samples.
    pub fn forget_samples(&mut self, recorder: &mut Recorder) {
        recorder.clear(&self.shared.averages);
        self.samples = 0;
    }

    /// Number of samples, and for each own node the sums over them: number of particles, momentum, energy, in units of
    /// [`Parameters::momentum_scale`] and [`Parameters::energy_scale`]. Without samples takes one of the particles now.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn averages(&mut self) -> Result<(u64, Vec<Vec<i64>>)> {
        if self.samples == 0 {
            let gpu = self.gpu.clone();
            let mut recorder = Recorder::new(&gpu);
            self.record_sample(&mut recorder);
            recorder.submit();
        }
        Ok((self.samples, self.sampled()?))
    }

    /// Number of samples.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// For each own node the sums over samples, as [`Solvent::averages`].
    ///
    /// # Errors
    /// When the device is lost.
    pub fn sampled(&self) -> Result<Vec<Vec<i64>>> {
        let each = 2 + self.parameters.dimension;
        let words: Vec<i64> = self.gpu.download(&self.shared.averages, 0, self.cells.count as usize * each)?;
        Ok(self.cells.of_node.iter().map(|&cell| words[cell as usize * each..][..each].to_vec()).collect())
    }

    /// Puts back what [`Solvent::sampled`] returned, with the number of samples.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn restore_samples(&mut self, samples: u64, sums: &[Vec<i64>]) -> Result<()> {
        let each = 2 + self.parameters.dimension;
        let mut words = vec![0_i64; self.cells.count as usize * each];
        for (&cell, sums) in self.cells.of_node.iter().zip(sums) {
            words[cell as usize * each..][..each].copy_from_slice(sums);
        }
        self.samples = samples;
        self.gpu.upload(&self.shared.averages, 0, &words)
    }

    /// Totals of all ranks. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn totals(&self, comm: &dyn Comm) -> Result<Totals> {
        let dimension = self.parameters.dimension;
        let each = 4 + dimension;
        let mut recorder = Recorder::new(&self.gpu);
        let span = self.span(STRIDES, 0, 0, [0.0; 3], false);
        recorder.dispatch(&self.kernels.measure, &self.measure, STRIDES, &span);
        recorder.submit();
        let words = self.gpu.download::<i64>(&self.shared.totals, 0, STRIDES as usize * each);
        let mut sums = vec![0_i64; each];
        for strided in agree(comm, words)?.chunks_exact(each) {
            sums.iter_mut().zip(strided).for_each(|(sum, part)| *sum += part);
        }
        comm.sum(&mut sums)?;
        let (momentum, energy) = (self.parameters.momentum_scale(), self.parameters.energy_scale());
        Ok(Totals {
            mass: sums[0],
            momentum: [0, 1, 2].map(|a| if a < dimension { sums[1 + a] as f64 / momentum } else { 0.0 }),
            energy: 0.5 * sums[1 + dimension] as f64 / energy,
            temperature: sums[2 + dimension] as f64 / energy / (dimension as f64 * sums[3 + dimension].max(1) as f64),
        })
    }

    /// Sorts particles by cell, and checks what the device noted. Collective.
    ///
    /// # Errors
    /// A numerical failure where a particle was too fast or cells too full; when the device or a rank is lost.
    pub fn look(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        let found = self.gpu.download::<u32>(&self.shared.health, 0, HEALTH).and_then(|health| {
            check(&self.parameters, &health, step)?;
            self.gpu.upload(&self.shared.health, 0, &[0_u32; HEALTH])?;
            Ok((health[3], self.gpu.download::<u32>(&self.shared.tally, 0, 1)?[0]))
        });
        let (fill, used) = agree(comm, found)?;
        agree(comm, self.sort(used))?;
        if comm.size() == 1 {
            return Ok(());
        }
        let crowded = comm.any(fill > CROWDED)?;
        let enough = self.used + self.used / 8 + 1024;
        let short = enough > self.room.slots;
        if !crowded && !comm.any(short)? {
            return Ok(());
        }
        if crowded {
            self.earlier = self.earlier + self.exchange.phases();
            let more = 2 * self.exchange.generosity();
            self.exchange = Exchange::new(&self.gpu, comm, &self.parameters, &self.cells, more)?;
        }
        let slots = if short { enough + self.used / 8 } else { self.room.slots };
        agree(comm, self.renew(slots))?;
        self.count(comm, step)
    }

    /// Makes the arrays anew, with so many slots.
    fn renew(&mut self, slots: u32) -> Result<()> {
        let particles = self.particles()?;
        let of = (&self.parameters, &self.cells, &self.kernels);
        self.room = Room::new(&self.gpu, of, &self.shared, &self.exchange, slots)?;
        self.load(&particles)?;
        self.bind_exchange();
        Ok(())
    }

    fn sort(&mut self, used: u32) -> Result<()> {
        let gpu = self.gpu.clone();
        let mut recorder = Recorder::new(&gpu);
        recorder.phase("sort");
        let Room { slots, sides, keys, sort, permute, .. } = &self.room;
        recorder.copy(&sides[self.side].arrays.home, keys, 4 * u64::from(used));
        sort.record(&mut recorder, used);
        for (bound, components, empty) in &permute[self.side] {
            let words = components * slots;
            recorder.dispatch(&self.kernels.permute, bound, words, &[words, *slots, used, *empty]);
        }
        recorder.submit();
        self.side = 1 - self.side;
        self.marked = false;
        self.used = match self.exchange.is_empty() {
            true => used,
            false => gpu.download::<u32>(&sort.starts, self.cells.count as usize, 1)?[0],
        };
        gpu.upload(&self.shared.tally, 0, &[self.used, 0])
    }

    /// Checks what the device noted in the steps up to `step`.
    ///
    /// # Errors
    /// A numerical failure where a particle was too fast or cells too full; when the device is lost.
    pub fn check_health(&self, step: u64) -> Result<()> {
        check(&self.parameters, &self.gpu.download::<u32>(&self.shared.health, 0, HEALTH)?, step)
    }

    /// Time spent on messages so far.
    pub fn phases(&self) -> Phases {
        let points = self.points.as_ref().map(Points::phases).unwrap_or_default();
        self.earlier + self.exchange.phases() + points
    }
}

/// Slots for so many particles: some more where others may come from other ranks.
fn slots_for(comm: &dyn Comm, particles: usize) -> u32 {
    let more = if comm.size() > 1 { particles / 4 + 4096 } else { 0 };
    (particles + more) as u32
}
