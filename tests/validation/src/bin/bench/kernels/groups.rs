//! Links by groups of as many nodes as a subgroup: which nodes begin a run of nodes with the same distances is a bit each, and
//! so is which nodes need more words: walls, openings, links that no distance of a run says.

use hematite_case::{Link, Target, VelocitySet};

/// Nodes of a group.
pub const GROUP: usize = 32;

/// Bit of a special node's word that says that its links are listed.
pub const LISTED: u32 = 1 << 18;

/// Bit of a group's last word that says that a node of it has its links listed.
pub const LISTS: u32 = 1 << 31;

/// Links as groups of nodes.
#[derive(Default)]
pub struct Groups {
    /// Four words a group: bits of nodes that begin a run, the first's left out; the run of the first node; bits of special
    /// nodes; the number of the first of these, and [`LISTS`].
    pub groups: Vec<u32>,
    /// For each run the distance from a node to the one beside it in each of [`rows_of`], modulo 2^32. For a node whose links are listed,
    /// the first is the number of its list.
    pub distances: Vec<u32>,
    /// A word a special node: bit `i - 1` says that `f_i` comes from a wall or an opening, then [`LISTED`].
    pub specials: Vec<u32>,
    /// Lists, at least one: for each direction asked for the distance to the node upstream, modulo 2^32.
    pub lists: Vec<u32>,
}

/// Of each pair of opposite directions the one that comes from a node further on in memory.
pub fn from_ahead(set: VelocitySet) -> Vec<usize> {
    let c = set.velocities();
    let backwards = |i: &usize| [c[*i][2], c[*i][1], c[*i][0]] < [0, 0, 0];
    (1..set.q()).filter(backwards).collect()
}

/// The rows in which nodes upstream along `directions` stand, a node's own left out.
pub fn rows_of(set: VelocitySet, directions: &[usize]) -> Vec<[i32; 2]> {
    let c = set.velocities();
    let mut rows: Vec<_> = directions.iter().map(|&i| [-c[i][1], -c[i][2]]).filter(|&row| row != [0, 0]).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

impl Groups {
    /// What they take on the device, bytes.
    pub fn bytes(&self) -> usize {
        4 * (self.groups.len() + self.distances.len() + self.specials.len() + self.lists.len())
    }

    /// The links of own nodes along which populations of `directions` come: `links[i - 1][n]` is where `c_i` leads from node `n`.
    pub fn of(set: VelocitySet, links: &[Vec<Link>], directions: &[usize]) -> Self {
        let (c, rows) = (set.velocities(), rows_of(set, directions));
        let row_of = |i: usize| rows.iter().position(|&row| row == [-c[i][1], -c[i][2]]);
        let row_of: Vec<Option<usize>> = (0..set.q()).map(row_of).collect();
        let upstream = |i: usize, n: usize| links[VelocitySet::opposite(i) - 1][n].target();
        let mut made = Self::default();
        // Distances of the last run, as far as its nodes settled them; none where a list stands.
        let mut settled: Option<Vec<Option<u32>>> = None;
        for n in 0..links[0].len() {
            let mut walls = 0_u32;
            for i in 1..set.q() {
                walls |= u32::from(!matches!(upstream(i, n), Target::Node(_))) << (i - 1);
            }
            let mut list = vec![0; directions.len()];
            let mut asked: Vec<Option<u32>> = vec![None; rows.len()];
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
            let last = made.distances.len().saturating_sub(rows.len());
            let begins = match &mut settled {
                _ if !plain => {
                    made.distances.push((made.lists.len() / directions.len()) as u32);
                    made.distances.resize(last + if n == 0 { 1 } else { 2 } * rows.len(), 0);
                    made.lists.extend(list);
                    settled = None;
                    true
                }
                Some(known) if known.iter().zip(&asked).all(|(a, b)| a.is_none() || b.is_none() || a == b) => {
                    for (row, distance) in asked.iter().enumerate().filter_map(|(row, d)| Some((row, (*d)?))) {
                        made.distances[last + row] = distance;
                        known[row] = Some(distance);
                    }
                    false
                }
                _ => {
                    made.distances.extend(asked.iter().map(|distance| distance.unwrap_or_default()));
                    settled = Some(asked);
                    true
                }
            };
            if n % GROUP == 0 {
                let run = made.distances.len() / rows.len() - 1;
                made.groups.extend([0, run as u32, 0, made.specials.len() as u32]);
            }
            let group = made.groups.len() - 4;
            if begins && n % GROUP > 0 {
                made.groups[group] |= 1 << (n % GROUP);
            }
            if walls != 0 || !plain {
                made.groups[group + 2] |= 1 << (n % GROUP);
                made.groups[group + 3] |= if plain { 0 } else { LISTS };
                made.specials.push(walls | if plain { 0 } else { LISTED });
            }
        }
        if made.lists.is_empty() {
            made.lists.resize(directions.len(), 0);
        }
        made
    }
}
