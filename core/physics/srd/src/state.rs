//! The saved state: particles by the nodes that hold them, ordered by label, and the samples for averages.

use std::collections::HashMap;

use hematite_config::{Fault, Result};
use hematite_dump::Lists;
use hematite_engine::{Ground, Keep, Saved};
use serde::{Deserialize, Serialize};

use crate::parameters::Parameters;
use crate::particles::Particle;
use crate::solvent::Solvent;

/// The rest of the state, the same on all ranks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// Bits of the fractions of positions.
    pub bits: u32,
    /// Time step, s.
    pub time_step_s: f64,
    /// Thermal speed, lattice spacings a step.
    pub speed: f64,
    /// Mean number of particles in a cell.
    pub particles_per_cell: f64,
    /// Mass of a particle, kg. Checkpoints of earlier versions do not hold it.
    #[serde(default)]
    pub mass: Option<f64>,
    /// Number of samples.
    pub samples: u64,
    /// Whether a dump has taken the samples.
    pub dumped: bool,
}

const PARTICLES: &str = "particles";

fn sampled(word: usize) -> String {
    format!("sampled {word}")
}

/// Numbers of a particle in a saved state.
fn width(dimension: usize) -> usize {
    (2 * dimension + 1).div_ceil(2)
}

/// Bytes of `particles` particles on `nodes` nodes in a saved state, with how many each node holds, and the samples
/// there.
pub fn bytes(dimension: usize, nodes: u64, particles: u64) -> u64 {
    // Each number of the samples stands beside that of its node.
    8 * width(dimension) as u64 * particles + (4 + 16 * (2 + dimension as u64)) * nodes
}

/// The words of a particle, two in each number.
fn packed(dimension: usize, particle: &Particle) -> Vec<i64> {
    let positions = particle.position[..dimension].iter().map(|&x| x as u32);
    let velocities = particle.velocity[..dimension].iter().map(|v| v.to_bits());
    let words: Vec<u32> = positions.chain(velocities).chain([particle.label]).collect();
    let pair = |pair: &[u32]| i64::from(pair[0]) | i64::from(pair.get(1).copied().unwrap_or(0)) << 32;
    words.chunks(2).map(pair).collect()
}

fn unpacked(dimension: usize, numbers: &[i64]) -> Particle {
    let words: Vec<u32> = numbers.iter().flat_map(|&number| [number as u32, (number >> 32) as u32]).collect();
    let of = |k: usize| if k < dimension { Some(k) } else { None };
    Particle {
        position: [0, 1, 2].map(|a| of(a).map_or(0, |a| words[a] as i32)),
        velocity: [0, 1, 2].map(|a| of(a).map_or(0.0, |a| f32::from_bits(words[dimension + a]))),
        label: words[2 * dimension],
    }
}

/// Gives the state of `solvent` to `keep`.
///
/// # Errors
/// When the device is lost; those of `keep`.
pub fn save(solvent: &Solvent, ground: &Ground, keep: &mut dyn Keep) -> Result<()> {
    let (dimension, bits) = (solvent.parameters().dimension, solvent.parameters().bits());
    let node: HashMap<[i32; 3], usize> = ground.own_positions().iter().copied().zip(0..).collect();
    let mut of_node: Vec<Vec<Particle>> = vec![Vec::new(); ground.part.own];
    for particle in solvent.particles()? {
        let lost = || Fault::io(format!("particle {} is on no node of its rank", particle.label));
        of_node[*node.get(&particle.site(bits)).ok_or_else(lost)?].push(particle);
    }
    of_node.iter_mut().for_each(|particles| particles.sort_unstable_by_key(|particle| particle.label));
    keep.lists(
        PARTICLES,
        Lists {
            width: width(dimension),
            counts: of_node.iter().map(|particles| particles.len() as u32).collect(),
            values: of_node.iter().flatten().flat_map(|particle| packed(dimension, particle)).collect(),
        },
    )?;
    let sums = solvent.sampled()?;
    for word in 0..2 + dimension {
        keep.some(&sampled(word), ground.own_ids().to_vec(), sums.iter().map(|sums| sums[word]).collect())?;
    }
    Ok(())
}

/// The particles on this rank's nodes in a saved state. Collective.
///
/// # Errors
/// A usage fault where the state is damaged; when a rank is lost.
pub fn particles(parameters: &Parameters, saved: &dyn Saved) -> Result<Vec<Particle>> {
    let lists = saved.lists(PARTICLES)?;
    let width = width(parameters.dimension);
    if lists.width != width && !lists.values.is_empty() {
        let (source, got) = (&saved.header().source, lists.width);
        return Err(Fault::usage(format!("{source}: particles of {got} numbers, this run has {width}")));
    }
    Ok(lists.values.chunks_exact(width).map(|numbers| unpacked(parameters.dimension, numbers)).collect())
}

/// The sums of samples at this rank's nodes in a saved state. Collective.
///
/// # Errors
/// A usage fault where the state is damaged; when a rank is lost.
pub fn samples(parameters: &Parameters, ground: &Ground, saved: &dyn Saved) -> Result<Vec<Vec<i64>>> {
    let words = (0..2 + parameters.dimension)
        .map(|word| saved.some(&sampled(word), ground.own_ids()))
        .collect::<Result<Vec<_>>>()?;
    Ok((0..ground.part.own).map(|n| words.iter().map(|of| of[n]).collect()).collect())
}
