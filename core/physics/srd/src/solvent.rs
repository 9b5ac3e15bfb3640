//! The particles of one rank on its device, and the kernels of the time step.

use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};
use hematite_engine::{EmbeddedPoints, Phases, philox};
use hematite_gpu::{Bound, Buffer, CountingSort, Gpu, Kernel, Recorder};

use crate::cells::Cells;
use crate::exchange::Exchange;
use crate::parameters::Parameters;
use crate::particles::Particle;
use crate::points::Points;
use crate::shaders::{STRIDES, Shader, rows};

/// Time steps between looks, which sort particles by cell.
pub const LOOK: u64 = 64;

/// The random number by which cells are shifted.
const SHIFT: u32 = 2;

/// Words of `health`, see the kernels.
const HEALTH: usize = 6;

/// Above this part of 1024 of the room for particles in a message, messages get more room.
const CROWDED: u32 = 512;

/// Arrays of particles, of which one set has the order of the last sort and the other gets the next one.
struct Arrays {
    position: Buffer,
    velocity: Buffer,
    label: Buffer,
    home: Buffer,
}

/// What particles and kernels need beside the arrays of particles.
struct Shared {
    sums: Buffer,
    collisions: Buffer,
    walls: Buffer,
    health: Buffer,
    tally: Buffer,
    sampled: Buffer,
    averages: Buffer,
    totals: Buffer,
}

struct Kernels {
    collide: Kernel,
    step: Kernel,
    sample: Kernel,
    accumulate: Kernel,
    measure: Kernel,
    permute: Kernel,
}

/// Kernels bound to one set of arrays.
struct Side {
    arrays: Arrays,
    step: Bound,
    sample: Bound,
}

/// All that depends on the number of slots for particles.
struct Room {
    slots: u32,
    /// Slots that particles have left since the last sort.
    holes: Buffer,
    sides: [Side; 2],
    /// Copy of `home`, the keys of the sort.
    keys: Buffer,
    sort: CountingSort,
    /// For each set of arrays, the moves of its words to the other set: kernel, components, word for empty slots.
    permute: [Vec<(Bound, u32, u32)>; 2],
}

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

impl Arrays {
    fn new(gpu: &Gpu, dimension: usize, slots: u32) -> Result<Self> {
        let words = |label: &str, each: usize| gpu.buffer(label, 4 * u64::from(slots.max(1)) * each as u64);
        Ok(Self {
            position: words("positions of particles", dimension)?,
            velocity: words("velocities of particles", dimension)?,
            label: words("labels of particles", 1)?,
            home: words("cells of particles", 1)?,
        })
    }

    fn named(&self) -> [(&'static str, &Buffer); 4] {
        let Self { position, velocity, label, home } = self;
        [("position", position), ("velocity", velocity), ("label", label), ("home", home)]
    }
}

impl Shared {
    fn new(gpu: &Gpu, parameters: &Parameters, cells: &Cells) -> Result<Self> {
        let count = u64::from(cells.count.max(1));
        let sampled = 2 + parameters.dimension as u64;
        let walls: Vec<f32> = parameters.wall_velocities.iter().flatten().map(|&u| u as f32).collect();
        let shared = Self {
            sums: gpu.buffer("sums of cells", 4 * count * u64::from(parameters.width()))?,
            collisions: gpu.buffer("collisions of cells", 16 * u64::from(rows(parameters)) * count)?,
            walls: gpu.buffer("velocities of walls", 4 * walls.len() as u64)?,
            health: gpu.buffer("health of particles", 4 * HEALTH as u64)?,
            tally: gpu.buffer("slots in use", 8)?,
            sampled: gpu.buffer("sums at sites", 4 * count * sampled)?,
            averages: gpu.buffer("averages at sites", 8 * count * sampled)?,
            totals: gpu.buffer("totals of cells", 8 * u64::from(STRIDES) * (sampled + 2))?,
        };
        gpu.upload(&shared.walls, 0, &walls)?;
        Ok(shared)
    }

    fn named(&self) -> [(&'static str, &Buffer); 8] {
        let Self { sums, collisions, walls, health, tally, sampled, averages, totals } = self;
        [
            ("sums", sums),
            ("collisions", collisions),
            ("walls", walls),
            ("health", health),
            ("tally", tally),
            ("sampled", sampled),
            ("averages", averages),
            ("totals", totals),
        ]
    }
}

impl Kernels {
    fn new(gpu: &Gpu, parameters: &Parameters) -> Result<Self> {
        let kernel = |shader: Shader| shader.kernel(gpu, parameters);
        Ok(Self {
            collide: kernel(Shader::Collide)?,
            step: kernel(Shader::Step)?,
            sample: kernel(Shader::Sample)?,
            accumulate: kernel(Shader::Accumulate)?,
            measure: kernel(Shader::Measure)?,
            permute: kernel(Shader::Permute)?,
        })
    }
}

/// The buffers of the cells, by the names in kernels.
fn of_cells(cells: &Cells) -> [(&'static str, &Buffer); 4] {
    [("directory", &cells.map.directory), ("sites", &cells.map.sites), ("kind", &cells.kind), ("place", &cells.place)]
}

impl Room {
    fn new(
        gpu: &Gpu,
        (parameters, cells, kernels): (&Parameters, &Cells, &Kernels),
        shared: &Shared,
        exchange: &Exchange,
        slots: u32,
    ) -> Result<Self> {
        let dimension = parameters.dimension;
        let holes = gpu.buffer("holes among particles", 4 * u64::from(slots.max(1)))?;
        let side = || {
            let arrays = Arrays::new(gpu, dimension, slots)?;
            let named =
                [&arrays.named()[..], &shared.named(), &of_cells(cells), &exchange.named(), &[("holes", &holes)]];
            let named = named.concat();
            let (step, sample) = (kernels.step.bind(gpu, &named), kernels.sample.bind(gpu, &named));
            Ok::<_, Fault>(Side { arrays, step, sample })
        };
        let sides = [side()?, side()?];
        let keys = gpu.buffer("keys of particles", 4 * u64::from(slots.max(1)))?;
        let sort = CountingSort::new(gpu, &keys, None, slots.max(1) as usize, cells.count as usize + 1)?;
        let moves = |from: &Side, to: &Side| {
            let ways = from.arrays.named().into_iter().zip(to.arrays.named());
            let bind = |((name, from), (_, to)): ((&str, &Buffer), (&str, &Buffer))| {
                let bound =
                    kernels.permute.bind(gpu, &[("order", &sort.order), ("from_words", from), ("to_words", to)]);
                let components = if matches!(name, "position" | "velocity") { dimension as u32 } else { 1 };
                (bound, components, if name == "home" { cells.count } else { 0 })
            };
            ways.map(bind).collect()
        };
        let permute = [moves(&sides[0], &sides[1]), moves(&sides[1], &sides[0])];
        Ok(Self { slots, holes, sides, keys, sort, permute })
    }
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
            let kernels = Kernels::new(gpu, parameters)?;
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
        let Room { sides, holes, .. } = &self.room;
        let named = [0, 1].map(|k| {
            [&sides[k].arrays.named()[..], &self.shared.named(), &of_cells(&self.cells), &[("holes", holes)]].concat()
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

    /// Immediate data of kernels: `step` is that of random numbers, `collision` that of the shift.
    fn span(&self, count: u32, step: u64, collision: u64, kick: [f64; 3], moves: bool) -> Vec<u32> {
        let mut words = vec![count, self.room.slots, self.cells.count, step as u32];
        words.extend(self.cells.map.words());
        words.extend(self.shift(collision).map(|s| s as u32));
        words.extend(kick.map(|k| (k as f32).to_bits()));
        words.push(u32::from(moves));
        words.extend(self.shift(collision.saturating_sub(1)).map(|s| s as u32));
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
        self.record_exchange(comm, &mut recorder, step)?;
        recorder.flush()?;
        Ok(())
    }

    fn record_exchange<'g>(&self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, collision: u64) -> Result<()> {
        let span = |count| self.span(count, collision, collision, [0.0; 3], false);
        self.exchange.record(comm, recorder, self.side, span)
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
        recorder.phase("stream");
        let (count, side) = (self.dispatched(), &self.room.sides[self.side]);
        recorder.dispatch(&self.kernels.step, &side.step, count, &self.span(count, step, step + 1, kick, true));
        match &self.points {
            Some(points) => points.record_collision(comm, recorder, &self.span_of_points(points, step, kick, true)),
            None => Ok(()),
        }
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
        self.record_exchange(comm, recorder, step + 1)?;
        if (step + 1).is_multiple_of(self.parameters.sample_every) {
            self.record_sample(recorder);
        }
        Ok(())
    }

    fn record_sample(&mut self, recorder: &mut Recorder) {
        recorder.phase("sample");
        let (count, side) = (self.dispatched(), &self.room.sides[self.side]);
        recorder.dispatch(&self.kernels.sample, &side.sample, count, &self.span(count, 0, 0, [0.0; 3], false));
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
            self.check(&health, step)?;
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
        self.check(&self.gpu.download::<u32>(&self.shared.health, 0, HEALTH)?, step)
    }

    fn check(&self, health: &[u32], step: u64) -> Result<()> {
        let Parameters { speed, .. } = self.parameters;
        let before = format!("before step {step}");
        if health[0] > 0 {
            let found = f64::from(f32::from_bits(health[0])) / speed;
            return Err(Fault::numerical(format!(
                "some steps {before} a particle was {found:.1} times as fast as the thermal speed, the limit is {:.0}: take a weaker \
                 force or slower walls, or a higher temperature",
                self.parameters.fastest() / speed
            )));
        }
        if health[1] > 0 {
            return Err(Fault::numerical(format!(
                "some steps {before}, {} particles went where no fluid is",
                health[1]
            )));
        }
        if health[2] > 0 {
            let remedy = match self.points {
                Some(_) => {
                    "beads of polymers crowd in it, or the fluid is compressed; take lighter or fewer beads, or beads with a \
                            diameter, or a weaker force"
                }
                None => "the fluid is compressed; take a weaker force or a higher temperature",
            };
            return Err(Fault::numerical(format!(
                "some steps {before} a cell held the mass of {} particles, the limit is {}: {remedy}",
                health[2],
                self.parameters.most_in_cell()
            )));
        }
        if health[5] > 0 {
            return Err(Fault::numerical(format!(
                "some steps {before} the point with number {} was where no fluid is: the time steps of its motion are too long",
                health[5] - 1
            )));
        }
        if health[3] > 1024 || health[4] > 0 {
            return Err(Fault::numerical(format!(
                "some steps {before} more particles came from another rank than there is room for: the fluid moves as a whole; start \
                 again from the last checkpoint with another number of ranks"
            )));
        }
        Ok(())
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
