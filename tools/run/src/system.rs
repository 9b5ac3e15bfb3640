//! All physics of a run on this rank's device.

use std::collections::BTreeMap;

use hematite_comm::Comm;
use hematite_config::{Fault, Result};
use hematite_dump::{CellCount, DumpStep, PopulationState};
use hematite_engine::passage::Tally;
use hematite_engine::{Alarm, Clock, Drive, Ground, Members, Phases, Physics, Saved, SharedData};
use hematite_gpu::Gpu;
use serde_json::Value;

use crate::setup::Setup;

/// The physics of a run in the order of a time step.
pub struct System {
    /// The physics.
    pub physics: Vec<Box<dyn Physics>>,
    drive: Drive,
    step: u64,
    clock: Clock,
    /// Whether the physics find how long steps may be.
    finding: bool,
}

impl System {
    /// Makes all planned physics on the device, in their initial state or in the `saved` one. Collective.
    ///
    /// # Errors
    /// A usage fault where the saved state is damaged; when the device lacks room or is lost; when a rank is lost.
    pub fn build(gpu: &Gpu, comm: &dyn Comm, setup: &mut Setup, saved: Option<&dyn Saved>) -> Result<Self> {
        let mut shared = SharedData::default();
        let mut physics = Vec::with_capacity(setup.planned.len());
        for planned in &setup.planned {
            physics.push(planned.build(gpu, comm, &mut setup.ground, &mut shared, saved)?);
        }
        physics.iter_mut().try_for_each(|physics| physics.start(comm))?;
        let (step, clock) = saved.map_or((0, setup.clock), |saved| (saved.header().step, saved.header().clock));
        physics.iter_mut().rev().try_for_each(|physics| physics.settle(comm, step))?;
        Ok(Self { physics, drive: Drive::new(gpu), step, clock, finding: false })
    }

    /// Time steps done.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The times of steps up to now, and of later steps until their length changes.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Time steps done, and the time.
    pub fn now(&self) -> DumpStep {
        self.clock.moment(self.step)
    }

    /// Sets the length of time steps, if a change is due, to what the state at the change before allows, at most
    /// `longest` seconds. If `longest` is `None`, the length is fixed, and the state must allow it. Returns for how many
    /// steps the length holds. Collective.
    ///
    /// # Errors
    /// A numerical failure where the state allows no step, or a shorter one than the fixed step; when the device or a
    /// rank is lost.
    pub fn renew(&mut self, comm: &dyn Comm, longest: Option<f64>) -> Result<u64> {
        let Some(period) = self.renews_every() else { return Ok(u64::MAX) };
        if self.step.is_multiple_of(period) {
            // At the start, the first steps follow the state at the start.
            let allowed = match self.clock.allowed() {
                Some(allowed) => allowed,
                None => {
                    self.find_longest_step()?;
                    self.drive.longest_step(comm, &mut self.physics)?
                }
            };
            let dt = self.clock.dt();
            match longest {
                Some(longest) => self.clock.renew(self.step, allowed.min(longest)),
                None if allowed < dt => {
                    return Err(Fault::numerical(format!(
                        "at step {} the state allows time steps of {allowed:.3e} s, those of the run have {dt:.3e} s: take a \
                         shorter one",
                        self.step.saturating_sub(period)
                    )));
                }
                None => {}
            }
            self.find_longest_step()?;
            self.finding = true;
        }
        Ok(period - self.step % period)
    }

    /// Number of steps between changes of their length; `None` if it is fixed.
    fn renews_every(&self) -> Option<u64> {
        self.physics.iter().filter_map(|physics| physics.renews_every()).min()
    }

    fn find_longest_step(&mut self) -> Result<()> {
        self.physics.iter_mut().try_for_each(|physics| physics.find_longest_step())
    }

    /// Does `steps` time steps of one length. Where this length changes often, the device may still work on them
    /// afterwards: see [`System::finish`]. Collective.
    ///
    /// # Errors
    /// A numerical failure where the state is beyond the limits of the method or something broke; when the device or a
    /// rank is lost.
    pub fn advance(&mut self, comm: &dyn Comm, steps: u64) -> Result<()> {
        let mut physics = borrowed(&mut self.physics);
        // `self.step` counts with the loop, as the state of a failed step may be dumped.
        self.drive.advance(comm, &mut physics, &mut self.step, steps, &self.clock)?;
        if self.finding {
            self.finding = false;
            self.clock.allow(self.drive.longest_step(comm, &mut self.physics)?);
        }
        match self.renews_every() {
            Some(_) => Ok(()),
            None => self.finish(comm),
        }
    }

    /// Waits until the device has done all steps. Collective.
    ///
    /// # Errors
    /// As [`System::advance`].
    pub fn finish(&mut self, comm: &dyn Comm) -> Result<()> {
        self.drive.finish(comm, &mut borrowed(&mut self.physics))
    }

    /// The members of each physics that has any, with the name of the physics.
    pub fn members(&self) -> impl Iterator<Item = (&'static str, &dyn Members)> {
        self.physics.iter().filter_map(|physics| Some((physics.name(), physics.members()?)))
    }

    /// The state can be saved at multiples of this number of steps.
    pub fn whole_every(&self) -> u64 {
        self.physics.iter().map(|physics| physics.whole_every()).fold(1, least_common_multiple)
    }

    /// Refuses to go on with a broken member. Collective.
    ///
    /// # Errors
    /// A numerical failure that names it; when the device or a rank is lost.
    pub fn check_sound(&self, comm: &dyn Comm) -> Result<()> {
        self.members().try_for_each(|(_, members)| members.check_sound(comm))
    }

    /// Checks the whole state before output, so that no state beyond the limits of the methods is written. Collective.
    ///
    /// # Errors
    /// A numerical failure where the state is beyond these limits; when the device or a rank is lost.
    pub fn inspect(&mut self, comm: &dyn Comm, ground: &Ground) -> Result<()> {
        self.physics.iter_mut().try_for_each(|physics| physics.inspect(comm, ground))
    }

    /// Evaluates the checks of the device since the last call. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn watch(&mut self, comm: &dyn Comm, ground: &Ground) -> Result<()> {
        self.physics.iter_mut().try_for_each(|physics| physics.watch(comm, ground))
    }

    /// The warnings since the last call, each with its step.
    pub fn take_alarms(&mut self) -> Vec<(u64, Alarm)> {
        self.physics.iter_mut().flat_map(|physics| physics.take_alarms()).collect()
    }

    /// The largest speed at the last check, m/s.
    pub fn speed(&self) -> Option<f64> {
        self.physics.iter().filter_map(|physics| physics.speed()).reduce(f64::max)
    }

    /// Counts of the members of each population on all ranks. Collective.
    ///
    /// # Errors
    /// A numerical failure where members are lost or doubled; when the device or a rank is lost.
    pub fn counts(&self, comm: &dyn Comm, ground: &Ground) -> Result<Vec<PopulationState>> {
        let name = |population: &hematite_case::Population| population.name.clone();
        let mut counts: Vec<PopulationState> = ground
            .populations
            .iter()
            .map(|population| PopulationState { name: name(population), count: CellCount::default() })
            .collect();
        for (_, members) in self.members() {
            for (&k, tally) in members.populations().iter().zip(members.tally(comm)?) {
                let Tally { seeded, inserted, inside, left } = tally;
                let (name, count) = (&counts[k].name, CellCount { seeded, inserted, inside, left });
                if !count.balances() {
                    return Err(Fault::numerical(format!(
                        "at step {} members of population \"{name}\" are lost or doubled: {tally:?}",
                        self.step
                    )));
                }
                counts[k].count = count;
            }
        }
        Ok(counts)
    }

    /// The note of each physics, by name of the physics.
    pub fn notes(&self) -> BTreeMap<String, Value> {
        self.physics.iter().map(|physics| (physics.name().to_owned(), physics.note())).collect()
    }

    /// Time spent so far, by phase.
    pub fn phases(&self) -> Phases {
        let messages = self.physics.iter().map(|physics| physics.phases());
        let waited = Phases { compute: self.drive.waited(), ..Phases::default() };
        messages.fold(waited, |sum, phases| sum + phases)
    }
}

fn borrowed(physics: &mut [Box<dyn Physics>]) -> Vec<&mut dyn Physics> {
    physics.iter_mut().map(|physics| &mut **physics as &mut dyn Physics).collect()
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut larger, mut smaller) = (a, b);
    while smaller > 0 {
        (larger, smaller) = (smaller, larger % smaller);
    }
    a / larger * b
}
