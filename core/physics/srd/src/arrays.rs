//! The arrays of particles and cells on the device, and the kernels bound to them.

use hematite_config::{Fault, Result};
use hematite_gpu::{Arguments, Bound, Buffer, CountingSort, Gpu, Kernel, WORKGROUP};

use crate::cells::Cells;
use crate::exchange::Exchange;
use crate::health::HEALTH;
use crate::parameters::Parameters;
use crate::shaders::{STRIDES, Shader, rows};

/// Arrays of particles, of which one set has the order of the last sort and the other gets the next one.
pub struct Arrays {
    pub position: Buffer,
    pub velocity: Buffer,
    pub label: Buffer,
    pub home: Buffer,
}

/// What particles and kernels need beside the arrays of particles.
pub struct Shared {
    pub sums: Buffer,
    pub collisions: Buffer,
    pub walls: Buffer,
    pub health: Buffer,
    pub tally: Buffer,
    pub sampled: Buffer,
    pub averages: Buffer,
    pub totals: Buffer,
}

pub struct Kernels {
    pub collide: Kernel,
    pub step: Kernel,
    pub sample: Kernel,
    pub accumulate: Kernel,
    pub measure: Kernel,
    pub permute: Kernel,
}

/// Kernels bound to one set of arrays.
pub struct Side {
    pub arrays: Arrays,
    pub step: Bound,
    pub sample: Bound,
}

/// Blocks of particles that may get into cells that others use, see near.wgsl, and numbers of workgroups for them.
pub struct Near {
    steps: Buffer,
    listed: Buffer,
    lengths: Buffer,
    /// Entries: the listed blocks, all slots in use.
    pub arguments: Arguments,
}

/// All that depends on the number of slots for particles.
pub struct Room {
    pub slots: u32,
    /// Slots that particles have left since the last sort.
    pub holes: Buffer,
    /// Which blocks of particles come first in a step.
    pub near: Near,
    pub sides: [Side; 2],
    /// Copy of `home`, the keys of the sort.
    pub keys: Buffer,
    pub sort: CountingSort,
    /// For each set of arrays, the moves of its words to the other set: kernel, components, word for empty slots.
    pub permute: [Vec<(Bound, u32, u32)>; 2],
}

impl Arrays {
    pub fn new(gpu: &Gpu, dimension: usize, slots: u32) -> Result<Self> {
        let words = |label: &str, each: usize| gpu.buffer(label, 4 * u64::from(slots.max(1)) * each as u64);
        Ok(Self {
            position: words("positions of particles", dimension)?,
            velocity: words("velocities of particles", dimension)?,
            label: words("labels of particles", 1)?,
            home: words("cells of particles", 1)?,
        })
    }

    pub fn named(&self) -> [(&'static str, &Buffer); 4] {
        let Self { position, velocity, label, home } = self;
        [("position", position), ("velocity", velocity), ("label", label), ("home", home)]
    }
}

impl Near {
    fn new(gpu: &Gpu, slots: u32) -> Result<Self> {
        let blocks = u64::from(slots.div_ceil(WORKGROUP).max(1));
        Ok(Self {
            steps: gpu.buffer("steps in which blocks come first", 8 * blocks)?,
            listed: gpu.buffer("blocks that come first", 8 * blocks)?,
            lengths: gpu.buffer("numbers of blocks that come first", 8)?,
            arguments: gpu.arguments("workgroups for particles", 2)?,
        })
    }

    pub fn named(&self) -> [(&'static str, &Buffer); 4] {
        let Self { steps, listed, lengths, arguments } = self;
        [("near", steps), ("listed", listed), ("lengths", lengths), ("arguments", &arguments.buffer)]
    }
}

impl Shared {
    pub fn new(gpu: &Gpu, parameters: &Parameters, cells: &Cells) -> Result<Self> {
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

    pub fn named(&self) -> [(&'static str, &Buffer); 8] {
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
    /// The kernels, with other ranks (`shares`) or without.
    pub fn new(gpu: &Gpu, parameters: &Parameters, shares: bool) -> Result<Self> {
        let kernel = |shader: Shader| shader.kernel(gpu, parameters);
        Ok(Self {
            collide: kernel(Shader::Collide)?,
            step: kernel(if shares { Shader::SplitStep } else { Shader::Step })?,
            sample: kernel(Shader::Sample)?,
            accumulate: kernel(Shader::Accumulate)?,
            measure: kernel(Shader::Measure)?,
            permute: kernel(Shader::Permute)?,
        })
    }
}

/// The buffers of the cells, by the names in kernels.
pub fn of_cells(cells: &Cells) -> [(&'static str, &Buffer); 4] {
    [("directory", &cells.map.directory), ("sites", &cells.map.sites), ("kind", &cells.kind), ("place", &cells.place)]
}

impl Room {
    pub fn new(
        gpu: &Gpu,
        (parameters, cells, kernels): (&Parameters, &Cells, &Kernels),
        shared: &Shared,
        exchange: &Exchange,
        slots: u32,
    ) -> Result<Self> {
        let dimension = parameters.dimension;
        // Components begin where workgroups read whole lines of memory.
        let slots = slots.next_multiple_of(WORKGROUP);
        let holes = gpu.buffer("holes among particles", 4 * u64::from(slots.max(1)))?;
        let near = Near::new(gpu, slots)?;
        let side = || {
            let arrays = Arrays::new(gpu, dimension, slots)?;
            let named = [
                &arrays.named()[..],
                &shared.named(),
                &of_cells(cells),
                &exchange.named(),
                &near.named(),
                &[("holes", &holes)],
            ];
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
        Ok(Self { slots, holes, near, sides, keys, sort, permute })
    }
}
