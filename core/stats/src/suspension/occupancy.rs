//! Share of each node's cube that lies inside members.

use super::Member;
use crate::lookup::Nodes;

/// Shares of nodes inside members.
#[derive(Clone, Debug, PartialEq)]
pub struct Occupancy {
    /// For each population, the share of each node's cube (2-D: square) inside its members.
    pub share: Vec<Vec<f32>>,
    /// Share of the members' volume that lies on no node.
    pub outside: f64,
}

/// Fills the nodes' cubes with the members of `populations` populations. Members that stick out of a periodic face fill
/// cubes at the opposite face.
pub fn occupancy<M: Member>(nodes: &Nodes, members: &[M], populations: usize) -> Occupancy {
    let mut share = vec![vec![0.0_f32; nodes.grid().position.len()]; populations];
    let (mut total, mut outside) = (0.0, 0.0);
    for member in members {
        let own = &mut share[member.population()];
        member.fill(nodes, &mut |place, value| {
            total += value;
            match nodes.at(place) {
                Some(n) => own[n] += value as f32,
                None => outside += value,
            }
        });
    }
    Occupancy { share, outside: if total > 0.0 { outside / total } else { 0.0 } }
}
