//! What dumps, ledger and health checks take from the populations: moments.wgsl, monitor.wgsl, openings.wgsl.

/// A moment of the populations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// Density deviation `rho - 1`.
    Density,
    /// Velocity; x, y, z.
    Velocity,
    /// Viscous stress; xx, yy, zz, xy, yz, xz.
    Stress,
}

impl Moment {
    /// Its name in templates.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Density => "density",
            Self::Velocity => "velocity",
            Self::Stress => "stress",
        }
    }

    /// Numbers a node.
    pub fn components(self) -> usize {
        match self {
            Self::Density => 1,
            Self::Velocity => 3,
            Self::Stress => 6,
        }
    }
}

/// Health of a part, in lattice units; masses are exact integers so that ranks can be summed in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Monitor {
    /// Sum of `rho - 1`, coarse part in units of 2^-16.
    pub coarse_mass: i64,
    /// Sum of `rho - 1`, the rest in units of 2^-36.
    pub fine_mass: i64,
    /// Largest speed; NaN where some node's is no number.
    pub speed: f64,
    /// Largest magnitude of `rho - 1`; likewise.
    pub deviation: f64,
    /// Nodes whose density is not a sane number.
    pub broken: u64,
}

impl Monitor {
    /// That of these and other nodes together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            coarse_mass: self.coarse_mass + other.coarse_mass,
            fine_mass: self.fine_mass + other.fine_mass,
            speed: larger(self.speed, other.speed),
            deviation: larger(self.deviation, other.deviation),
            broken: self.broken + other.broken,
        }
    }

    /// The sum of `rho - 1`.
    pub fn mass_deviation(&self) -> f64 {
        self.coarse_mass as f64 / 65_536.0 + self.fine_mass as f64 / (1u64 << 36) as f64
    }
}

/// The larger of two, where NaN is larger than every number.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// Unit of the mass that came in through an opening, in lattice units of mass; openings.wgsl counts in it.
pub const MASS_QUANTUM: f64 = 1.0 / 1_073_741_824.0;
