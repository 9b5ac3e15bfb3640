//! A physics of a run before it is on the device.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_dump::{Column, Field, RunRecord};
use hematite_gpu::Gpu;
use serde_json::Value;

use crate::{FluidNeeds, Ground, Physics, Precision, Saved, SharedNodes, StateHeader};

/// A table that a config names: where in the config it is named, and its numbers.
pub type Table<'t> = (Vec<&'t str>, Vec<f64>);

/// A physics that has passed every check which needs no device.
pub trait Planned {
    /// What it is called: in checkpoints, and by the key of its config.
    fn name(&self) -> &'static str;

    /// Lines of the run's report on stderr before the first step: a heading and a text each.
    fn report(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Risks that are allowed and values chosen by default, one sentence each.
    fn advice(&self) -> Vec<String>;

    /// What the log says of it at the start.
    fn events(&self) -> Vec<Value> {
        Vec::new()
    }

    /// Writes down in `run.json` what it fixes.
    fn write_down(&self, _record: &mut RunRecord) {}

    /// The tables that its config names.
    fn tables(&self) -> Vec<Table<'_>> {
        Vec::new()
    }

    /// What it needs of the fluid around it; none where it needs no fluid.
    fn fluid_needs(&self) -> Option<FluidNeeds> {
        None
    }

    /// Prepares for what the others need of it, where it is a fluid.
    fn provide(&mut self, _needs: &FluidNeeds) {}

    /// Takes this rank's part, another one than before where ranks were balanced. Collective.
    ///
    /// # Errors
    /// A usage fault where the case or the config does not allow it; when a rank is lost.
    fn divide(&mut self, _comm: &dyn Comm, _ground: &Ground) -> Result<()> {
        Ok(())
    }

    /// Bytes that it needs on the device for this rank's part at least, in all and in one array.
    fn least_bytes(&self, _ground: &Ground) -> [u64; 2] {
        [0; 2]
    }

    /// The fields that it has at nodes, for dumps.
    fn fields(&self) -> Vec<Field> {
        Vec::new()
    }

    /// Storage and arithmetic, where it has a choice.
    fn precision(&self) -> Option<Precision> {
        None
    }

    /// Where mass comes in, in the order of [`Mass::through`](crate::Mass::through).
    fn entries(&self) -> Vec<String> {
        Vec::new()
    }

    /// What it measures for the ledger.
    fn columns(&self) -> Vec<Column> {
        Vec::new()
    }

    /// Whether a saved state has the form of this one, where the run steps so many `nodes`.
    ///
    /// # Errors
    /// A usage fault where it is stored otherwise or of other nodes.
    fn fits(&self, _saved: &StateHeader, _nodes: u64) -> Result<()> {
        Ok(())
    }

    /// Whether a saved state that fits bears the run's physics, be that changed.
    ///
    /// # Errors
    /// A usage fault where it is the state of something else.
    fn bears(&self, _saved: &StateHeader) -> Result<()> {
        Ok(())
    }

    /// Puts it on the device, at the start of the run or as `saved`. A fluid leaves in `nodes` what it shares; others find it there.
    /// Collective.
    ///
    /// # Errors
    /// A usage fault where what was saved is damaged; when the device lacks room or is lost, or a rank is.
    fn build(
        &self,
        gpu: &Gpu,
        comm: &dyn Comm,
        ground: &mut Ground,
        nodes: &mut Option<SharedNodes>,
        saved: Option<&dyn Saved>,
    ) -> Result<Box<dyn Physics>>;
}
