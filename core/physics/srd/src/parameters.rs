//! The numbers of the fluid in units of the lattice spacing and the time step.

use hematite_engine::{PointNeeds, bits_of_fraction};

use crate::config::{Collision, Walls};

/// Largest velocity of a particle along an axis, in thermal speeds. By chance alone it takes 10^32 draws to get there.
const FASTEST: f64 = 12.0;

/// Virtual particles in walls, over those that the fluid in their place would have.
///
/// They have the mean velocity of the wall, where fluid beyond a plane at rest would flow the other way. As many as the
/// fluid would have therefore hold the fluid too loosely: by 1/4 of a cell if collisions alone carried momentum. With this
/// many it slips by less than 0.1 cells at mean free paths from 0.04 to 0.3 (`make validate`, case "S2").
const WALL_DENSITY: f64 = 2.5;

/// Embedded points in a cell beyond which sums might not fit.
const MOST_POINTS: u32 = 128;

/// The numbers of the fluid, in units of the lattice spacing and the time step.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// 2 or 3.
    pub dimension: usize,
    /// Sites of the domain along x, y, z.
    pub extent: [usize; 3],
    /// Periodic axes.
    pub periodic: [bool; 3],
    /// M: mean number of particles in a cell.
    pub particles: f64,
    /// Thermal speed along an axis, sqrt(kT/m).
    pub speed: f64,
    /// alpha: angle of the rotation, radians.
    pub angle: f64,
    /// What particles of a cell do to each other.
    pub collision: Collision,
    /// Whether collisions conserve angular momentum.
    pub angular_momentum: bool,
    /// Share of cells whose energy is drawn anew in a step.
    pub thermostat: f64,
    /// Whether cells are shifted.
    pub grid_shift: bool,
    /// What walls do.
    pub walls: Walls,
    /// Velocities of walls: of number 0, which is at rest, then of moving ones.
    pub wall_velocities: Vec<[f64; 3]>,
    /// The key of random numbers.
    pub seed: [u32; 2],
    /// Acceleration by the body force, where its waveform is 1.
    pub acceleration: [f64; 3],
    /// Velocity at the start.
    pub initial: [f64; 3],
    /// Particles are counted at nodes after multiples of this number of steps.
    pub sample_every: u64,
    /// The points that the fluid carries.
    pub points: Option<PointNeeds>,
}

impl Parameters {
    /// Largest velocity of a particle along an axis.
    pub fn fastest(&self) -> f64 {
        FASTEST * self.speed
    }

    /// The unit of what a body force adds to velocities: the spacing of the largest numbers of 32 bits that velocities
    /// may be, so that all velocities are multiples of it or finer. Smaller kicks would be rounded alike in many
    /// particles, and the flow be driven too hard or too little.
    pub fn kick_unit(&self) -> f64 {
        (self.fastest().log2().ceil() - f64::from(f32::MANTISSA_DIGITS)).exp2()
    }

    /// Most sites that a particle goes along an axis in a step.
    pub fn reach(&self) -> i32 {
        self.fastest().ceil() as i32
    }

    /// Mean number of virtual particles in a cell that lies in the wall.
    pub fn in_wall(&self) -> f64 {
        WALL_DENSITY * self.particles
    }

    /// Largest mass in a cell whose sums surely fit, in that of a particle.
    pub fn most_in_cell(&self) -> u32 {
        (8.0 * self.particles) as u32 + 64 + self.points.map_or(0, |points| MOST_POINTS * points.heaviest)
    }

    /// Units of momentum in a lattice unit: a power of 2, so that scaling rounds nothing.
    pub fn momentum_scale(&self) -> f64 {
        power_of_two(f64::from(i32::MAX) / (f64::from(self.most_in_cell()) * self.fastest()))
    }

    /// Units of energy in a lattice unit of the squared velocity.
    pub fn energy_scale(&self) -> f64 {
        let squared = self.dimension as f64 * self.fastest().powi(2);
        power_of_two(f64::from(i32::MAX) / (f64::from(self.most_in_cell()) * squared))
    }

    /// Bits of the fraction of a position.
    pub fn bits(&self) -> u32 {
        bits_of_fraction(self.extent, self.reach() as u32)
    }

    /// Cosine and sine of the angle of rotation in 2-D as f32 holds them: of the pairs within 1e-5 of the angle, the one whose
    /// squares add up to 1 most nearly, so that turns change no energy.
    pub fn turn(&self) -> [f64; 2] {
        let near = (-64..=64).map(|k| {
            let c = f64::from((self.angle + 1.5e-7 * f64::from(k)).cos() as f32);
            let s = (1.0 - c * c).max(0.0).sqrt() as f32;
            [c, f64::from(s)]
        });
        let off = |[c, s]: &[f64; 2]| (c * c + s * s - 1.0).abs();
        near.min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or([self.angle.cos(), self.angle.sin()])
    }

    /// Units in a lattice spacing of the sums of positions in a cell.
    pub fn length_scale(&self) -> f64 {
        power_of_two(f64::from(i32::MAX) / (0.5 * f64::from(self.most_in_cell())))
    }

    /// Words of a cell's sums: mass, momentum, energy; of Andersen's collision the momentum of the velocities drawn; then what
    /// spin.wgsl adds; with embedded points by how much these are heavier than particles.
    pub fn width(&self) -> u32 {
        let andersen = self.collision == Collision::Andersen;
        let drawn = if andersen { self.dimension } else { 0 };
        let spin = match (self.angular_momentum, self.dimension, andersen) {
            (false, ..) => 0,
            (true, 2, true) => 4,
            (true, 2, false) => 5,
            (true, _, true) => 12,
            (true, _, false) => 18,
        };
        (2 + self.dimension + drawn + spin + usize::from(self.points.is_some())) as u32
    }

    /// Words of a particle in a message: position, velocity, label.
    pub fn record(&self) -> u32 {
        2 * self.dimension as u32 + 1
    }
}

fn power_of_two(x: f64) -> f64 {
    x.log2().floor().exp2()
}

#[cfg(test)]
impl Parameters {
    /// Numbers for tests, with all variants of kernels.
    pub fn samples() -> Vec<Self> {
        let mut found = Vec::new();
        for dimension in [2, 3] {
            for collision in [Collision::Rotation, Collision::Andersen] {
                for walls in [Walls::NoSlip, Walls::BounceBack, Walls::Slip] {
                    for (thermostat, angular_momentum) in [(0.1, false), (0.0, false), (0.1, true), (0.0, true)] {
                        found.push(Self {
                            dimension,
                            extent: [16, 12, if dimension == 2 { 1 } else { 9 }],
                            periodic: [true, false, dimension == 3],
                            particles: 10.0,
                            speed: 0.1,
                            angle: 2.3,
                            collision,
                            angular_momentum,
                            thermostat,
                            grid_shift: true,
                            walls,
                            wall_velocities: vec![[0.0; 3]],
                            seed: [1, 0],
                            acceleration: [0.0; 3],
                            initial: [0.0; 3],
                            sample_every: 10,
                            points: if angular_momentum { None } else { Some(PointNeeds { count: 3, heaviest: 10 }) },
                        });
                    }
                }
            }
        }
        found
    }
}
