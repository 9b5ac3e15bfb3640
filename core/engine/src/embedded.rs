//! Points that are embedded in a fluid at a temperature, for example the beads of polymers.

use hematite_gpu::Buffer;
use hematite_units::LatticeUnits;

/// A fluid at a temperature that carries points: it changes their velocities.
#[derive(Clone, Debug)]
pub struct Bath {
    /// Scales between SI and the lattice.
    pub units: LatticeUnits,
    /// kT, J.
    pub thermal: f64,
    /// The unit of masses, kg: the mass of a particle of the fluid, or that which the config names.
    pub mass: f64,
    /// Thermal speed along an axis of a point of unit mass, sqrt(kT/m), lattice units.
    pub speed: f64,
    /// Bits of the fractions of positions, see [`EmbeddedPoints::position`].
    pub bits: u32,
    /// Usual mass of a point, in units of mass: where a fluid has collision cells, that of the fluid in one.
    pub usual_mass: u32,
    /// Whether it may flow.
    pub flows: bool,
    /// Whether walls hold what moves along them.
    pub no_slip: bool,
    /// Velocities of walls, lattice units: of the wall at rest, then of each opening of the case, which all are moving walls.
    pub wall_velocities: Vec<[f64; 3]>,
    /// Velocity of the fluid at the start, lattice units.
    pub initial: [f64; 3],
    /// The key of random numbers.
    pub seed: [u32; 2],
}

/// Most bits of the fraction of a position: f32 has them all.
const MOST_BITS: u32 = 23;

/// Bits of the fraction of a position in a domain of `extent` sites: the rest of 32 holds all sites, and those beyond that a step
/// may reach.
pub fn bits_of_fraction(extent: [usize; 3], reach: u32) -> u32 {
    let sites = extent.iter().max().map_or(1, |&n| n as u32 + 2 * reach + 2);
    (31 - sites.next_power_of_two().ilog2()).min(MOST_BITS)
}

/// What a fluid needs to know of the points that it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointNeeds {
    /// Number of points.
    pub count: u32,
    /// Mass of the heaviest, in units of [`Bath::mass`].
    pub heaviest: u32,
}

impl PointNeeds {
    /// Joins the points of two physics.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { count: self.count + other.count, heaviest: self.heaviest.max(other.heaviest) }
    }
}

/// The points that a fluid carries. Every rank holds all of them. In a time step the fluid changes their velocities by
/// collisions and body forces, and then whoever brought the points moves them, on all ranks alike.
#[derive(Clone, Debug)]
pub struct EmbeddedPoints {
    /// `array<i32>`: positions from the lowest corner in 2^-[`Bath::bits`] lattice spacings, within the domain; axis a of
    /// point i is at `a * count + i`.
    pub position: Buffer,
    /// `array<f32>`: velocities, lattice units a step, in the same order.
    pub velocity: Buffer,
    /// `array<u32>`: masses in units of [`Bath::mass`].
    pub mass: Buffer,
    /// Number of points.
    pub count: u32,
}
