//! The chains of a run and their beads on the host.

use hematite_case::ChainPopulation;
use hematite_engine::{Bath, normals, philox};

use crate::parameters::Parameters;

/// No bead.
pub const NONE: u32 = u32::MAX;

/// Which random numbers of a bead are for its velocity at the start.
const VELOCITY: u32 = 16;

/// A bead.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bead {
    /// Position from the lowest corner within the domain, in 2^-bits lattice spacings.
    pub position: [i32; 3],
    /// How often it has crossed periodic faces.
    pub image: [i32; 3],
    /// Velocity, lattice spacings a time step.
    pub velocity: [f32; 3],
}

/// Which beads are neighbours along chains. Beads have numbers, population after population, chain after chain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chains {
    /// Of each bead: the one before it and the one after it along the chain, or [`NONE`]; its population.
    pub links: Vec<[u32; 3]>,
    /// First bead and number of beads of each chain.
    pub chains: Vec<[u32; 2]>,
}

impl Chains {
    /// The chains of the populations of a case.
    pub fn of(populations: &[ChainPopulation]) -> Self {
        let mut found = Self::default();
        for (population, kind) in populations.iter().zip(0..) {
            let beads = population.beads as u32;
            for _ in 0..population.chains() {
                let first = found.links.len() as u32;
                let last = first + beads - 1;
                let closes = population.ring && beads > 2;
                found.links.extend((first..=last).map(|i| {
                    let before = if i > first {
                        i - 1
                    } else if closes {
                        last
                    } else {
                        NONE
                    };
                    let after = if i < last {
                        i + 1
                    } else if closes {
                        first
                    } else {
                        NONE
                    };
                    [before, after, kind]
                }));
                found.chains.push([first, beads]);
            }
        }
        found
    }

    /// Number of beads.
    pub fn beads(&self) -> usize {
        self.links.len()
    }

    /// The population of a bead.
    pub fn kind(&self, bead: usize) -> usize {
        self.links[bead][2] as usize
    }
}

/// The beads at the start: where the case has them, with velocities of the temperature about that of the fluid. All beads
/// together have the momentum of the fluid in their place.
pub fn at_start(
    parameters: &Parameters,
    bath: &Bath,
    chains: &Chains,
    metres: &[[f64; 3]],
    origin: [f64; 3],
) -> Vec<Bead> {
    let one = f64::from(1_u32 << parameters.bits);
    let bead = |(at, number): (&[f64; 3], u32)| {
        let mut bead = Bead::default();
        let [a, b, c, d] = philox([number, 0, VELOCITY, 1], bath.seed);
        let [first, second] = [normals([a, b]), normals([c, d])];
        let normal = [first[0], first[1], second[0]];
        let mass = f64::from(parameters.kinds[chains.kind(number as usize)].mass);
        for axis in 0..parameters.dimension {
            let extent = parameters.extent[axis] as f64;
            let mut x = (at[axis] - origin[axis]) / bath.units.dx;
            if parameters.periodic[axis] {
                bead.image[axis] = (x / extent).floor() as i32;
                x -= f64::from(bead.image[axis]) * extent;
            }
            let most = (extent * one) as i64 - 1;
            bead.position[axis] = ((x * one).round() as i64).clamp(0, most) as i32;
            bead.velocity[axis] = (bath.speed / mass.sqrt() * normal[axis]) as f32;
        }
        bead
    };
    let mut beads: Vec<Bead> = metres.iter().zip(0..).map(bead).collect();
    let masses = || chains.links.iter().map(|link| f64::from(parameters.kinds[link[2] as usize].mass));
    let total: f64 = masses().sum();
    for axis in 0..parameters.dimension {
        let momentum: f64 = beads.iter().zip(masses()).map(|(bead, m)| m * f64::from(bead.velocity[axis])).sum();
        let shift = bath.initial[axis] - momentum / total;
        beads.iter_mut().for_each(|bead| bead.velocity[axis] = (f64::from(bead.velocity[axis]) + shift) as f32);
    }
    beads
}
