//! Regions: named sets of nodes. A physics looks up its own by name: the vents of a lava flow, the water of a dam break.

use std::ops::Range;

use crate::{NodeId, Part};

/// A named set of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Its nodes as ranges of global numbers, ascending, none empty, with gaps between them.
    runs: Vec<Range<u64>>,
}

impl Region {
    /// The region of some nodes, whose numbers ascend.
    pub fn new(name: &str, nodes: impl IntoIterator<Item = NodeId>) -> Self {
        let mut runs: Vec<Range<u64>> = Vec::new();
        for NodeId(n) in nodes {
            match runs.last_mut().filter(|run| run.end == n) {
                Some(run) => run.end += 1,
                None => runs.push(n..n + 1),
            }
        }
        Self { name: name.to_owned(), runs }
    }

    /// The region of some runs of nodes below `nodes`; none where they do not ascend with gaps between them.
    pub(crate) fn of_runs(name: &str, runs: Vec<Range<u64>>, nodes: u64) -> Option<Self> {
        let apart = runs.windows(2).all(|pair| pair[0].end < pair[1].start);
        let sound =
            apart && runs.iter().all(|run| run.start < run.end) && runs.last().is_none_or(|run| run.end <= nodes);
        sound.then(|| Self { name: name.to_owned(), runs })
    }

    /// Its nodes as ranges of global numbers, ascending, none empty, with gaps between them.
    pub fn runs(&self) -> &[Range<u64>] {
        &self.runs
    }

    /// Number of its nodes.
    pub fn nodes(&self) -> u64 {
        self.runs.iter().map(|run| run.end - run.start).sum()
    }

    /// Whether it holds a node.
    pub fn holds(&self, node: NodeId) -> bool {
        let after = self.runs.partition_point(|run| run.start <= node.0);
        after > 0 && node.0 < self.runs[after - 1].end
    }

    /// Local numbers of its nodes that a part holds, ascending: first the part's own, then those of its halo. Nodes of a layer beyond
    /// the walls are in no region.
    pub fn within(&self, part: &Part) -> Vec<u32> {
        (0..part.id.len() as u32).filter(|&n| self.holds(part.id[n as usize])).collect()
    }
}
