//! What one rank holds of a case.

use std::ops::Range;

/// Global number of a lattice node, the same under every partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u64);

/// Where a link of a part's node leads, in four bytes: a local node, the wall, or an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link(u32);

/// A [`Link`], taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A node of this part, own or halo, by local number.
    Node(u32),
    /// The wall, half-way.
    Wall,
    /// Opening number k of the case.
    Opening(usize),
}

impl Link {
    /// A link into the wall.
    pub const WALL: Self = Self(u32::MAX);
    /// The largest number of nodes, own and halo, that a part holds.
    pub const MAX_NODES: usize = (u32::MAX - 1024) as usize;

    /// A link to local node `n`.
    pub fn node(n: u32) -> Self {
        debug_assert!((n as usize) < Self::MAX_NODES);
        Self(n)
    }

    /// A link into opening `k`.
    pub fn opening(k: usize) -> Self {
        Self(u32::MAX - 1 - k as u32)
    }

    /// Where it leads.
    pub fn target(self) -> Target {
        match self.0 {
            u32::MAX => Target::Wall,
            code if code as usize >= Self::MAX_NODES => Target::Opening((u32::MAX - 1 - code) as usize),
            node => Target::Node(node),
        }
    }
}

/// One rank's part of a case: own nodes ordered interior, then inner interface, then the halo.
///
/// Local numbers index every array here: `0..interior` are nodes without a link into the halo, `interior..own` the
/// inner interface, `own..own + halo` copies of nodes that neighbouring parts own.
#[derive(Clone, Debug)]
pub struct Part {
    /// This part's number.
    pub rank: usize,
    /// Parts in all.
    pub parts: usize,
    /// Number of interior nodes.
    pub interior: usize,
    /// Number of own nodes.
    pub own: usize,
    /// Global numbers of own and halo nodes. Ascending within interior, interface and each neighbour's halo.
    pub id: Vec<NodeId>,
    /// Lattice positions of own and halo nodes (z = 0 in 2-D), in the padded coordinates of the domain.
    pub position: Vec<[i32; 3]>,
    /// Links of own nodes, one array a direction: `links[i - 1][n]` is where c_i leads from own node n.
    pub links: Vec<Vec<Link>>,
    /// The neighbouring parts in ascending order, with the slice of the halo each one owns.
    pub neighbours: Vec<Neighbour>,
    /// The own nodes of each opening of the case, in case order.
    pub openings: Vec<Vec<OpeningNode>>,
}

/// A neighbouring part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// Its number.
    pub part: usize,
    /// Local numbers of the halo nodes it owns.
    pub halo: Range<usize>,
}

/// One fluid node with links into one opening.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpeningNode {
    /// Local number of the node.
    pub node: u32,
    /// Bit i is set when c_i leads into the opening.
    pub links: u32,
    /// Developed-flow speed relative to the opening's mean speed, on its own cross-section.
    pub developed: f32,
}
