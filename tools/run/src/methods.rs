//! The list of the physics that runs can have, in the order of a time step. No other file names physics.

use hematite_engine::Method;
use physics_bodies::BodyMethod;
use physics_cells::CellMethod;
use physics_langevin::LangevinMethod;
use physics_lattice_boltzmann::FlowMethod;
use physics_lava::LavaMethod;
use physics_polymers::PolymerMethod;
use physics_srd::SrdMethod;

/// All physics.
pub const METHODS: [&dyn Method; 7] =
    [&FlowMethod, &SrdMethod, &LangevinMethod, &LavaMethod, &PolymerMethod, &CellMethod, &BodyMethod];
