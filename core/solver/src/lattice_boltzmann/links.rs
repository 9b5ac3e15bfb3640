//! Links for in-place streaming: where a node finds each population on odd steps.
//!
//! Directions come in pairs `(i, j)`, `j = -i`, `i = 2k - 1`, `j = 2k`; pair `k` has one array of two slots of `stride`
//! values, slot 0 for `i` and slot 1 for `j`. After an even step the population that node `n` needs from `n - c_i`
//! stands in slot `j` of that node. Where a wall or an opening is upstream, it stands in the node's own slot `i`.
//!
//! Nodes follow each other along x, so the nodes upstream of neighbours are mostly neighbours too. A run is a stretch of
//! nodes of one block whose upstream nodes lie equally far along every direction, walls aside; links.wgsl reads them.

use hematite_case::{Link, Target, VelocitySet};

/// Nodes of a block: as many as a workgroup, so that it needs few runs.
pub const BLOCK: usize = 256;

/// A slot in a pair's array: which pair, and the index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Number of the pair, from 1.
    pub pair: u32,
    /// Index in the pair's array.
    pub index: u32,
}

impl Place {
    /// The slot of direction `i` at node `n`.
    pub fn of(i: usize, n: u32, stride: u32) -> Self {
        Self { pair: i.div_ceil(2) as u32, index: if i % 2 == 1 { n } else { stride + n } }
    }
}

/// The links of all own nodes, as links.wgsl reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// A word a node: bit `i - 1` says that `f_i` comes from a wall or an opening; what is above the `q - 1` bits is the
    /// number of the node's run, counted from the first of its block.
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

impl Runs {
    /// What they take on the device, bytes.
    pub fn bytes(&self) -> usize {
        4 * (self.words.len() + self.first.len() + self.distances.len())
    }

    /// The runs of own nodes from their links: `links[i - 1][n]` is where `c_i` leads from node `n`.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Where `f_i` of node `n` is on odd steps, read as links.wgsl does.
    fn place(set: VelocitySet, runs: &Runs, i: usize, n: usize, stride: u32) -> Place {
        let word = runs.words[n];
        let run = runs.first[n / BLOCK] + (word >> (set.q() - 1));
        let distance = runs.distances[run as usize * row(set) + i - 1];
        if word >> (i - 1) & 1 == 1 {
            Place::of(i, n as u32, stride)
        } else {
            Place::of(VelocitySet::opposite(i), (n as u32).wrapping_add(distance), stride)
        }
    }

    /// Links of a random set of the sites of a periodic box, in the order of the sites.
    fn random(set: VelocitySet, extent: [i32; 3], fill: u64) -> Vec<Vec<Link>> {
        let mut state = 7_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % 100
        };
        let [nx, ny, nz] = extent;
        let fluid: Vec<bool> = (0..nx * ny * nz).map(|_| draw() < fill).collect();
        let mut number = vec![None; fluid.len()];
        for (k, site) in (0..fluid.len()).filter(|&site| fluid[site]).enumerate() {
            number[site] = Some(k as u32);
        }
        let along = |c: [i32; 3]| {
            let to = |site: usize| {
                let (site, wrap) = (site as i32, |at: i32, n: i32| (at + n) % n);
                let x = wrap(site % nx + c[0], nx);
                let y = wrap(site / nx % ny + c[1], ny);
                let z = wrap(site / (nx * ny) + c[2], nz);
                number[((z * ny + y) * nx + x) as usize].map_or(Link::WALL, Link::node)
            };
            (0..fluid.len()).filter(|&site| fluid[site]).map(to).collect()
        };
        set.velocities()[1..].iter().map(|&c| along(c)).collect()
    }

    #[test]
    fn every_population_is_found_where_its_link_leads() {
        for (set, extent) in [(VelocitySet::D2Q9, [61, 23, 1]), (VelocitySet::D3Q19, [37, 11, 7])] {
            for fill in [20, 60, 95, 100] {
                let links = random(set, extent, fill);
                let runs = Runs::of(set, &links);
                let own = links[0].len();
                let stride = own.next_multiple_of(64) as u32;
                let mut used = std::collections::HashSet::new();
                for i in 1..set.q() {
                    let back = VelocitySet::opposite(i);
                    for (n, link) in links[back - 1].iter().enumerate() {
                        let expected = match link.target() {
                            Target::Node(upstream) => Place::of(back, upstream, stride),
                            _ => Place::of(i, n as u32, stride),
                        };
                        let found = place(set, &runs, i, n, stride);
                        assert_eq!(found, expected, "{set:?}, fill {fill}: f_{i} of node {n}");
                        // Each slot is one invocation's own.
                        assert!(used.insert((found.pair, found.index)));
                    }
                }
            }
        }
    }

    #[test]
    fn a_full_box_has_few_runs() {
        let runs = Runs::of(VelocitySet::D3Q19, &random(VelocitySet::D3Q19, [100, 10, 10], 100));
        let count = runs.distances.len() / row(VelocitySet::D3Q19);
        // Three for each row of 100 (its ends wrap), and one for each block that begins within one.
        assert!(count <= 3 * 100 + 10_000 / BLOCK, "{count} runs");
    }
}
