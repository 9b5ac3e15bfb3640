//! Links as rows: nodes follow each other along x, so that one distance leads to all the nodes of a neighbouring row.

use hematite_case::{Part, Target, VelocitySet};

/// Link tables in which a node has one word: bit `i - 1` says that f_i comes from a wall, the bit after the last
/// direction that its links are listed one by one, and what is above counts the runs since the first of the node's
/// block of 256.
pub struct Rows {
    /// One word a node.
    pub words: Vec<u32>,
    /// Number of the first run of each block of 256 nodes.
    pub first: Vec<u32>,
    /// For each run, the distance from a node to the one beside it in each neighbouring row, modulo 2^32; of a node whose
    /// links are listed the number of its list.
    pub distances: Vec<u32>,
    /// Lists: for each direction the distance to the node upstream.
    pub lists: Vec<u32>,
}

/// Steps along y and z to the neighbouring rows, upstream of some direction.
pub fn rows(set: VelocitySet) -> Vec<[i32; 2]> {
    let mut rows: Vec<[i32; 2]> = set.velocities().iter().map(|c| [-c[1], -c[2]]).filter(|&r| r != [0, 0]).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

impl Rows {
    /// What they take on the device, bytes.
    pub fn bytes(&self) -> usize {
        4 * (self.words.len() + self.first.len() + self.distances.len() + self.lists.len())
    }

    /// The rows of a part's own nodes.
    pub fn of(set: VelocitySet, part: &Part) -> Self {
        let c = set.velocities();
        let rows = rows(set);
        let row_of: Vec<Option<usize>> = c.iter().map(|c| rows.iter().position(|&row| row == [-c[1], -c[2]])).collect();
        let mut made = Self { words: Vec::new(), first: Vec::new(), distances: Vec::new(), lists: Vec::new() };
        let mut run: Vec<Option<u32>> = Vec::new();
        let mut listing = false;
        for n in 0..part.own {
            let mut wall = 0_u32;
            let mut own: Vec<Option<u32>> = vec![None; rows.len()];
            let mut plain = true;
            let mut list = Vec::with_capacity(set.q() - 1);
            for i in 1..set.q() {
                let Target::Node(upstream) = part.links[VelocitySet::opposite(i) - 1][n].target() else {
                    wall |= 1 << (i - 1);
                    list.push(0);
                    continue;
                };
                let distance = upstream.wrapping_sub(n as u32);
                list.push(distance);
                let beside = distance.wrapping_add_signed(c[i][0]);
                match row_of[i] {
                    None => plain &= beside == 0,
                    Some(row) => plain &= *own[row].get_or_insert(beside) == beside,
                }
            }
            let agrees = |a: &Option<u32>, b: &Option<u32>| a.is_none() || b.is_none() || a == b;
            let starts = n % 256 == 0;
            if starts {
                made.first.push((made.distances.len() / rows.len()) as u32);
            }
            if !plain {
                made.distances.push((made.lists.len() / list.len()) as u32);
                made.distances.extend(std::iter::repeat_n(0, rows.len() - 1));
                made.lists.extend(list);
                listing = true;
            } else if starts || listing || !run.iter().zip(&own).all(|(a, b)| agrees(a, b)) {
                made.distances.extend(own.iter().map(|d| d.unwrap_or_default()));
                run = own;
                listing = false;
            } else {
                let last = made.distances.len() - rows.len();
                for (row, distance) in own.into_iter().enumerate().filter_map(|(row, d)| Some((row, d?))) {
                    made.distances[last + row] = distance;
                    run[row] = Some(distance);
                }
            }
            let number = (made.distances.len() / rows.len()) as u32 - 1 - made.first[n / 256];
            made.words.push(wall | u32::from(!plain) << (set.q() - 1) | number << set.q());
        }
        let spare = part.own.next_multiple_of(super::WHOLE) - part.own;
        made.words.extend(std::iter::repeat_n((1 << (set.q() - 1)) - 1, spare));
        made.first.resize(made.words.len() / 256, 0);
        if made.lists.is_empty() {
            made.lists.push(0);
        }
        made
    }
}
