//! The time step of cells.
//!
//! After each step of the fluid, which leaves its velocities at the nodes: interpolate them to the vertices, add the
//! other holders' shares, move; then membranes, contact, and the forces go to the nodes for the fluid's next step.

use std::time::Instant;

use hematite_comm::{Comm, agree};
use hematite_config::Result;
use hematite_engine::Physics;
use hematite_gpu::Recorder;
use hematite_membrane::{CAPPED_LIMIT, FORCE_LIMIT, Vertices, Which};

use super::cap::Cap;
use super::look::LOOK;
use super::parameters::reach;
use super::suspension::Suspension;
use super::watch::{Seen, Wanted};

impl Suspension {
    /// What caps the forces after `step` steps.
    fn cap_at(&self, step: u64) -> Option<&Cap> {
        self.cap.as_ref().filter(|_| self.parameters.capped_until().is_some_and(|last| step <= last))
    }

    /// The forces of the membranes of `which` cells alone, over those that were there.
    pub(super) fn record_membranes(&self, recorder: &mut Recorder, which: Which, step: u64) {
        recorder.phase("membranes");
        let limit = if self.cap_at(step).is_some() { CAPPED_LIMIT } else { FORCE_LIMIT };
        for kind in &self.kinds {
            kind.membrane.record_below(recorder, &kind.range, which, step as u32, limit);
        }
    }

    /// Membranes of the cells that are `left`, contact, and their forces to the nodes, where these need not wait for what
    /// others push with.
    fn record_forces(&self, recorder: &mut Recorder, left: Which, step: u64) {
        if self.parameters.finds_forces_at(step) {
            self.record_membranes(recorder, left, step);
            for kind in &self.kinds {
                if let Some(pulls) = &kind.pulls {
                    pulls.record(recorder, &kind.range, self.vertices.stride);
                }
            }
            if let Some(contact) = &self.contact {
                contact.record(recorder, step as u32);
            }
            if let Some(cap) = self.cap_at(step) {
                cap.record(recorder);
            }
        }
        if self.surface.is_none() {
            recorder.phase("spread");
            self.coupling.record_clear(recorder, true);
            self.coupling.record_spread(recorder, step as u32);
        }
    }

    /// Adds the forces on vertices to those that others left at the nodes, which began with zero.
    fn record_spread(&self, recorder: &mut Recorder, step: u64) {
        recorder.phase("spread");
        self.coupling.record_clear(recorder, false);
        self.coupling.record_spread(recorder, step as u32);
    }

    /// Marks the nodes inside cells.
    fn record_marks(&self, recorder: &mut Recorder) {
        if let Some(inside) = &self.inside {
            recorder.phase("marks");
            inside.record(recorder, self.kinds.iter().map(|kind| &kind.range));
        }
    }

    /// What cells answer after `step` steps, where they have moved or more is due. Membranes of the cells that are `left`
    /// alone.
    fn record_answer(&self, recorder: &mut Recorder, left: Which, step: u64) {
        let (moved, parameters) = (step.is_multiple_of(self.parameters.move_every), &self.parameters);
        if !(moved || parameters.finds_forces_at(step) || parameters.marks_at(step)) {
            return;
        }
        if parameters.marks_at(step) {
            self.record_marks(recorder);
        }
        self.record_forces(recorder, left, step);
    }

    /// What the cells that are there now answer after `step` steps, a multiple of [`LOOK`], in place of what those before
    /// did. Sizes at that are those of the look before.
    pub(super) fn answer_anew(&self, step: u64) -> Result<()> {
        let grows = self.grows_at(step);
        if grows {
            self.write_scales(step.saturating_sub(LOOK))?;
        }
        let mut recorder = Recorder::new(&self.gpu);
        self.record_answer(&mut recorder, Which::All, step);
        recorder.submit();
        if grows { self.write_scales(step) } else { Ok(()) }
    }

    /// Whether cells grow in the steps around `step`.
    fn grows_at(&self, step: u64) -> bool {
        step <= self.parameters.growth + LOOK
    }

    /// Whether what cells answer after `step` steps is found in the look at that step, after cells have come and gone. Not
    /// where rigid bodies touch cells, as their step needs the forces on vertices.
    fn answers_in_look(&self, step: u64) -> bool {
        self.looks.is_due(step) && !self.gates.is_empty() && self.surface.is_none()
    }

    fn moves_after(&self, step: u64) -> bool {
        (step + 1).is_multiple_of(self.parameters.move_every)
    }
}

impl Physics for Suspension {
    fn name(&self) -> &'static str {
        "cells"
    }

    fn until_look(&self, step: u64) -> u64 {
        self.looks.until(step)
    }

    fn step<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        let (at, steps) = (step as u32, self.parameters.move_every as u32);
        let answers = !self.answers_in_look(step + 1);
        let mut left = Which::All;
        if self.moves_after(step) {
            self.coupling.record_interpolate(recorder, at, steps);
            self.sum_exchange.record_send(recorder);
            if self.sum_exchange.is_long() {
                // Cells that no other rank holds go on while the shares of the others travel.
                self.coupling.record_advance(recorder, Which::HeldHere, at, steps);
                if answers && self.parameters.finds_forces_at(step + 1) {
                    self.record_membranes(recorder, Which::HeldHere, step + 1);
                }
                left = Which::HeldElsewhere;
            }
            self.sum_exchange.record_receive(comm, recorder)?;
            self.coupling.record_advance(recorder, left, at, steps);
        }
        if answers {
            self.record_answer(recorder, left, step + 1);
        }
        Ok(())
    }

    /// Others have pushed vertices meanwhile.
    fn complete<'g>(&mut self, _: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        if self.surface.is_some() {
            self.record_spread(recorder, step + 1);
        }
        Ok(())
    }

    fn settle(&mut self, _: &dyn Comm, step: u64) -> Result<()> {
        if self.surface.is_some() {
            let mut recorder = Recorder::new(&self.gpu);
            self.record_spread(&mut recorder, step);
            recorder.submit();
        }
        Ok(())
    }

    fn look(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        if !self.looks.is_due(step) {
            return Ok(());
        }
        let start = Instant::now();
        let _span = self.gpu.span("look");
        let unanswered = self.answers_in_look(step);
        let grows = self.grows_at(step);
        let often = grows || self.surface.is_some() || !self.gates.is_empty();
        if self.alone && self.gates.is_empty() {
            self.check_sound(comm)?;
            self.looks.plan(step, None, often)?;
        } else {
            let margin = (!self.alone).then(|| reach(&self.parameters, self.looks.way()));
            let wanted = Wanted { margin, boxes: !self.gates.is_empty(), came_in: self.feeds() };
            let seen = self.watch.look(&self.gpu, &self.vertices, &wanted);
            let checked = seen.and_then(|seen| self.check(seen.broken).map(|()| seen));
            let Seen { mut strays, pace, boxes, came_in, .. } = agree(comm, checked)?;
            self.gpu.upload(&self.vertices.pace, Vertices::PACE_OF_LOOK, &[0_u32])?;
            let mut fastest = [pace];
            comm.max(&mut fastest)?;
            self.looks.plan(step, Some(fastest[0]), often)?;
            let until_next = reach(&self.parameters, self.looks.way());
            if margin.is_some_and(|margin| margin != until_next) {
                strays = agree(comm, self.watch.widened(&self.gpu, until_next))?;
            }
            self.carry_on();
            self.let_out(&boxes)?;
            self.migrate(comm, &strays)?;
            self.let_in(comm, came_in)?;
            self.put_sizes(step)?;
            self.flush()?;
            self.share(comm)?;
        }
        if let Some(contact) = self.contact.as_ref().filter(|_| self.changed) {
            contact.forget(&self.gpu);
        }
        if self.changed || grows {
            self.write_surface(step)?;
        }
        self.changed = false;
        if std::mem::take(&mut self.passed) || unanswered {
            // The state after a step is that of the cells that are there: a restart from it finds the same forces.
            self.answer_anew(step)?;
        } else if grows {
            self.write_scales(step)?;
        }
        self.migrating += start.elapsed().as_secs_f64();
        Ok(())
    }
}
