//! Walls: where they cut the links of fluid nodes, and the links that walls.wgsl mends.

use bytemuck::{Pod, Zeroable};
use hematite_case::{Part, Target, VelocitySet, WallCuts, WallNode};

use super::wall_points::HeldPoints;

/// How walls that do not move send populations back.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Walls {
    /// Half-way between the last fluid node and the wall: bounce-back, at no cost.
    #[default]
    HalfWay,
    /// Where the wall cuts each link (see walls.wgsl); links that are not named are cut half-way.
    Interpolated(Vec<Cut>),
    /// Where points among the nodes hold the fluid (see immersed_walls); the nodes end half-way beyond.
    Immersed(HeldPoints),
}

/// Where the wall cuts a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// Local number of an own node.
    pub node: u32,
    /// The direction that leads into the wall.
    pub direction: u8,
    /// Length of the link up to the wall over its whole length, from 0 to 1.
    pub fraction: f64,
}

/// The cuts of all links into the wall of the own nodes of `part`, where the smoothed wall passes `walls`, the wall nodes
/// of the whole case: by node, then by direction.
///
/// The wall near a node is the plane at its `distance` with its `normal` n, so the fraction along c is
/// `distance / (-c . n)`. The site behind a link into the wall is no fluid, so what lies beyond it is taken as 1; so is a
/// link along the plane or away from it, which the fraction tends to.
pub fn cuts(set: VelocitySet, part: &Part, walls: &[WallNode]) -> Vec<Cut> {
    let c = set.velocities();
    let mut cuts = Vec::new();
    for (node, id) in part.id[..part.own].iter().enumerate() {
        let Ok(found) = walls.binary_search_by_key(id, |wall| wall.node) else { continue };
        let WallNode { normal, distance, .. } = walls[found];
        for (links, direction) in part.links.iter().zip(1..) {
            if links[node].target() != Target::Wall {
                continue;
            }
            let c = c[usize::from(direction)];
            let towards = -(0..3).map(|axis| f64::from(c[axis]) * f64::from(normal[axis])).sum::<f64>();
            let distance = f64::from(distance).max(0.0);
            let fraction = if towards > distance { distance / towards } else { 1.0 };
            cuts.push(Cut { node: node as u32, direction, fraction });
        }
    }
    cuts
}

/// Puts the cuts by the surface that a case was made of in the place of those by the planes of [`cuts`], for links that
/// it cuts. `walls` are the wall nodes of the whole case, and `exact` goes with them.
pub fn cut_exactly(cuts: &mut [Cut], part: &Part, walls: &[WallNode], exact: &WallCuts) {
    let starts = exact.starts();
    for cut in cuts {
        let Ok(found) = walls.binary_search_by_key(&part.id[cut.node as usize], |wall| wall.node) else { continue };
        let (links, bit) = (exact.links[found], 1_u32 << cut.direction);
        if links & bit != 0 {
            let before = (links & (bit - 1)).count_ones() as usize;
            cut.fraction = f64::from(exact.fraction[starts[found] + before]);
        }
    }
}

/// One node with links to mend; the layout of `WallEntry` in WGSL.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct WallEntry {
    pub node: u32,
    /// Bit i is set when the link along c_i is mended.
    pub links: u32,
    /// Where the fractions of its links begin, in the order of their directions.
    pub first: u32,
}

impl WallEntry {
    /// Its declaration in WGSL.
    pub const WGSL: &str = "struct WallEntry {\n    node: u32,\n    links: u32,\n    first: u32,\n}\n";
}

/// The nodes with links to mend and twice the fractions of these links. Links cut half-way need no mending; nor do those
/// without a fluid node on the other side, in gaps of one node, which stay half-way.
pub(crate) fn entries(part: &Part, walls: &Walls) -> (Vec<WallEntry>, Vec<f64>) {
    let Walls::Interpolated(cuts) = walls else { return Default::default() };
    let is_node = |cut: &&Cut| {
        let behind = VelocitySet::opposite(usize::from(cut.direction));
        matches!(part.links[behind - 1][cut.node as usize].target(), Target::Node(_))
    };
    let mut mended: Vec<&Cut> = cuts.iter().filter(|cut| cut.fraction != 0.5).filter(is_node).collect();
    mended.sort_unstable_by_key(|cut| (cut.node, cut.direction));
    let mut first = 0;
    let entry = |of_node: &[&Cut]| {
        let links = of_node.iter().fold(0, |links, cut| links | 1 << cut.direction);
        let entry = WallEntry { node: of_node[0].node, links, first };
        first += of_node.len() as u32;
        entry
    };
    let entries = mended.chunk_by(|a, b| a.node == b.node).map(entry).collect();
    (entries, mended.iter().map(|cut| 2.0 * cut.fraction).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hematite_case::{Link, NodeId};

    /// A row of three nodes along x, walls all around.
    fn row() -> Part {
        let set = VelocitySet::D2Q9;
        let mut links = vec![vec![Link::WALL; 3]; set.q() - 1];
        links[0] = vec![Link::node(1), Link::node(2), Link::WALL];
        links[1] = vec![Link::WALL, Link::node(0), Link::node(1)];
        Part {
            rank: 0,
            parts: 1,
            interior: 3,
            own: 3,
            id: (4..7).map(NodeId).collect(),
            position: (1..4).map(|x| [x, 1, 0]).collect(),
            links,
            neighbours: Vec::new(),
            openings: Vec::new(),
        }
    }

    #[test]
    fn a_plane_cuts_the_links_that_reach_it() {
        let wall = |node, normal, distance| WallNode { node: NodeId(node), normal, distance };
        let walls = [wall(0, [0.0, 1.0, 0.0], 0.3), wall(6, [-0.8, 0.6, 0.0], 0.4)];
        let cuts = cuts(VelocitySet::D2Q9, &row(), &walls);
        let fractions: Vec<(u8, f64)> = cuts.iter().map(|cut| (cut.direction, cut.fraction)).collect();
        // Towards the wall go (1, 0): 0.8, (0, -1): 0.6, (1, 1): 0.2 and (1, -1): 1.4; the others lead away from it.
        let expected = [(1, 0.5), (3, 1.0), (4, 0.4 / 0.6), (5, 1.0), (6, 1.0), (7, 0.4 / 1.4), (8, 1.0)];
        assert!(cuts.iter().all(|cut| cut.node == 2));
        assert_eq!(fractions.len(), expected.len());
        for (found, expected) in fractions.into_iter().zip(expected) {
            assert!(found.0 == expected.0 && (found.1 - expected.1).abs() < 1e-6, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn exact_cuts_replace_those_of_planes_where_there_are_any() {
        let walls = [4, 6].map(|node| WallNode { node: NodeId(node), normal: [0.0, 1.0, 0.0], distance: 0.5 });
        let exact = WallCuts {
            links: vec![1 << 4 | 1 << 2, 1 << 7 | 1 << 4 | 1 << 1],
            fraction: vec![0.1, 0.2, 0.3, 0.4, 0.6],
        };
        let mut found = cuts(VelocitySet::D2Q9, &row(), &walls);
        cut_exactly(&mut found, &row(), &walls, &exact);
        let of = |node, direction| {
            found.iter().find(|cut| (cut.node, cut.direction) == (node, direction)).map(|cut| cut.fraction)
        };
        for (node, direction, expected) in
            [(0, 2, 0.1), (0, 4, 0.2), (2, 1, 0.3), (2, 4, 0.4), (2, 7, 0.6), (0, 3, 1.0), (0, 7, 0.5), (2, 8, 1.0)]
        {
            let found = of(node, direction).expect("a cut");
            assert!((found - expected).abs() < 1e-6, "{node} {direction}: {found}");
        }
    }

    #[test]
    fn only_links_with_a_node_behind_and_off_half_way_are_mended() {
        let cut = |node, direction, fraction| Cut { node, direction, fraction };
        let cuts = vec![cut(2, 1, 0.3), cut(0, 3, 0.3), cut(0, 2, 0.5), cut(0, 2, 0.7)];
        let (entries, twice) = entries(&row(), &Walls::Interpolated(cuts));
        let expected = [WallEntry { node: 0, links: 1 << 2, first: 0 }, WallEntry { node: 2, links: 1 << 1, first: 1 }];
        assert_eq!((entries.as_slice(), twice), (expected.as_slice(), vec![1.4, 0.6]));
    }
}
