//! How strongly cells and walls repel and attract vertices, and from which distance on.

/// Fixed point of the force of pairs on one vertex: 2^29 for one lattice unit.
pub(super) const SCALE: f64 = 536_870_912.0;

/// The largest force of one pair of vertices, or of a wall on one, lattice units; sound cells stay far below.
pub const LARGEST_PUSH: f64 = 1.0 / 16.0;

/// Vertices of a ring touch where they are more than this many ranges apart along it.
const BESIDE: f64 = 1.5;

/// Contact in lattice units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactParameters {
    /// Distance at which repulsion begins.
    pub range: f64,
    /// Pressure between cells that touch.
    pub strength: f64,
    /// Pressure of a wall that a vertex touches.
    pub wall_strength: f64,
    /// Attraction between cells.
    pub morse: Option<Morse>,
    /// Whether a vertex stands for the same area (2-D: length) in all cells at all times.
    pub alike: bool,
}

/// Morse's potential between membranes, `energy (e^2 - 2 e)` an area with `e = exp(-(r - distance) / width)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Morse {
    /// Depth of the potential, energy an area.
    pub energy: f64,
    /// Distance of its minimum.
    pub distance: f64,
    /// Length over which it falls off.
    pub width: f64,
}

impl ContactParameters {
    /// The largest distance at which vertices act on each other.
    pub fn range(&self) -> f64 {
        self.morse.map_or(self.range, |morse| self.range.max(morse.cut()))
    }

    /// The largest number of sides between two vertices of a ring that do not touch, where sides are `side` long.
    pub fn beside(&self, side: f64) -> f32 {
        (BESIDE * self.range / side).floor() as f32
    }
}

impl Morse {
    /// Distance at which the force ends.
    pub fn cut(&self) -> f64 {
        2.5 * self.distance
    }

    /// Distance from which on it fades.
    pub(super) fn fades(&self) -> f64 {
        2.0 * self.distance
    }
}
