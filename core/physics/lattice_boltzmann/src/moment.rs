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
    /// Sum of `rho - 1`, coarse part, in units of the first of `QUANTA`.
    pub coarse_mass: i64,
    /// Sum of `rho - 1`, the rest, in units of the second.
    pub fine_mass: i64,
    /// Largest speed; NaN where some node's is no number.
    pub speed: f64,
    /// Largest magnitude of `rho - 1`; likewise.
    pub deviation: f64,
    /// Nodes whose density deviation is [`Monitor::INSANE`] or no number.
    pub broken: u64,
}

impl Monitor {
    /// A density deviation of this or more is far outside of what the method can mean.
    pub const INSANE: f32 = 4.0;

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
        self.coarse_mass as f64 * QUANTA[0] + self.fine_mass as f64 * QUANTA[1]
    }
}

/// How the fluid goes through an opening, counted over its nodes in whole numbers, so that ranks can be summed in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passing {
    /// Flow rate into the domain, in units of [`Passing::QUANTUM`].
    pub sum: i64,
    /// Nodes where the fluid flows in.
    pub inwards: i64,
    /// Nodes where it flows out.
    pub outwards: i64,
    /// All nodes.
    pub nodes: i64,
}

impl Passing {
    /// Unit of flow rates, lattice units; passing.wgsl counts in it.
    pub const QUANTUM: f64 = 1.0 / 1_073_741_824.0;
    /// Less is at rest: 2^-20 lattice units a step, above the rounding of single precision.
    const AT_REST: i32 = 1 << 10;

    /// Adds a node with this flow into the domain.
    pub(crate) fn add(&mut self, flow: i32) {
        self.sum += i64::from(flow);
        self.inwards += i64::from(flow > Self::AT_REST);
        self.outwards += i64::from(flow < -Self::AT_REST);
        self.nodes += 1;
    }

    /// Its numbers, to be summed over ranks, and back.
    pub fn numbers(self) -> [i64; 4] {
        [self.sum, self.inwards, self.outwards, self.nodes]
    }

    /// That of these numbers.
    pub fn of([sum, inwards, outwards, nodes]: [i64; 4]) -> Self {
        Self { sum, inwards, outwards, nodes }
    }

    /// Flow rate into the domain, lattice units.
    pub fn flow(&self) -> f64 {
        self.sum as f64 * Self::QUANTUM
    }

    /// Share of the nodes where the fluid flows against the direction that the opening is said to have, in or out, or else
    /// that of the flow as a whole.
    pub fn backflow(&self, inwards: Option<bool>) -> f64 {
        let against = match inwards.unwrap_or(self.sum > 0) {
            true => self.outwards,
            false => self.inwards,
        };
        if self.nodes == 0 { 0.0 } else { against as f64 / self.nodes as f64 }
    }
}

/// The larger of two, where NaN is larger than every number.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// Units of the two integers in which kernels sum what nodes give: a coarse part and the rest.
pub const QUANTA: [f64; 2] = [1.0 / 65_536.0, 1.0 / 68_719_476_736.0];

/// Unit of the mass that came in through an opening, in lattice units of mass; openings.wgsl counts in it.
pub const MASS_QUANTUM: f64 = 1.0 / 1_073_741_824.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backflow_is_against_the_mean_or_what_is_said() {
        let mut passing = Passing::default();
        [4 << 20, -(1 << 20), -(1 << 20), 7].into_iter().for_each(|flow| passing.add(flow));
        assert_eq!(passing.numbers(), [(2 << 20) + 7, 1, 2, 4]);
        assert_eq!(Passing::of(passing.numbers()), passing);
        assert!((passing.flow() - ((2 << 20) + 7) as f64 / 1_073_741_824.0).abs() < 1e-18);
        assert_eq!([None, Some(true), Some(false)].map(|inwards| passing.backflow(inwards)), [0.5, 0.5, 0.25]);
        assert_eq!((Passing::default().flow(), Passing::default().backflow(None)), (0.0, 0.0));
    }
}
