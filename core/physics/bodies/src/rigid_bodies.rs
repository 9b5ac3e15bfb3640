//! The rigid bodies of one rank: what they consist of, and how many there are.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::SharedNodes;
use hematite_engine::particles::{Declaration, Element, GONE, ID, POSITION, Pairs, Particles};
use hematite_engine::passage::{Numbering, Tally};
use hematite_engine::sites::{Coordinate, SiteMap};
use hematite_gpu::{Bound, Buffer, Gpu, Kernel};

use super::lists::Lists;
use super::meeting::Meeting;
use super::parameters::Parameters;
use super::passage::Passage;
use super::shaders::{SUMS, Shader, contact};
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
    pub(super) alone: bool,
    pub(super) parameters: Parameters,
    pub(super) particles: Particles,
    /// What bodies do to each other.
    pub(super) pairs: Pairs,
    pub(super) lists: Lists,
    /// What soft surfaces and bodies do to each other, where there are any.
    pub(super) meeting: Option<Meeting>,
    pub(super) shared: Option<SharedNodes>,
    pub(super) kinds: Buffer,
    pub(super) wall_distance: Buffer,
    pub(super) broken: Buffer,
    pub(super) gates: Buffer,
    left: Vec<u64>,
    pub(super) passage: Passage,
    pub(super) kernels: Vec<(Shader, Kernel, Bound)>,
    /// How many times larger arrays of particles were made when kernels were bound.
    pub(super) enlarged: u32,
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
        mut parameters: Parameters,
        shared: Option<SharedNodes>,
        surroundings: Surroundings,
        step: u64,
        bodies: impl IntoIterator<Item = State>,
    ) -> Result<Self> {
        parameters.check()?;
        parameters.share(gpu.info().software);
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
            broken: gpu.buffer("whether a body broke", 4)?,
            lists: Lists::new(gpu, parameters.skin())?,
            parameters,
            particles,
            pairs,
            shared,
            kinds,
            wall_distance,
        };
        bodies.bind()?;
        bodies.start(comm, step)?;
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
        let [id, kind, gone, position, orientation, velocity, spin, force, torque, answer, seen, drag] =
            self.particles.words([
                "id",
                "kind",
                GONE.name,
                "position",
                "orientation",
                "velocity",
                "spin",
                "force",
                "torque",
                "answer",
                "seen",
                "drag",
            ])?;
        let [orientation, velocity, spin, force, torque, answer, seen, drag] =
            [orientation, velocity, spin, force, torque, answer, seen, drag]
                .map(|words| self.parameters.precision.unpack_real(bytemuck::cast_slice(&words)));
        let vector = |of: &[f64], i: usize| [0, 1, 2].map(|a| of[a * own + i]);
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
    pub(super) fn count_gone(&mut self) -> Result<()> {
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
        let [kind, gone] = self.particles.words(["kind", GONE.name])?;
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
}
