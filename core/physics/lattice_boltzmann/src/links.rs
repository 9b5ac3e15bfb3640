//! Links for in-place streaming: where a node finds each population on odd steps.
//!
//! Directions come in pairs `(i, j)`, `j = -i`, `i = 2k - 1`, `j = 2k`; pair `k` has one array of two slots of `stride`
//! values, slot 0 for `i` and slot 1 for `j`. After an even step the population that node `n` needs from `n - c_i`
//! stands in slot `j` of that node. Where a wall or an opening is upstream, it stands in the node's own slot `i`.
//!
//! Nodes follow each other along x, so the nodes of a row have their neighbours in the next row equally far away. A run is a
//! stretch of nodes for which one distance a neighbouring row says all; where it does not (a period's end,
//! another part's nodes), a node's links are listed. Which nodes begin a run is a bit a node, and so is which nodes are special: they
//! have walls or openings upstream, or listed links, and a word each. upstream.wgsl reads all this.

use hematite_case::{Link, Target, VelocitySet};

/// Nodes of a group: as many as a word has bits.
pub const GROUP: usize = 32;

/// Bit of a group's last word that says that links of a node of it are listed.
pub const LISTS: u32 = 1 << 31;

/// Directions of the largest velocity set, rest left out.
const MOST_DIRECTIONS: usize = 18;

/// Neighbouring rows of the largest velocity set.
const MOST_ROWS: usize = 8;

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

/// The links of all own nodes, as upstream.wgsl reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// Four words a group of [`GROUP`] nodes: bits of the nodes that begin a run, the first node's left out; the run of the first
    /// node; bits of special nodes; the number of the first special node from here on, and [`LISTS`].
    pub marks: Vec<u32>,
    /// A word a special node, and one more, which is read and not used: bit `i - 1` says that `f_i` comes from a wall or an opening,
    /// bit `q - 1` that the node's links are listed.
    pub specials: Vec<u32>,
    /// For each run a distance for each of [`rows`], modulo 2^32: from a node to the one beside it in that row. For a node whose
    /// links are listed, the first is the number of its list.
    pub distances: Vec<u32>,
    /// Lists, at least one: for each direction the distance from the node to the one upstream, modulo 2^32.
    pub lists: Vec<u32>,
    /// The runs of nodes with listed links, in ascending order.
    listed: Vec<usize>,
}

/// The neighbouring rows in which nodes upstream stand: steps along y and z.
pub fn rows(set: VelocitySet) -> Vec<[i32; 2]> {
    rows_along(set, &(1..set.q()).collect::<Vec<_>>())
}

/// Those in which nodes upstream along `directions` stand.
pub fn rows_along(set: VelocitySet, directions: &[usize]) -> Vec<[i32; 2]> {
    let c = set.velocities();
    let mut rows: Vec<_> = directions.iter().map(|&i| [-c[i][1], -c[i][2]]).filter(|&row| row != [0, 0]).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

impl Runs {
    /// What they take on the device, bytes.
    pub fn bytes(&self) -> usize {
        4 * (self.marks.len() + self.specials.len() + self.distances.len() + self.lists.len())
    }

    /// The runs of own nodes from their links: `links[i - 1][n]` is where `c_i` leads from node `n`.
    pub fn of(set: VelocitySet, links: &[Vec<Link>]) -> Self {
        Self::along(set, links, &(1..set.q()).collect::<Vec<_>>())
    }

    /// Those of kernels that ask for nodes upstream along `directions` alone: distances of [`rows_along`] them, lists of as many words.
    pub fn along(set: VelocitySet, links: &[Vec<Link>], directions: &[usize]) -> Self {
        let (rows, c) = (rows_along(set, directions), set.velocities());
        let row_of = |i: usize| rows.iter().position(|&row| row == [-c[i][1], -c[i][2]]);
        let row_of: Vec<Option<usize>> = (0..set.q()).map(row_of).collect();
        let own = links.first().map_or(0, Vec::len);
        let upstream = |i: usize, n: usize| links[VelocitySet::opposite(i) - 1][n].target();
        let mut runs = Self { marks: Vec::with_capacity(4 * own.div_ceil(GROUP)), ..Self::default() };
        // Distances of the last run, as far as its nodes settled them; none where a list stands.
        let mut settled: Option<[Option<u32>; MOST_ROWS]> = None;
        for n in 0..own {
            let mut walls = 0_u32;
            for i in 1..set.q() {
                walls |= u32::from(!matches!(upstream(i, n), Target::Node(_))) << (i - 1);
            }
            let mut list = [0; MOST_DIRECTIONS];
            // Distance to each row that the node asks for, and whether one a row is enough.
            let mut asked: [Option<u32>; MOST_ROWS] = [None; MOST_ROWS];
            let mut plain = true;
            for (&i, distance) in directions.iter().zip(&mut list) {
                let Target::Node(at) = upstream(i, n) else { continue };
                *distance = at.wrapping_sub(n as u32);
                let beside = distance.wrapping_add_signed(c[i][0]);
                match row_of[i] {
                    Some(row) => plain &= *asked[row].get_or_insert(beside) == beside,
                    None => plain &= beside == 0,
                }
            }
            let begins = match &mut settled {
                _ if !plain => {
                    runs.listed.push(runs.distances.len() / rows.len());
                    runs.distances.push((runs.lists.len() / directions.len()) as u32);
                    runs.distances.resize(runs.distances.len() + rows.len() - 1, 0);
                    runs.lists.extend(&list[..directions.len()]);
                    settled = None;
                    true
                }
                Some(known) if known.iter().zip(&asked).all(|(a, b)| a.is_none() || b.is_none() || a == b) => {
                    let last = runs.distances.len() - rows.len();
                    for (row, distance) in asked.iter().enumerate().filter_map(|(row, d)| Some((row, (*d)?))) {
                        runs.distances[last + row] = distance;
                        known[row] = Some(distance);
                    }
                    false
                }
                _ => {
                    runs.distances.extend(asked[..rows.len()].iter().map(|distance| distance.unwrap_or_default()));
                    settled = Some(asked);
                    true
                }
            };
            let (bit, group) = (1 << (n % GROUP), n / GROUP * 4);
            if n % GROUP == 0 {
                let run = (runs.distances.len() / rows.len() - 1) as u32;
                runs.marks.extend([0, run, 0, runs.specials.len() as u32]);
            } else if begins {
                runs.marks[group] |= bit;
            }
            if walls != 0 || !plain {
                runs.marks[group + 2] |= bit;
                runs.specials.push(walls | u32::from(!plain) << (set.q() - 1));
            }
            if !plain {
                runs.marks[group + 3] |= LISTS;
            }
        }
        runs.specials.push(0);
        if runs.lists.is_empty() {
            runs.lists.resize(directions.len(), 0);
        }
        runs
    }

    /// For each run and each direction of `set`, whose nodes these are, the distance from a node to the one upstream,
    /// modulo 2^32, listed ones included: for devices where few reads matter more than few bytes.
    pub fn by_direction(&self, set: VelocitySet) -> Vec<u32> {
        let (rows, c) = (rows(set), set.velocities());
        let row_of: Vec<_> = c[1..].iter().map(|c| rows.iter().position(|&row| row == [-c[1], -c[2]])).collect();
        let mut listed = self.listed.iter().peekable();
        let mut all = Vec::with_capacity(self.distances.len() / rows.len() * row_of.len());
        for (run, of_rows) in self.distances.chunks_exact(rows.len()).enumerate() {
            if listed.next_if_eq(&&run).is_some() {
                let first = of_rows[0] as usize * row_of.len();
                all.extend(&self.lists[first..][..row_of.len()]);
            } else {
                let along = |(&row, c): (&Option<usize>, &[i32; 3])| {
                    row.map_or(0, |row: usize| of_rows[row]).wrapping_add_signed(-c[0])
                };
                all.extend(row_of.iter().zip(&c[1..]).map(along));
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where `f_i` of node `n` is on odd steps, read as upstream.wgsl and links.wgsl do.
    fn place(set: VelocitySet, (runs, by_direction): (&Runs, &[u32]), i: usize, n: usize, stride: u32) -> Place {
        let (rows, c) = (rows(set), set.velocities()[i]);
        let group: [u32; 4] = std::array::from_fn(|word| runs.marks[n / GROUP * 4 + word]);
        let (bit, count) = (1_u32 << (n % GROUP), |bits: u32| bits.count_ones());
        let run = (group[1] + count(group[0] & ((bit - 1) | bit))) as usize;
        let special = (group[3] & !LISTS) + count(group[2] & (bit - 1));
        let word = if group[2] & bit == 0 { 0 } else { runs.specials[special as usize] };
        if word >> (i - 1) & 1 == 1 {
            return Place::of(i, n as u32, stride);
        }
        let distance = if group[3] >= LISTS && word >> (set.q() - 1) & 1 == 1 {
            runs.lists[runs.distances[run * rows.len()] as usize * (set.q() - 1) + i - 1]
        } else {
            let row = rows.iter().position(|&row| row == [-c[1], -c[2]]);
            let beside = row.map_or(0, |row| runs.distances[run * rows.len() + row]);
            beside.wrapping_sub(c[0] as u32)
        };
        assert_eq!(by_direction[run * (set.q() - 1) + i - 1], distance);
        Place::of(VelocitySet::opposite(i), (n as u32).wrapping_add(distance), stride)
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
                let by_direction = runs.by_direction(set);
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
                        let found = place(set, (&runs, &by_direction), i, n, stride);
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
        let set = VelocitySet::D3Q19;
        let runs = Runs::of(set, &random(set, [100, 10, 10], 100));
        // Listed are the two ends of each row of 100, which wrap.
        assert_eq!(runs.lists.len() / (set.q() - 1), 2 * 100);
        let count = runs.distances.len() / rows(set).len() - 2 * 100;
        // One for each row.
        assert_eq!(count, 100);
        assert_eq!(runs.specials.len(), 2 * 100 + 1);
    }
}
