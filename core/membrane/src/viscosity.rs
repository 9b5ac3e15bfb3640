//! Membrane viscosity by dashpots along edges.

/// The coefficient of dashpots in 3-D that gives the surface viscosity `eta`.
pub(crate) fn dashpot(eta: f64) -> f64 {
    4.0 / 3f64.sqrt() * eta
}
