//! Particles on the host, and where they are at the start.

use std::collections::HashMap;
use std::ops::Range;

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::{Ground, normals, philox};
use rayon::prelude::*;

use crate::parameters::Parameters;

/// Nodes that share their particles at random at the start.
const STRETCH: u64 = 4096;

/// Units in a thermal speed of the sums by which the mean velocity at the start is taken out.
const UNITS: f64 = (1_u64 << 30) as f64;

/// Random numbers at the start: places, velocities.
const PLACE: u32 = 0;
const VELOCITY: u32 = 1;

/// A particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// Number, the same on any number of ranks.
    pub label: u32,
    /// Position from the lowest corner, in the units of [`Parameters::bits`].
    pub position: [i32; 3],
    /// Velocity, lattice spacings a step.
    pub velocity: [f32; 3],
}

impl Particle {
    /// The site that holds it.
    pub fn site(&self, bits: u32) -> [i32; 3] {
        self.position.map(|x| x >> bits)
    }
}

/// Number of particles in a domain with so many nodes.
pub fn count(parameters: &Parameters, nodes: u64) -> u64 {
    (nodes as f64 * parameters.particles).round() as u64
}

/// The particles on this rank's nodes at the start. Nodes whose numbers follow each other share as many particles as their
/// number asks for; each is anywhere in them alike, so that the number at a node is nearly Poisson's. Velocities are
/// Maxwell's, with exactly the mean and the temperature asked for. Collective.
///
/// # Errors
/// When a rank is lost.
pub fn at_start(comm: &dyn Comm, ground: &Ground, parameters: &Parameters) -> Result<Vec<Particle>> {
    let nodes = ground.header.nodes as u64;
    let at: HashMap<u64, [i32; 3]> =
        ground.own_ids().iter().map(|id| id.0).zip(ground.own_positions().iter().copied()).collect();
    let mut stretches: Vec<u64> = at.keys().map(|id| id / STRETCH).collect();
    stretches.sort_unstable();
    stretches.dedup();
    let found = stretches.into_par_iter().flat_map_iter(|stretch| {
        let ids = stretch * STRETCH..((stretch + 1) * STRETCH).min(nodes);
        of_stretch(parameters, ids, &at).collect::<Vec<_>>()
    });
    let mut particles: Vec<Particle> = found.collect();
    adjust(comm, parameters, count(parameters, nodes), &mut particles)?;
    Ok(particles)
}

/// The particles of nodes `ids` that lie on the nodes `at`.
fn of_stretch<'s>(
    parameters: &'s Parameters,
    ids: Range<u64>,
    at: &'s HashMap<u64, [i32; 3]>,
) -> impl Iterator<Item = Particle> + use<'s> {
    let (bits, dimension) = (parameters.bits(), parameters.dimension);
    let labels = count(parameters, ids.start)..count(parameters, ids.end);
    labels.filter_map(move |label| {
        let number = label as u32;
        let [node, x, y, z] = philox([number, 0, PLACE, 0], parameters.seed);
        let id = ids.start + ((u64::from(node) * (ids.end - ids.start)) >> 32);
        let site = at.get(&id)?;
        let within = [x, y, z].map(|word| (word >> (32 - bits)) as i32);
        let position = [0, 1, 2].map(|a| if a < dimension { (site[a] << bits) + within[a] } else { 0 });
        let [a, b, c, d] = philox([number, 0, VELOCITY, 0], parameters.seed);
        let [first, second] = [normals([a, b]), normals([c, d])];
        let normal = [first[0], first[1], second[0]];
        let velocity = [0, 1, 2].map(|a| if a < dimension { (parameters.speed * normal[a]) as f32 } else { 0.0 });
        Some(Particle { label: number, position, velocity })
    })
}

/// Gives all particles together the velocity of the start as their mean, and the temperature. Sums are whole numbers, so
/// that they do not depend on ranks. Collective.
fn adjust(comm: &dyn Comm, parameters: &Parameters, count: u64, particles: &mut [Particle]) -> Result<()> {
    if count < 2 {
        return Ok(());
    }
    let unit = UNITS / parameters.speed;
    let mut sums = [0_i64; 4];
    for particle in &*particles {
        for (sum, v) in sums.iter_mut().zip(particle.velocity) {
            *sum += (f64::from(v) * unit).round() as i64;
        }
    }
    comm.sum(&mut sums)?;
    let mean = [0, 1, 2].map(|a| sums[a] as f64 / unit / count as f64);
    let relative = |particle: &Particle| [0, 1, 2].map(|a| f64::from(particle.velocity[a]) - mean[a]);
    let energy = |particle: &Particle| relative(particle).iter().map(|w| w * w).sum::<f64>();
    let per_energy = unit / parameters.speed;
    let mut sum = [particles.iter().map(|particle| (energy(particle) * per_energy).round() as i64).sum::<i64>()];
    comm.sum(&mut sum)?;
    let wanted = parameters.dimension as f64 * (count - 1) as f64 * parameters.speed.powi(2);
    let factor = (wanted * per_energy / sum[0] as f64).sqrt();
    for particle in particles {
        let w = relative(particle);
        particle.velocity = [0, 1, 2].map(|a| (parameters.initial[a] + factor * w[a]) as f32);
    }
    Ok(())
}
