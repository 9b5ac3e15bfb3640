//! The lattice's graph with blocks of nodes drawn together, for lattices too large or too slow for METIS.

use rayon::prelude::*;

use crate::Lattice;
use crate::metis::Graph;

/// A coarse graph, and the coarse node of each lattice node.
pub(crate) struct Coarse {
    pub graph: Graph,
    pub of: Vec<u32>,
}

/// Draws together what is connected within blocks of `side` sites along each axis: weights are the loads of lattice nodes, or
/// their number, edge weights links. Pieces of a block that do not touch within it stay apart, so no part is torn at a septum.
/// `None` where the graph has more than `entries` adjacency entries.
pub(crate) fn coarsen(lattice: &Lattice, loads: Option<&[u32]>, side: i32, entries: usize) -> Option<Coarse> {
    let (of, sizes) = pieces(lattice, side);
    if sizes.len() >= entries {
        return None;
    }
    let (starts, members) = group(&of, &sizes);
    const STEP: usize = 1 << 14;
    let slabs: Vec<_> = (0..sizes.len()).step_by(STEP).map(|p| p..(p + STEP).min(sizes.len())).collect();
    let rows: Vec<_> = slabs
        .into_par_iter()
        .map(|slab| {
            let (mut counts, mut edges) = (Vec::with_capacity(slab.len()), Vec::new());
            let mut targets = Vec::new();
            for piece in slab {
                let own = &members[starts[piece] as usize..starts[piece + 1] as usize];
                targets.clear();
                targets.extend(own.iter().flat_map(|&n| lattice.neighbours(n as usize)).map(|m| of[m as usize]));
                targets.retain(|&to| to as usize != piece);
                targets.sort_unstable();
                let before = edges.len();
                edges.extend(targets.chunk_by(|a, b| a == b).map(|run| (run[0] as i32, run.len() as i32)));
                counts.push(edges.len() - before);
            }
            (counts, edges)
        })
        .collect();
    if rows.iter().map(|(_, edges)| edges.len()).sum::<usize>() > entries {
        return None;
    }
    let mut weights = vec![0_i32; sizes.len()];
    for (n, &piece) in of.iter().enumerate() {
        weights[piece as usize] += loads.map_or(1, |loads| loads[n] as i32);
    }
    let mut graph = Graph { starts: vec![0], node_weights: weights, ..Graph::default() };
    for (counts, edges) in rows {
        for count in counts {
            graph.starts.push(graph.starts[graph.starts.len() - 1] + count as i32);
        }
        graph.adjacent.extend(edges.iter().map(|edge| edge.0));
        graph.edge_weights.extend(edges.iter().map(|edge| edge.1));
    }
    Some(Coarse { graph, of })
}

/// The connected piece of a block that each node belongs to, and the nodes of each piece.
fn pieces(lattice: &Lattice, side: i32) -> (Vec<u32>, Vec<u32>) {
    let block = |n: u32| lattice.position[n as usize].map(|i| i / side);
    let mut of = vec![u32::MAX; lattice.nodes()];
    let mut sizes: Vec<u32> = Vec::new();
    let mut stack = Vec::new();
    for first in 0..lattice.nodes() as u32 {
        if of[first as usize] != u32::MAX {
            continue;
        }
        let piece = sizes.len() as u32;
        let here = block(first);
        let mut size = 0;
        of[first as usize] = piece;
        stack.push(first);
        while let Some(n) = stack.pop() {
            size += 1;
            for m in lattice.neighbours(n as usize) {
                if of[m as usize] == u32::MAX && block(m) == here {
                    of[m as usize] = piece;
                    stack.push(m);
                }
            }
        }
        sizes.push(size);
    }
    (of, sizes)
}

/// Node numbers grouped by piece, and where each group starts.
fn group(of: &[u32], sizes: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0; sizes.len() + 1];
    for (piece, size) in sizes.iter().enumerate() {
        starts[piece + 1] = starts[piece] + size;
    }
    let mut next = starts.clone();
    let mut members = vec![0; of.len()];
    for (n, &piece) in of.iter().enumerate() {
        members[next[piece as usize] as usize] = n as u32;
        next[piece as usize] += 1;
    }
    (starts, members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn weights_count_nodes_and_links_and_edges_return() {
        for seed in 0..16 {
            let lattice = Lattice::build(&fixture::random(seed)).expect("builds");
            let coarse = coarsen(&lattice, None, 3, 1 << 30).expect("fits");
            let graph = &coarse.graph;
            assert_eq!(graph.node_weights.iter().sum::<i32>() as usize, lattice.nodes());
            let crossing = (0..lattice.nodes())
                .flat_map(|n| lattice.neighbours(n).map(move |m| (n, m as usize)))
                .filter(|&(n, m)| coarse.of[n] != coarse.of[m])
                .count();
            assert_eq!(graph.edge_weights.iter().sum::<i32>() as usize, crossing);
            let row = |p: usize| graph.starts[p] as usize..graph.starts[p + 1] as usize;
            for p in 0..graph.node_weights.len() {
                for e in row(p) {
                    let back =
                        row(graph.adjacent[e] as usize).find(|&b| graph.adjacent[b] as usize == p).expect("returns");
                    assert_eq!(graph.edge_weights[back], graph.edge_weights[e]);
                }
            }
        }
    }
}
