//! Opening nodes as the kernel sees them.

use std::collections::HashSet;

use bytemuck::{Pod, Zeroable};
use hematite_case::{Part, VelocitySet};

/// What is prescribed at an opening, and its shape over the opening's nodes.
#[derive(Clone, Debug, PartialEq)]
pub enum Prescribed {
    /// A velocity (or a moving wall): the row's factor times this shape, one vector a node of the part.
    Velocity(Shape),
    /// A density deviation, the row's value, everywhere.
    Pressure,
}

/// A vector for each of the part's nodes at an opening, in the part's order.
pub type Shape = Vec<[f64; 3]>;

/// Numbers that pressure.wgsl writes for an entry: one a direction, then the velocity of the inward node.
pub(crate) fn slots(set: VelocitySet) -> usize {
    set.q() - 1 + 3
}

/// One (opening, node) pair; the layout of `Entry` in WGSL.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Entry {
    pub node: u32,
    pub links: u32,
    pub opening: u32,
    pub pressure: u32,
    /// The node next to it away from the opening, or itself.
    pub inward: u32,
    /// Whether the inward node is another one and at no opening, so that nothing mends its populations.
    pub settled: u32,
}

impl Entry {
    /// Its declaration in WGSL.
    pub const WGSL: &str = "struct Entry {\n    node: u32,\n    links: u32,\n    opening: u32,\n    pressure: u32,\n    inward: u32,\n    settled: u32,\n}\n";
}

/// The entries of a part and their shapes (three numbers an entry, zero for pressure).
pub(crate) fn entries(part: &Part, prescribed: &[Prescribed]) -> (Vec<Entry>, Vec<f64>) {
    let at_openings: HashSet<u32> = part.openings.iter().flatten().map(|node| node.node).collect();
    let mut entries = Vec::new();
    let mut shapes = Vec::new();
    for (opening, (nodes, prescribed)) in part.openings.iter().zip(prescribed).enumerate() {
        for (k, node) in nodes.iter().enumerate() {
            let (pressure, shape) = match prescribed {
                Prescribed::Velocity(shape) => (0, shape[k]),
                Prescribed::Pressure => (1, [0.0; 3]),
            };
            entries.push(Entry {
                node: node.node,
                links: node.links,
                opening: opening as u32,
                pressure,
                inward: node.inward.unwrap_or(node.node),
                settled: u32::from(node.inward.is_some_and(|inward| !at_openings.contains(&inward))),
            });
            shapes.extend(shape);
        }
    }
    (entries, shapes)
}
