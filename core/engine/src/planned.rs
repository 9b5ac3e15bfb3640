//! The plan of a physics in a run, before it is on the device.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_dump::{Column, Field, RunRecord};
use hematite_gpu::Gpu;
use serde_json::Value;

use crate::{Figure, FluidNeeds, Ground, Physics, Precision, Saved, SharedData, StateHeader};

/// A table that a config names: the path of its key in the config, and its numbers.
pub type Table<'t> = (Vec<&'t str>, Vec<f64>);

/// The plan of a physics that has passed all checks that need no device.
pub trait Planned {
    /// Name in checkpoints, and key of its config.
    fn name(&self) -> &'static str;

    /// Lines of the run's report on stderr before the first step: pairs of heading and text.
    fn report(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Warnings of allowed risks, and defaults that were chosen, one sentence each.
    fn advice(&self) -> Vec<String>;

    /// Figures known before the first step, for `run --check`.
    fn figures(&self) -> Vec<Figure> {
        Vec::new()
    }

    /// Entries of the log at the start.
    fn events(&self) -> Vec<Value> {
        Vec::new()
    }

    /// Enters the quantities that it fixes in `run.json`.
    fn write_down(&self, _record: &mut RunRecord) {}

    /// The tables that the config names.
    fn tables(&self) -> Vec<Table<'_>> {
        Vec::new()
    }

    /// What it needs of the fluid around it; `None` if it needs no fluid.
    fn fluid_needs(&self) -> Option<FluidNeeds> {
        None
    }

    /// If it is a fluid, prepares for the needs of the other physics.
    fn provide(&mut self, _needs: &FluidNeeds) {}

    /// Adapts to this rank's part, which may have changed by balancing. Collective.
    ///
    /// # Errors
    /// A usage fault where the case or the config does not allow it; when a rank is lost.
    fn divide(&mut self, _comm: &dyn Comm, _ground: &Ground) -> Result<()> {
        Ok(())
    }

    /// Least bytes that it needs on the device for this rank's part: in all, and in one array.
    fn least_bytes(&self, _ground: &Ground) -> [u64; 2] {
        [0; 2]
    }

    /// Bytes of its state in a checkpoint of a lattice of `nodes` nodes, all ranks together, about, before compression;
    /// without those of members of the case's populations.
    fn state_bytes(&self, _nodes: u64) -> f64 {
        0.0
    }

    /// Bytes of a dump of members that are not of the case's populations, all ranks together, about, before
    /// compression.
    fn dump_bytes(&self) -> f64 {
        0.0
    }

    /// The fields at nodes that it offers for dumps.
    fn fields(&self) -> Vec<Field> {
        Vec::new()
    }

    /// Storage and arithmetic, if it has a choice.
    fn precision(&self) -> Option<Precision> {
        None
    }

    /// Names of the places where mass comes in, in the order of [`Mass::through`](crate::Mass::through).
    fn entries(&self) -> Vec<String> {
        Vec::new()
    }

    /// The columns of its measurements in the ledger.
    fn columns(&self) -> Vec<Column> {
        Vec::new()
    }

    /// Checks that a saved state has the form for this run with `nodes` nodes.
    ///
    /// # Errors
    /// A usage fault where it is stored in another form or for other nodes.
    fn fits(&self, _saved: &StateHeader, _nodes: u64) -> Result<()> {
        Ok(())
    }

    /// Checks that a saved state that [`Planned::fits`] can go on with this physics, even if its config changed.
    ///
    /// # Errors
    /// A usage fault where it is the state of another physics.
    fn bears(&self, _saved: &StateHeader) -> Result<()> {
        Ok(())
    }

    /// Makes the physics on the device, in its initial state or in the `saved` one. A fluid puts what it
    /// shares into `shared`, where others find it. Collective.
    ///
    /// # Errors
    /// A usage fault where the saved state is damaged; when the device lacks room or is lost; when a rank is lost.
    fn build(
        &self,
        gpu: &Gpu,
        comm: &dyn Comm,
        ground: &mut Ground,
        shared: &mut SharedData,
        saved: Option<&dyn Saved>,
    ) -> Result<Box<dyn Physics>>;
}
