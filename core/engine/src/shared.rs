//! What the physics of a run share on a device.

use crate::{EmbeddedPoints, SharedNodes};

/// What a fluid shares with what is suspended in it. The fluid fills it, as it is built first.
#[derive(Clone, Debug, Default)]
pub struct SharedData {
    /// Arrays over the nodes of a lattice fluid.
    pub nodes: Option<SharedNodes>,
    /// Points that a fluid at a temperature carries.
    pub points: Option<EmbeddedPoints>,
}
