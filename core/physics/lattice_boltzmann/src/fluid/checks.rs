//! Looks at the fluid for what is beyond the method, in the midst of steps and at openings.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_gpu::{Recorder, Ticket};

use super::Fluid;
use crate::Row;
use crate::checks::{CHECK_EVERY, Extremes};
use crate::moment::Passing;
use crate::shaders::Shader;

/// Nodes that an invocation of a check has, at least, and invocations at most, which keep any device busy.
const NODES: u32 = 16;
const INVOCATIONS: u32 = 1 << 17;

impl Fluid {
    /// The checks of all ranks since this was last asked, in their order.
    pub fn take_checks(&mut self) -> Vec<Extremes> {
        std::mem::take(&mut self.checks.found)
    }

    /// Records a check of the state at hand where one is due; `row` is that of the next step.
    pub(super) fn record_check<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, row: u32) -> Result<()> {
        if !self.step.is_multiple_of(CHECK_EVERY) {
            return Ok(());
        }
        // What is still on its way belongs to the state.
        self.receive_packed(comm, recorder)?;
        recorder.phase("check");
        let (kernel, bound) = &self.kernels[&(Shader::Check, false)];
        let invocations = self.own.div_ceil(NODES).min(INVOCATIONS);
        recorder.dispatch(kernel, bound, invocations, &[0, self.own, self.buffers.stride, row]);
        self.checks.note(self.step, row);
        Ok(())
    }

    /// Reads the checks of the batch before the one that was handed over as `ticket`, or of the last one. Collective.
    ///
    /// # Errors
    /// A numerical failure where the state was beyond the method; when the device or a rank is lost.
    pub fn take_in(&mut self, comm: &dyn Comm, ticket: Option<&Ticket>) -> Result<()> {
        let checks = match ticket {
            Some(ticket) => self.checks.handed_over(ticket),
            None => self.checks.last(),
        };
        let Some(checks) = checks else { return Ok(()) };
        let mut checks = hematite_comm::agree(comm, checks.read(&self.gpu))?;
        let mut largest: Vec<f64> = checks.iter().flat_map(|check| [check.speed, check.deviation]).collect();
        comm.max(&mut largest)?;
        for (check, largest) in checks.iter_mut().zip(largest.as_chunks().0) {
            [check.speed, check.deviation] = *largest;
        }
        self.checks.found.extend(&checks);
        match checks.iter().find(|check| check.beyond()) {
            None => Ok(()),
            Some(check) => {
                // The batch after it is under way.
                self.gpu.wait()?;
                self.checks.last();
                Err(check.fault())
            }
        }
    }

    /// How the fluid goes through each opening at this rank's nodes, now; `now` is the row of the current step, whose force is part
    /// of the velocity.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn passing(&mut self, now: &Row) -> Result<Vec<Passing>> {
        let mut passing = vec![Passing::default(); self.opening_nodes.len()];
        if self.buffers.entries == 0 {
            return Ok(passing);
        }
        self.set_row(now);
        self.run(Shader::Passing, 0, self.buffers.entries)?;
        let count = self.buffers.entries as usize;
        let mut words = self.gpu.download::<i32>(self.buffers.get("passing"), 0, count)?.into_iter();
        for (passing, &nodes) in passing.iter_mut().zip(&self.opening_nodes) {
            words.by_ref().take(nodes).for_each(|word| passing.add(word));
        }
        Ok(passing)
    }
}
