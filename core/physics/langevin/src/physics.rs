//! The solvent as a physics of a run.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::{Ground, Keep, Measured, Physics};
use hematite_gpu::Recorder;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::solvent::Solvent;

/// Name in checkpoints, dumps and messages.
pub const NAME: &str = "langevin";

/// What a saved state tells of the solvent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// Bits of the fractions of positions.
    pub bits: u32,
    /// Time step, s.
    pub time_step_s: f64,
    /// Thermal speed, lattice spacings a step.
    pub speed: f64,
}

/// The solvent of a run. It has no state of its own: random numbers are functions of the step.
pub struct Langevin {
    solvent: Solvent,
    note: Note,
}

impl Langevin {
    /// A solvent on the device.
    pub(crate) fn new(solvent: Solvent, note: Note) -> Self {
        Self { solvent, note }
    }
}

impl Physics for Langevin {
    fn name(&self) -> &'static str {
        NAME
    }

    fn step<'g>(&mut self, _: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        self.solvent.record_step(recorder, step);
        Ok(())
    }

    fn save(&self, _: &Ground, _: &mut dyn Keep) -> Result<()> {
        Ok(())
    }

    fn note(&self) -> Value {
        serde_json::to_value(&self.note).unwrap_or_default()
    }

    fn measure(&mut self, _: &dyn Comm, _: f64) -> Result<Measured> {
        Ok(Measured::default())
    }
}
