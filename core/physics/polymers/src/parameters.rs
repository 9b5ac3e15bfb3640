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
