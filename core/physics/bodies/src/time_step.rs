//! The time step of rigid bodies.
//!
//! After each step of the fluid, which leaves its velocities at the nodes: bodies move, their regions gather what the
//! fluid does there, contacts are found, forces kick momenta, and the reactions go to the nodes for the fluid's next
//! step. Before bodies move, where some may have gone too far, tiles, owners, ghosts and lists of neighbours are found
//! anew; no result depends on when that is. Velocities and spins stand half a step after positions (leapfrog),
//! orientations turn by the free rotation in between.

use std::ops::Range;

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::Physics;
use hematite_engine::particles::Pending;
use hematite_gpu::{Buffer, Recorder};

use super::parameters::{LEAVE, LOOK, LOOK_WITH_FEEDERS};
use super::rigid_bodies::RigidBodies;
use super::shaders::{ABREAST, Shader};

/// What a ghost of a body must know when it is made.
const CARRIED: [&str; 7] = ["position", "id", "gone", "kind", "orientation", "velocity", "spin"];

/// What owners tell ghosts each step: what bodies answer the fluid, and how they move on.
const TOLD: [&str; 3] = ["answer", "velocity", "spin"];

/// What ghosts tell owners each step: what the fluid does in the part of their region that is the ghost's rank's.
const SUMMED: [&str; 1] = ["sums"];

/// The share of own bodies that spread together with ghosts is one in this many.
const LAST_TO_SPREAD: u32 = 8;

/// How a kernel works on bodies.
#[derive(Clone, Copy)]
struct Work {
    /// Invocations for each body.
    lanes: u32,
    step: u64,
    /// The share of a step that forces act.
    kick: f32,
}

const PLAIN: Work = Work { lanes: 1, step: 0, kick: 1.0 };

impl RigidBodies {
    /// What kernels bind.
    fn table(&self) -> Vec<(&str, &Buffer)> {
        let mut table = self.particles.table();
        table.extend(self.meeting.iter().map(|meeting| ("push", meeting.push())));
        if let Some(shared) = &self.shared {
            table.push(("node_velocity", &shared.node_velocity));
            table.extend(shared.node_forces.table());
        }
        table.extend([
            ("kinds", &self.kinds),
            ("wall_distance", &self.wall_distance),
            ("broken", &self.broken),
            ("speeds", self.lists.speeds()),
            ("gates", &self.gates),
        ]);
        table
    }

    /// Makes the kernels, or binds them anew.
    ///
    /// # Errors
    /// When the device has no room or refuses a kernel.
    pub(super) fn bind(&mut self) -> Result<()> {
        if let Some(meeting) = &mut self.meeting {
            meeting.hold(self.particles.properties().stride)?;
        }
        let wide = self.shared.as_ref().is_some_and(|shared| shared.node_forces.wide);
        let mut kernels = Vec::new();
        for shader in Shader::of(&self.parameters) {
            let kernel = match self.kernels.iter().find(|(of, ..)| *of == shader) {
                Some((_, kernel, _)) => kernel.clone(),
                None => shader.kernel(&self.gpu, &self.parameters, wide)?,
            };
            let bound = kernel.bind(&self.gpu, &self.table());
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

    /// Runs a kernel on some of the bodies that the rank holds.
    fn record(&self, recorder: &mut Recorder, shader: Shader, bodies: Range<u32>, Work { lanes, step, kick }: Work) {
        if let Some((_, kernel, bound)) = self.kernels.iter().find(|(of, ..)| *of == shader) {
            let count = lanes * bodies.len() as u32;
            let nodes = self.shared.as_ref().map_or(0, |shared| shared.stride);
            let stride = self.particles.properties().stride;
            let [a, b, c, d, e, f] = self.particles.map().words();
            let words = [count, bodies.start, stride, nodes, step as u32, kick.to_bits(), a, b, c, d, e, f];
            recorder.dispatch(kernel, bound, count, &words);
        }
    }

    /// What the fluid does at own nodes in the regions of all bodies, ghosts included.
    fn record_gather(&self, recorder: &mut Recorder) {
        if self.shared.is_some() {
            recorder.phase("gather");
            let lanes = self.parameters.lanes();
            if lanes > 1 {
                let properties = self.particles.properties();
                ["sums", "reached"].iter().for_each(|name| recorder.clear(properties.get(name)));
            }
            self.record(recorder, Shader::Gather, 0..self.particles.held(), Work { lanes, ..PLAIN });
        }
    }

    /// What bodies do to each other, and walls to them.
    fn record_contact(&self, recorder: &mut Recorder) {
        recorder.phase("contact");
        self.pairs.record(recorder, &self.particles);
        self.record(recorder, Shader::Walls, 0..self.own(), PLAIN);
    }

    /// What soft surfaces and bodies do to each other after `step` steps.
    fn record_meeting(&mut self, recorder: &mut Recorder, step: u64) -> Result<()> {
        match &mut self.meeting {
            Some(meeting) => meeting.record(recorder, &self.particles, &self.kinds, step),
            None => Ok(()),
        }
    }

    /// Drag, and momenta kicked by all forces after `step` steps.
    fn record_kick(&self, recorder: &mut Recorder, step: u64, kick: f32) {
        recorder.phase("motion");
        self.record(recorder, Shader::Kick, 0..self.own(), Work { step, kick, ..PLAIN });
    }

    /// Makes the forces on nodes zero, to which bodies then add what they answer.
    fn record_clear(&self, recorder: &mut Recorder) {
        if let Some(shared) = &self.shared {
            recorder.phase("spread");
            recorder.clear(&shared.node_forces.words);
        }
    }

    /// Reactions of `bodies`.
    fn record_spread(&self, recorder: &mut Recorder, bodies: Range<u32>) {
        if self.shared.is_some() {
            recorder.phase("spread");
            let lanes = ABREAST * self.parameters.lanes();
            self.record(recorder, Shader::Spread, bodies, Work { lanes, ..PLAIN });
        }
    }

    /// Which bodies leave through openings: from here on they are as good as not there. Ghosts leave with them.
    fn record_leave(&self, recorder: &mut Recorder, step: u64) {
        if !self.passage.gates.is_empty() && step.is_multiple_of(LEAVE) {
            self.record(recorder, Shader::Leave, 0..self.particles.held(), PLAIN);
        }
    }

    /// The step after `step` steps.
    fn record_drift(&mut self, recorder: &mut Recorder, step: u64) {
        recorder.phase("motion");
        self.record(recorder, Shader::Drift, 0..self.particles.held(), PLAIN);
        self.lists.record_look(recorder, step + 1);
    }

    /// Forces and kick after `step` steps. Returns the message that tells ghosts what they answer. The sums of ghosts
    /// travel while contacts are found and forces on nodes become zero.
    fn kick<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64, kick: f32) -> Result<Pending> {
        self.record_gather(recorder);
        let sums = self.shared.as_ref().map(|_| self.particles.add_to_owners(recorder, &SUMMED)).transpose()?;
        self.record_contact(recorder);
        self.record_meeting(recorder, step)?;
        self.record_clear(recorder);
        if let Some(sums) = sums {
            self.particles.receive(comm, recorder, sums)?;
        }
        self.record_kick(recorder, step, kick);
        self.particles.update_ghosts(recorder, &TOLD)
    }

    /// Reactions to the fluid. Most own bodies spread theirs while ghosts are `told`; the others follow with the ghosts,
    /// which are too few to keep a device busy.
    fn answer<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, told: Pending) -> Result<()> {
        let (own, held) = (self.own(), self.particles.held());
        let first = if held > own { own - own / LAST_TO_SPREAD } else { own };
        self.record_spread(recorder, 0..first);
        self.particles.receive(comm, recorder, told)?;
        self.record_spread(recorder, first..held);
        Ok(())
    }

    /// Leaves at the nodes what bodies answer, and nothing else: as they are, after what `recorder` holds. Collective.
    fn answer_again<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>) -> Result<()> {
        // Finds which bodies reach own nodes.
        self.record_gather(recorder);
        self.record_clear(recorder);
        let told = self.particles.update_ghosts(recorder, &TOLD)?;
        self.answer(comm, recorder, told)
    }

    /// Begins after `step` steps; where these are none, half a kick puts the momenta ahead of positions. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost, or has no room.
    pub(super) fn start(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        let gpu = self.gpu.clone();
        let mut recorder = Recorder::new(&gpu);
        self.rebuild(comm, &mut recorder, step)?;
        if let Some(meeting) = &mut self.meeting {
            recorder.flush()?;
            meeting.begin(comm, &self.particles, step)?;
        }
        if step == 0 {
            let told = self.kick(comm, &mut recorder, step, 0.5)?;
            self.answer(comm, &mut recorder, told)?;
        } else {
            self.answer_again(comm, &mut recorder)?;
        }
        recorder.flush()?;
        gpu.wait()
    }

    /// Finds tiles, owners, ghosts and lists of neighbours anew after `step` steps. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost, or has no room.
    pub(super) fn rebuild<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        self.particles.rebuild(comm, recorder, &CARRIED)?;
        self.rebuilt(recorder, step)?;
        if self.particles.enlarged() == self.enlarged { Ok(()) } else { self.bind() }
    }

    /// Bodies stand in another order: what was listed by their places does not hold any more.
    fn rebuilt(&mut self, recorder: &mut Recorder, step: u64) -> Result<()> {
        if let Some(meeting) = &mut self.meeting {
            meeting.sorted(&self.particles);
        }
        self.lists.begin(recorder, step)
    }

    /// The same as [`RigidBodies::rebuild`], without the host where this rank is the only one.
    fn rebuild_in_step<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        if !self.alone {
            return self.rebuild(comm, recorder, step);
        }
        self.particles.record_rebuild(recorder);
        self.rebuilt(recorder, step)
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

    /// Steps between two looks.
    fn look_every(&self) -> u64 {
        if self.passage.feeds() { LOOK_WITH_FEEDERS } else { LOOK }
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
        if self.lists.outlived(comm, recorder, step)? {
            self.rebuild_in_step(comm, recorder, step)?;
        }
        self.record_drift(recorder, step);
        let step = step + 1;
        self.record_leave(recorder, step);
        let told = self.kick(comm, recorder, step, 1.0)?;
        self.answer(comm, recorder, told)
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
