//! What crosses between parts each step, and in which order.
//!
//! For a link from own node `x` along `c_q` to node `y` of another part, two slots matter: `(y, q)`, of which this
//! part holds a halo copy, and `(x, -q)`, of which the other part holds one. After an even step each part sends its
//! own slots and fills its halo's; after an odd step, having written to the halo's slots, it sends those back.

use std::ops::Range;

use hematite_case::{Part, Target, VelocitySet};

use super::links::Place;

/// The crossing slots of one part, sorted by neighbour, then by direction, which kernels take in different ways, and the node's global number, so
/// that both sides list the same slots in the same order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crossing {
    /// Own slots that neighbours hold copies of.
    pub own: Vec<Place>,
    /// Copies of neighbours' slots.
    pub halo: Vec<Place>,
    /// The own nodes that write the slots of `own` in even steps, and those of `halo` in odd ones, by whether the step is odd.
    writers: [Vec<u32>; 2],
    /// (neighbour's rank, number of slots) in list order.
    pub neighbours: Vec<(usize, usize)>,
}

impl Crossing {
    /// Lists the crossing slots of `part`, whose pair arrays have slots of `stride` values.
    pub fn of(part: &Part, stride: u32) -> Self {
        let mut own = Vec::new();
        let mut halo = Vec::new();
        let mut neighbours = vec![0; part.neighbours.len()];
        for (before, links) in part.links.iter().enumerate() {
            let q = before + 1;
            let back = VelocitySet::opposite(q);
            for (x, link) in links.iter().enumerate().skip(part.interior) {
                let Target::Node(y) = link.target() else { continue };
                if (y as usize) < part.own {
                    continue;
                }
                let holds = |neighbour: &hematite_case::Neighbour| neighbour.halo.contains(&(y as usize));
                let Some(k) = part.neighbours.iter().position(holds) else { continue };
                neighbours[k] += 1;
                let writer = x as u32;
                own.push((k, part.id[x], back, Place::of(back, writer, stride), writer));
                halo.push((k, part.id[y as usize], q, Place::of(q, y, stride), writer));
            }
        }
        let sorted = |mut list: Vec<(usize, _, usize, Place, u32)>| -> (Vec<Place>, Vec<u32>) {
            list.sort_unstable_by_key(|&(neighbour, id, direction, ..)| (neighbour, direction, id));
            list.into_iter().map(|(.., place, writer)| (place, writer)).unzip()
        };
        let neighbours = part.neighbours.iter().map(|n| n.part).zip(neighbours).collect();
        let ((own, even), (halo, odd)) = (sorted(own), sorted(halo));
        Self { own, halo, writers: [even, odd], neighbours }
    }

    /// What crosses after an odd step, or else after an even one, as crossing.wgsl takes it: for workgroups that have `each` of `nodes`, among which
    /// are all that write something that crosses.
    pub fn by_workgroup(&self, odd: bool, nodes: Range<u32>, each: u32) -> Vec<[u32; 2]> {
        let places = if odd { &self.halo } else { &self.own };
        let mut items = vec![Vec::new(); nodes.len().div_ceil(each as usize)];
        for ((to, place), writer) in (0_u32..).zip(places).zip(&self.writers[usize::from(odd)]) {
            items[((writer - nodes.start) / each) as usize].push([16 * to + place.pair, place.index]);
        }
        let mut end = items.len() as u32;
        let stretch = |items: &Vec<_>| {
            end += items.len() as u32;
            [end - items.len() as u32, end]
        };
        let stretches: Vec<_> = items.iter().map(stretch).collect();
        [stretches, items.concat()].concat()
    }

    /// Number of crossing slots.
    pub fn len(&self) -> usize {
        self.own.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workgroups_have_what_their_nodes_write() {
        let place = |pair, index| Place { pair, index };
        let crossing = Crossing {
            own: vec![place(3, 70), place(1, 9), place(9, 30), place(2, 12)],
            halo: vec![place(4, 90), place(5, 91), place(6, 92), place(7, 93)],
            writers: [vec![10, 9, 30, 12], vec![31, 8, 8, 31]],
            neighbours: vec![(1, 4)],
        };
        let even = crossing.by_workgroup(false, 8..32, 8);
        assert_eq!(even[..3], [[3, 6], [6, 6], [6, 7]], "the second workgroup writes nothing that crosses");
        assert_eq!(even[3..], [[3, 70], [16 + 1, 9], [48 + 2, 12], [32 + 9, 30]]);
        let odd = crossing.by_workgroup(true, 8..32, 16);
        assert_eq!(odd, [[2, 4], [4, 6], [16 + 5, 91], [32 + 6, 92], [4, 90], [48 + 7, 93]]);
        assert_eq!(Crossing::default().by_workgroup(false, 4..4, 8), [[0_u32; 2]; 0]);
    }
}
