//! Rigid bodies in small domains on any number of ranks, as threads.

use std::thread;

use hematite_case::{Lattice, Part, Partition, VelocitySet};
use hematite_comm::{Comm, threads};
use hematite_config::Result;
use hematite_engine::Precision;
use hematite_engine::sites::{Coordinate, SiteMap};
use hematite_geometry::{Domain, Report, Site};
use hematite_gpu::{Gpu, Needs};
use physics_bodies::gay_berne::{GayBerne, Shape};
use physics_bodies::wall::Wall;
use physics_bodies::{Kind, Parameters, RigidBodies, State, Surroundings};
use physics_lattice_boltzmann as lattice_boltzmann;
use physics_lattice_boltzmann::equilibrium::State as FluidState;
use physics_lattice_boltzmann::{Fluid, Immersed, Moment, Row, Walls};

/// A domain, what is in it and what drives it.
#[derive(Clone)]
pub struct Lab {
    pub extent: [usize; 3],
    pub periodic: [bool; 3],
    /// Whether a site is fluid.
    pub fluid: fn([usize; 3]) -> bool,
    pub precision: Precision,
    pub kinds: Vec<Kind>,
    pub pairs: GayBerne,
    pub wall: Option<Wall>,
    pub force: [f64; 3],
    pub bodies: Vec<State>,
    /// Velocity of the fluid at the start.
    pub flow: fn([f64; 3]) -> [f64; 3],
    /// How many invocations share a region.
    pub sharing: Option<u32>,
}

/// What a run leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// All bodies, ascending.
    pub states: Vec<State>,
    /// Velocity of each node by its global number.
    pub velocity: Vec<[f64; 3]>,
    /// Of each node, the force that bodies left for the next step.
    pub force: Vec<[f64; 3]>,
}

/// A body of these semi-axes, as heavy as the fluid, with frictions of its own.
pub fn kind(axes: [f64; 3], gamma_t: f64, gamma_r: f64) -> Kind {
    let [a, b, c] = axes;
    let mass = 4.0 / 3.0 * std::f64::consts::PI * a * b * c;
    let square = axes.map(|a| a * a);
    let inertia = [square[1] + square[2], square[2] + square[0], square[0] + square[1]].map(|s| 0.2 * mass * s);
    let ratio = |x: f64, y: f64| (x - y) / (x + y);
    Kind {
        name: "red".into(),
        shape: Shape::new(axes),
        half_widths: axes.map(|a| (2.0 * a).max(1.0)),
        gamma_t: [gamma_t; 3],
        gamma_r: [gamma_r; 3],
        mass,
        inertia,
        lambda: [ratio(square[1], square[2]), ratio(square[2], square[0]), ratio(square[0], square[1])],
        force: [0.0; 3],
        torque: [0.0; 3],
        seeded: 0,
    }
}

impl Lab {
    /// A box that wraps all around, with fluid everywhere.
    pub fn periodic(extent: [usize; 3], kinds: Vec<Kind>) -> Self {
        Self {
            extent,
            periodic: [true; 3],
            fluid: |_| true,
            precision: Precision::F32,
            kinds,
            pairs: GayBerne { epsilon: 1e-3, sigma: 0.4, gamma: 1.0, mu: 0, upsilon: 0, largest: 0.2 },
            wall: None,
            force: [0.0; 3],
            bodies: Vec::new(),
            flow: |_| [0.0; 3],
            sharing: Some(1),
        }
    }

    /// Adds a body at rest; positions have nodes at whole numbers.
    pub fn put(&mut self, kind: u32, at: [f64; 3], orientation: [f64; 4]) {
        let id = self.bodies.len() as u32;
        self.bodies.push(State::at_rest(id, kind, at.map(Coordinate::of), orientation));
    }

    /// Puts bodies on a lattice of `spacing`, turned at random, where the whole region is in the fluid.
    pub fn fill(&mut self, spacing: usize, clear: usize) {
        let mut draws = Draws(7);
        for z in (spacing / 2..self.extent[2]).step_by(spacing) {
            for y in (spacing / 2..self.extent[1]).step_by(spacing) {
                for x in (spacing / 2..self.extent[0]).step_by(spacing) {
                    let open = |k: usize, n: usize, d: usize| (n + self.extent[k] + d - clear) % self.extent[k];
                    let free = (0..(2 * clear + 1).pow(3)).all(|c| {
                        let d =
                            [c % (2 * clear + 1), c / (2 * clear + 1) % (2 * clear + 1), c / (2 * clear + 1).pow(2)];
                        (self.fluid)([open(0, x, d[0]), open(1, y, d[1]), open(2, z, d[2])])
                    });
                    if free {
                        let q = [0; 4].map(|_| draws.unit() - 0.5);
                        let norm = q.iter().map(|q| q * q).sum::<f64>().sqrt();
                        let kind = (self.bodies.len() % self.kinds.len()) as u32;
                        self.put(kind, [x, y, z].map(|x| x as f64 + 0.3 * draws.unit()), q.map(|q| q / norm));
                    }
                }
            }
        }
    }

    fn lattice(&self) -> Lattice {
        let [nx, ny, nz] = self.extent;
        let mut sites = Vec::with_capacity(nx * ny * nz);
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    sites.push(if (self.fluid)([x, y, z]) { Site::FLUID } else { Site::WALL });
                }
            }
        }
        let fluid = sites.iter().filter(|&&site| site == Site::FLUID).count();
        let domain = Domain {
            dimension: 3,
            extent: self.extent,
            spacing: 1.0,
            origin: [0.0; 3],
            periodic: self.periodic,
            sites,
            openings: Vec::new(),
            wall_parts: Vec::new(),
            surface: None,
            report: Report { fluid, ..Report::default() },
        };
        Lattice::build(&domain).expect("a lattice")
    }

    pub fn parameters(&self) -> Parameters {
        Parameters {
            precision: self.precision,
            in_fluid: true,
            sharing: self.sharing,
            kinds: self.kinds.clone(),
            pairs: self.pairs,
            wall: self.wall,
            surface: None,
            extent: self.extent,
            periodic: self.periodic,
            spacing: 1.0,
            origin: [0.0; 3],
        }
    }

    /// Does `steps` steps on so many ranks; `look` sees what each batch of `every` steps leaves on rank 0.
    pub fn run(&self, ranks: usize, steps: u64, every: u64, look: impl Fn(u64, &[State]) + Sync) -> Outcome {
        let lattice = self.lattice();
        let partition = Partition::make(&lattice, ranks).expect("a partition");
        let rank = |comm: &dyn Comm| -> Result<(Vec<u64>, Outcome)> {
            let gpu = Gpu::open(0, Needs { f64: self.precision == Precision::F64, checks: true, ..Needs::default() })?
                .shared_by_ranks()?;
            let mut part = Part::of(&lattice, &partition, comm.rank())?;
            let own = part.position[..part.own].to_vec();
            let ids: Vec<u64> = part.id[..part.own].iter().map(|id| id.0).collect();
            let fluid = lattice_boltzmann::Parameters {
                set: VelocitySet::D3Q19,
                precision: self.precision,
                omega_plus: 1.0,
                omega_minus: 1.0 / (0.5 + 3.0 / 16.0 / 0.5),
                force: true,
                immersed: Some(Immersed::default()),
                openings: Vec::new(),
                walls: Walls::HalfWay,
            };
            let mut fluid = Fluid::new(&gpu, &mut part, &fluid)?;
            fluid.initialise(|n| FluidState { drho: 0.0, u: (self.flow)(own[n].map(f64::from)) })?;
            let parameters = self.parameters();
            let mut builder = SiteMap::builder(3, &own, parameters.map_margin(), self.extent, self.periodic);
            builder.add_fluid(&lattice.position);
            let wall_distance = self.wall.map(|_| builder.distances(parameters.wall_reach(), 0.0, |_| true, |_| false));
            let around = Surroundings { map: builder.build(&gpu)?, own, wall_distance, gates: Vec::new() };
            let shared = Some(fluid.shared());
            let mut bodies = RigidBodies::new(&gpu, comm, parameters, shared, around, 0, self.bodies.iter().cloned())?;
            let row = |_| Row { force: self.force, openings: Vec::new() };
            let mut done = 0;
            while done < steps {
                let batch = every.min(steps - done);
                fluid.advance_with(comm, &mut [&mut bodies], batch, row)?;
                done += batch;
                bodies.check_sound(comm)?;
                let states = bodies.states()?;
                if comm.rank() == 0 {
                    look(done, &states);
                }
            }
            let velocity = fluid.whole_moment(Moment::Velocity, &row(steps))?;
            let shared = fluid.shared();
            let count = velocity.len() / 3;
            let forces = shared.node_forces.read(&gpu, shared.stride as usize)?;
            let quantum = 1.0 / hematite_engine::FORCE_SCALE;
            let force = forces[..count].iter().map(|force| force.map(|f| f64::from(f) * quantum)).collect();
            let velocity = velocity.chunks(3).map(|u| [u[0], u[1], u[2]]).collect();
            Ok((ids, Outcome { states: bodies.states()?, velocity, force }))
        };
        let parts: Vec<(Vec<u64>, Outcome)> = thread::scope(|scope| {
            let handles: Vec<_> = threads(ranks).into_iter().map(|comm| scope.spawn(move || rank(&comm))).collect();
            handles
                .into_iter()
                .map(|handle| handle.join().expect("no panic").unwrap_or_else(|f| panic!("{f}")))
                .collect()
        });
        let nodes = lattice.position.len();
        let mut whole = Outcome { states: Vec::new(), velocity: vec![[0.0; 3]; nodes], force: vec![[0.0; 3]; nodes] };
        for (ids, part) in parts {
            whole.states.extend(part.states);
            for (n, id) in ids.into_iter().enumerate() {
                whole.velocity[id as usize] = part.velocity[n];
                whole.force[id as usize] = part.force[n];
            }
        }
        whole.states.sort_by_key(|state| state.id);
        whole
    }
}

impl Outcome {
    /// Momentum of the fluid, of the bodies at the time of their positions, and what is yet to be handed over: half a kick.
    pub fn momentum(&self, kinds: &[Kind]) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for u in &self.velocity {
            (0..3).for_each(|a| sum[a] += u[a]);
        }
        for force in &self.force {
            (0..3).for_each(|a| sum[a] += 0.5 * force[a]);
        }
        for state in &self.states {
            let kind = &kinds[state.kind as usize];
            (0..3).for_each(|a| sum[a] += kind.mass * state.velocity[a]);
        }
        sum
    }
}

/// Small numbers without a pattern.
pub struct Draws(pub u64);

impl Draws {
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
