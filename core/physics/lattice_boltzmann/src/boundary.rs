//! Opening nodes as the kernel sees them.

use std::collections::HashMap;

use bytemuck::{Pod, Zeroable};
use hematite_case::{Part, Target, VelocitySet};

/// What is prescribed at an opening, and its shape over the opening's nodes.
#[derive(Clone, Debug, PartialEq)]
pub enum Prescribed {
    /// A velocity (or a moving wall): the row's factor times this shape, one vector a node of the part.
    Velocity(Shape),
    /// A velocity that is a sum of several shapes, each times a factor of its own in the row.
    Terms(Vec<Shape>),
    /// A density deviation, the row's value, everywhere.
    Pressure,
}

impl Prescribed {
    /// Numbers in the row that it needs.
    pub fn terms(&self) -> usize {
        if let Self::Terms(shapes) = self { shapes.len() } else { 1 }
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
    pub opening: u32,
    pub pressure: u32,
}

impl Entry {
    /// Its declaration in WGSL.
    pub const WGSL: &str =
        "struct Entry {\n    node: u32,\n    links: u32,\n    opening: u32,\n    pressure: u32,\n}\n";
}

/// The openings of a part as kernels read them.
pub(crate) struct Entries {
    /// Each opening's nodes, in the part's order.
    pub entries: Vec<Entry>,
    /// Shapes of the prescribed velocity: three numbers a term of each entry, zero for pressure and terms that it
    /// lacks.
    pub shapes: Vec<f64>,
    /// For each entry and each direction from the first on, the entry of the node beside it along the opening, on the
    /// other side of a diagonal link; the entry itself for all other links.
    pub beside: Vec<u32>,
}

impl Entries {
    /// Those of `part`.
    pub fn of(set: VelocitySet, part: &Part, prescribed: &[Prescribed], terms: usize) -> Self {
        let mut made = Self { entries: Vec::new(), shapes: Vec::new(), beside: Vec::new() };
        for (opening, (nodes, prescribed)) in part.openings.iter().zip(prescribed).enumerate() {
            let numbers: HashMap<u32, u32> = nodes.iter().map(|at| at.node).zip(made.entries.len() as u32..).collect();
            for (k, at) in nodes.iter().enumerate() {
                for term in 0..terms {
                    made.shapes.extend(match prescribed {
                        Prescribed::Velocity(shape) if term == 0 => shape[k],
                        Prescribed::Terms(shapes) => shapes.get(term).map_or([0.0; 3], |shape| shape[k]),
                        Prescribed::Velocity(_) | Prescribed::Pressure => [0.0; 3],
                    });
                }
                let pressure = u32::from(*prescribed == Prescribed::Pressure);
                for i in 1..set.q() {
                    let side = match pressure {
                        1 if at.links >> i & 1 == 1 => beside(set, part, at.node, i),
                        _ => at.node,
                    };
                    // Nodes beyond immersed walls lead into no opening.
                    made.beside.push(numbers.get(&side).copied().unwrap_or(numbers[&at.node]));
                }
                made.entries.push(Entry { node: at.node, links: at.links, opening: opening as u32, pressure });
            }
        }
        made
    }
}

/// The node beside own node `n` along an opening into which `c_i` leads: of the two nodes that a diagonal `c_i` passes
/// between, the one that is fluid where the other is not. Else `n`.
fn beside(set: VelocitySet, part: &Part, n: u32, i: usize) -> u32 {
    let c = set.velocities();
    let straight = |axis: usize| c.iter().position(|d| (0..3).all(|a| d[a] == if a == axis { c[i][a] } else { 0 }));
    let next = |axis: usize| match straight(axis).map(|k| part.links[k - 1][n as usize].target()) {
        Some(Target::Node(m)) => Some(m),
        _ => None,
    };
    let axes: Vec<usize> = (0..3).filter(|&axis| c[i][axis] != 0).collect();
    match axes[..] {
        [a, b] => match (next(a), next(b)) {
            (Some(m), None) | (None, Some(m)) => m,
            _ => n,
        },
        _ => n,
    }
}
