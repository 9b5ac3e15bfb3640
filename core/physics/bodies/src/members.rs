//! The rigid bodies of a run as a physics with members.

use hematite_case::{BODY_LOAD, Population};
use hematite_comm::Comm;
use hematite_config::Result;
use hematite_dump::{BodyFrame, BodyKind, DumpStep, MemberFrame, MemberKinds};
use hematite_engine::passage::Tally;
use hematite_engine::sites::Coordinate;
use hematite_engine::{Fed, Members, Physics, Records, Space};
use hematite_gpu::Recorder;
use hematite_units::LatticeUnits;
use serde_json::{Value, json};

use crate::{RigidBodies, State};

/// The rigid bodies of a run.
pub struct Bodies {
    bodies: RigidBodies,
    kinds: Vec<BodyKind>,
    /// Which of the case's populations they are.
    numbers: Vec<usize>,
    units: LatticeUnits,
    space: Space,
}

impl Bodies {
    /// Bodies of these `populations`, which have these `numbers` in the case.
    pub(crate) fn new(
        bodies: RigidBodies,
        populations: &[Population],
        numbers: Vec<usize>,
        units: LatticeUnits,
        space: Space,
    ) -> Self {
        let kind = |population: &Population| BodyKind {
            name: population.name.clone(),
            semi_axes: population.rigid.map_or([0.0; 3], |body| body.semi_axes),
        };
        let kinds = populations.iter().map(kind).collect();
        Self { bodies, kinds, numbers, units, space }
    }

    /// Bodies in SI, moved by whole periods so that their centres lie in the domain.
    fn in_si(&self, states: &[State], at: DumpStep) -> BodyFrame {
        let (units, kinds) = (&self.units, &self.bodies.parameters().kinds);
        let mut frame = BodyFrame { step: at.step, time: at.time, ..BodyFrame::default() };
        let single = |v: [f64; 3], unit: f64| v.map(|x| (x * unit) as f32);
        for state in states {
            let kind = &kinds[state.kind as usize];
            let centre = state.position.map(Coordinate::value);
            let image = self.space.image(centre);
            frame.id.push(u64::from(state.id));
            frame.kind.push(state.kind);
            frame.position.push(self.space.place(centre, image));
            frame.image.push(image);
            frame.orientation.push(state.orientation.map(|q| q as f32));
            frame.velocity.push(single(kind.velocity(state), units.velocity()));
            frame.angular_velocity.push(single(kind.angular_velocity(state), 1.0 / units.dt));
            frame.force.push(single(state.force, units.force()));
            frame.torque.push(single(state.torque, units.force() * units.dx));
        }
        frame
    }
}

impl Members for Bodies {
    fn populations(&self) -> &[usize] {
        &self.numbers
    }

    fn kinds(&self) -> MemberKinds {
        MemberKinds::Bodies(self.kinds.clone())
    }

    fn frame(&self, at: DumpStep) -> Result<MemberFrame> {
        Ok(MemberFrame::Bodies(self.in_si(&self.bodies.states()?, at)))
    }

    fn tally(&self, comm: &dyn Comm) -> Result<Vec<Tally>> {
        self.bodies.tally(comm)
    }

    fn check_sound(&self, comm: &dyn Comm) -> Result<()> {
        self.bodies.check_sound(comm)
    }

    fn feeders(&self) -> Vec<Fed> {
        self.bodies.feeders().map(|(opening, came, late)| Fed { opening, came, late }).collect()
    }

    fn records(&self) -> Result<Vec<Records>> {
        let states = self.bodies.states()?;
        let of_kind = |k: usize| {
            let own = || states.iter().filter(move |state| state.kind as usize == k);
            Records {
                ids: own().map(|state| u64::from(state.id)).collect(),
                width: State::RECORD,
                words: own().flat_map(State::record).collect(),
            }
        };
        Ok((0..self.numbers.len()).map(of_kind).collect())
    }

    fn points(&self, _: usize, words: &[i64]) -> Vec<[f64; 3]> {
        let state = State::from_record(0, 0, words);
        state.map(|state| state.position.map(Coordinate::value)).into_iter().collect()
    }

    fn load(&self) -> u32 {
        BODY_LOAD
    }

    fn vertices(&self) -> u64 {
        0
    }
}

impl Physics for Bodies {
    fn name(&self) -> &'static str {
        self.bodies.name()
    }

    fn until_look(&self, step: u64) -> u64 {
        self.bodies.until_look(step)
    }

    fn step<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        self.bodies.step(comm, recorder, step)
    }

    fn settle(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        self.bodies.settle(comm, step)
    }

    fn look(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        self.bodies.look(comm, step)
    }

    fn note(&self) -> Value {
        json!(self.bodies.entered())
    }

    fn members(&self) -> Option<&dyn Members> {
        Some(self)
    }
}
