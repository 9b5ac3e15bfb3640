//! The physics that runs may have, in the order of a time step: the one place that names them.

use hematite_engine::Method;
use physics_bodies::BodyMethod;
use physics_cells::CellMethod;
use physics_lattice_boltzmann::FlowMethod;

/// All of them.
pub const METHODS: [&dyn Method; 3] = [&FlowMethod, &CellMethod, &BodyMethod];
