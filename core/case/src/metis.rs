//! METIS, with the graphs it takes.

use std::sync::{Mutex, PoisonError};

use hematite_config::{Fault, Result};
use metis::option::{Seed, UFactor};
use rayon::prelude::*;

use crate::Lattice;

/// An undirected graph in METIS's compressed rows; empty weights stand for ones.
#[derive(Default)]
pub(crate) struct Graph {
    pub starts: Vec<i32>,
    pub adjacent: Vec<i32>,
    pub node_weights: Vec<i32>,
    pub edge_weights: Vec<i32>,
}

/// METIS draws from one random generator of the process: two runs at once would disturb each other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Divides a graph into `parts` of nearly equal weight; the part of each node, the same at every call.
pub(crate) fn divide(graph: &Graph, parts: usize) -> Result<Vec<u32>> {
    let fault = |why: String| Fault::usage(format!("METIS cannot divide the lattice into {parts} parts: {why}"));
    let nodes = graph.starts.len() - 1;
    let count = i32::try_from(parts).map_err(|_| fault("too many parts".into()))?;
    let mut part = vec![0; nodes];
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut prepared =
        metis::Graph::new(1, count, &graph.starts, &graph.adjacent).map_err(|error| fault(error.to_string()))?;
    if !graph.node_weights.is_empty() {
        prepared = prepared.set_vwgt(&graph.node_weights);
    }
    if !graph.edge_weights.is_empty() {
        prepared = prepared.set_adjwgt(&graph.edge_weights);
    }
    // An imbalance of 1 % leaves room for the refinement, which keeps parts within 2 %.
    prepared = prepared.set_option(Seed(1)).set_option(UFactor(10));
    // k-way partitioning leaves parts empty where there are few nodes a part.
    let outcome = if nodes < 40 * parts { prepared.part_recursive(&mut part) } else { prepared.part_kway(&mut part) };
    outcome.map_err(|error| fault(error.to_string()))?;
    Ok(part.into_iter().map(|p| p as u32).collect())
}

/// The graph of all links, each edge of weight 1: every link that is cut carries one population each way, whatever its
/// direction, so the cut is what the parts exchange. `None` where METIS cannot number it within `entries`.
pub(crate) fn link_graph(lattice: &Lattice, entries: usize) -> Option<Graph> {
    let nodes = lattice.nodes();
    let distinct = |n: usize| {
        // Small periodic directions link a node to itself, or twice to another.
        let mut to: Vec<i32> = lattice.neighbours(n).filter(|&m| m as usize != n).map(|m| m as i32).collect();
        to.sort_unstable();
        to.dedup();
        to
    };
    let upper: usize =
        lattice.links.iter().map(|direction| direction.iter().filter(|l| l.node().is_some()).count()).sum();
    if upper > entries || nodes >= entries {
        return None;
    }
    let mut graph = Graph { starts: Vec::with_capacity(nodes + 1), ..Graph::default() };
    graph.adjacent.reserve_exact(upper);
    graph.starts.push(0);
    const STEP: usize = 1 << 16;
    for first in (0..nodes).step_by(STEP) {
        let rows: Vec<Vec<i32>> = (first..(first + STEP).min(nodes)).into_par_iter().map(distinct).collect();
        for row in rows {
            graph.adjacent.extend(row);
            graph.starts.push(graph.adjacent.len() as i32);
        }
    }
    Some(graph)
}
