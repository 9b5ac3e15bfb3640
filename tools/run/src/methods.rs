//! The list of the physics that runs can have, in the order of a time step. No other file names physics.

use hematite_engine::Method;
use physics_bodies::BodyMethod;
use physics_cells::CellMethod;
use physics_lattice_boltzmann::FlowMethod;

/// All physics.
pub const METHODS: [&dyn Method; 3] = [&FlowMethod, &CellMethod, &BodyMethod];
