//! The fluid as a physics: with what is prescribed in each step, and what is told and saved of it.

use std::fmt;
use std::ops::Range;

use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};
use hematite_dump::{Bits, Field};
use hematite_engine::{Alarm, Clock, Drive, Ground, Keep, Mass, Measured, Phases, Physics, Precision};
use hematite_gpu::{Recorder, Ticket};
use hematite_units::{LatticeUnits, groups::CS2};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ledger::{Look, measured};
use crate::outlets::record::{self, OutletRecord};
use crate::scene::{self, Scene};
use crate::{
    Extremes, Fluid, LARGEST_DEVIATION, LARGEST_SPEED, MASS_QUANTUM, Moment, Monitor, Outlets, Plan, Row, WALLS,
    WallMethod, alarms, worst,
};

/// Above this share of a limit of the method, the node with the largest speed or density deviation is recorded.
const SUSPECT: f64 = 0.25;
/// It is recorded again when it has grown by this factor.
const WORSE: f64 = 1.2;

/// The lattice Boltzmann fluid of a run.
pub struct LatticeBoltzmann {
    /// Its state on this rank's device.
    pub(crate) fluid: Fluid,
    /// The outlets whose pressure follows from the flow.
    pub(crate) outlets: Outlets,
    scene: Scene,
    /// What the last look at the whole state found.
    look: Look,
    /// What nobody has asked for yet.
    alarms: Vec<(u64, Alarm)>,
    /// The largest speed that was found last, m/s.
    speed: Option<f64>,
}

/// What a saved state has of the fluid beside the numbers at nodes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Note {
    /// How populations are stored.
    pub precision: String,
    /// Where walls stop the fluid.
    pub walls: String,
    /// What a lattice unit of the state is.
    pub scale: Scale,
    /// The outlets whose pressure follows from the flow.
    pub outlets: Vec<OutletRecord>,
    /// Whether nodes inside cells are marked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_marks: Option<bool>,
}

impl Note {
    /// What the fluid is called.
    pub const NAME: &str = "lattice_boltzmann";
    /// The array of the marks of nodes inside cells.
    pub const MARKS: &str = "inside";

    pub fn of(plan: &Plan, outlets: &Outlets, has_marks: bool) -> Self {
        Self {
            precision: plan.precision().name().to_owned(),
            walls: plan.wall_method().name().to_owned(),
            scale: Scale { time_step_s: plan.units.dt, density_kg_per_m3: plan.units.rho0, tau: plan.tau },
            outlets: record::records(outlets),
            has_marks: Some(has_marks),
        }
    }

    /// The array of the populations of direction `i`.
    pub fn population(i: usize) -> String {
        format!("f{i}")
    }

    /// The array of what came in at an opening's nodes.
    pub fn opening(k: usize) -> String {
        format!("opening-{k}")
    }
}

/// What the lattice units of a state are, with the lattice spacing of the case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scale {
    /// Time step, s.
    pub time_step_s: f64,
    /// Density of the fluid at rest, kg/m3.
    pub density_kg_per_m3: f64,
    /// Relaxation time of the symmetric rate, lattice units.
    pub tau: f64,
}

impl Scale {
    /// Whether both are the same but for the rounding of text.
    pub fn is(&self, other: &Self) -> bool {
        let numbers = |of: &Self| [of.time_step_s, of.density_kg_per_m3, of.tau];
        numbers(self).iter().zip(numbers(other)).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs())
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { time_step_s, density_kg_per_m3, tau } = self;
        write!(f, "time step {time_step_s:e} s, density {density_kg_per_m3} kg/m3, tau {tau}")
    }
}

impl LatticeBoltzmann {
    /// A fluid in its scene, with outlets at the start of the run.
    pub(crate) fn new(fluid: Fluid, scene: Scene) -> Self {
        let outlets = scene.plan.outlets();
        Self { fluid, outlets, scene, look: Look::default(), alarms: Vec::new(), speed: None }
    }

    fn driven(&mut self) -> Driven<'_, impl Fn(u64) -> Row> {
        Driven { fluid: &mut self.fluid, outlets: Some(&mut self.outlets), row: |t| self.scene.plan.row(t) }
    }

    /// Takes down where the fluid is worst, where it is nearer to the limits of the method than before: when it holds no numbers any
    /// more, nothing tells where that began. Collective.
    fn suspect(&mut self, comm: &dyn Comm, ground: &Ground, extremes: &Extremes) -> Result<()> {
        let badness = (extremes.speed / LARGEST_SPEED).max(extremes.deviation / LARGEST_DEVIATION);
        let known = self.scene.memory.borrow().suspect.map_or(SUSPECT, |worst| WORSE * worst.badness);
        if badness > known {
            let found = worst::locate(comm, &self.scene, ground, &mut self.fluid)?;
            self.scene.memory.borrow_mut().suspect = Some(found).filter(|it| it.badness.is_finite());
        }
        Ok(())
    }

    /// Warns of speed and density after `step` steps, lattice units.
    fn heed(&mut self, step: u64, speed: f64, deviation: f64) {
        self.speed = Some(speed * self.scene.plan.units.velocity());
        let alarms = alarms::of_speed(&self.scene, step, speed).into_iter();
        self.alarms.extend(alarms.chain(alarms::of_density(&self.scene, step, deviation)).map(|alarm| (step, alarm)));
    }

    /// The mass inside, and what has come in through each entry since the start. Collective.
    fn mass(&self, comm: &dyn Comm) -> Result<scene::Mass> {
        let (plan, look) = (&self.scene.plan, &self.look);
        let sums = |ledger: Vec<Vec<i64>>| ledger.iter().map(|nodes| nodes.iter().sum()).collect::<Vec<i64>>();
        let mut exact = agree(comm, self.fluid.ledger().map(sums))?;
        if plan.wall_method() == WallMethod::Interpolated {
            exact.push(agree(comm, self.fluid.wall_ledger())?.iter().sum());
        }
        comm.sum(&mut exact)?;
        let mut came_in: Vec<f64> = exact.iter().map(|&count| count as f64 * MASS_QUANTUM).collect();
        if plan.wall_method() == WallMethod::Immersed {
            // Mass that left the nodes beyond the walls counts as inflow.
            let Monitor { coarse_mass, fine_mass, .. } = look.beyond_walls;
            let walls = Monitor { coarse_mass: -coarse_mass, fine_mass: -fine_mass, ..Monitor::default() };
            came_in.push(walls.mass_deviation());
        }
        let unit = plan.units.mass();
        Ok(scene::Mass {
            step: look.step,
            inside: (self.scene.header.nodes as f64 + look.fluid.mass_deviation()) * unit,
            through: came_in.iter().map(|mass| mass * unit).collect(),
        })
    }
}

impl Physics for LatticeBoltzmann {
    fn name(&self) -> &'static str {
        Note::NAME
    }

    fn start(&mut self, comm: &dyn Comm) -> Result<()> {
        let row = self.scene.plan.row(self.fluid.step());
        self.fluid.hold(comm, &row)
    }

    fn until_look(&self, step: u64) -> u64 {
        self.outlets.until_measured(step)
    }

    fn begin(&mut self, comm: &dyn Comm, steps: Range<u64>, clock: &Clock) -> Result<()> {
        self.driven().begin(comm, steps, clock)
    }

    fn step<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        self.driven().step(comm, recorder, step)
    }

    fn complete<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        self.driven().complete(comm, recorder, step)
    }

    fn end<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>) -> Result<()> {
        self.driven().end(comm, recorder)
    }

    fn take_in(&mut self, comm: &dyn Comm, ticket: Option<&Ticket>) -> Result<()> {
        self.driven().take_in(comm, ticket)
    }

    fn look(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        self.driven().look(comm, step)
    }

    /// Members may have come and gone.
    fn settle(&mut self, _: &dyn Comm, _: u64) -> Result<()> {
        self.fluid.settle();
        Ok(())
    }

    /// Each node holds its own populations after even steps only.
    fn whole_every(&self) -> u64 {
        2
    }

    fn save(&self, ground: &Ground, keep: &mut dyn Keep) -> Result<()> {
        let (fluid, precision) = (&self.fluid, self.scene.plan.precision());
        for i in 0..ground.header.set.q() {
            keep.own(&Note::population(i), bits(precision, &fluid.populations(i)?))?;
        }
        for (k, came_in) in fluid.ledger()?.into_iter().enumerate() {
            keep.some(&Note::opening(k), ground.opening_ids(k), came_in)?;
        }
        if self.scene.plan.wall_method() == WallMethod::Interpolated {
            let ids = fluid.wall_nodes().iter().map(|&node| ground.part.id[node as usize]).collect();
            keep.some(WALLS, ids, fluid.wall_ledger()?)?;
        }
        match fluid.marks()? {
            Some(marks) => keep.own(Note::MARKS, Bits::U32(marks)),
            None => Ok(()),
        }
    }

    fn note(&self) -> Value {
        json!(Note::of(&self.scene.plan, &self.outlets, self.fluid.has_marks()))
    }

    fn field(&mut self, field: Field, take: &mut dyn FnMut(usize, &[f64]) -> Result<()>) -> Result<()> {
        let known = si(field, &self.scene.plan.units);
        let (moment, [zero, one]) = known.ok_or_else(|| Fault::usage(format!("no fluid has \"{}\"", field.name())))?;
        let row = self.scene.plan.row(self.fluid.step());
        self.fluid.moment(moment, &row, |first, mut numbers| {
            numbers.iter_mut().for_each(|x| *x = zero + one * *x);
            take(first, &numbers)
        })
    }

    fn watch(&mut self, comm: &dyn Comm, ground: &Ground) -> Result<()> {
        let checks = self.fluid.take_checks();
        if let Some(last) = checks.last() {
            self.suspect(comm, ground, last)?;
        }
        checks.iter().for_each(|check| self.heed(check.step, check.speed, check.deviation));
        Ok(())
    }

    fn inspect(&mut self, comm: &dyn Comm, ground: &Ground) -> Result<()> {
        let look = Look::at(comm, &self.scene, ground, &mut self.fluid)?;
        if let Some(fault) = look.fault() {
            return Err(fault);
        }
        self.suspect(comm, ground, &look.extremes())?;
        self.heed(look.step, look.fluid.speed, look.fluid.deviation);
        self.look = look;
        Ok(())
    }

    fn measure_after(&mut self, step: u64) {
        self.fluid.weigh_after(step);
    }

    fn measure(&mut self, comm: &dyn Comm, done: f64) -> Result<Measured> {
        let look = std::mem::take(&mut self.look);
        self.look = look.for_ledger(comm, &self.scene, &mut self.fluid, &self.outlets)?;
        let (scene, look, step) = (&self.scene, &self.look, self.look.step);
        let mass = self.mass(comm)?;
        let mut alarms = alarms::of_openings(scene, look);
        alarms.extend(alarms::of_walls(scene, &mass, done));
        scene.memory.borrow_mut().late.note(&mass, done);
        if done == 1.0 {
            alarms.extend(alarms::of_second_half(scene, &scene.memory.borrow().late, &mass));
        }
        let units = &scene.plan.units;
        let measured = Measured {
            mass: Some(Mass { inside: mass.inside, through: mass.through }),
            values: measured(scene, look).into_iter().map(|(_, value)| value).collect(),
            log: vec![
                ("mass_kg", json!(mass.inside)),
                ("speed_max_m_per_s", json!(look.fluid.speed * units.velocity())),
                ("density_deviation_kg_per_m3", json!(look.fluid.deviation * units.rho0)),
            ],
        };
        self.alarms.extend(alarms.into_iter().map(|alarm| (step, alarm)));
        Ok(measured)
    }

    fn take_alarms(&mut self) -> Vec<(u64, Alarm)> {
        std::mem::take(&mut self.alarms)
    }

    fn speed(&self) -> Option<f64> {
        self.speed
    }

    fn explain(
        &mut self,
        comm: &dyn Comm,
        ground: &Ground,
        near: &mut dyn FnMut([i32; 3]) -> Result<Option<String>>,
    ) -> Result<Option<String>> {
        let look = Look::at(comm, &self.scene, ground, &mut self.fluid)?;
        if look.fault().is_none() {
            return Ok(None);
        }
        let suspect = self.scene.memory.borrow().suspect;
        worst::explain(comm, &self.scene, ground, &mut self.fluid, suspect, near).map(Some)
    }

    fn bytes_per_step(&self) -> f64 {
        self.fluid.bytes_per_update() * self.fluid.own() as f64
    }

    fn phases(&self) -> Phases {
        self.fluid.phases()
    }
}

/// The moment of a field, and what zero and one of its lattice units are in SI; none of other fields.
fn si(field: Field, units: &LatticeUnits) -> Option<(Moment, [f64; 2])> {
    match field {
        Field::DENSITY => Some((Moment::Density, [units.rho0, units.rho0])),
        Field::PRESSURE => Some((Moment::Density, [0.0, CS2 * units.stress()])),
        Field::VELOCITY => Some((Moment::Velocity, [0.0, units.velocity()])),
        Field::SHEAR_STRESS => Some((Moment::Stress, [0.0, units.stress()])),
        _ => None,
    }
}

fn bits(precision: Precision, raw: &[u8]) -> Bits {
    match precision {
        Precision::F16 => Bits::F16(bytemuck::pod_collect_to_vec(raw)),
        Precision::F32 => Bits::F32(bytemuck::pod_collect_to_vec(raw)),
        Precision::F64 => Bits::F64(bytemuck::pod_collect_to_vec(raw)),
    }
}

impl Fluid {
    /// Does `steps` time steps of the fluid alone. `row(t)` gives what is prescribed in step `t` (the force at its beginning); it is also
    /// asked for the step after the last. Every [`CHECK_EVERY`](super::CHECK_EVERY) steps the state is checked, see
    /// [`Fluid::take_checks`].
    ///
    /// # Errors
    /// A numerical failure where the state is beyond the method (see [`Extremes`]), found up to two batches later;
    /// when the device or a rank is lost.
    pub fn advance(&mut self, comm: &dyn Comm, steps: u64, row: impl Fn(u64) -> Row) -> Result<()> {
        self.advance_with(comm, &mut [], steps, row)
    }

    /// The same with others in the fluid, in their order.
    ///
    /// # Errors
    /// Those of [`Fluid::advance`], and those of the others.
    pub fn advance_with(
        &mut self,
        comm: &dyn Comm,
        others: &mut [&mut dyn Physics],
        steps: u64,
        row: impl Fn(u64) -> Row,
    ) -> Result<()> {
        Driven { fluid: self, outlets: None, row }.advance(comm, others, steps)
    }

    /// The same as [`Fluid::advance`], where the pressures of `outlets` follow the flow.
    ///
    /// # Errors
    /// Those of [`Fluid::advance`]; a numerical failure where a pressure is beyond the method.
    pub fn advance_with_outlets(
        &mut self,
        comm: &dyn Comm,
        outlets: &mut Outlets,
        steps: u64,
        row: impl Fn(u64) -> Row,
    ) -> Result<()> {
        Driven { fluid: self, outlets: Some(outlets), row }.advance(comm, &mut [], steps)
    }
}

/// A fluid with what is prescribed in each step, `row(t)`, and outlets whose pressure follows from the flow.
pub(crate) struct Driven<'f, F> {
    pub fluid: &'f mut Fluid,
    pub outlets: Option<&'f mut Outlets>,
    pub row: F,
}

impl<F: Fn(u64) -> Row> Driven<'_, F> {
    /// Does `steps` time steps, with `others` in the fluid.
    pub fn advance(mut self, comm: &dyn Comm, others: &mut [&mut dyn Physics], steps: u64) -> Result<()> {
        let (mut drive, mut step) = (Drive::new(self.fluid.gpu()), self.fluid.step());
        let mut physics: Vec<&mut dyn Physics> = vec![&mut self];
        for other in others {
            physics.push(&mut **other);
        }
        drive.advance(comm, &mut physics, &mut step, steps, &Clock::new(1.0))?;
        drive.finish(comm, &mut physics)
    }
}

impl<F: Fn(u64) -> Row> Physics for Driven<'_, F> {
    fn name(&self) -> &'static str {
        Note::NAME
    }

    fn until_look(&self, step: u64) -> u64 {
        self.outlets.as_ref().map_or(u64::MAX, |outlets| outlets.until_measured(step))
    }

    fn begin(&mut self, comm: &dyn Comm, steps: Range<u64>, _: &Clock) -> Result<()> {
        let outlets = self.outlets.as_deref();
        let (row, first) = (&self.row, steps.start);
        self.fluid.begin(comm, steps, &|t| match outlets {
            Some(outlets) => outlets.fill(first, t, row(t)),
            None => row(t),
        })
    }

    fn step<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, _: u64) -> Result<()> {
        self.fluid.record(comm, recorder)
    }

    fn complete<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, _: u64) -> Result<()> {
        self.fluid.complete(comm, recorder)
    }

    fn end<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>) -> Result<()> {
        self.fluid.end(comm, recorder)
    }

    fn take_in(&mut self, comm: &dyn Comm, ticket: Option<&Ticket>) -> Result<()> {
        self.fluid.take_in(comm, ticket)
    }

    fn look(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        match &mut self.outlets {
            Some(outlets) if outlets.until_measured(step) == outlets.every() => outlets.measure(comm, self.fluid),
            _ => Ok(()),
        }
    }
}
