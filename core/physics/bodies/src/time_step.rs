//! The rigid bodies of one rank and their time step.
//!
//! After each step of the fluid, which leaves its velocities at the nodes: bodies move, their regions gather what the fluid does
//! there, contacts are found, forces kick momenta, and the reactions go to the nodes for the fluid's next step. Before bodies move, where some may
//! have gone too far, tiles, owners, ghosts and lists of neighbours are found anew; no result depends on when that is. Velocities and
//! spins stand half a step after positions (leapfrog), orientations turn by the free rotation in between.

use hematite_comm::{Comm, Solo};
use hematite_config::Result;
use hematite_engine::particles::{Declaration, Element, GONE, ID, KernelMessage, POSITION, Pairs, Particles, Pending};
use hematite_engine::passage::{Numbering, Tally};
use hematite_engine::sites::{Coordinate, SiteMap};
use hematite_engine::{Physics, SharedNodes};
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, Recorder, WORKGROUP};

use super::lists::Lists;
use super::meeting::Meeting;
use super::parameters::{LEAVE, LOOK, LOOK_WITH_FEEDERS, Parameters};
use super::passage::Passage;
use super::shaders::{ABREAST, BY_ITSELF, CLEARED, LANES_OF_GHOST, MESSAGE, SUMS, Shader, contact};
use super::{Gate, Kind, State, surface};

/// What a run keeps of a body: the properties that carry its state from step to step.
const DECLARED: [Declaration; 16] = [
    POSITION,
    ID,
    GONE,
    Declaration::kept("kind", Element::Word, 1),
    Declaration::kept("damage", Element::Word, 1),
    Declaration::kept("orientation", Element::Real, 4),
    Declaration::kept("velocity", Element::Real, 3),
    Declaration::kept("spin", Element::Real, 3),
    Declaration::kept("force", Element::Real, 3),
    Declaration::kept("torque", Element::Real, 3),
    Declaration::passing("contact", Element::Integer, 6),
    Declaration::passing("sums", Element::Integer, SUMS),
    Declaration::passing("reached", Element::Word, 1),
    Declaration::kept("answer", Element::Real, 9),
    Declaration::kept("seen", Element::Real, 6),
    Declaration::kept("drag", Element::Real, 6),
];

/// What a ghost of a body must know when it is made.
const CARRIED: [&str; 7] = ["position", "id", "gone", "kind", "orientation", "velocity", "spin"];

/// What its owner tells it each step: what it answers the fluid, and how it moves on.
const TOLD: [&str; 3] = ["answer", "velocity", "spin"];

/// What a kernel works on.
#[derive(Clone, Copy)]
struct Work {
    /// Invocations.
    count: u32,
    /// The first of the own bodies, or of those that may have ghosts.
    first: u32,
    /// Ghosts, or own bodies that may have ghosts.
    ghosts: u32,
    step: u64,
    /// The share of a step that forces act.
    kick: f32,
}

impl Work {
    /// `count` invocations, one for each of the bodies held or as the kernel has it.
    fn of(count: u32) -> Self {
        Self { count, first: 0, ghosts: 0, step: 0, kick: 1.0 }
    }
}

/// The messages of a kernel.
#[derive(Clone, Copy, Default)]
struct KernelMessages<'l> {
    coming: Option<&'l KernelMessage>,
    going: Option<&'l KernelMessage>,
}

impl<'l> KernelMessages<'l> {
    /// The one whose number the kernel is told: one that goes after it has the next.
    fn any(self) -> Option<&'l KernelMessage> {
        self.coming.or(self.going)
    }
}

/// What is around a rank's own nodes.
pub struct Surroundings {
    /// Positions of own nodes.
    pub own: Vec<[i32; 3]>,
    /// Where sites are on the device.
    pub map: SiteMap,
    /// Distance of each site from the wall; none where there are no walls.
    pub wall_distance: Option<Vec<f32>>,
    /// Openings through which bodies go.
    pub gates: Vec<Gate>,
}

/// The rigid bodies of one rank.
pub struct RigidBodies {
    pub(super) gpu: Gpu,
    alone: bool,
    pub(super) parameters: Parameters,
    pub(super) particles: Particles,
    /// What bodies do to each other.
    pairs: Pairs,
    lists: Lists,
    /// What soft surfaces and bodies do to each other, where there are any.
    pub(super) meeting: Option<Meeting>,
    pub(super) shared: Option<SharedNodes>,
    kinds: Buffer,
    wall_distance: Buffer,
    pub(super) broken: Buffer,
    gates: Buffer,
    left: Vec<u64>,
    pub(super) passage: Passage,
    kernels: Vec<(Shader, Kernel, Bound)>,
    /// Stands in for messages where there are none: what is read, and what is written.
    nothing: [Buffer; 2],
    enlarged: u32,
}

impl RigidBodies {
    /// Puts bodies into the fluid, or into empty space where there is none: of all `bodies` those in this rank's tiles. `step` is
    /// the number of steps done; where it is 0 the bodies' momenta get half a kick, which puts them ahead of positions.
    /// Collective.
    ///
    /// # Errors
    /// When the device lacks room or is lost, or a rank is.
    pub fn new(
        gpu: &Gpu,
        comm: &dyn Comm,
        parameters: Parameters,
        shared: Option<SharedNodes>,
        surroundings: Surroundings,
        step: u64,
        bodies: impl IntoIterator<Item = State>,
    ) -> Result<Self> {
        parameters.check()?;
        let precision = parameters.precision;
        let setting = parameters.setting();
        let words = bodies.into_iter().map(|body| body.words(precision));
        let particles = Particles::new(gpu, comm, setting, surroundings.map, &surroundings.own, &DECLARED, words)?;
        let pairs = Pairs::new(gpu, &particles, &contact(&parameters))?;
        let pressure = |kind: &Kind| parameters.surface.map_or(0.0, |contact| surface::pressure(&contact, kind));
        let words_of = |kind: &Kind| kind.words(&parameters.pairs, pressure(kind));
        let numbers: Vec<f64> = parameters.kinds.iter().flat_map(words_of).collect();
        let numbers = precision.pack_real(&numbers);
        let kinds = gpu.buffer("kinds of bodies", numbers.len() as u64)?;
        gpu.upload(&kinds, 0, &numbers)?;
        let distances = surroundings.wall_distance.unwrap_or_else(|| vec![0.0]);
        let wall_distance = gpu.buffer("distances from walls", 4 * distances.len() as u64)?;
        gpu.upload(&wall_distance, 0, &distances)?;
        let passage =
            Passage::new(surroundings.gates, &parameters.kinds.iter().map(|kind| kind.seeded).collect::<Vec<_>>());
        let numbers: Vec<f64> = passage.gates.iter().flat_map(|gate| gate.words(&parameters)).collect();
        let gates = gpu.buffer("openings for bodies", (numbers.len().max(1) * precision.real_bytes()) as u64)?;
        gpu.upload(&gates, 0, &precision.pack_real(&numbers))?;
        let touched = shared.as_ref().and_then(|shared| shared.surface.clone());
        let meeting = match parameters.surface.as_ref().zip(touched) {
            Some((contact, surface)) => Some(Meeting::new(gpu, &parameters, contact, surface, &particles)?),
            None => None,
        };
        let mut bodies = Self {
            meeting,
            gates,
            left: vec![0; parameters.kinds.len()],
            passage,
            gpu: gpu.clone(),
            alone: comm.size() == 1,
            enlarged: 0,
            kernels: Vec::new(),
            nothing: [gpu.buffer("no message", 16)?, gpu.buffer("no message", 16)?],
            broken: gpu.buffer("whether a body broke", 4)?,
            lists: Lists::new(gpu, parameters.skin())?,
            parameters,
            particles,
            pairs,
            shared,
            kinds,
            wall_distance,
        };
        let mut recorder = Recorder::new(gpu);
        bodies.bind()?;
        bodies.rebuild(comm, &mut recorder, step)?;
        if let Some(meeting) = &mut bodies.meeting {
            recorder.flush()?;
            meeting.begin(comm, &bodies.particles, step)?;
        }
        if step == 0 {
            let told = bodies.kick(comm, &mut recorder, step, 0.5)?;
            bodies.answer(comm, &mut recorder, told)?;
        } else {
            bodies.answer_again(comm, &mut recorder)?;
        }
        recorder.flush()?;
        gpu.wait()?;
        Ok(bodies)
    }

    /// Gives bodies that come in these numbers, in place of those after the run's own.
    pub fn number_from(&mut self, numbering: Numbering) {
        self.passage.numbering = numbering;
    }

    /// What the run fixes.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Bodies of this rank's own.
    pub fn own(&self) -> u32 {
        self.particles.own()
    }

    /// The own bodies, ascending by number.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn states(&self) -> Result<Vec<State>> {
        let own = self.own() as usize;
        let words = |name: &str| self.particles.words(name);
        let reals = |name: &str| -> Result<Vec<f64>> {
            Ok(self.parameters.precision.unpack_real(bytemuck::cast_slice(&words(name)?)))
        };
        let (id, kind, position) = (words("id")?, words("kind")?, words("position")?);
        let [orientation, velocity, spin, force, torque, answer, seen, drag] =
            ["orientation", "velocity", "spin", "force", "torque", "answer", "seen", "drag"].map(reals);
        let (orientation, velocity, spin) = (orientation?, velocity?, spin?);
        let (force, torque, answer, seen, drag) = (force?, torque?, answer?, seen?, drag?);
        let vector = |of: &[f64], i: usize| [0, 1, 2].map(|a| of[a * own + i]);
        let gone = words(GONE.name)?;
        let state = |i: usize| State {
            id: id[i],
            kind: kind[i],
            position: [0, 1, 2].map(|a| {
                let at = 2 * (a * own + i);
                Coordinate { site: position[at] as i32, fraction: position[at + 1] }
            }),
            orientation: [0, 1, 2, 3].map(|a| orientation[a * own + i]),
            velocity: vector(&velocity, i),
            spin: vector(&spin, i),
            force: vector(&force, i),
            torque: vector(&torque, i),
            answer: std::array::from_fn(|a| answer[a * own + i]),
            seen: std::array::from_fn(|a| seen[a * own + i]),
            drag: std::array::from_fn(|a| drag[a * own + i]),
        };
        let mut states: Vec<State> = (0..own).filter(|&i| gone[i] == 0).map(state).collect();
        states.sort_by_key(|state| state.id);
        Ok(states)
    }

    /// Counts the bodies that left, by population.
    fn count_gone(&mut self) -> Result<()> {
        for gone in self.particles.take_gone()? {
            if let Some(left) = self.left.get_mut((gone - 1) as usize) {
                *left += 1;
            }
        }
        Ok(())
    }

    /// How many bodies of each population there are and were, on all ranks. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn tally(&self, comm: &dyn Comm) -> Result<Vec<Tally>> {
        let kinds = self.parameters.kinds.len();
        let mut counts = vec![0_i64; 2 * kinds];
        let (kind, gone) = (self.particles.words("kind")?, self.particles.words(GONE.name)?);
        for (&kind, &gone) in kind.iter().zip(&gone) {
            counts[2 * kind as usize + usize::from(gone != 0)] += 1;
        }
        // Those that were dropped since the last look, and those of earlier looks.
        for &gone in self.particles.dropped() {
            counts[2 * (gone as usize - 1) + 1] += 1;
        }
        for (k, &left) in self.left.iter().enumerate() {
            counts[2 * k + 1] += left as i64;
        }
        comm.sum(&mut counts)?;
        let tally = |((kind, count), &inserted): ((&Kind, &[i64]), &u64)| Tally {
            seeded: kind.seeded,
            inserted,
            inside: count[0] as u64,
            left: count[1] as u64,
        };
        Ok(self.parameters.kinds.iter().zip(counts.chunks(2)).zip(&self.passage.inserted).map(tally).collect())
    }

    /// Puts back how many bodies of each population left before a restart, on one rank.
    pub fn restore_left(&mut self, left: &[u64]) {
        self.left.copy_from_slice(left);
    }

    /// Steps between two looks.
    fn look_every(&self) -> u64 {
        if self.passage.feeds() { LOOK_WITH_FEEDERS } else { LOOK }
    }

    /// What kernels bind, but messages.
    fn table(&self) -> Vec<(&str, &Buffer)> {
        let mut table = self.particles.table();
        let [empty, forces] = &self.nothing;
        let (velocity, force) = match &self.shared {
            Some(shared) => (&shared.node_velocity, &shared.node_force),
            None => (empty, forces),
        };
        table.extend(self.meeting.iter().map(|meeting| ("push", meeting.push())));
        table.extend([
            ("kinds", &self.kinds),
            ("wall_distance", &self.wall_distance),
            ("broken", &self.broken),
            ("speeds", self.lists.speeds()),
            ("gates", &self.gates),
            ("node_velocity", velocity),
            ("node_force", force),
            ("words", force),
        ]);
        table
    }

    /// What kernels bind, with a message that comes and one that goes.
    fn table_with<'b>(&'b self, messages: KernelMessages<'b>) -> Vec<(&'b str, &'b Buffer)> {
        let mut table = self.table();
        let [read, written] = &self.nothing;
        let buffer = |message: Option<&'b KernelMessage>, none: &'b Buffer| message.map_or(none, |it| &it.buffer);
        table.extend([("coming", buffer(messages.coming, read)), ("going", buffer(messages.going, written))]);
        match messages.any().and_then(|message| message.signals.as_ref()) {
            Some(signals) => table.extend(signals.buffers()),
            None => table.extend(["arrived", "sent", "answered"].map(|name| (name, written))),
        }
        table
    }

    /// Makes the kernels, or binds them anew.
    fn bind(&mut self) -> Result<()> {
        if let Some(meeting) = &mut self.meeting {
            meeting.hold(self.particles.properties().stride)?;
        }
        let mut kernels = Vec::new();
        for shader in Shader::of(&self.parameters) {
            let kernel = match self.kernels.iter().find(|(of, ..)| *of == shader) {
                Some((_, kernel, _)) => kernel.clone(),
                None => shader.kernel(&self.gpu, &self.parameters)?,
            };
            let bound = kernel.bind(&self.gpu, &self.table_with(KernelMessages::default()));
            kernels.push((shader, kernel, bound));
        }
        self.kernels = kernels;
        let (properties, kinds) = (self.particles.properties(), &self.kinds);
        let of = |name| properties.get(name);
        let law =
            [("orientation", of("orientation")), ("kind", of("kind")), ("kinds", kinds), ("actions", of("contact"))];
        self.pairs.bind(&self.particles, &law);
        self.enlarged = self.particles.enlarged();
        Ok(())
    }

    /// Binds the kernels anew where the arrays were made anew.
    fn bind_enlarged(&mut self) -> Result<()> {
        if self.particles.enlarged() == self.enlarged { Ok(()) } else { self.bind() }
    }

    /// Runs a kernel on own bodies and ghosts, where there is no message.
    fn record_quiet(&self, recorder: &mut Recorder, shader: Shader, work: Work) {
        if let Some((_, kernel, bound)) = self.kernels.iter().find(|(of, ..)| *of == shader) {
            recorder.dispatch(kernel, bound, work.count, &self.words(work, None));
        }
    }

    /// The same with `messages`.
    fn record_with(&self, recorder: &mut Recorder, shader: Shader, messages: KernelMessages, work: Work) {
        if let Some((_, kernel, _)) = self.kernels.iter().find(|(of, ..)| *of == shader) {
            let bound = kernel.bind(&self.gpu, &self.table_with(messages));
            recorder.dispatch(kernel, &bound, work.count, &self.words(work, messages.any()));
        }
    }

    fn words(&self, Work { count, first, ghosts, step, kick }: Work, message: Option<&KernelMessage>) -> [u32; 16] {
        let nodes = self.shared.as_ref().map_or(0, |shared| shared.stride);
        let [a, b, c, d, e, f] = self.particles.map().words();
        let (stride, own) = (self.particles.properties().stride, self.own());
        let round = message.map_or(0, |message| message.round);
        let message = message.map_or(0, |message| if message.signals.is_some() { BY_ITSELF } else { MESSAGE });
        [count, first, stride, nodes, step as u32, kick.to_bits(), own, ghosts, message, round, a, b, c, d, e, f]
    }

    /// What the fluid does in the regions of own bodies, while forces on nodes become zero.
    fn record_gather(&self, recorder: &mut Recorder) {
        if self.shared.is_some() {
            recorder.phase("gather");
            self.record_quiet(recorder, Shader::Gather, Work::of(self.items_of_own()));
        }
    }

    /// What the fluid does in the regions of ghosts, into `message`, and where the kernel sends it by itself, so that it is off before that is done,
    /// also in those of own bodies, and makes forces on nodes zero.
    fn record_gather_for_owners(&self, recorder: &mut Recorder, message: &KernelMessage) {
        recorder.phase("gather");
        let ghosts = self.ghosts();
        let (first, items) = if message.signals.is_some() { (0, self.items_of_own()) } else { (self.own(), 0) };
        let groups = ghosts.div_ceil(WORKGROUP).max(1);
        let work = Work { first, ghosts, ..Work::of(groups * WORKGROUP + items) };
        self.record_with(recorder, Shader::Gather, KernelMessages { going: Some(message), coming: None }, work);
    }

    /// Invocations for own bodies, or for the forces on nodes that these make zero.
    fn items_of_own(&self) -> u32 {
        let fours = self.shared.as_ref().map_or(0, |shared| shared.node_force.bytes().div_ceil(16));
        self.own().max((fours as u32).div_ceil(CLEARED)).next_multiple_of(WORKGROUP)
    }

    fn ghosts(&self) -> u32 {
        self.particles.held() - self.own()
    }

    /// What bodies do to each other, and walls to them.
    fn record_contact(&self, recorder: &mut Recorder) {
        recorder.phase("contact");
        self.pairs.record(recorder, &self.particles);
        self.record_quiet(recorder, Shader::Walls, Work::of(self.own()));
    }

    fn record_kick(&self, recorder: &mut Recorder, step: u64, kick: f32) {
        recorder.phase("motion");
        self.record_quiet(recorder, Shader::Kick, Work { step, kick, ..Work::of(self.own()) });
    }

    /// The same, where ghosts' sums come and ghosts are told.
    fn record_kick_with(&self, recorder: &mut Recorder, messages: KernelMessages, step: u64, kick: f32) {
        recorder.phase("motion");
        let ghosts = self.particles.frontier();
        let groups = ghosts.div_ceil(WORKGROUP).max(1);
        let first = self.own() - ghosts;
        let work = Work { first, ghosts, step, kick, ..Work::of(groups * WORKGROUP + first) };
        self.record_with(recorder, Shader::Kick, messages, work);
    }

    /// Reactions of own bodies from `first` on and of `ghosts`.
    fn record_spread(&self, recorder: &mut Recorder, (first, ghosts): (u32, u32), message: Option<&KernelMessage>) {
        if self.shared.is_none() {
            return;
        }
        recorder.phase("spread");
        let groups = ((self.own() - first) * ABREAST).div_ceil(WORKGROUP);
        // One invocation at least awaits a message about none.
        let of_ghosts = (ghosts * LANES_OF_GHOST).max(u32::from(message.is_some()));
        let work = Work { first, ghosts, ..Work::of(groups * WORKGROUP + of_ghosts) };
        match message {
            Some(message) => {
                self.record_with(recorder, Shader::Spread, KernelMessages { coming: Some(message), going: None }, work);
            }
            None => self.record_quiet(recorder, Shader::Spread, work),
        }
    }

    /// Which bodies leave through openings: from here on they are as good as not there. Ghosts leave with them.
    fn record_leave(&self, recorder: &mut Recorder, step: u64) {
        if !self.passage.gates.is_empty() && step.is_multiple_of(LEAVE) {
            self.record_quiet(recorder, Shader::Leave, Work { step, ..Work::of(self.particles.held()) });
        }
    }

    /// The step after `step` steps.
    fn record_drift(&mut self, recorder: &mut Recorder, step: u64) {
        recorder.phase("motion");
        self.record_quiet(recorder, Shader::Drift, Work { step, ..Work::of(self.particles.held()) });
        self.lists.record_look(recorder, step + 1);
    }

    /// Finds tiles, owners, ghosts and lists of neighbours anew after `step` steps. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost, or has no room.
    pub(super) fn rebuild<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        self.particles.rebuild(comm, recorder, &CARRIED)?;
        self.sorted();
        self.lists.begin(recorder, step)?;
        self.bind_enlarged()
    }

    /// Bodies stand in another order: what was listed by their places does not hold any more.
    fn sorted(&mut self) {
        if let Some(meeting) = &mut self.meeting {
            meeting.sorted(&self.particles);
        }
    }

    /// Where lists of neighbours are too short, or soon would be, longer ones after `step` steps. Collective.
    fn make_room(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        if let Some(meeting) = &mut self.meeting {
            meeting.make_room(comm)?;
        }
        if !self.particles.make_room(comm)? {
            return Ok(());
        }
        let gpu = self.gpu.clone();
        let mut recorder = Recorder::new(&gpu);
        self.rebuild(comm, &mut recorder, step)?;
        recorder.flush()?;
        Ok(())
    }

    /// Forces and kick after `step` steps, where other ranks hold ghosts, after what `recorder` holds: gives the message that tells these what they
    /// answer. Gathering for ghosts comes first, so that their sums travel while the own ones are made and contacts are found.
    fn kick<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64, kick: f32) -> Result<Pending> {
        let sums = self.gather(recorder)?;
        self.record_contact(recorder);
        self.record_meeting(recorder, step)?;
        let coming = sums.map(|sums| self.particles.receive_in_kernel(comm, recorder, &sums)).transpose()?.flatten();
        let going = coming.as_ref().map(|_| self.kernel_message()).transpose()?.flatten();
        if going.is_none() {
            self.record_kick(recorder, step, kick);
            return self.particles.update_ghosts(recorder, &TOLD);
        }
        let messages = KernelMessages { coming: coming.as_ref(), going: going.as_ref() };
        self.record_kick_with(recorder, messages, step, kick);
        let words = self.particles.words_of(&TOLD);
        Ok(self.particles.send_to_ghosts(recorder, words))
    }

    /// Where a kernel puts a message between owners and ghosts, of which the one to ghosts may be the longer.
    fn kernel_message(&mut self) -> Result<Option<KernelMessage>> {
        let words = self.particles.words_of(&TOLD).max(SUMS);
        self.particles.kernel_message(words)
    }

    /// What the fluid does in all regions; gives the message about those of ghosts, where there are any.
    fn gather(&mut self, recorder: &mut Recorder) -> Result<Option<Pending>> {
        let message = if self.shared.is_some() { self.kernel_message()? } else { None };
        let Some(message) = message else {
            self.record_gather(recorder);
            return Ok(None);
        };
        self.record_gather_for_owners(recorder, &message);
        let sums = self.particles.send_to_owners(recorder, SUMS);
        if message.signals.is_none() {
            self.record_gather(recorder);
        }
        Ok(Some(sums))
    }

    /// Reactions, where other ranks hold ghosts, which are `told` what they answer while the own ones are spread.
    fn answer<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, told: Pending) -> Result<()> {
        if self.shared.is_none() {
            return self.particles.receive(comm, recorder, told);
        }
        let by_itself = self.particles.awaited_by_kernel(&told);
        let (own, ghosts) = (self.own(), self.ghosts());
        if !by_itself {
            self.record_spread(recorder, (0, 0), None);
        }
        if let Some(message) = self.particles.receive_in_kernel(comm, recorder, &told)? {
            self.record_spread(recorder, (if by_itself { 0 } else { own }, ghosts), Some(&message));
        }
        Ok(())
    }

    /// Leaves at the nodes what bodies answer, and nothing else: as they are, after what `recorder` holds. Collective.
    fn answer_again<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>) -> Result<()> {
        let told = self.particles.update_ghosts(recorder, &TOLD)?;
        self.particles.receive(comm, recorder, told)?;
        if let Some(shared) = &self.shared {
            recorder.clear(&shared.node_force);
        }
        self.record_spread(recorder, (0, self.ghosts()), None);
        Ok(())
    }

    /// What soft surfaces and bodies do to each other after `step` steps.
    fn record_meeting(&mut self, recorder: &mut Recorder, step: u64) -> Result<()> {
        match &mut self.meeting {
            Some(meeting) => meeting.record(recorder, &self.particles, &self.kinds, step),
            None => Ok(()),
        }
    }

    /// A step of bodies that no other rank has to know.
    fn step_alone(&mut self, recorder: &mut Recorder, step: u64) -> Result<()> {
        if self.lists.outlived(&Solo, recorder, step)? {
            self.particles.record_rebuild(recorder);
            self.sorted();
            self.lists.begin(recorder, step)?;
        }
        self.record_drift(recorder, step);
        let step = step + 1;
        self.record_leave(recorder, step);
        self.record_gather(recorder);
        self.record_contact(recorder);
        self.record_meeting(recorder, step)?;
        self.record_kick(recorder, step, 1.0);
        self.record_spread(recorder, (0, 0), None);
        Ok(())
    }

    /// A step of bodies of which other ranks hold ghosts.
    fn step_with_others<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        if self.lists.outlived(comm, recorder, step)? {
            self.rebuild(comm, recorder, step)?;
        }
        self.record_drift(recorder, step);
        let step = step + 1;
        self.record_leave(recorder, step);
        let told = self.kick(comm, recorder, step, 1.0)?;
        self.answer(comm, recorder, told)
    }
}

impl Physics for RigidBodies {
    fn name(&self) -> &'static str {
        "bodies"
    }

    fn until_look(&self, step: u64) -> u64 {
        self.look_every() - step % self.look_every()
    }

    fn step<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        if self.alone { self.step_alone(recorder, step) } else { self.step_with_others(comm, recorder, step) }
    }

    fn look(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        if step.is_multiple_of(self.look_every()) {
            self.check_sound(comm)?;
            self.count_gone()?;
            self.make_room(comm, step)?;
            self.let_in(comm, step)?;
        }
        Ok(())
    }

    /// Among soft surfaces: those have changed meanwhile, or were not there before.
    fn settle(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        if self.meeting.is_none() {
            return Ok(());
        }
        let gpu = self.gpu.clone();
        let mut recorder = Recorder::new(&gpu);
        self.answer_again(comm, &mut recorder)?;
        self.record_meeting(&mut recorder, step)?;
        recorder.flush()?;
        Ok(())
    }
}
