//! A layer of nodes beyond the walls, for walls that act on the fluid through an immersed boundary: a kernel around a
//! point of the wall meets nodes on both of its sides.

use hematite_config::{Fault, Result};
use rayon::prelude::*;

use crate::{GlobalLink, Lattice, Partition, VelocitySet, WallPoint};

/// What a case holds for walls that act through an immersed boundary.
#[derive(Clone, Debug, Default)]
pub struct ImmersedWalls {
    /// The points of the walls.
    pub points: Vec<WallPoint>,
    /// The nodes beyond them, where they were asked for.
    pub layer: Option<Layer>,
    /// Partitions of the lattice with the layer.
    pub partitions: Vec<Partition>,
}

/// Nodes beyond the walls. They are numbered behind the N fluid nodes, which keep their numbers: node N + l is the l-th
/// of the layer, in scan order.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Site of each node, z = 0 in 2-D. Some lie outside of the domain's padding.
    pub position: Vec<[i32; 3]>,
    /// Links, one array a direction: `links[i - 1][l]` is where c_i leads from node l of the layer: to a fluid node or
    /// another of the layer, or to the layer's own, outer wall.
    pub links: Vec<Vec<GlobalLink>>,
}

impl Layer {
    /// Links from a fluid node to the farthest of its nodes.
    pub const DEPTH: usize = 3;

    /// The layer around a lattice: what [`Layer::DEPTH`] links reach that begin with one into the wall and pass neither
    /// fluid nor opening. None where there is no wall.
    ///
    /// # Errors
    /// A usage fault when lattice and layer together have too many nodes.
    pub fn around(lattice: &Lattice) -> Result<Option<Self>> {
        let c = lattice.set.velocities();
        let step = |at: [i32; 3], i: usize| lattice.wrapped([0, 1, 2].map(|axis| at[axis] + c[i][axis]));
        let openings = opening_sites(lattice);
        let outside = |at: &[i32; 3]| {
            lattice.node_at(*at).is_none() && openings.binary_search_by_key(&scan(*at), |site| scan(*site)).is_err()
        };
        let mut rim: Vec<[i32; 3]> = (0..lattice.nodes())
            .into_par_iter()
            .flat_map_iter(|n| {
                let into_wall = (1..lattice.set.q()).filter(move |&i| lattice.links[i - 1][n].is_wall());
                into_wall.map(move |i| step(lattice.position[n], i))
            })
            .collect();
        let mut position: Vec<[i32; 3]> = Vec::new();
        for _ in 0..Self::DEPTH {
            sort(&mut rim);
            rim.retain(|at| position.binary_search_by_key(&scan(*at), |site| scan(*site)).is_err());
            position.extend(&rim);
            sort(&mut position);
            let beyond = rim.par_iter().flat_map_iter(|&at| (1..lattice.set.q()).map(move |i| step(at, i)));
            rim = beyond.filter(outside).collect();
        }
        if lattice.nodes() + position.len() >= GlobalLink::MAX_NODES {
            return Err(Fault::usage(format!(
                "{} fluid nodes and {} beyond the walls, a case at most {}: coarsen the lattice, or leave \"walls\" out",
                lattice.nodes(),
                position.len(),
                GlobalLink::MAX_NODES
            )));
        }
        let link = |at: [i32; 3], i: usize| {
            let to = step(at, i);
            let beyond = || position.binary_search_by_key(&scan(to), |site| scan(*site)).ok();
            match lattice.node_at(to).or_else(|| beyond().map(|l| (lattice.nodes() + l) as u32)) {
                Some(node) => GlobalLink::to_node(node),
                None => GlobalLink::WALL,
            }
        };
        let along = |i: usize| position.par_iter().map(|&at| link(at, i)).collect();
        let links = (1..lattice.set.q()).map(along).collect();
        Ok((!position.is_empty()).then_some(Self { position, links }))
    }

    /// Number of its nodes.
    pub fn nodes(&self) -> usize {
        self.position.len()
    }

    /// The lattice with the layer: links into the wall lead to it.
    pub fn join(&self, mut lattice: Lattice) -> Lattice {
        let nodes = lattice.nodes();
        for (i, inward) in self.inward(nodes).into_iter().enumerate() {
            for (node, beyond) in inward {
                lattice.links[i][node as usize] = GlobalLink::to_node(beyond);
            }
            lattice.links[i].extend(&self.links[i]);
        }
        lattice.position.extend(&self.position);
        lattice
    }

    /// For each direction i, at i - 1: the fluid nodes that c_i leads from into the layer, ascending, and where to.
    pub(crate) fn inward(&self, nodes: usize) -> Vec<Vec<(u32, u32)>> {
        let from = |i: usize| {
            let back = &self.links[VelocitySet::opposite(i) - 1];
            let fluid = |(l, link): (usize, &GlobalLink)| Some((link.node()?, (nodes + l) as u32));
            let mut inward: Vec<(u32, u32)> =
                back.iter().enumerate().filter_map(fluid).filter(|&(node, _)| (node as usize) < nodes).collect();
            inward.sort_unstable();
            inward
        };
        (1..=self.links.len()).into_par_iter().map(from).collect()
    }
}

/// The sites of openings that links lead to, in scan order.
fn opening_sites(lattice: &Lattice) -> Vec<[i32; 3]> {
    let c = lattice.set.velocities();
    let mut sites = Vec::new();
    for node in lattice.openings.iter().flat_map(|opening| &opening.nodes) {
        let at = lattice.position[node.node.0 as usize];
        let into = (1..lattice.set.q()).filter(|i| node.links >> i & 1 == 1);
        sites.extend(into.map(|i| lattice.wrapped([0, 1, 2].map(|axis| at[axis] + c[i][axis]))));
    }
    sort(&mut sites);
    sites
}

/// Sites compare by this in scan order, x fastest.
fn scan([x, y, z]: [i32; 3]) -> [i32; 3] {
    [z, y, x]
}

fn sort(sites: &mut Vec<[i32; 3]>) {
    sites.par_sort_unstable_by_key(|site| scan(*site));
    sites.dedup();
}

impl Lattice {
    /// The site in the domain that `at` stands for.
    fn wrapped(&self, at: [i32; 3]) -> [i32; 3] {
        [0, 1, 2].map(|a| if self.periodic[a] { at[a].rem_euclid(self.extent[a] as i32) } else { at[a] })
    }

    /// The fluid node at a site.
    fn node_at(&self, at: [i32; 3]) -> Option<u32> {
        self.position.binary_search_by_key(&scan(at), |site| scan(*site)).ok().map(|n| n as u32)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::fixture;

    #[test]
    fn a_flat_channel_has_three_rows_beyond_each_wall() {
        let lattice = Lattice::build(&fixture::channel(12, 9)).expect("builds");
        let layer = Layer::around(&lattice).expect("fits").expect("walls");
        for (x, y) in (1..=12).flat_map(|x| (-2..=0).chain(10..=12).map(move |y| (x, y))) {
            assert!(layer.position.contains(&[x, y, 0]), "({x}, {y})");
        }
        // None in the openings, at x = 0 and x = 13.
        assert!(!layer.position.iter().any(|&[x, y, _]| (x == 0 || x == 13) && (0..=10).contains(&y)));
    }

    #[test]
    fn links_return_and_leave_fluid_and_openings_as_they_are() {
        for seed in 0..24 {
            let lattice = Lattice::build(&fixture::random(seed)).expect("builds");
            let Some(layer) = Layer::around(&lattice).expect("fits") else { continue };
            let joined = layer.join(lattice.clone());
            assert_eq!(joined.position[..lattice.nodes()], lattice.position);
            assert_eq!(joined.nodes(), joined.position.iter().collect::<BTreeSet<_>>().len(), "no site twice");
            let c = lattice.set.velocities();
            for (i, c) in c.iter().enumerate().skip(1) {
                for n in 0..joined.nodes() {
                    let link = joined.links[i - 1][n];
                    if let Some(m) = link.node() {
                        assert_eq!(joined.links[VelocitySet::opposite(i) - 1][m as usize].node(), Some(n as u32));
                        let to = [0, 1, 2].map(|axis| joined.position[n][axis] + c[axis]);
                        assert_eq!(joined.position[m as usize], lattice.wrapped(to));
                    }
                    if let Some(before) = lattice.links[i - 1].get(n) {
                        // Behind every link into the wall there is the layer; all others are as they were.
                        assert_eq!(before.is_wall(), link.node().is_some_and(|m| m as usize >= lattice.nodes()));
                        assert!(before.is_wall() || *before == link);
                    } else {
                        assert!(link.opening().is_none());
                    }
                }
            }
            reached(&lattice, &joined);
        }
    }

    /// Every node of the layer is within its depth of a fluid node, along links of the layer.
    fn reached(lattice: &Lattice, joined: &Lattice) {
        let mut depth: BTreeMap<u32, usize> = BTreeMap::new();
        let mut rim: Vec<u32> = (0..lattice.nodes() as u32).collect();
        for d in 0..=Layer::DEPTH {
            rim.retain(|n| *depth.entry(*n).or_insert(d) == d);
            rim = rim.iter().flat_map(|&n| joined.neighbours(n as usize)).collect();
        }
        assert_eq!(depth.len(), joined.nodes());
    }
}
