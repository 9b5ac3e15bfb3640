//! The saved state: beads by the nodes that hold them.

use std::collections::HashMap;

use bytemuck::cast_slice;
use hematite_comm::{Comm, agree, gather_all};
use hematite_config::{Fault, Result};
use hematite_dump::Lists;
use hematite_engine::{Ground, Keep, Saved};
use serde::{Deserialize, Serialize};

use crate::chains::Bead;
use crate::parameters::Parameters;

/// The rest of the state, the same on all ranks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// Beads of each population.
    pub beads: Vec<u64>,
    /// Mass of a bead of each population; empty where it is not known.
    #[serde(default)]
    pub masses: Vec<u32>,
}

const BEADS: &str = "beads";

/// Numbers of a bead in a saved state.
fn width(dimension: usize) -> usize {
    1 + (3 * dimension).div_ceil(2)
}

/// Bytes of `beads` beads on `nodes` nodes in a saved state: their numbers, and how many each node holds.
pub fn bytes(dimension: usize, nodes: u64, beads: u64) -> u64 {
    8 * width(dimension) as u64 * beads + 4 * nodes
}

fn packed(dimension: usize, number: usize, bead: &Bead) -> Vec<i64> {
    let positions = bead.position[..dimension].iter().map(|&x| x as u32);
    let images = bead.image[..dimension].iter().map(|&x| x as u32);
    let velocities = bead.velocity[..dimension].iter().map(|v| v.to_bits());
    let words: Vec<u32> = positions.chain(images).chain(velocities).collect();
    let pair = |pair: &[u32]| i64::from(pair[0]) | i64::from(pair.get(1).copied().unwrap_or(0)) << 32;
    std::iter::once(number as i64).chain(words.chunks(2).map(pair)).collect()
}

fn unpacked(dimension: usize, numbers: &[i64]) -> (usize, Bead) {
    let words: Vec<u32> = numbers[1..].iter().flat_map(|&number| [number as u32, (number >> 32) as u32]).collect();
    let at = |first: usize, a: usize| if a < dimension { words[first * dimension + a] } else { 0 };
    let bead = Bead {
        position: [0, 1, 2].map(|a| at(0, a) as i32),
        image: [0, 1, 2].map(|a| at(1, a) as i32),
        velocity: [0, 1, 2].map(|a| f32::from_bits(at(2, a))),
    };
    (numbers[0] as usize, bead)
}

/// Gives the beads on this rank's nodes to `keep`.
///
/// # Errors
/// Those of `keep`.
pub fn save(parameters: &Parameters, beads: &[Bead], ground: &Ground, keep: &mut dyn Keep) -> Result<()> {
    let node: HashMap<[i32; 3], usize> = ground.own_positions().iter().copied().zip(0..).collect();
    let mut of_node: Vec<Vec<usize>> = vec![Vec::new(); ground.part.own];
    for (i, bead) in beads.iter().enumerate() {
        if let Some(&n) = node.get(&bead.position.map(|x| x >> parameters.bits)) {
            of_node[n].push(i);
        }
    }
    let values = of_node.iter().flatten().flat_map(|&i| packed(parameters.dimension, i, &beads[i]));
    keep.lists(
        BEADS,
        Lists {
            width: width(parameters.dimension),
            counts: of_node.iter().map(|beads| beads.len() as u32).collect(),
            values: values.collect(),
        },
    )
}

/// All `count` beads of a saved state. Collective.
///
/// # Errors
/// A usage fault where the state is damaged; when a rank is lost.
pub fn beads(comm: &dyn Comm, parameters: &Parameters, count: usize, saved: &dyn Saved) -> Result<Vec<Bead>> {
    let lists = saved.lists(BEADS)?;
    let width = width(parameters.dimension);
    let damaged = |what: &str| Fault::usage(format!("{}: {what}", saved.header().source));
    let fits = lists.width == width || lists.values.is_empty();
    agree(comm, if fits { Ok(()) } else { Err(damaged("its beads are of another dimension")) })?;
    let mut found: Vec<Option<Bead>> = vec![None; count];
    for bytes in gather_all(comm, cast_slice(&lists.values))? {
        let numbers: Vec<i64> = bytes.as_chunks::<8>().0.iter().map(|&word| i64::from_le_bytes(word)).collect();
        for record in numbers.chunks_exact(width) {
            let (number, bead) = unpacked(parameters.dimension, record);
            *found.get_mut(number).ok_or_else(|| damaged("it has more beads than the case"))? = Some(bead);
        }
    }
    found.into_iter().collect::<Option<Vec<Bead>>>().ok_or_else(|| damaged("it lacks beads of the case"))
}
