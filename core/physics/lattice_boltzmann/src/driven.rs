//! The fluid as a physics: with what is prescribed in each step.

use std::ops::Range;

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::{Drive, Physics};
use hematite_gpu::{Recorder, Ticket};

use super::{Fluid, Outlets, Plan, Row};

/// The lattice Boltzmann fluid of a run.
pub struct LatticeBoltzmann {
    /// Its state on this rank's device.
    pub fluid: Fluid,
    /// The outlets whose pressure follows from the flow.
    pub outlets: Outlets,
    /// What is prescribed.
    plan: Plan,
}

impl LatticeBoltzmann {
    /// A fluid under a plan, with its outlets at the start of the run.
    pub fn new(fluid: Fluid, plan: &Plan) -> Self {
        Self { fluid, outlets: plan.outlets(), plan: plan.clone() }
    }

    fn driven(&mut self) -> Driven<'_, impl Fn(u64) -> Row> {
        Driven { fluid: &mut self.fluid, outlets: Some(&mut self.outlets), row: |t| self.plan.row(t) }
    }
}

impl Physics for LatticeBoltzmann {
    fn name(&self) -> &'static str {
        "fluid"
    }

    fn until_look(&self, step: u64) -> u64 {
        self.outlets.until_measured(step)
    }

    fn begin(&mut self, comm: &dyn Comm, steps: Range<u64>) -> Result<()> {
        self.driven().begin(comm, steps)
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
        let (mut drive, first) = (Drive::new(self.fluid.gpu()), self.fluid.step());
        let mut physics: Vec<&mut dyn Physics> = vec![&mut self];
        for other in others {
            physics.push(&mut **other);
        }
        drive.advance(comm, &mut physics, first, steps)
    }
}

impl<F: Fn(u64) -> Row> Physics for Driven<'_, F> {
    fn name(&self) -> &'static str {
        "fluid"
    }

    fn until_look(&self, step: u64) -> u64 {
        self.outlets.as_ref().map_or(u64::MAX, |outlets| outlets.until_measured(step))
    }

    fn begin(&mut self, comm: &dyn Comm, steps: Range<u64>) -> Result<()> {
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
