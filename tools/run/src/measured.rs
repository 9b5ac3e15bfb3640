//! What the ledger measures beside masses and counts.

use hematite_dump::Column;
use hematite_solver::lattice_boltzmann::{Monitor, WallForce};

use crate::forces;
use crate::setup::Setup;

/// What was found at a step, all ranks together, lattice units.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// The fluid nodes.
    pub fluid: Monitor,
    /// The force on each part of the wall that is asked for.
    pub forces: Vec<WallForce>,
}

/// The columns of the ledger, each with its number in SI at a line. The columns are the same whatever was found.
pub fn measured(setup: &Setup, look: &Look) -> Vec<(Column, f64)> {
    let units = &setup.plan.units;
    let mut measured = vec![
        (Column::new("largest_speed_m_per_s"), look.fluid.speed * units.velocity()),
        (Column::new("density_deviation_kg_per_m3"), look.fluid.deviation * units.rho0),
    ];
    measured.extend(forces::measured(setup, &look.forces));
    measured
}

/// The columns alone.
pub fn columns(setup: &Setup) -> Vec<Column> {
    measured(setup, &Look::default()).into_iter().map(|(column, _)| column).collect()
}
