//! The cells of one rank on its device.

use hematite_case::Part;
use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::{BoundHalo, HaloExchange, LONGEST_BATCH, Phases};
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, Recorder, Staging, Ticket};

use crate::arrays::Arrays;
use crate::parameters::Parameters;
use crate::shaders::{NONE, ROW, STRIDES, SUMS, Shader};
use crate::state::State;
use crate::vents::VentCells;

/// Steps from one new list of blocks to the next.
const REFRESHED: u64 = 64;

/// Sums over own cells: thickness, heat, solid thickness, heat given away, in amounts.
pub type Sums = [u128; 4];

/// What a look at all own cells finds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Sums of amounts.
    pub sums: Sums,
    /// Cells with fluid lava.
    pub fluid_cells: u64,
    /// Cells with any lava.
    pub cells: u64,
    /// Cells with fluid lava at the edge of the domain.
    pub at_edge: u64,
    /// The largest thickness of fluid lava, m.
    pub thickest: f64,
    /// Transfers that were limited since the last look.
    pub limited: u64,
}

/// What bounds the next time steps on this rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// The longest step that the flows allow, s; infinite without flows.
    pub step: f64,
    /// The least thickness of lava in own cells of each vent, m; infinite without cells.
    pub depths: Vec<f64>,
}

/// A kernel with its arrays after even and after odd steps, for each of the two lists.
struct PerList {
    kernel: Kernel,
    bound: [[Bound; 2]; 2],
}

/// The cells of one rank on its device.
pub struct Automaton {
    gpu: Gpu,
    parameters: Parameters,
    own: u32,
    interior: u32,
    vent_cells: u32,
    vents: u32,
    arrays: Arrays,
    emissions: Buffer,
    depths: Buffer,
    groups: (Kernel, [Bound; 2]),
    step: PerList,
    rates: PerList,
    refresh: PerList,
    hear: PerList,
    depth: (Kernel, [Bound; 2]),
    measure: (Kernel, Bound),
    /// Rates and depths for the host, and the submission that finds them.
    found: Staging,
    finding: Option<Ticket>,
    halo: HaloExchange,
    halos: [Option<BoundHalo>; 2],
    /// The list in use, and its number, counted from 1.
    list: usize,
    generation: u32,
}

impl Automaton {
    /// The cells of `part` with elevations of own cells above the lowest cell, in m, and their state after `step` steps at `time`
    /// s. Collective.
    ///
    /// # Errors
    /// When the device has no room; when a rank is lost.
    pub fn new(
        gpu: &Gpu,
        comm: &dyn Comm,
        (part, parameters): (&Part, &Parameters),
        (elevation, vents): (&[f32], &VentCells),
        (state, step, time): (&State, u64, f64),
    ) -> Result<Self> {
        let halo = HaloExchange::new(gpu, comm, part, ROW as u32)?;
        let arrays = hematite_comm::agree(comm, Arrays::new(gpu, part, elevation, state))?;
        let build = || Self::on_device(gpu, part, parameters, vents, arrays, halo);
        let mut automaton = hematite_comm::agree(comm, build())?;
        automaton.settle(step, time)?;
        Ok(automaton)
    }

    fn on_device(
        gpu: &Gpu,
        part: &Part,
        parameters: &Parameters,
        vents: &VentCells,
        arrays: Arrays,
        halo: HaloExchange,
    ) -> Result<Self> {
        let count = vents.cells.len();
        let cells = gpu.buffer("cells of vents", 8 * count.max(1) as u64)?;
        if count > 0 {
            gpu.upload(&cells, 0, vents.cells.as_flattened())?;
        }
        let [vent_rows, vent_of] = {
            let (rows, of) = vents.rows(part.own);
            [uploaded(gpu, "blocks with vents", &rows)?, uploaded(gpu, "vents of cells", &of)?]
        };
        let emissions = gpu.buffer("emissions", 16 * LONGEST_BATCH * u64::from(vents.vents.max(1)))?;
        let depths = gpu.buffer("depths of vents", 4 * u64::from(vents.vents.max(1)))?;
        let Arrays { rows, lists, arguments, .. } = &arrays;
        let kernel = |shader: Shader| shader.kernel(gpu, parameters);
        let beside: [(&str, &Buffer); 2] =
            [("beside_axial", &arrays.beside_axial), ("beside_diagonal", &arrays.beside_diagonal)];
        let list = |l: usize| [("blocks", &lists[l].blocks), ("size", &lists[l].size)];
        let of_vents = [("vent_rows", &vent_rows), ("vent_of", &vent_of), ("emissions", &emissions)];
        let stamp = [("stamp", &arrays.stamp)];
        let notes = [("notes", &arrays.notes)];
        let of_cells: [(&str, &Buffer); 2] = [("fluid", &arrays.fluid), ("solid", &arrays.solid)];
        // `buffers` of a parity and a list.
        let per_list =
            |shader: Shader, buffers: &dyn Fn(usize, usize) -> Vec<(&'static str, Buffer)>| -> Result<PerList> {
                let kernel = kernel(shader)?;
                let bind = |now: usize, l: usize| {
                    let buffers = buffers(now, l);
                    let named: Vec<(&str, &Buffer)> = buffers.iter().map(|(name, buffer)| (*name, buffer)).collect();
                    kernel.bind(gpu, &named)
                };
                let bound = [0, 1].map(|now| [0, 1].map(|l| bind(now, l)));
                Ok(PerList { kernel, bound })
            };
        let owned = |named: &[&[(&'static str, &Buffer)]]| -> Vec<(&'static str, Buffer)> {
            named.iter().flat_map(|part| part.iter()).map(|&(name, buffer)| (name, buffer.clone())).collect()
        };
        let before = |now: usize| [("before", &rows[now])];
        let after = |now: usize| [("after", &rows[1 - now])];
        let others = [("ground", &arrays.ground), ("arrival", &arrays.arrival)];
        let step = per_list(Shader::Step, &|now, l| {
            owned(&[&before(now), &after(now), &beside, &others, &of_cells, &of_vents, &list(l), &stamp, &notes])
        })?;
        let rates = per_list(Shader::Rates, &|now, l| owned(&[&before(now), &beside, &list(l)[..1], &notes]))?;
        let hear = per_list(Shader::Hear, &|now, l| owned(&[&before(now), &beside, &list(l), &stamp]))?;
        let refresh = per_list(Shader::Refresh, &|now, l| {
            let new = &lists[1 - l];
            let named = [("blocks", &lists[l].blocks), ("entered", &new.blocks), ("size", &new.size)];
            owned(&[&before(now), &after(now), &beside, &of_vents[..1], &named, &stamp])
        })?;
        let groups = kernel(Shader::Groups)?;
        let groups_bound =
            [0, 1].map(|l| groups.bind(gpu, &[list(l).as_slice(), &[("arguments", &arguments.buffer)]].concat()));
        let depth = kernel(Shader::Depths)?;
        let depth_bound =
            [0, 1].map(|now| depth.bind(gpu, &[("before", &rows[now]), ("vent_cells", &cells), ("depths", &depths)]));
        let measure = kernel(Shader::Measure)?;
        let measured = measure.bind(
            gpu,
            &[("fluid", &arrays.fluid), ("solid", &arrays.solid), beside[0], beside[1], ("sums", &arrays.sums)],
        );
        let halos = [0, 1].map(|now| halo.bind(gpu, &rows[now]));
        Ok(Self {
            gpu: gpu.clone(),
            parameters: *parameters,
            own: part.own as u32,
            interior: part.interior as u32,
            vent_cells: count as u32,
            vents: vents.vents,
            emissions,
            depths,
            groups: (groups, groups_bound),
            step,
            rates,
            refresh,
            hear,
            depth: (depth, depth_bound),
            measure: (measure, measured),
            found: gpu.staging("rates and depths", 4 * (1 + u64::from(vents.vents)))?,
            finding: None,
            halo,
            halos,
            list: 0,
            generation: 1,
            arrays,
        })
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Number of own cells.
    pub fn cells(&self) -> u32 {
        self.own
    }

    /// Finds what neighbours see of each cell, by a step of no length, and lists the blocks in which something may flow.
    fn settle(&mut self, step: u64, time: f64) -> Result<()> {
        let now = (step % 2) as usize;
        let gpu = self.gpu.clone();
        let mut recorder = Recorder::new(&gpu);
        self.record_groups(&mut recorder);
        let words = self.span((0.0, time), NONE);
        let Self { step, arrays, .. } = &*self;
        recorder.dispatch_indirect(&step.kernel, &step.bound[1 - now][self.list], &arrays.arguments, 0, &words);
        recorder.copy(&arrays.rows[now], &arrays.rows[1 - now], arrays.rows[now].bytes());
        self.record_refresh(&mut recorder, now);
        recorder.submit();
        self.gpu.wait()
    }

    /// Immediate data of a step of `dt` s that ends at `time` s, whose emissions begin at `first`.
    fn span(&self, (dt, time): (f64, f64), first: u32) -> [u32; 6] {
        let numbers = [dt, dt / self.parameters.dx, time].map(|x| (x as f32).to_bits());
        [self.own, self.generation, numbers[0], numbers[1], numbers[2], first]
    }

    /// Records that the next kernels have workgroups for the blocks of the list.
    fn record_groups(&self, recorder: &mut Recorder) {
        recorder.dispatch(&self.groups.0, &self.groups.1[self.list], 1, &[1]);
    }

    /// Records a new list, from cells after a number of steps of parity `now`.
    fn record_refresh(&mut self, recorder: &mut Recorder, now: usize) {
        let new = &self.arrays.lists[1 - self.list];
        recorder.clear(&new.size);
        recorder.clear(&new.blocks);
        self.generation += 1;
        let words = [self.own, self.generation];
        let Self { refresh, arrays, list, .. } = &*self;
        recorder.dispatch_indirect(&refresh.kernel, &refresh.bound[now][*list], &arrays.arguments, 0, &words);
        self.list = 1 - self.list;
        self.record_groups(recorder);
    }

    /// Records that halos get the rows of parity `now`, and that cells beside lava there are listed. Collective among neighbours.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn record_exchange<'g>(&self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, now: usize) -> Result<()> {
        self.halo.record(comm, recorder, &self.halos[now])?;
        self.record_hear(recorder, now);
        Ok(())
    }

    fn record_hear(&self, recorder: &mut Recorder, now: usize) {
        let interface = self.own - self.interior;
        let words = [interface, self.own, self.generation, self.interior];
        recorder.dispatch(&self.hear.kernel, &self.hear.bound[now][self.list], interface, &words);
    }

    /// What comes out of each vent in each step of a batch, as words of thickness and heat.
    pub fn set_emissions(&self, emissions: &[[u32; 4]]) {
        self.gpu.write(&self.emissions, 0, emissions.as_flattened());
    }

    /// Records time step `step`, number `place` of its batch, of `dt` s until `time` s. Collective among neighbours.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn record_step<'g>(
        &mut self,
        comm: &'g dyn Comm,
        recorder: &mut Recorder<'g>,
        (step, place): (u64, u64),
        (dt, time): (f64, f64),
    ) -> Result<()> {
        let now = (step % 2) as usize;
        if step.is_multiple_of(REFRESHED) {
            recorder.phase("blocks");
            self.record_refresh(recorder, now);
            self.record_hear(recorder, now);
        }
        recorder.phase("flow");
        let words = self.span((dt, time), place as u32 * self.vents);
        let Self { step: kernel, arrays, list, .. } = &*self;
        recorder.dispatch_indirect(&kernel.kernel, &kernel.bound[now][*list], &arrays.arguments, 0, &words);
        self.record_exchange(comm, recorder, 1 - now)
    }

    /// Time spent on messages so far.
    pub fn phases(&self) -> Phases {
        self.halo.phases()
    }

    /// Lets the device find what bounds the time steps after step `step`, for [`Automaton::bounds`].
    pub fn find_bounds(&mut self, step: u64) {
        let now = (step % 2) as usize;
        let gpu = self.gpu.clone();
        gpu.write(&self.arrays.notes, 0, &[0_u32]);
        gpu.write(&self.depths, 0, &vec![f32::INFINITY; self.vents.max(1) as usize]);
        let mut recorder = Recorder::new(&gpu);
        recorder.phase("rates");
        let Self { rates, arrays, list, depth, depths, found, .. } = &*self;
        recorder.dispatch_indirect(&rates.kernel, &rates.bound[now][*list], &arrays.arguments, 0, &[self.own]);
        recorder.dispatch(&depth.0, &depth.1[now], self.vent_cells, &[self.vent_cells]);
        recorder.copy_out(&arrays.notes, 0, (found, 0), 4);
        if self.vents > 0 {
            recorder.copy_out(depths, 0, (found, 4), 4 * u64::from(self.vents));
        }
        self.finding = Some(recorder.submit());
    }

    /// What [`Automaton::find_bounds`] found. Waits for the device.
    ///
    /// # Errors
    /// When the device is lost.
    ///
    /// # Panics
    /// When the device was not told to find them, which is a bug of the program.
    pub fn bounds(&mut self) -> Result<Bounds> {
        let ticket = self.finding.take().expect("bounds are found before they are read");
        let mut numbers: Vec<f64> = self.gpu.read(&self.found, &ticket, |bytes| {
            let words = bytes.as_chunks::<4>().0.iter();
            words.map(|&word| f64::from(f32::from_le_bytes(word))).collect()
        })?;
        let depths = numbers.split_off(1);
        let step = if numbers[0] > 0.0 { 1.0 / numbers[0] } else { f64::INFINITY };
        Ok(Bounds { step, depths })
    }

    /// Looks at all own cells.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn look(&self) -> Result<Found> {
        let strides = self.own.min(STRIDES);
        let mut recorder = Recorder::new(&self.gpu);
        recorder.phase("sums");
        recorder.dispatch(&self.measure.0, &self.measure.1, strides, &[strides, self.own]);
        recorder.submit();
        let words: Vec<u32> = self.gpu.download(&self.arrays.sums, 0, SUMS * strides as usize)?;
        let notes: Vec<u32> = self.gpu.download(&self.arrays.notes, 0, 2)?;
        self.gpu.write(&self.arrays.notes, 1, &[0_u32]);
        let mut found = Found { limited: u64::from(notes[1]), ..Found::default() };
        for row in words.chunks_exact(SUMS) {
            for (k, sum) in found.sums.iter_mut().enumerate() {
                *sum += u128::from(crate::amount::of_words(&row[2 * k..]));
            }
            found.fluid_cells += u64::from(row[8]);
            found.cells += u64::from(row[9]);
            found.at_edge += u64::from(row[10]);
            found.thickest = found.thickest.max(f64::from(f32::from_bits(row[11])));
        }
        Ok(found)
    }

    /// The state of own cells.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn state(&self) -> Result<State> {
        let own = self.own as usize;
        let fluid: Vec<u32> = self.gpu.download(&self.arrays.fluid, 0, 4 * own)?;
        let solid: Vec<u32> = self.gpu.download(&self.arrays.solid, 0, 4 * own)?;
        Ok(State::of_device(&fluid, &solid, self.gpu.download(&self.arrays.arrival, 0, own)?))
    }
}

fn uploaded(gpu: &Gpu, label: &str, words: &[u32]) -> Result<Buffer> {
    let buffer = gpu.buffer(label, 4 * words.len().max(1) as u64)?;
    gpu.upload(&buffer, 0, words)?;
    Ok(buffer)
}
