//! The beads on this rank's device, and their motion in a time step.

use hematite_config::{Fault, Result};
use hematite_engine::EmbeddedPoints;
use hematite_engine::sites::SiteMap;
use hematite_gpu::{Bound, Buffer, CountingSort, Gpu, Kernel, Recorder, WORKGROUP};

use crate::chains::{Bead, Chains};
use crate::parameters::{FASTEST, FEW, Kind, Parameters};
use crate::shaders::{Shader, buckets};

/// Words of `health`, see sub_steps.wgsl.
const HEALTH: usize = 5;

/// How often the slowed first steps fit into the time in which a failure may come from the start.
const BEGUN: u64 = 16;

/// What finds neighbours.
struct Neighbours {
    sort: CountingSort,
    keys: (Kernel, Bound),
    lists: (Kernel, Bound),
}

/// The beads of a run, all of them on each rank.
pub struct Beads {
    gpu: Gpu,
    parameters: Parameters,
    chains: Chains,
    map: SiteMap,
    points: EmbeddedPoints,
    image: Buffer,
    health: Buffer,
    neighbours: Option<Neighbours>,
    sub_steps: (Kernel, Bound),
    /// Number of groups of beads of which a workgroup moves one.
    groups: u32,
    /// Whether one dispatch may do several sub-steps: beads of different groups do not act on each other.
    apart: bool,
}

/// The groups of beads for workgroups, and whether they do not act on each other.
fn groups(parameters: &Parameters, chains: &Chains) -> (Vec<[u32; 2]>, bool) {
    let beads = chains.beads() as u32;
    if !parameters.pairs() {
        // Several short chains in one group, so that no lane of a workgroup is idle.
        let mut found: Vec<[u32; 2]> = Vec::new();
        for &[first, count] in &chains.chains {
            match found.last_mut() {
                Some(group) if first + count - group[0] <= WORKGROUP => group[1] = first + count,
                _ => found.push([first, first + count]),
            }
        }
        return (found, true);
    }
    if beads <= FEW {
        return (vec![[0, beads]], true);
    }
    let size = WORKGROUP as usize;
    ((0..beads).step_by(size).map(|first| [first, (first + WORKGROUP).min(beads)]).collect(), false)
}

impl Neighbours {
    fn new(gpu: &Gpu, parameters: &Parameters, beads: u32, named: &[(&str, &Buffer)], keys: &Buffer) -> Result<Self> {
        let sort = CountingSort::new(gpu, keys, None, beads as usize, buckets(beads) as usize)?;
        let named = [named, &[("keys", keys), ("order", &sort.order), ("starts", &sort.starts)]].concat();
        let bound = |shader: Shader| {
            let kernel = shader.kernel(gpu, parameters, beads)?;
            let bound = kernel.bind(gpu, &named);
            Ok::<_, Fault>((kernel, bound))
        };
        let (keys, lists) = (bound(Shader::Keys)?, bound(Shader::Lists)?);
        Ok(Self { sort, keys, lists })
    }
}

/// The numbers of a population as kernels read them, see beads.wgsl.
fn words(kind: &Kind) -> [f32; 8] {
    let Kind { beads: _, mass, length, stiffness, extension, bending, energy, diameter, cutoff } = *kind;
    [f64::from(mass), length, stiffness, extension, bending, energy, diameter, cutoff].map(|x| x as f32)
}

impl Beads {
    /// Puts `beads` on the device, into the `points` that the fluid carries. `map`: see motion.wgsl.
    ///
    /// # Errors
    /// When the device lacks room.
    pub fn new(
        gpu: &Gpu,
        (parameters, chains): (&Parameters, &Chains),
        (map, points): (SiteMap, &EmbeddedPoints),
        beads: &[Bead],
    ) -> Result<Self> {
        let (count, d) = (chains.beads() as u32, parameters.dimension);
        let array = |label: &str, words: usize| gpu.buffer(label, 4 * words.max(1) as u64);
        let n = count as usize;
        let (moved, image) = (array("positions of moved beads", n * d)?, array("images of beads", n * d)?);
        let (links, kinds) = (array("links of beads", 3 * n)?, array("kinds of beads", 8 * parameters.kinds.len())?);
        let (list, apart) = groups(parameters, chains);
        let of_groups = array("groups of beads", 2 * list.len())?;
        let walls: Vec<f32> = parameters.wall_velocities.iter().flatten().map(|&u| u as f32).collect();
        let of_walls = array("velocities of walls", walls.len())?;
        let most = if parameters.pairs() { parameters.most_neighbours(count) as usize } else { 0 };
        let (near, near_count) = (array("neighbours", n * most)?, array("numbers of neighbours", n)?);
        let (health, keys) = (array("health of beads", HEALTH)?, array("keys of beads", n)?);
        gpu.upload(&links, 0, chains.links.as_flattened())?;
        gpu.upload(&kinds, 0, parameters.kinds.iter().map(words).collect::<Vec<_>>().as_flattened())?;
        gpu.upload(&of_groups, 0, list.as_flattened())?;
        gpu.upload(&of_walls, 0, &walls)?;
        let named = [
            ("position", &points.position),
            ("velocity", &points.velocity),
            ("moved", &moved),
            ("image", &image),
            ("links", &links),
            ("kinds", &kinds),
            ("groups", &of_groups),
            ("walls", &of_walls),
            ("near", &near),
            ("near_count", &near_count),
            ("health", &health),
            ("directory", &map.directory),
            ("sites", &map.sites),
        ];
        let neighbours = match parameters.pairs() {
            true => Some(Neighbours::new(gpu, parameters, count, &named, &keys)?),
            false => None,
        };
        let kernel = Shader::SubSteps.kernel(gpu, parameters, count)?;
        let bound = kernel.bind(gpu, &named);
        let made = Self {
            gpu: gpu.clone(),
            parameters: parameters.clone(),
            chains: chains.clone(),
            points: points.clone(),
            sub_steps: (kernel, bound),
            groups: list.len() as u32,
            map,
            image,
            health,
            neighbours,
            apart,
        };
        made.load(beads)?;
        Ok(made)
    }

    /// The chains.
    pub fn chains(&self) -> &Chains {
        &self.chains
    }

    /// Their numbers.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn load(&self, beads: &[Bead]) -> Result<()> {
        for axis in 0..self.parameters.dimension {
            let at = axis * beads.len();
            let of = |value: fn(&Bead) -> [i32; 3]| beads.iter().map(|bead| value(bead)[axis]).collect::<Vec<i32>>();
            let velocities: Vec<f32> = beads.iter().map(|bead| bead.velocity[axis]).collect();
            self.gpu.upload(&self.points.position, at, &of(|bead| bead.position))?;
            self.gpu.upload(&self.image, at, &of(|bead| bead.image))?;
            self.gpu.upload(&self.points.velocity, at, &velocities)?;
        }
        let mass = |link: &[u32; 3]| self.parameters.kinds[link[2] as usize].mass;
        let masses: Vec<u32> = self.chains.links.iter().map(mass).collect();
        self.gpu.upload(&self.points.mass, 0, &masses)
    }

    /// All beads, by number.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn states(&self) -> Result<Vec<Bead>> {
        let (n, mut beads) = (self.chains.beads(), vec![Bead::default(); self.chains.beads()]);
        for axis in 0..self.parameters.dimension {
            let positions = self.gpu.download::<i32>(&self.points.position, axis * n, n)?;
            let images = self.gpu.download::<i32>(&self.image, axis * n, n)?;
            let velocities = self.gpu.download::<f32>(&self.points.velocity, axis * n, n)?;
            for (i, bead) in beads.iter_mut().enumerate() {
                (bead.position[axis], bead.image[axis], bead.velocity[axis]) = (positions[i], images[i], velocities[i]);
            }
        }
        Ok(beads)
    }

    /// Records the motion of time step `step`.
    pub fn record_step(&self, recorder: &mut Recorder, step: u64) {
        let (last, every) = (self.parameters.sub_steps, self.parameters.list_every());
        let mut begin = 0;
        while begin <= last {
            let end = match &self.neighbours {
                // The last kick needs no lists of its own.
                Some(_) if begin + every < last => begin + every,
                _ => last + 1,
            };
            if let Some(neighbours) = &self.neighbours {
                self.record_lists(neighbours, recorder, begin);
            }
            recorder.phase("move beads");
            let (kernel, bound) = &self.sub_steps;
            let pieces = if self.apart { vec![[begin, end]] } else { (begin..end).map(|k| [k, k + 1]).collect() };
            for [begin, end] in pieces {
                recorder.dispatch(
                    kernel,
                    bound,
                    self.groups * WORKGROUP,
                    &self.span(self.groups, begin, end, step >= self.parameters.slowed_steps()),
                );
            }
            begin = end;
        }
    }

    fn record_lists(&self, neighbours: &Neighbours, recorder: &mut Recorder, begin: u32) {
        recorder.phase("neighbours of beads");
        let Neighbours { sort, keys, lists } = neighbours;
        let (count, span) = (self.points.count, self.span(self.points.count, begin, begin, true));
        recorder.dispatch(&keys.0, &keys.1, count, &span);
        sort.record(recorder, count);
        recorder.dispatch(&lists.0, &lists.1, count, &span);
    }

    /// Immediate data.
    fn span(&self, count: u32, begin: u32, end: u32, strict: bool) -> Vec<u32> {
        let mut words = vec![count, begin, end];
        words.extend(self.map.words());
        words.push(u32::from(strict));
        words
    }

    /// What a failure up to `step` may come from: the start, where that is not long ago and bends cost energy.
    fn begun(&self, step: u64) -> &'static str {
        if !self.parameters.bends() || step > BEGUN * self.parameters.slowed_steps() {
            return "";
        }
        ". Chains begin as mkcase puts them, as random walks, which a large \"bending\" straightens violently: begin with a smaller \
         one or a shorter time step, and go on with a larger one by --restart --allow-changes"
    }

    /// Checks what the device noted up to `step`; `name` tells what a bead is called.
    ///
    /// # Errors
    /// A numerical failure where beads were too fast or bonds too long; when the device is lost.
    pub fn check(&self, step: u64, name: &dyn Fn(usize) -> String) -> Result<()> {
        let health = self.gpu.download::<u32>(&self.health, 0, HEALTH)?;
        let Parameters { sub_steps, .. } = self.parameters;
        let begun = self.begun(step);
        if health[2] > 0 {
            return Err(Fault::numerical(format!(
                "some steps before step {step} a bond of {} was as long as it can be: give more than {sub_steps} \
                 \"polymers.sub_steps\", a larger \"extension\", or weaker forces{begun}",
                name(health[2] as usize - 1)
            )));
        }
        if health[4] > 0 {
            return Err(Fault::numerical(format!(
                "some steps before step {step} a bond of {} was nearly half the period long, so that its beads would see another image \
                 of each other: give stiffer bonds or a longer domain{begun}",
                name(health[4] as usize - 1)
            )));
        }
        if health[0] > 0 {
            let found = f64::from(f32::from_bits(health[0]));
            return Err(Fault::numerical(format!(
                "some steps before step {step} a bead was {:.2} times as fast as beads may be, {FASTEST} thermal speeds of the lightest bead{}: give {}more \
                 than {sub_steps} \"polymers.sub_steps\", or softer bonds, bends (\"bending\") and forces between beads{begun}",
                found / self.parameters.fastest(),
                if self.parameters.flows { " and one of the fluid" } else { "" },
                if self.parameters.flows { "a weaker force on the fluid if it flows fast, or " } else { "" },
            )));
        }
        if health[3] > 0 {
            return Err(Fault::numerical(format!(
                "some steps before step {step} a bead had {} others near it, the limit is {}: beads are denser than anything that \
                 their diameter allows; give more \"polymers.sub_steps\" or weaker attraction{begun}",
                health[3],
                self.parameters.most_neighbours(self.points.count)
            )));
        }
        Ok(())
    }
}
