//! The numbers of polymers in units of the lattice spacing, the time step of the fluid, and the mass of its particles.

/// Velocity of a bead along an axis that is not met by chance, in its thermal speed: one draw of 10^15 is beyond.
pub const FASTEST: f64 = 8.0;

/// Longest bond along a periodic axis, in periods: beads see the nearest image of a neighbour.
pub const LONGEST: f64 = 0.45;

/// Distance beyond the reach of forces up to which lists hold neighbours, in the largest diameter.
const SKIN: f64 = 0.3;

/// Largest number density of beads, in diameters, up to which lists have room.
const DENSEST: f64 = 1.6;

/// Time steps in which beads that are too fast are slowed, no more; and with bends, the lengths of a chain that beads go meanwhile.
const SLOWED: u64 = 64;
const LENGTHS: f64 = 4.0;

/// Most beads whose forces between all chains one workgroup computes.
pub const FEW: u32 = 256;

/// The forces on the beads of a population.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kind {
    /// Number of beads of a chain.
    pub beads: u32,
    /// Mass of a bead.
    pub mass: u32,
    /// l: length of bonds.
    pub length: f64,
    /// k: stiffness of bonds.
    pub stiffness: f64,
    /// R: the longest that a bond can be; 0 for harmonic bonds.
    pub extension: f64,
    /// kappa: stiffness of bends.
    pub bending: f64,
    /// epsilon: energy between beads, 0 without forces between them.
    pub energy: f64,
    /// sigma: diameter.
    pub diameter: f64,
    /// Distance beyond which the force is cut, in diameters.
    pub cutoff: f64,
}

/// The cutoff that leaves the repulsion alone, in diameters.
pub fn repulsive() -> f64 {
    2.0_f64.powf(1.0 / 6.0)
}

impl Kind {
    /// An estimate of the largest angular frequency of a bead's motion, per time step.
    pub fn frequency(&self) -> f64 {
        let bonds = match self.extension {
            _ if self.beads < 2 => 0.0,
            0.0 => 4.0 * self.stiffness,
            // Where the tension is some tens of kT.
            longest => 4.0 * self.stiffness * fene_curvature((1.2 * self.length / longest).min(0.8)),
        };
        let bends = if self.beads < 3 { 0.0 } else { 16.0 * self.bending / self.length.powi(2) };
        // The curvature of the potential at 0.95 diameters.
        let pairs = if self.energy > 0.0 { 2000.0 * self.energy / self.diameter.powi(2) } else { 0.0 };
        ((bonds + bends + pairs) / f64::from(self.mass)).sqrt()
    }

    /// The longest that a bond gets: by its potential, or in harmonic ones six standard deviations at temperature `thermal`. 0
    /// without bonds.
    pub fn longest_bond(&self, thermal: f64) -> f64 {
        match self.extension {
            _ if self.beads < 2 => 0.0,
            0.0 => self.length + 6.0 * (thermal / self.stiffness).sqrt(),
            longest => longest,
        }
    }

    /// The mean cosine between bonds that follow each other, by the stiffness of bends alone, at temperature `thermal`.
    pub fn bend_cosine(&self, thermal: f64, dimension: usize) -> f64 {
        let kappa = self.bending / thermal;
        if dimension == 3 {
            return if kappa < 1e-3 { kappa / 3.0 } else { 1.0 / kappa.tanh() - 1.0 / kappa };
        }
        // I1(kappa) / I0(kappa): angles weigh as exp(kappa (cos - 1)).
        let (most, parts) = (std::f64::consts::PI.min(12.0 / kappa.sqrt()), 2000);
        let (mut sum, mut weights) = (0.0, 0.0);
        for part in 0..parts {
            let cosine = (most * (f64::from(part) + 0.5) / f64::from(parts)).cos();
            let weight = (kappa * (cosine - 1.0)).exp();
            (sum, weights) = (sum + weight * cosine, weights + weight);
        }
        sum / weights
    }

    /// The persistence length by the stiffness of bends, `-l / ln <cos>`: for stiff ones kappa bonds in 3-D, 2 kappa in 2-D.
    pub fn persistence_length(&self, thermal: f64, dimension: usize) -> f64 {
        -self.length / self.bend_cosine(thermal, dimension).ln()
    }

    /// The root of the mean squared distance of the ends of a chain whose bends cost energy, in rings of opposite beads, if no
    /// other forces act (Flory, Statistical Mechanics of Chain Molecules, 1969, chapter I).
    pub fn size(&self, ring: bool, thermal: f64, dimension: usize) -> f64 {
        let (c, n) = (self.bend_cosine(thermal, dimension), f64::from(self.beads.saturating_sub(1)));
        let bonds = n * (1.0 + c) / (1.0 - c) - 2.0 * c * (1.0 - c.powf(n)) / (1.0 - c).powi(2);
        let open = self.length * bonds.max(0.0).sqrt();
        let round = self.length * f64::from(self.beads) / std::f64::consts::PI;
        if ring { (0.5 * open).min(round) } else { open }
    }

    /// How far forces between two such beads reach.
    pub fn reach(&self) -> f64 {
        if self.energy > 0.0 { self.cutoff * self.diameter } else { 0.0 }
    }
}

/// The second derivative of the FENE potential over k, at r / R = x.
fn fene_curvature(x: f64) -> f64 {
    (1.0 + x * x) / (1.0 - x * x).powi(2)
}

/// The numbers of the polymers of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// 2 or 3.
    pub dimension: usize,
    /// Sites of the domain along x, y, z.
    pub extent: [usize; 3],
    /// Periodic axes.
    pub periodic: [bool; 3],
    /// Bits of the fractions of positions.
    pub bits: u32,
    /// Thermal speed along an axis of a bead of mass 1: its square is kT.
    pub speed: f64,
    /// Whether the fluid may flow.
    pub flows: bool,
    /// Whether walls hold what moves along them.
    pub no_slip: bool,
    /// Velocities of walls.
    pub wall_velocities: Vec<[f64; 3]>,
    /// The populations.
    pub kinds: Vec<Kind>,
    /// Steps of the beads' motion in a time step, an even number.
    pub sub_steps: u32,
}

impl Parameters {
    /// Whether beads that are no neighbours along a chain act on each other.
    pub fn pairs(&self) -> bool {
        self.kinds.iter().any(|kind| kind.energy > 0.0)
    }

    /// Whether some population has bends that cost energy.
    pub fn bends(&self) -> bool {
        self.kinds.iter().any(|kind| kind.bending > 0.0)
    }

    /// Largest velocity of a bead along an axis.
    pub fn fastest(&self) -> f64 {
        let lightest = self.kinds.iter().map(|kind| kind.mass).min().unwrap_or(1).max(1);
        FASTEST * self.speed / f64::from(lightest).sqrt() + self.speed
    }

    /// Time steps from the start in which beads that are too fast are slowed, no more: chains relax from how they were put into
    /// the case. Bends straighten them: these have the time in which a bead goes some lengths of its chain.
    pub fn slowed_steps(&self) -> u64 {
        let straightens = |kind: &&Kind| kind.beads > 2 && kind.bending > self.speed.powi(2);
        let length = |kind: &Kind| f64::from(kind.beads) * kind.length * f64::from(kind.mass).sqrt();
        let longest = self.kinds.iter().filter(straightens).map(length).fold(0.0, f64::max);
        SLOWED.max((LENGTHS * longest / (FASTEST * self.speed)).ceil() as u64)
    }

    /// How far forces between beads reach.
    pub fn reach(&self) -> f64 {
        self.kinds.iter().map(Kind::reach).fold(0.0, f64::max)
    }

    fn skin(&self) -> f64 {
        SKIN * self.kinds.iter().filter(|kind| kind.energy > 0.0).map(|kind| kind.diameter).fold(0.0, f64::max)
    }

    /// How far beads in lists of neighbours may be.
    pub fn listed(&self) -> f64 {
        self.reach() + self.skin()
    }

    /// Sub-steps after which lists are made anew: until then no two beads come nearer by the skin.
    pub fn list_every(&self) -> u32 {
        let diagonal = (self.dimension as f64).sqrt();
        let apart = 2.0 * diagonal * self.fastest() / f64::from(self.sub_steps);
        ((self.skin() / apart) as u32).clamp(1, self.sub_steps)
    }

    /// Room for neighbours in the list of each of `beads` beads.
    pub fn most_neighbours(&self, beads: u32) -> u32 {
        let size = |kind: &Kind| kind.diameter.min(kind.length);
        let least = self.kinds.iter().filter(|kind| kind.energy > 0.0).map(size).fold(f64::INFINITY, f64::min);
        let reach = self.listed() / least;
        let volume = if self.dimension == 2 { reach.powi(2) } else { 4.0 / 3.0 * reach.powi(3) };
        ((DENSEST * std::f64::consts::PI * volume) as u32 + 16).min(beads.max(1))
    }

    /// Cells of the grid in which neighbours are found: their number along periodic axes, else 0; and their edges.
    pub fn grid(&self) -> ([u32; 3], [f64; 3]) {
        let least = if self.pairs() { 1.001 * self.listed() } else { 1.0 };
        let count = |a: usize| match self.periodic[a] && a < self.dimension {
            true => ((self.extent[a] as f64 / least) as u32).max(1),
            false => 0,
        };
        let counts = [0, 1, 2].map(count);
        (counts, [0, 1, 2].map(|a| if counts[a] > 0 { self.extent[a] as f64 / f64::from(counts[a]) } else { least }))
    }
}

#[cfg(test)]
impl Parameters {
    /// Numbers for tests, with all variants of kernels.
    pub fn samples() -> Vec<Self> {
        let mut found = Vec::new();
        for dimension in [2, 3] {
            for (energy, bending) in [(0.0, 0.0), (0.01, 0.0), (0.01, 0.05), (0.0, 0.05)] {
                for (no_slip, extension) in [(true, 0.0), (false, 1.5)] {
                    let kind = Kind {
                        beads: 8,
                        mass: 10,
                        length: 1.0,
                        stiffness: 5.0,
                        extension,
                        bending,
                        energy,
                        diameter: 0.8,
                        cutoff: repulsive(),
                    };
                    found.push(Self {
                        dimension,
                        extent: [16, 12, if dimension == 2 { 1 } else { 9 }],
                        periodic: [true, false, dimension == 3],
                        bits: 23,
                        speed: 0.1,
                        flows: true,
                        no_slip,
                        wall_velocities: vec![[0.0; 3]],
                        kinds: vec![kind, Kind { mass: 5, ..kind }],
                        sub_steps: 20,
                    });
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(beads: u32, bending: f64) -> Kind {
        Kind { beads, bending, mass: 4, length: 1.0, stiffness: 1000.0, ..Kind::default() }
    }

    #[test]
    fn stiff_chains_persist_and_are_as_long_as_by_theory() {
        for (kappa, dimension, wanted) in [(100.0, 3, 100.0), (100.0, 2, 200.0), (1e4, 2, 2e4), (1e4, 3, 1e4)] {
            let found = kind(9, kappa).persistence_length(1.0, dimension);
            assert!((found / wanted - 1.0).abs() < 0.01, "{found}, wanted {wanted}");
        }
        // Rods, random walks, and what lies between: <R^2> = 2 lp L (1 - (lp / L) (1 - exp(-L / lp))).
        assert!((kind(21, 1e5).size(false, 1.0, 3) - 20.0).abs() < 0.01);
        assert!((kind(21, 1e-6).size(false, 1.0, 2) - 20.0_f64.sqrt()).abs() < 0.01);
        let (lp, length): (f64, f64) = (50.0, 100.0);
        let wanted = (2.0 * lp * length * (1.0 - lp / length * (1.0 - (-length / lp).exp()))).sqrt();
        assert!((kind(101, 50.0).size(false, 1.0, 3) / wanted - 1.0).abs() < 0.01);
        // A stiff ring is a circle.
        let circle = 100.0 / std::f64::consts::PI;
        assert!((kind(100, 1e4).size(true, 1.0, 3) - circle).abs() < 1e-9);
    }

    #[test]
    fn single_beads_have_no_springs() {
        let single = kind(1, 5.0);
        assert_eq!((single.frequency(), single.longest_bond(1.0)), (0.0, 0.0));
        assert_eq!(kind(2, 5.0).frequency(), kind(9, 0.0).frequency());
        assert!(kind(3, 5.0).frequency() > kind(2, 5.0).frequency());
    }
}
