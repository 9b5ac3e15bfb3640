//! Random sparse domains as parts, made without the case crate's builders.

use std::collections::HashMap;

use hematite_case::{Link, NodeId, OpeningNode, Part, Target, VelocitySet};
use physics_lattice_boltzmann::Cut;

/// A random domain of one part: periodic along y, with openings (0: velocity, 1: pressure) at its x ends.
pub struct Sample {
    pub part: Part,
}

impl Sample {
    /// Cuts anywhere from 0 to 1, both ends and the middle among them, of most links into the wall.
    pub fn cuts(&self) -> Vec<Cut> {
        let mut cuts = Vec::new();
        for (links, direction) in self.part.links.iter().zip(1..) {
            for (link, node) in links.iter().zip(0_u32..) {
                let draw = (node * 7 + u32::from(direction) * 5) % 13;
                if link.target() == Target::Wall && draw < 11 {
                    cuts.push(Cut { node, direction, fraction: f64::from(draw) / 10.0 });
                }
            }
        }
        cuts
    }

    /// Links into the wall, then those into each opening: nodes, and words of bits of directions.
    pub fn links_out(&self) -> Vec<Vec<[u32; 2]>> {
        let into = |wanted: Target| {
            let bits = |node: usize| {
                let links = self.part.links.iter().zip(1..);
                links.filter(|(links, _)| links[node].target() == wanted).fold(0, |bits, (_, i)| bits | 1 << i)
            };
            (0..self.part.own).map(|node| [node as u32, bits(node)]).filter(|[_, bits]| *bits != 0).collect()
        };
        [Target::Wall, Target::Opening(0), Target::Opening(1)].map(into).into()
    }

    /// About half of a box is fluid, by a hash of position and `seed`.
    pub fn random(set: VelocitySet, seed: u64) -> Self {
        let extent: [i32; 3] = if set == VelocitySet::D2Q9 { [23, 17, 1] } else { [11, 7, 9] };
        let mut position = Vec::new();
        for z in 0..extent[2] {
            for y in 0..extent[1] {
                for x in 0..extent[0] {
                    let mut hash = seed ^ (x as u64) << 40 ^ (y as u64) << 20 ^ z as u64;
                    for _ in 0..3 {
                        hash = (hash ^ hash >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    }
                    if x == 0 || x == extent[0] - 1 || hash >> 62 != 0 {
                        position.push([x, y, z]);
                    }
                }
            }
        }
        let number: HashMap<[i32; 3], u32> = position.iter().copied().zip(0..).collect();
        let velocities = set.velocities();
        let mut links = vec![Vec::new(); set.q() - 1];
        let mut openings = [HashMap::<u32, u32>::new(), HashMap::new()];
        for (&[x, y, z], n) in position.iter().zip(0..) {
            for (i, c) in velocities.iter().enumerate().skip(1) {
                let to = [x + c[0], (y + c[1]).rem_euclid(extent[1]), z + c[2]];
                let link = if let Some(&m) = number.get(&to) {
                    Link::node(m)
                } else if (0..extent[2]).contains(&to[2]) && (to[0] < 0 || to[0] >= extent[0]) {
                    let k = usize::from(to[0] > 0);
                    *openings[k].entry(n).or_default() |= 1 << i;
                    Link::opening(k)
                } else {
                    Link::WALL
                };
                links[i - 1].push(link);
            }
        }
        let openings = [0, 1].map(|k| {
            let nodes = std::mem::take(&mut openings[k]);
            let mut nodes: Vec<_> =
                nodes.into_iter().map(|(node, links)| OpeningNode { node, links, developed: 1.0 }).collect();
            nodes.sort_by_key(|node| node.node);
            nodes
        });
        let own = position.len();
        Self {
            part: Part {
                rank: 0,
                parts: 1,
                interior: own,
                own,
                id: (0..own as u64).map(NodeId).collect(),
                position,
                links,
                neighbours: Vec::new(),
                openings: openings.into(),
            },
        }
    }
}
