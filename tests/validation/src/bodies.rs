//! Rigid ellipsoids in a fluid on one device, or in empty space, driven in lattice units.

use hematite_case::{Lattice, Part, Partition, VelocitySet};
use hematite_comm::Solo;
use hematite_config::Result;
use hematite_engine::sites::{Coordinate, SiteMap};
use hematite_engine::{FORCE_SCALE, Physics, Precision};
use hematite_gpu::Recorder;
use physics_bodies::gay_berne::{GayBerne, Shape};
use physics_bodies::rotation::axes_of;
use physics_bodies::{Kind, Parameters, RigidBodies, State, Surroundings, friction, region};
use physics_lattice_boltzmann as lattice_boltzmann;
use physics_lattice_boltzmann::equilibrium::State as FluidState;
use physics_lattice_boltzmann::{Immersed, Moment, Prescribed, Row, Walls};

use crate::cells::Basin;
use crate::{Context, Flow, FluidNumbers, Inside, domain};

/// Steps that are submitted together.
const BATCH: u64 = 16;

/// Half widths of a body's region over its semi-axes.
pub const REGION: f64 = 2.0;

/// Contact of bodies that do not meet.
pub const APART: GayBerne = GayBerne { epsilon: 1e-3, sigma: 0.4, gamma: 1.0, mu: 0, upsilon: 0, largest: 0.2 };

/// Rigid bodies in a fluid.
pub struct Raft {
    /// The fluid.
    pub flow: Flow,
    bodies: RigidBodies,
    inside: Inside,
}

/// An ellipsoid as heavy as the fluid, with Stokes' friction and Jeffery's torque.
///
/// # Errors
/// A usage fault where its region is too narrow.
pub fn ellipsoid(axes: [f64; 3], numbers: &FluidNumbers) -> Result<Kind> {
    let (eta, half_widths) = (numbers.nu(), region::half_widths(axes, REGION));
    let region = region::lattice_mobility(half_widths, eta, numbers.magic);
    Ok(Kind {
        name: "ellipsoid".into(),
        shape: Shape::new(axes),
        half_widths,
        gamma_t: friction::coupling(friction::translational(axes, eta), region.translation)?,
        gamma_r: friction::coupling(friction::rotational(axes, eta), region.rotation)?,
        mass: friction::mass(axes, 1.0),
        inertia: friction::inertia(axes, 1.0),
        lambda: friction::jeffery(axes),
        force: [0.0; 3],
        torque: [0.0; 3],
        seeded: 0,
    })
}

/// A body at rest in the coordinates of [`Flow::centre`].
pub fn at_rest(inside: &Inside, id: u32, kind: u32, at: [f64; 3], orientation: [f64; 4]) -> State {
    let padding = inside.padding();
    State::at_rest(id, kind, [0, 1, 2].map(|a| Coordinate::of(at[a] - 0.5 + padding[a] as f64)), orientation)
}

/// The quaternion of a turn by `angle` about `axis`, a unit vector.
pub fn turn(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let (sin, cos) = (0.5 * angle).sin_cos();
    [cos, sin * axis[0], sin * axis[1], sin * axis[2]]
}

/// A vector of space in the body's frame.
pub fn seen_by(orientation: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    axes_of(orientation).map(|axis| (0..3).map(|a| axis[a] * v[a]).sum())
}

impl Raft {
    /// Puts bodies into `basin`, whose fluid has the velocity that it has without them; `force` is a body force.
    ///
    /// # Errors
    /// Usage faults where the engine cannot hold the bodies; where the device lacks room.
    pub fn new(
        context: &Context,
        basin: &Basin,
        numbers: &FluidNumbers,
        kinds: Vec<Kind>,
        bodies: Vec<State>,
        force: [f64; 3],
    ) -> Result<Self> {
        let (inside, made) = (basin.inside, basin.domain());
        let lattice = Lattice::build(&made)?;
        let part = Part::of(&lattice, &Partition::make(&lattice, 1)?, 0)?;
        let openings = part.openings.len();
        let walls = [-basin.wall_speed, basin.wall_speed];
        let moving = |speed, nodes| Prescribed::Wall(vec![[speed, 0.0, 0.0]; nodes]);
        let parameters = lattice_boltzmann::Parameters {
            set: VelocitySet::D3Q19,
            precision: numbers.precision,
            omega_plus: 1.0 / numbers.tau,
            omega_minus: 1.0 / (0.5 + numbers.magic / (numbers.tau - 0.5)),
            force: force != [0.0; 3],
            immersed: Some(Immersed::default()),
            walls: Walls::HalfWay,
            openings: walls.iter().zip(&part.openings).map(|(&u, nodes)| moving(u, nodes.len())).collect(),
        };
        let own = part.position[..part.own].to_vec();
        let row = move |_| Row { force, openings: vec![1.0; openings] };
        let mut flow = Flow::of_part(context, inside, part, &parameters, row)?;
        flow.start(|at| FluidState { drho: 0.0, u: [basin.speed(at), 0.0, 0.0] })?;
        let parameters = Parameters {
            precision: numbers.precision,
            in_fluid: true,
            sharing: None,
            kinds,
            pairs: APART,
            wall: None,
            surface: None,
            extent: made.extent,
            periodic: made.periodic,
            spacing: 1.0,
            origin: [0.0; 3],
        };
        let gpu = context.gpu(numbers.precision);
        let mut builder = SiteMap::builder(3, &own, parameters.map_margin(), made.extent, made.periodic);
        builder.add_fluid(&own);
        let around = Surroundings { map: builder.build(gpu)?, own, wall_distance: None, gates: Vec::new() };
        let bodies = RigidBodies::new(gpu, &Solo, parameters, Some(flow.shared()), around, 0, bodies)?;
        Ok(Self { flow, bodies, inside })
    }

    /// Does `steps` time steps.
    ///
    /// # Errors
    /// When the device is lost or a body breaks.
    pub fn advance(&mut self, steps: u64) -> Result<()> {
        self.flow.advance_with(&mut self.bodies, steps)?;
        self.bodies.check_sound(&Solo)
    }

    /// The bodies, ascending.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn states(&self) -> Result<Vec<State>> {
        self.bodies.states()
    }

    /// The kind of a body.
    pub fn kind(&self, state: &State) -> &Kind {
        &self.bodies.parameters().kinds[state.kind as usize]
    }

    /// Where a body is, in the coordinates of [`Flow::centre`].
    pub fn place(&self, state: &State) -> [f64; 3] {
        let padding = self.inside.padding();
        [0, 1, 2].map(|a| state.position[a].value() + 0.5 - padding[a] as f64)
    }

    /// Of each node, the force that bodies left for the next step.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn answers(&self, context: &Context) -> Result<Vec<[f64; 3]>> {
        let shared = self.flow.shared();
        let gpu = context.gpu(self.bodies.parameters().precision);
        let forces = shared.node_forces.read(gpu, shared.stride as usize)?;
        let nodes = self.flow.centre.len();
        Ok(forces.into_iter().take(nodes).map(|force| force.map(|f| f64::from(f) / FORCE_SCALE)).collect())
    }

    /// Momentum of the fluid, of the bodies, and what is yet to be handed over: half a kick.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn momentum(&mut self, context: &Context) -> Result<[f64; 3]> {
        let velocity = self.flow.moment(Moment::Velocity)?;
        let mut sum = [0.0; 3];
        for u in velocity.chunks(3) {
            (0..3).for_each(|a| sum[a] += u[a]);
        }
        for force in self.answers(context)? {
            (0..3).for_each(|a| sum[a] += 0.5 * force[a]);
        }
        for state in self.states()? {
            let mass = self.kind(&state).mass;
            (0..3).for_each(|a| sum[a] += mass * state.velocity[a]);
        }
        Ok(sum)
    }
}

/// Rigid bodies in an empty box that wraps.
pub struct Gas {
    bodies: RigidBodies,
    step: u64,
}

impl Gas {
    /// Bodies in a box of `side`.
    ///
    /// # Errors
    /// Usage faults where the engine cannot hold the bodies; where the device lacks room.
    pub fn new(
        context: &Context,
        precision: Precision,
        side: usize,
        kind: Kind,
        pairs: GayBerne,
        bodies: Vec<State>,
    ) -> Result<Self> {
        let inside = Inside { extent: [side; 3], periodic: [true; 3] };
        let made = domain(inside, &[], |_| hematite_geometry::Site::FLUID);
        let lattice = Lattice::build(&made)?;
        let own = lattice.position.clone();
        let parameters = Parameters {
            precision,
            in_fluid: false,
            sharing: None,
            kinds: vec![kind],
            pairs,
            wall: None,
            surface: None,
            extent: made.extent,
            periodic: made.periodic,
            spacing: 1.0,
            origin: [0.0; 3],
        };
        let gpu = context.gpu(precision);
        let mut builder = SiteMap::builder(3, &own, parameters.map_margin(), made.extent, made.periodic);
        builder.add_fluid(&own);
        let around = Surroundings { map: builder.build(gpu)?, own, wall_distance: None, gates: Vec::new() };
        Ok(Self { bodies: RigidBodies::new(gpu, &Solo, parameters, None, around, 0, bodies)?, step: 0 })
    }

    /// Does `steps` time steps.
    ///
    /// # Errors
    /// When the device is lost or a body breaks.
    pub fn advance(&mut self, context: &Context, steps: u64) -> Result<()> {
        let gpu = context.gpu(self.bodies.parameters().precision);
        let last = self.step + steps;
        while self.step < last {
            let mut recorder = Recorder::new(gpu);
            for _ in 0..BATCH.min(last - self.step) {
                self.bodies.step(&Solo, &mut recorder, self.step)?;
                self.step += 1;
            }
            gpu.wait_for(&recorder.submit())?;
        }
        self.bodies.check_sound(&Solo)
    }

    /// The bodies, ascending.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn states(&self) -> Result<Vec<State>> {
        self.bodies.states()
    }
}
