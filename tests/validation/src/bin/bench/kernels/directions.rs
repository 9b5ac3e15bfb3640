//! Links as distances a direction: a run is a stretch of nodes of one block whose upstream nodes lie equally far along every
//! direction, walls aside.

use hematite_case::{Link, Target, VelocitySet};

/// Nodes of a block: as many as a workgroup, so that it needs few runs.
pub const BLOCK: usize = 256;

/// Link tables in which a node has one word: bit `i - 1` says that f_i comes from a wall, what is above counts the runs
/// since the first of the node's block.
#[derive(Default)]
pub struct Directions {
    /// One word a node.
    pub words: Vec<u32>,
    /// The first run of each block.
    pub first: Vec<u32>,
    /// For each run [`row`] distances: from a node to the node upstream along each direction, modulo 2^32.
    pub distances: Vec<u32>,
}

/// Distances of a run: one a direction, filled up to whole `vec4<u32>`.
pub fn row(set: VelocitySet) -> usize {
    (set.q() - 1).next_multiple_of(4)
}

impl Directions {
    /// What they take on the device, bytes.
    pub fn bytes(&self) -> usize {
        4 * (self.words.len() + self.first.len() + self.distances.len())
    }

    /// The links of own nodes: `links[i - 1][n]` is where `c_i` leads from node `n`.
    pub fn of(set: VelocitySet, links: &[Vec<Link>]) -> Self {
        let (directions, row) = (set.q() - 1, row(set));
        let own = links.first().map_or(0, Vec::len);
        let upstream = |i: usize, n: usize| links[VelocitySet::opposite(i) - 1][n].target();
        let mut runs = Self { words: Vec::with_capacity(own), ..Self::default() };
        let mut distance = vec![0_u32; row];
        // Directions whose distance in the last run is that of some node, not just what a wall left there.
        let mut settled = 0_u32;
        for n in 0..own {
            let mut walls = 0_u32;
            for (k, distance) in distance[..directions].iter_mut().enumerate() {
                match upstream(k + 1, n) {
                    Target::Node(at) => *distance = at.wrapping_sub(n as u32),
                    Target::Wall | Target::Opening(_) => walls |= 1 << k,
                }
            }
            let wanted = !walls & ((1 << directions) - 1);
            let begins = n % BLOCK == 0;
            if begins {
                runs.first.push((runs.distances.len() / row) as u32);
            }
            let last = runs.distances.len().saturating_sub(row);
            let differs = |k: usize| wanted & settled & (1 << k) != 0 && runs.distances[last + k] != distance[k];
            if begins || (0..directions).any(differs) {
                runs.distances.extend_from_slice(&distance);
                settled = wanted;
            } else {
                for k in (0..directions).filter(|k| wanted & (1 << k) != 0) {
                    runs.distances[last + k] = distance[k];
                }
                settled |= wanted;
            }
            let number = (runs.distances.len() / row - 1) as u32 - runs.first[n / BLOCK];
            runs.words.push(walls | number << directions);
        }
        runs
    }
}
