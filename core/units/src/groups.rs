//! Dimensionless groups, and the relaxation time that a viscosity asks for.

/// Squared lattice speed of sound of D2Q9 and D3Q19, `c_s^2 = 1/3`.
pub const CS2: f64 = 1.0 / 3.0;

/// Relaxation time, in time steps, of the symmetric rate for the kinematic viscosity `nu` in lattice units:
/// `tau = nu / c_s^2 + 1/2`.
pub fn relaxation_time(nu: f64) -> f64 {
    nu / CS2 + 0.5
}

/// Kinematic viscosity in lattice units of a relaxation time, `nu = c_s^2 (tau - 1/2)`.
pub fn viscosity(tau: f64) -> f64 {
    CS2 * (tau - 0.5)
}

/// Mach number of a velocity in lattice units, `u / c_s`.
pub fn mach(u: f64) -> f64 {
    u / CS2.sqrt()
}

/// Reynolds number `u l / nu`, all in the same units.
pub fn reynolds(u: f64, l: f64, nu: f64) -> f64 {
    u * l / nu
}

/// Speed on the axis of developed flow that the acceleration `a` drives, all in the same units: `a D^2 / (16 nu)` in a
/// round tube, in 2-D `a D^2 / (32 nu)` in a channel, with the hydraulic diameter `D`.
pub fn developed_speed(a: f64, diameter: f64, nu: f64, dimension: usize) -> f64 {
    let shape = if dimension == 2 { 32.0 } else { 16.0 };
    a * diameter * diameter / (shape * nu)
}

/// Womersley number `l sqrt(omega / nu)`, all in the same units, `l` the radius or half width.
pub fn womersley(l: f64, omega: f64, nu: f64) -> f64 {
    l * (omega / nu).sqrt()
}
