//! Link tables for in-place streaming: where a node finds each population on odd steps.
//!
//! Directions come in pairs `(i, j)`, `j = -i`, `i = 2k - 1`, `j = 2k`; pair `k` has one array of two slots of `stride`
//! values, slot 0 for `i` and slot 1 for `j`. After an even step the population that node `n` needs from `n - c_i`
//! stands in slot `j` of that node. Where a wall or an opening is upstream, it stands in the node's own slot `i`.

use hematite_case::{Link, Target};

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

/// The table of pair `(i, j)` from its links: `[n]` holds where `f_i` of node `n` is, `[stride + n]` where `f_j` is,
/// on odd steps. `along_i[n]` is where `c_i` leads from own node `n`, `along_j[n]` where `c_j` does.
pub(crate) fn pair_table(along_i: &[Link], along_j: &[Link], stride: u32) -> Vec<u32> {
    let own = along_i.len();
    let mut table = vec![0; 2 * stride as usize];
    for n in 0..own {
        let at = n as u32;
        table[n] = match along_j[n].target() {
            Target::Node(upstream) => stride + upstream,
            Target::Wall | Target::Opening(_) => at,
        };
        table[stride as usize + n] = match along_i[n].target() {
            Target::Node(upstream) => upstream,
            Target::Wall | Target::Opening(_) => stride + at,
        };
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_is_one_invocations_own() {
        // A periodic row of three nodes and a lone node between walls.
        let node = Link::node;
        let along_i = [node(1), node(2), node(0), Link::WALL];
        let along_j = [node(2), node(0), node(1), Link::WALL];
        let table = pair_table(&along_i, &along_j, 64);
        let mut used: Vec<u32> = (0..4).flat_map(|n| [table[n], table[64 + n]]).collect();
        used.sort_unstable();
        assert_eq!(used, [0, 1, 2, 3, 64, 65, 66, 67]);
        assert_eq!((table[0], table[64]), (64 + 2, 1));
        assert_eq!((table[3], table[64 + 3]), (3, 64 + 3));
    }
}
