//! A fluid on one device, driven in lattice units.

use hematite_case::{Lattice, Part, Partition, VelocitySet};
use hematite_comm::Solo;
use hematite_config::Result;
use hematite_engine::{Physics, Precision, SharedNodes};
use hematite_geometry::Domain;
use hematite_gpu::{Gpu, Needs};
use physics_lattice_boltzmann::equilibrium::State;
use physics_lattice_boltzmann::{Fluid, Moment, Outlets, Parameters, Prescribed, Row, WallForce, WallLinks, Walls};

use crate::Inside;

/// The device in the precisions that cases ask for, and how much of them to run.
pub struct Context {
    single: Gpu,
    double: Gpu,
    /// Whether to leave out what takes long.
    pub quick: bool,
    /// Whether to run what takes very long.
    pub long: bool,
    /// How fluids without cells store populations, in place of what their cases choose.
    storage: Option<Precision>,
}

impl Context {
    /// Opens the first device twice: with and without f64.
    ///
    /// # Errors
    /// A no-GPU fault.
    pub fn open(quick: bool, long: bool) -> Result<Self> {
        Self::with_storage(quick, long, None)
    }

    /// The same, where fluids without cells store populations in `storage`, whatever their cases choose.
    ///
    /// # Errors
    /// A no-GPU fault.
    pub fn with_storage(quick: bool, long: bool, storage: Option<Precision>) -> Result<Self> {
        let single = Gpu::open(0, Needs { f16: storage == Some(Precision::F16), ..Needs::default() })?;
        let double = Gpu::open(0, Needs { f64: true, ..Needs::default() })?;
        Ok(Self { single, double, quick, long, storage })
    }

    /// The precision of a fluid without cells whose case chooses `chosen`.
    pub fn precision(&self, chosen: Precision) -> Precision {
        self.storage.unwrap_or(chosen)
    }

    /// What the device is called.
    pub fn name(&self) -> &str {
        &self.single.info().name
    }

    /// The device for a precision.
    pub fn gpu(&self, precision: Precision) -> &Gpu {
        if precision == Precision::F64 { &self.double } else { &self.single }
    }
}

/// What holds at an opening, the row's factor apart.
#[derive(Clone, Copy, Debug)]
pub enum Boundary {
    /// This velocity at all its nodes.
    Velocity([f64; 3]),
    /// A wall that moves with this velocity.
    Wall([f64; 3]),
    /// A density deviation.
    Pressure,
}

/// The fluid's numbers.
#[derive(Clone, Debug)]
pub struct FluidNumbers {
    /// Relaxation time of the even parts.
    pub tau: f64,
    /// The magic number.
    pub magic: f64,
    /// Storage and arithmetic.
    pub precision: Precision,
    /// What holds at each opening.
    pub boundaries: Vec<Boundary>,
}

impl FluidNumbers {
    /// Two relaxation times with walls exactly half-way, in f64, without openings.
    pub fn trt(tau: f64) -> Self {
        Self { tau, magic: 3.0 / 16.0, precision: Precision::F64, boundaries: Vec::new() }
    }

    /// Kinematic viscosity.
    pub fn nu(&self) -> f64 {
        (self.tau - 0.5) / 3.0
    }
}

/// A fluid and what drives it.
pub struct Flow {
    fluid: Fluid,
    row: Box<dyn Fn(u64) -> Row>,
    /// Centres of the nodes; walls of the inner box lie at 0 and at its extent.
    pub centre: Vec<[f64; 3]>,
}

impl Flow {
    /// Puts a domain on the device.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn new(
        context: &Context,
        (inside, domain): &(Inside, Domain),
        numbers: &FluidNumbers,
        row: impl Fn(u64) -> Row + 'static,
    ) -> Result<Self> {
        Self::with_walls(context, &(*inside, domain), numbers, row, |_, _| Walls::HalfWay)
    }

    /// Puts a domain on the device, its walls as `walls(lattice, part)` has them.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn with_walls(
        context: &Context,
        (inside, domain): &(Inside, &Domain),
        numbers: &FluidNumbers,
        row: impl Fn(u64) -> Row + 'static,
        walls: impl Fn(&Lattice, &Part) -> Walls,
    ) -> Result<Self> {
        let lattice = Lattice::build(domain)?;
        let part = Part::of(&lattice, &Partition::make(&lattice, 1)?, 0)?;
        let prescribed = |(boundary, nodes): (&Boundary, &Vec<_>)| match boundary {
            Boundary::Velocity(velocity) => Prescribed::Velocity(vec![*velocity; nodes.len()]),
            Boundary::Wall(velocity) => Prescribed::Wall(vec![*velocity; nodes.len()]),
            Boundary::Pressure => Prescribed::Pressure,
        };
        let parameters = Parameters {
            set: VelocitySet::of_dimension(inside.dimension()),
            precision: context.precision(numbers.precision),
            omega_plus: 1.0 / numbers.tau,
            omega_minus: 1.0 / (0.5 + numbers.magic / (numbers.tau - 0.5)),
            force: true,
            immersed: None,
            walls: walls(&lattice, &part),
            openings: numbers.boundaries.iter().zip(&part.openings).map(prescribed).collect(),
        };
        Self::of_part(context, *inside, part, &parameters, row)
    }

    /// Puts the only part of a case on the device.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn of_part(
        context: &Context,
        inside: Inside,
        mut part: Part,
        parameters: &Parameters,
        row: impl Fn(u64) -> Row + 'static,
    ) -> Result<Self> {
        let padding = inside.padding();
        let centre = |at: &[i32; 3]| [0, 1, 2].map(|axis| f64::from(at[axis]) + 0.5 - padding[axis] as f64);
        let centre = part.position[..part.own].iter().map(centre).collect();
        let fluid = Fluid::new(context.gpu(parameters.precision), &mut part, parameters)?;
        Ok(Self { fluid, row: Box::new(row), centre })
    }

    /// Starts from a velocity and density deviation at each centre; the half force that the velocity includes is
    /// taken off, so that the velocity read at step 0 is this one.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn start(&mut self, state: impl Fn([f64; 3]) -> State) -> Result<()> {
        let force = (self.row)(0).force;
        let centre = &self.centre;
        self.fluid.initialise(|n| {
            let wanted = state(centre[n]);
            State { u: [0, 1, 2].map(|axis| wanted.u[axis] - 0.5 * force[axis]), ..wanted }
        })
    }

    /// Starts from a velocity along x.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn start_along_x(&mut self, speed: impl Fn([f64; 3]) -> f64) -> Result<()> {
        self.start(|at| State { drho: 0.0, u: [speed(at), 0.0, 0.0] })
    }

    /// Time steps done.
    pub fn step(&self) -> u64 {
        self.fluid.step()
    }

    /// Does `steps` time steps.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn advance(&mut self, steps: u64) -> Result<()> {
        self.fluid.weigh_after(self.fluid.step() + steps);
        self.fluid.advance(&Solo, steps, &self.row)
    }

    /// Asks for the force on parts of the wall, whose links are given.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn weigh(&mut self, part: &Part, parts: &[WallLinks]) -> Result<()> {
        self.fluid.weigh(part, parts)
    }

    /// That force in the last step of the last [`Flow::advance`].
    ///
    /// # Errors
    /// When the device is lost.
    pub fn wall_forces(&self) -> Result<Vec<WallForce>> {
        self.fluid.wall_forces(&Solo)
    }

    /// Does `steps` time steps with bodies in the fluid.
    ///
    /// # Errors
    /// When the device is lost, and those of the bodies.
    pub fn advance_with(&mut self, others: &mut dyn Physics, steps: u64) -> Result<()> {
        self.fluid.advance_with(&Solo, &mut [others], steps, &self.row)
    }

    /// Does `steps` time steps, where the pressure of some outlets follows from the flow.
    ///
    /// # Errors
    /// When the device is lost, or a pressure is beyond the method.
    pub fn advance_with_outlets(&mut self, outlets: &mut Outlets, steps: u64) -> Result<()> {
        self.fluid.advance_with_outlets(&Solo, outlets, steps, &self.row)
    }

    /// What bodies share with the fluid.
    pub fn shared(&self) -> SharedNodes {
        self.fluid.shared()
    }

    /// A moment of all nodes.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn moment(&mut self, moment: Moment) -> Result<Vec<f64>> {
        let now = (self.row)(self.fluid.step());
        self.fluid.whole_moment(moment, &now)
    }

    /// One component of the velocity at all nodes.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn velocity(&mut self, axis: usize) -> Result<Vec<f64>> {
        Ok(self.moment(Moment::Velocity)?.into_iter().skip(axis).step_by(3).collect())
    }

    /// Mass that has come in through each opening, lattice units.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn came_in(&self) -> Result<Vec<f64>> {
        let quantum = physics_lattice_boltzmann::MASS_QUANTUM;
        Ok(self.fluid.ledger()?.into_iter().map(|nodes| nodes.into_iter().sum::<i64>() as f64 * quantum).collect())
    }

    /// From rest to a steady flow: gives the change of the velocity over the last 500 steps, over its largest value, and the mass that
    /// then comes in through the first opening in a step, lattice units.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn settle_from_rest(&mut self) -> Result<(f64, f64)> {
        self.start_along_x(|_| 0.0)?;
        self.advance(3000)?;
        let change = self.settle(500, 1e-6, 60_000)?;
        let before = self.came_in()?[0];
        self.advance(100)?;
        Ok((change, (self.came_in()?[0] - before) / 100.0))
    }

    /// Advances by `every` steps at a time until the velocity changes by less than `least` of its largest value, for at
    /// most `most` steps; gives the last change.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn settle(&mut self, every: u64, least: f64, most: u64) -> Result<f64> {
        let mut before = self.moment(Moment::Velocity)?;
        loop {
            self.advance(every)?;
            let now = self.moment(Moment::Velocity)?;
            let scale = now.iter().fold(0.0, |largest: f64, u| largest.max(u.abs()));
            let change = now.iter().zip(&before).fold(0.0, |largest: f64, (a, b)| largest.max((a - b).abs())) / scale;
            if change <= least || self.step() >= most || change.is_nan() {
                return Ok(change);
            }
            before = now;
        }
    }
}
