//! SI to lattice units and back.

/// The three scales that take lattice units to SI: one lattice spacing, one time step, the density at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatticeUnits {
    /// Lattice spacing in metres.
    pub dx: f64,
    /// Time step in seconds.
    pub dt: f64,
    /// Density of the fluid at rest in kg/m3; lattice density 1.
    pub rho0: f64,
}

impl LatticeUnits {
    /// Metres a second for one lattice velocity unit.
    pub fn velocity(&self) -> f64 {
        self.dx / self.dt
    }

    /// Pascals for one lattice unit of stress or pressure, `rho0 (dx/dt)^2`.
    pub fn stress(&self) -> f64 {
        self.rho0 * self.velocity() * self.velocity()
    }

    /// Newtons for one lattice unit of force. In 2-D the lattice is one spacing deep.
    pub fn force(&self) -> f64 {
        self.stress() * self.dx * self.dx
    }

    /// Pascals a metre for one lattice unit of force density.
    pub fn force_density(&self) -> f64 {
        self.stress() / self.dx
    }

    /// Square metres a second for one lattice unit of kinematic viscosity.
    pub fn kinematic_viscosity(&self) -> f64 {
        self.dx * self.velocity()
    }

    /// Cubic metres a second for one lattice unit of flow rate; square metres a second in 2-D, for a metre of depth.
    pub fn flow_rate(&self, dimension: usize) -> f64 {
        self.dx.powi(dimension as i32) / self.dt
    }

    /// Kilograms for one lattice unit of mass. In 2-D the lattice is one spacing deep.
    pub fn mass(&self) -> f64 {
        self.rho0 * self.dx.powi(3)
    }
}
