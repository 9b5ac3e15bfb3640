//! Links as chunks: each row of nodes begins at a slot that is what its x is modulo a chunk, so that one distance leads from all
//! nodes of a chunk to those of a neighbouring row, equally aligned. Slots between rows stay empty.

use hematite_case::{Part, Target, VelocitySet};
use hematite_solver::lattice_boltzmann::links::rows;

/// Nodes in slots, and how slots find each other.
pub struct Chunks {
    /// Slots of a chunk.
    pub size: usize,
    /// The slot of each node.
    pub slots: Vec<u32>,
    /// Slots in all.
    pub stride: usize,
    /// One word a slot: bit `i - 1` says that f_i comes from a wall, the bit after the last direction that links are
    /// listed, the next that no node is here; what is above counts lists since the first of the chunk.
    pub words: Vec<u32>,
    /// For each chunk, the distance to the slot beside in each neighbouring row, modulo 2^32.
    pub distances: Vec<u32>,
    /// Number of the first list of each chunk.
    pub first: Vec<u32>,
    /// Lists, at least one: for each direction the distance to the slot upstream, modulo 2^32.
    pub lists: Vec<u32>,
    /// One bit a slot: whether a node is there.
    pub live: Vec<u32>,
}

impl Chunks {
    /// What they take on the device, bytes.
    pub fn bytes(&self) -> usize {
        4 * (self.words.len() + self.first.len() + self.distances.len() + self.lists.len())
    }

    /// The chunks of a part's own nodes.
    pub fn of(set: VelocitySet, part: &Part, size: usize) -> Self {
        let slots = slots(part, size);
        let stride = slots.last().map_or(0, |&last| last as usize + 1).next_multiple_of(super::WHOLE);
        let (c, rows, directions) = (set.velocities(), rows(set), set.q() - 1);
        let row_of = |i: usize| rows.iter().position(|&row| row == [-c[i][1], -c[i][2]]);
        let empty = 1 << set.q() | ((1 << directions) - 1);
        let mut made = Self {
            size,
            stride,
            words: vec![empty; stride],
            distances: vec![0; stride / size * rows.len()],
            first: vec![0; stride / size],
            lists: Vec::new(),
            live: vec![0; stride / 32],
            slots: Vec::new(),
        };
        let mut known: Vec<Option<u32>> = vec![None; rows.len()];
        let mut chunk = usize::MAX;
        for (n, &slot) in slots.iter().enumerate() {
            let at = slot as usize;
            made.live[at / 32] |= 1 << (at % 32);
            if at / size != chunk {
                chunk = at / size;
                known.fill(None);
                made.first[chunk] = (made.lists.len() / directions) as u32;
            }
            let (mut walls, mut plain, mut list, mut found) = (0_u32, true, vec![0; directions], known.clone());
            for i in 1..set.q() {
                let Target::Node(upstream) = part.links[VelocitySet::opposite(i) - 1][n].target() else {
                    walls |= 1 << (i - 1);
                    continue;
                };
                list[i - 1] = slots[upstream as usize].wrapping_sub(slot);
                let beside = list[i - 1].wrapping_add_signed(c[i][0]);
                match row_of(i) {
                    None => plain &= beside == 0,
                    Some(row) => plain &= *found[row].get_or_insert(beside) == beside,
                }
            }
            if plain {
                known = found;
                for (row, distance) in known.iter().enumerate().filter_map(|(row, d)| Some((row, (*d)?))) {
                    made.distances[chunk * rows.len() + row] = distance;
                }
                made.words[at] = walls;
            } else {
                let number = (made.lists.len() / directions) as u32 - made.first[chunk];
                made.words[at] = walls | 1 << directions | number << (set.q() + 1);
                made.lists.extend(list);
            }
        }
        if made.lists.is_empty() {
            made.lists.resize(directions, 0);
        }
        Self { slots, ..made }
    }
}

/// The slot of each own node.
fn slots(part: &Part, size: usize) -> Vec<u32> {
    let mut slots: Vec<u32> = Vec::with_capacity(part.own);
    for (n, &at) in part.position[..part.own].iter().enumerate() {
        let within = at[0] as usize % size;
        let slot = match n.checked_sub(1).map(|m| (slots[m] as usize, part.position[m])) {
            Some((slot, before)) if before[1..] == at[1..] && at[0] / size as i32 == before[0] / size as i32 => {
                slot + (at[0] - before[0]) as usize
            }
            Some((slot, _)) => (slot / size + 1) * size + within,
            None => within,
        };
        slots.push(slot as u32);
    }
    slots
}
