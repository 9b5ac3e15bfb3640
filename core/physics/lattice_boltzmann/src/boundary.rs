//! Opening nodes as the kernel sees them.

use std::collections::HashMap;

use bytemuck::{Pod, Zeroable};
use hematite_case::{NodeId, OpeningNode, Part, Target, VelocitySet, outward};
use hematite_cells::vector::{dot, unit};

/// What is prescribed at an opening, and its shape over the opening's nodes.
#[derive(Clone, Debug, PartialEq)]
pub enum Prescribed {
    /// A velocity: the row's factor times this shape, one vector a node of the part.
    Velocity(Shape),
    /// A velocity that is a sum of several shapes, each times a factor of its own in the row.
    Terms(Vec<Shape>),
    /// The velocity of a wall that moves along itself: the row's factor times this shape.
    Wall(Shape),
    /// A density deviation, the row's value, everywhere.
    Pressure,
}

impl Prescribed {
    /// Numbers in the row that it needs.
    pub fn terms(&self) -> usize {
        if let Self::Terms(shapes) = self { shapes.len() } else { 1 }
    }

    /// Whether fluid passes. Such an opening lies on one part: what comes in depends on all its nodes.
    pub fn passes(&self) -> bool {
        !matches!(self, Self::Wall(_))
    }

    /// The shape of a velocity that is scaled so that the flow rate is what is prescribed.
    fn scaled(&self) -> Option<&Shape> {
        match self {
            Self::Velocity(shape) => Some(shape),
            Self::Terms(shapes) => shapes.first(),
            Self::Wall(_) | Self::Pressure => None,
        }
    }
}

/// A vector for each of the part's nodes at an opening, in the part's order.
pub type Shape = Vec<[f64; 3]>;

/// One (opening, node) pair; the layout of `Entry` in WGSL.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Entry {
    pub node: u32,
    pub links: u32,
    /// Of `links`, those along which the velocity is prescribed at the node, not half-way to the opening.
    pub at_node: u32,
    /// Of `links`, those whose opposite comes from a wall, where the velocity is prescribed between node and half-way.
    pub between: u32,
    pub opening: u32,
    pub pressure: u32,
}

impl Entry {
    /// Its declaration in WGSL.
    pub const WGSL: &str = "struct Entry {\n    node: u32,\n    links: u32,\n    at_node: u32,\n    between: u32,\n    opening: u32,\n    pressure: u32,\n}\n";
}

/// The openings of a part as kernels read them.
pub(crate) struct Entries {
    /// Each opening's nodes, in the part's order.
    pub entries: Vec<Entry>,
    /// Shapes of the prescribed velocity: three numbers a term of each entry, zero for pressure and terms that it
    /// lacks.
    pub shapes: Vec<f64>,
    /// For each direction from the first on and each entry: the entry of a pressure opening whose populations replace the
    /// one that comes in against this direction; the entry itself for directions that lead into no opening.
    pub sources: Vec<u32>,
    /// For each opening the factor of its first shape that lets in one unit of flow; 0 where flow is not corrected.
    pub per_flow: Vec<f64>,
}

/// The flow rate of a shape is corrected only if its net flow is at least this share of what it lets in and out.
const LEAST_NET_FLOW: f64 = 0.1;

impl Entries {
    /// Those of `part`.
    pub fn of(set: VelocitySet, part: &Part, prescribed: &[Prescribed], terms: usize) -> Self {
        let mut made = Self { entries: Vec::new(), shapes: Vec::new(), sources: Vec::new(), per_flow: Vec::new() };
        let mut sources = vec![Vec::new(); set.q() - 1];
        for (opening, (nodes, prescribed)) in part.openings.iter().zip(prescribed).enumerate() {
            let gate = Gate::new(set, part, nodes, made.entries.len() as u32);
            let per_flow = prescribed.scaled().map_or(0.0, |shape| per_flow(set, part, nodes, shape));
            made.per_flow.push(per_flow);
            for (k, at) in nodes.iter().enumerate() {
                for term in 0..terms {
                    made.shapes.extend(match prescribed {
                        Prescribed::Velocity(shape) | Prescribed::Wall(shape) if term == 0 => shape[k],
                        Prescribed::Terms(shapes) => shapes.get(term).map_or([0.0; 3], |shape| shape[k]),
                        Prescribed::Velocity(_) | Prescribed::Wall(_) | Prescribed::Pressure => [0.0; 3],
                    });
                }
                let pressure = u32::from(*prescribed == Prescribed::Pressure);
                for i in 1..set.q() {
                    sources[i - 1].push(match pressure {
                        1 if at.links >> i & 1 == 1 => gate.source(at.node, i),
                        _ => gate.entries[&at.node],
                    });
                }
                let [at_node, between] = if per_flow == 0.0 { [0; 2] } else { from_within(set, part, at) };
                let (node, links, opening) = (at.node, at.links, opening as u32);
                made.entries.push(Entry { node, links, at_node, between, opening, pressure });
            }
        }
        made.sources = sources.concat();
        made
    }
}

/// Of the links of `at` into an opening, those whose opposite comes from a node, and those whose opposite comes from a wall.
fn from_within(set: VelocitySet, part: &Part, at: &OpeningNode) -> [u32; 2] {
    let mut masks = [0; 2];
    for i in (1..set.q()).filter(|i| at.links >> i & 1 == 1) {
        match part.links[VelocitySet::opposite(i) - 1][at.node as usize].target() {
            Target::Node(_) => masks[0] |= 1 << i,
            Target::Wall => masks[1] |= 1 << i,
            Target::Opening(_) => {}
        }
    }
    masks
}

/// The factor of `shape` that lets one unit of flow into the domain, `sum 6 w_j c_j . u = 1` over all links; 0 where it
/// lets out about as much as in. The same whatever the order of the part's nodes.
fn per_flow(set: VelocitySet, part: &Part, nodes: &[OpeningNode], shape: &Shape) -> f64 {
    let c = set.velocities();
    let into = |(at, u): (&OpeningNode, &[f64; 3])| {
        let along = |i: usize| -6.0 * set.weight(i) * (0..3).map(|a| f64::from(c[i][a]) * u[a]).sum::<f64>();
        (part.id[at.node as usize], (1..set.q()).filter(|i| at.links >> i & 1 == 1).map(along).sum::<f64>())
    };
    let mut into: Vec<(NodeId, f64)> = nodes.iter().zip(shape).map(into).collect();
    into.sort_unstable_by_key(|&(id, _)| id);
    let net: f64 = into.iter().map(|(_, into)| into).sum();
    let gross: f64 = into.iter().map(|(_, into)| into.abs()).sum();
    if net.abs() > LEAST_NET_FLOW * gross { 1.0 / net } else { 0.0 }
}

/// The part's nodes at one opening.
struct Gate<'p> {
    set: VelocitySet,
    part: &'p Part,
    /// Number of the entry of each node.
    entries: HashMap<u32, u32>,
    /// Unit vector along the vessel, into the domain.
    inwards: [f64; 3],
}

impl<'p> Gate<'p> {
    /// The opening with `nodes`, whose entries are numbered from `first` on.
    fn new(set: VelocitySet, part: &'p Part, nodes: &[OpeningNode], first: u32) -> Self {
        // Over a plane, the sum of 6 w_i c_i over the links through it is its normal times its area.
        let mut links: Vec<(NodeId, u32)> = nodes.iter().map(|at| (part.id[at.node as usize], at.links)).collect();
        links.sort_unstable();
        let mut sum = [0.0; 3];
        for outward in links.into_iter().map(|(_, links)| outward(set, links)) {
            (0..3).for_each(|axis| sum[axis] -= outward[axis]);
        }
        let entries = nodes.iter().map(|at| at.node).zip(first..).collect();
        Self { set, part, entries, inwards: unit(sum).unwrap_or_default() }
    }

    /// The entry of the node from which a population comes in to node `n` against direction `i`: the one nearest to the
    /// line along the vessel through `n + c_i`, of those at most [`HOPS`] links from `n`.
    fn source(&self, n: u32, i: usize) -> u32 {
        let c = self.set.velocities();
        let mut reached = vec![(n, [0; 3])];
        let mut last = 0..1;
        for _ in 0..HOPS {
            for k in last.clone() {
                let (from, at) = reached[k];
                for (links, step) in self.part.links.iter().zip(&c[1..]) {
                    let Target::Node(to) = links[from as usize].target() else { continue };
                    if self.entries.contains_key(&to) && !reached.iter().any(|(known, _)| *known == to) {
                        reached.push((to, [0, 1, 2].map(|axis| at[axis] + step[axis])));
                    }
                }
            }
            last = last.end..reached.len();
        }
        let cost = |at: [i32; 3]| {
            let from = [0, 1, 2].map(|axis| f64::from(at[axis] - c[i][axis]));
            let along = dot(from, self.inwards);
            // Of nodes as far from the line, the one that is nearest to the opening.
            dot(from, from) - along * along + NEARER * along.abs()
        };
        let id = |node: u32| self.part.id[node as usize];
        let nearest = reached.iter().min_by(|a, b| cost(a.1).total_cmp(&cost(b.1)).then(id(a.0).cmp(&id(b.0))));
        self.entries[&nearest.map_or(n, |(node, _)| *node)]
    }
}

/// Links between a node and that from which a population comes in, at most.
const HOPS: usize = 2;

/// How much farther from the line a node may be, spacings squared, for each spacing that it is nearer to the opening.
const NEARER: f64 = 0.01;
