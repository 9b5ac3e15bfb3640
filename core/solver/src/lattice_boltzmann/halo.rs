//! What crosses between parts each step, and in which order.
//!
//! For a link from own node `x` along `c_q` to node `y` of another part, two slots matter: `(y, q)`, of which this
//! part holds a halo copy, and `(x, -q)`, of which the other part holds one. After an even step each part sends its
//! own slots and fills its halo's; after an odd step, having written to the halo's slots, it sends those back.

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
                own.push((k, part.id[x], back, Place::of(back, x as u32, stride)));
                halo.push((k, part.id[y as usize], q, Place::of(q, y, stride)));
            }
        }
        let sorted = |mut list: Vec<(usize, _, usize, Place)>| {
            list.sort_unstable_by_key(|&(neighbour, id, direction, _)| (neighbour, direction, id));
            list.into_iter().map(|(.., place)| place).collect()
        };
        let neighbours = part.neighbours.iter().map(|n| n.part).zip(neighbours).collect();
        Self { own: sorted(own), halo: sorted(halo), neighbours }
    }

    /// Number of crossing slots.
    pub fn len(&self) -> usize {
        self.own.len()
    }
}
