//! A toy physics: a scalar that diffuses from node to node, the faster the more there is of it, in time steps as long as that allows. It shows all that a new physics takes: what it reads of a config, its
//! plan, its state on the device with one kernel, and what it tells and saves. Nothing else in Hematite knows of it.

use std::f64::consts::TAU;
use std::ops::Range;

use hematite_case::Target;
use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};
use hematite_dump::{Bits, Column, Field};
use hematite_engine::{
    BoundHalo, Clock, Ground, HaloExchange, Keep, Measured, Method, Phases, Physics, Planned, Planning, Saved,
    SharedData,
};
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, MAIN, Recorder, Template, WORKGROUP, render};
use minijinja::context;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

const NAME: &str = "diffusion";
const FIELD: Field = Field::new("concentration", "1", 1);
/// Share of the longest stable time step that is taken.
const SHARE: f64 = 0.4;
/// Steps from one look at how long they may be to the next.
const RENEWED: u64 = 16;
/// Counts of the ledger's sum: whole numbers, so that the order in which ranks add does not matter.
const COUNTS: f64 = (1_u64 << 30) as f64;

/// What a run's config says of it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Sections {
    /// The diffusing scalar.
    diffusion: DiffusionConfig,
}

/// The diffusing scalar.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DiffusionConfig {
    /// Diffusivity where the scalar is 0, m2/s.
    diffusivity: f64,
    /// By how much the diffusivity grows with the scalar, as a share of that.
    #[serde(default)]
    slope: f64,
}

/// The toy, as a choice of runs.
pub struct Diffusion;

impl Method for Diffusion {
    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        Sections::json_schema(generator)
    }

    fn plan(&self, planning: &mut Planning) -> Result<()> {
        let sections: Sections = planning.read_sections()?;
        let DiffusionConfig { diffusivity, slope } = sections.diffusion;
        if diffusivity <= 0.0 || slope < 0.0 {
            return Err(Fault::usage(format!(
                "diffusion: diffusivity {diffusivity} and slope {slope} must be above 0"
            )));
        }
        let ground = planning.find_ground(None)?;
        let rate = diffusivity / ground.header.spacing.powi(2);
        let planned = PlannedScalar { neighbours: 2 * ground.dimension() as u32, rate, slope };
        planning.set_ground(ground, planning.time.adaptive(planned.longest_step(HIGHEST))?)?;
        planning.planned.push(Box::new(planned));
        Ok(())
    }
}

/// The highest value at the start.
const HIGHEST: f64 = 1.5;

#[derive(Clone, Copy)]
struct PlannedScalar {
    /// Nodes beside a node.
    neighbours: u32,
    /// Diffusivity where the scalar is 0 over the square of the spacing, 1/s.
    rate: f64,
    slope: f64,
}

impl PlannedScalar {
    /// The longest time step that is stable where the scalar is at most `highest`, s.
    fn longest_step(&self, highest: f64) -> f64 {
        SHARE / (f64::from(self.neighbours) * self.rate * (1.0 + self.slope * highest))
    }
}

impl Planned for PlannedScalar {
    fn name(&self) -> &'static str {
        NAME
    }

    fn advice(&self) -> Vec<String> {
        Vec::new()
    }

    fn state_bytes(&self, nodes: u64) -> f64 {
        4.0 * nodes as f64
    }

    fn fields(&self) -> Vec<Field> {
        vec![FIELD]
    }

    fn columns(&self) -> Vec<Column> {
        vec![Column::new("concentration_sum")]
    }

    fn build(
        &self,
        gpu: &Gpu,
        comm: &dyn Comm,
        ground: &mut Ground,
        _: &mut SharedData,
        saved: Option<&dyn Saved>,
    ) -> Result<Box<dyn Physics>> {
        let (part, own) = (&ground.part, ground.part.own);
        let beside: Vec<u32> = (0..self.neighbours as usize)
            .flat_map(|i| part.links[i].iter().zip(0..))
            .map(|(link, n)| if let Target::Node(next) = link.target() { next } else { n })
            .collect();
        let values = match saved {
            Some(saved) => saved.own(FIELD.name())?.bytes(),
            None => {
                let along = |at: &[i32; 3]| f64::from(at[0]) / ground.header.extent[0] as f64;
                let start = ground.own_positions().iter().map(|at| 1.0 + (HIGHEST - 1.0) * (TAU * along(at)).cos());
                start.flat_map(|c| (c as f32).to_ne_bytes()).collect()
            }
        };
        let make = || {
            let array = || gpu.buffer("concentration", 4 * part.id.len() as u64);
            let (arrays, list) = ([array()?, array()?], gpu.buffer("nodes beside", 4 * beside.len() as u64)?);
            gpu.upload(&list, 0, &beside)?;
            let context = context! { workgroup => WORKGROUP };
            let template = Template { name: "diffuse.wgsl", text: include_str!("diffuse.wgsl") };
            let kernel = Kernel::new(gpu, "diffusion", &render(template, &[MAIN], &context), 20)?;
            Ok((arrays, list, kernel))
        };
        let (arrays, list, kernel) = agree(comm, make())?;
        let step = saved.map_or(0, |saved| saved.header().step);
        gpu.upload(&arrays[(step % 2) as usize], 0, &values)?;
        let halo = HaloExchange::new(gpu, comm, part, 1)?;
        let halos = [0, 1].map(|k| halo.bind(gpu, &arrays[k]));
        let bound = [0, 1]
            .map(|k: usize| kernel.bind(gpu, &[("before", &arrays[k]), ("after", &arrays[1 - k]), ("beside", &list)]));
        let (gpu, own, planned) = (gpu.clone(), own as u32, *self);
        Ok(Box::new(Scalar { gpu, planned, own, arrays, halo, halos, kernel, bound, allowed: 0.0, k: 0.0, step }))
    }
}

/// The scalar on one rank's device.
struct Scalar {
    gpu: Gpu,
    planned: PlannedScalar,
    own: u32,
    /// Values at own and halo nodes, after even and after odd steps.
    arrays: [Buffer; 2],
    halo: HaloExchange,
    halos: [Option<BoundHalo>; 2],
    kernel: Kernel,
    bound: [Bound; 2],
    /// Diffusivity in units of the lattice and the present time step.
    k: f64,
    /// The longest time step that the state at the last change of their length allowed, s.
    allowed: f64,
    step: u64,
}

impl Scalar {
    fn values(&self) -> Result<Vec<u32>> {
        self.gpu.download(&self.arrays[(self.step % 2) as usize], 0, self.own as usize)
    }
}

impl Physics for Scalar {
    fn name(&self) -> &'static str {
        NAME
    }

    fn renews_every(&self) -> Option<u64> {
        Some(RENEWED)
    }

    fn find_longest_step(&mut self) -> Result<()> {
        let highest = self.values()?.into_iter().map(f32::from_bits).fold(0.0, f32::max);
        self.allowed = self.planned.longest_step(f64::from(highest));
        Ok(())
    }

    fn longest_step(&mut self) -> Result<f64> {
        Ok(self.allowed)
    }

    fn begin(&mut self, _: &dyn Comm, _: Range<u64>, clock: &Clock) -> Result<()> {
        self.k = self.planned.rate * clock.dt();
        Ok(())
    }

    fn step<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        let now = (step % 2) as usize;
        self.halo.record(comm, recorder, &self.halos[now])?;
        recorder.phase("diffuse");
        let PlannedScalar { neighbours, slope, .. } = self.planned;
        let words = [self.own, self.own, neighbours, (self.k as f32).to_bits(), (slope as f32).to_bits()];
        recorder.dispatch(&self.kernel, &self.bound[now], self.own, &words);
        self.step = step + 1;
        Ok(())
    }

    fn inspect(&mut self, comm: &dyn Comm, _: &Ground) -> Result<()> {
        let finite = |values: Vec<u32>| match values.into_iter().all(|bits| f32::from_bits(bits).is_finite()) {
            true => Ok(()),
            false => Err(Fault::numerical(format!("{NAME}: a value is no number at step {}", self.step))),
        };
        agree(comm, self.values().and_then(finite))
    }

    fn save(&self, _: &Ground, keep: &mut dyn Keep) -> Result<()> {
        keep.own(FIELD.name(), Bits::F32(self.values()?))
    }

    fn field(&mut self, _: Field, take: &mut dyn FnMut(usize, &[f64]) -> Result<()>) -> Result<()> {
        let values: Vec<f64> = self.values()?.into_iter().map(|bits| f64::from(f32::from_bits(bits))).collect();
        take(0, &values)
    }

    fn measure(&mut self, comm: &dyn Comm, _: f64) -> Result<Measured> {
        let counts =
            |values: Vec<u32>| values.into_iter().map(|c| (f64::from(f32::from_bits(c)) * COUNTS) as i64).sum();
        let mut sum: [i64; 1] = [agree(comm, self.values().map(counts))?];
        comm.sum(&mut sum)?;
        Ok(Measured { values: vec![sum[0] as f64 / COUNTS], ..Measured::default() })
    }

    fn phases(&self) -> Phases {
        self.halo.phases()
    }
}
