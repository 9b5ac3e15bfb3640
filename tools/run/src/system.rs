//! All physics of a run on this rank's device.

use std::collections::BTreeMap;

use hematite_comm::Comm;
use hematite_config::{Fault, Result};
use hematite_dump::{CellCount, DumpStep, PopulationState};
use hematite_engine::passage::Tally;
use hematite_engine::{Alarm, Clock, Drive, Ground, Members, Phases, Physics, Saved, SharedNodes, longest_step};
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
}

impl System {
    /// Puts all that is planned on the device, at the start or as `saved`. Collective.
    ///
    /// # Errors
    /// A usage fault where what was saved is damaged; when the device lacks room or is lost, or a rank is.
    pub fn build(gpu: &Gpu, comm: &dyn Comm, setup: &mut Setup, saved: Option<&dyn Saved>) -> Result<Self> {
        let mut nodes: Option<SharedNodes> = None;
        let mut physics = Vec::with_capacity(setup.planned.len());
        for planned in &setup.planned {
            physics.push(planned.build(gpu, comm, &mut setup.ground, &mut nodes, saved)?);
        }
        physics.iter_mut().try_for_each(|physics| physics.start(comm))?;
        let (step, clock) = saved.map_or((0, setup.clock), |saved| (saved.header().step, saved.header().clock));
        physics.iter_mut().rev().try_for_each(|physics| physics.settle(comm, step))?;
        Ok(Self { physics, drive: Drive::new(gpu), step, clock })
    }

    /// Time steps done.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The times of steps up to the present one, and of those to come as long as their length is not renewed.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Time steps done, and the time.
    pub fn now(&self) -> DumpStep {
        self.clock.moment(self.step)
    }

    /// Renews the length of time steps where the state asks for that now: to what it allows, at most `longest` seconds. Where `longest` is
    /// none the length is fixed, and the state must allow it. Gives the steps for which that holds, none where it holds for all. Collective.
    ///
    /// # Errors
    /// A numerical failure where the state allows no step, or less than is fixed; when the device or a rank is lost.
    pub fn renew(&mut self, comm: &dyn Comm, longest: Option<f64>) -> Result<u64> {
        let periods = self.physics.iter().filter_map(|physics| physics.renews_every());
        let Some(period) = periods.min() else { return Ok(u64::MAX) };
        if self.step.is_multiple_of(period) {
            let (allowed, dt) = (longest_step(comm, &mut self.physics)?, self.clock.dt());
            match longest {
                Some(longest) => self.clock.renew(self.step, allowed.min(longest)),
                None if allowed < dt => {
                    return Err(Fault::numerical(format!(
                        "after step {} the state allows time steps of {allowed:.3e} s, those of the run have {dt:.3e} s: take a \
                         shorter one",
                        self.step
                    )));
                }
                None => {}
            }
        }
        Ok(period - self.step % period)
    }

    /// Does `steps` time steps of one length. Collective.
    ///
    /// # Errors
    /// A numerical failure where the state is beyond the method or something broke; when the device or a rank is lost.
    pub fn advance(&mut self, comm: &dyn Comm, steps: u64) -> Result<()> {
        let mut physics: Vec<&mut dyn Physics> =
            self.physics.iter_mut().map(|physics| &mut **physics as &mut dyn Physics).collect();
        // A step that failed may be dumped: it is where the loop has come.
        self.drive.advance(comm, &mut physics, &mut self.step, steps, &self.clock)
    }

    /// What has members, with its name.
    pub fn members(&self) -> impl Iterator<Item = (&'static str, &dyn Members)> {
        self.physics.iter().filter_map(|physics| Some((physics.name(), physics.members()?)))
    }

    /// The state is whole at multiples of this many steps.
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

    /// Looks at the whole state, so that nothing beyond the methods is written. Collective.
    ///
    /// # Errors
    /// A numerical failure where it is beyond; when the device or a rank is lost.
    pub fn inspect(&mut self, comm: &dyn Comm, ground: &Ground) -> Result<()> {
        self.physics.iter_mut().try_for_each(|physics| physics.inspect(comm, ground))
    }

    /// Takes in what was found since the last look. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn watch(&mut self, comm: &dyn Comm, ground: &Ground) -> Result<()> {
        self.physics.iter_mut().try_for_each(|physics| physics.watch(comm, ground))
    }

    /// What there is to warn of since this was last asked, each with its step.
    pub fn take_alarms(&mut self) -> Vec<(u64, Alarm)> {
        self.physics.iter_mut().flat_map(|physics| physics.take_alarms()).collect()
    }

    /// The largest speed when it was last looked at, m/s.
    pub fn speed(&self) -> Option<f64> {
        self.physics.iter().filter_map(|physics| physics.speed()).reduce(f64::max)
    }

    /// How many of each population of the case there are and were, on all ranks. Collective.
    ///
    /// # Errors
    /// A numerical failure where some are lost or doubled; when the device or a rank is lost.
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

    /// What each physics notes of itself beside its numbers, by its name.
    pub fn notes(&self) -> BTreeMap<String, Value> {
        self.physics.iter().map(|physics| (physics.name().to_owned(), physics.note())).collect()
    }

    /// Seconds spent so far, by phase.
    pub fn phases(&self) -> Phases {
        let messages = self.physics.iter().map(|physics| physics.phases());
        let waited = Phases { compute: self.drive.waited(), ..Phases::default() };
        messages.fold(waited, |sum, phases| sum + phases)
    }
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut larger, mut smaller) = (a, b);
    while smaller > 0 {
        (larger, smaller) = (smaller, larger % smaller);
    }
    a / larger * b
}
