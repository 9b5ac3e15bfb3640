//! Fields of a case: a number a node that does not change, such as the elevation of the ground.

use std::ops::Range;

use hematite_config::Result;

use crate::NodeId;

/// A number a node, in SI.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeField {
    /// Its name.
    pub name: String,
    /// Its SI unit, e.g. "m".
    pub unit: String,
    /// Its value at each fluid node, by global number, finite.
    pub values: Vec<f64>,
}

impl NodeField {
    /// Its values at some nodes, such as [`Part::id`](crate::Part::id), in their order; NaN at nodes of a layer beyond the walls,
    /// which have none.
    pub fn at(&self, nodes: &[NodeId]) -> Vec<f64> {
        nodes.iter().map(|node| self.values.get(node.0 as usize).copied().unwrap_or(f64::NAN)).collect()
    }
}

/// The values at some nodes out of `all`, which `read` gives for a range of global numbers, `slab` at once at most; NaN from
/// number `all` on.
pub(crate) fn gather(
    nodes: &[NodeId],
    all: usize,
    slab: usize,
    mut read: impl FnMut(Range<usize>) -> Result<Vec<f64>>,
) -> Result<Vec<f64>> {
    let mut values = vec![f64::NAN; nodes.len()];
    let known = (0..nodes.len()).filter(|&n| (nodes[n].0 as usize) < all);
    let mut sorted: Vec<(usize, usize)> = known.map(|n| (nodes[n].0 as usize, n)).collect();
    sorted.sort_unstable();
    for entries in sorted.chunk_by(|a, b| a.0 / slab == b.0 / slab) {
        let (first, last) = (entries[0].0, entries[entries.len() - 1].0);
        let from = read(first..last + 1)?;
        entries.iter().for_each(|&(global, n)| values[n] = from[global - first]);
    }
    Ok(values)
}
