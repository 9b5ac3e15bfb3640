//! What has to cross after an odd step so that a part can do the next even step of its halo's nodes too.
//!
//! Even steps are local: a part that has all populations of its halo's nodes finds by itself what its neighbours would send it
//! after the step. It has those that its own nodes sent to them; the others come from the node's owner, or, where three parts meet,
//! from the part whose node sent them. Only the owner sees all links of its nodes, so it tells both which ones these are.

use std::collections::HashMap;

use hematite_case::{NodeId, Part, Target, VelocitySet};
use hematite_comm::{Comm, exchange_pieces, exchange_unequal};
use hematite_config::Result;

use super::links::Place;

/// A population on its way: to or from which rank, of which node.
#[derive(Clone, Copy, Debug)]
struct Item {
    peer: usize,
    direction: usize,
    node: NodeId,
    place: Place,
}

/// What an owner tells a neighbour about one population of one of its nodes: node, direction, rank of another part, and whether
/// the population goes there (1) or comes from there (0).
type Told = [u64; 4];

/// What a part knows by itself of its [`Refill`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    out: Vec<Item>,
    into: Vec<Item>,
    /// What it tells each neighbour.
    told: Vec<(usize, Vec<Told>)>,
    /// Local numbers of the halo's nodes.
    halo: HashMap<NodeId, u32>,
    stride: u32,
}

/// Populations that go out and come in after an odd step, ordered by rank, direction and global number of the node: both sides
/// list the same ones in the same order, and those that follow each other stand side by side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refill {
    /// Slots that go out.
    pub out: Vec<Place>,
    /// Slots that are filled.
    pub into: Vec<Place>,
    /// (rank, number of slots) of what goes out.
    pub going: Vec<(usize, usize)>,
    /// The same of what comes in.
    pub coming: Vec<(usize, usize)>,
}

/// Where population `i` of node `n` stands after an odd step.
fn place(i: usize, n: u32, stride: u32) -> Place {
    if i == 0 { Place { pair: 0, index: n } } else { Place::of(i, n, stride) }
}

impl Draft {
    /// That of `part`, whose pair arrays have slots of `stride` values.
    pub fn of(set: VelocitySet, part: &Part, stride: u32) -> Self {
        let mut told: Vec<_> = part.neighbours.iter().map(|neighbour| (neighbour.part, Vec::new())).collect();
        let (mut out, mut into) = (Vec::new(), Vec::new());
        // Bit i: whether own nodes send population i to a halo's node.
        let mut sent = vec![0_u32; part.id.len() - part.own];
        for x in part.interior..part.own {
            let node = part.id[x];
            // Neighbours whose nodes send population i to x, which are those that hold a copy of x.
            let mut sources = vec![None; set.q()];
            for (back, source) in sources.iter_mut().enumerate().skip(1) {
                let along = VelocitySet::opposite(back);
                let Target::Node(y) = part.links[along - 1][x].target() else { continue };
                let holds = |neighbour: &hematite_case::Neighbour| neighbour.halo.contains(&(y as usize));
                let Some(k) = part.neighbours.iter().position(holds) else { continue };
                let peer = part.neighbours[k].part;
                *source = Some(k);
                sent[y as usize - part.own] |= 1 << along;
                out.push(Item { peer, direction: along, node: part.id[y as usize], place: place(along, y, stride) });
                into.push(Item { peer, direction: back, node, place: place(back, x as u32, stride) });
            }
            let mut holders: Vec<usize> = sources.iter().flatten().copied().collect();
            holders.sort_unstable();
            holders.dedup();
            for &holder in &holders {
                let peer = part.neighbours[holder].part;
                for (direction, &source) in sources.iter().enumerate() {
                    match source {
                        None => out.push(Item { peer, direction, node, place: place(direction, x as u32, stride) }),
                        Some(source) if source != holder => {
                            let other = part.neighbours[source].part;
                            told[source].1.push([node.0, direction as u64, peer as u64, 1]);
                            told[holder].1.push([node.0, direction as u64, other as u64, 0]);
                        }
                        Some(_) => {}
                    }
                }
            }
        }
        let mut halo = HashMap::with_capacity(sent.len());
        for neighbour in &part.neighbours {
            for y in neighbour.halo.clone() {
                let node = part.id[y];
                halo.insert(node, y as u32);
                let missing = (0..set.q()).filter(|&i| sent[y - part.own] >> i & 1 == 0);
                let item = |i| Item { peer: neighbour.part, direction: i, node, place: place(i, y as u32, stride) };
                into.extend(missing.map(item));
            }
        }
        Self { out, into, told, halo, stride }
    }

    /// Settles with the neighbours what comes from whom. Collective among neighbours.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn settle(mut self, comm: &dyn Comm) -> Result<Refill> {
        let ranks: Vec<usize> = self.told.iter().map(|&(rank, _)| rank).collect();
        let lengths: Vec<u64> = self.told.iter().map(|(_, told)| size_of_val(told.as_slice()) as u64).collect();
        let mut other_lengths = vec![0_u64; ranks.len()];
        let words: Vec<_> = ranks.iter().map(|&rank| (rank, size_of::<u64>())).collect();
        exchange_pieces(comm, &words, bytemuck::cast_slice(&lengths), bytemuck::cast_slice_mut(&mut other_lengths))?;
        let pieces = |lengths: &[u64]| -> Vec<_> {
            ranks.iter().zip(lengths).map(|(&rank, &bytes)| (rank, bytes as usize)).collect()
        };
        let telling: Vec<Told> = self.told.iter().flat_map(|(_, told)| told).copied().collect();
        let mut heard = vec![Told::default(); other_lengths.iter().sum::<u64>() as usize / size_of::<Told>()];
        let going = (pieces(&lengths), bytemuck::cast_slice(&telling));
        let coming = (pieces(&other_lengths), bytemuck::cast_slice_mut(&mut heard));
        exchange_unequal(comm, (&going.0, going.1), (&coming.0, coming.1))?;

        let mut known = HashMap::new();
        if !heard.is_empty() {
            known.extend(self.into.iter().enumerate().map(|(k, item)| ((item.node, item.direction), k)));
        }
        for [node, direction, other, goes] in heard {
            let (node, direction, peer) = (NodeId(node), direction as usize, other as usize);
            if goes == 1 {
                let place = place(direction, self.halo[&node], self.stride);
                self.out.push(Item { peer, direction, node, place });
            } else {
                self.into[known[&(node, direction)]].peer = peer;
            }
        }
        let ((out, going), (into, coming)) = (listed(self.out), listed(self.into));
        Ok(Refill { out, into, going, coming })
    }
}

/// Places in order, and how many belong to each rank.
fn listed(mut items: Vec<Item>) -> (Vec<Place>, Vec<(usize, usize)>) {
    items.sort_unstable_by_key(|item| (item.peer, item.direction, item.node));
    let pieces = items.chunk_by(|a, b| a.peer == b.peer).map(|group| (group[0].peer, group.len())).collect();
    (items.into_iter().map(|item| item.place).collect(), pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hematite_case::{Link, Neighbour};
    use hematite_comm::threads;

    const STRIDE: u32 = 4096;

    /// A part of a box, periodic along x, some of whose sites are walls; `owner` says whose each site is.
    fn part(set: VelocitySet, extent: [i32; 3], owner: &[Option<usize>], rank: usize) -> Part {
        let c = set.velocities();
        let site = |[x, y, z]: [i32; 3]| ((z * extent[1] + y) * extent[0] + x) as usize;
        let at = |n: usize| {
            let n = n as i32;
            [n % extent[0], n / extent[0] % extent[1], n / (extent[0] * extent[1])]
        };
        let beside = |n: usize, i: usize| {
            let [x, y, z] = at(n);
            let to = [(x + c[i][0]).rem_euclid(extent[0]), y + c[i][1], z + c[i][2]];
            let inside = (0..extent[1]).contains(&to[1]) && (0..extent[2]).contains(&to[2]);
            inside.then(|| site(to)).filter(|&to| owner[to].is_some())
        };
        let others = |n: usize| (1..set.q()).filter_map(move |i| beside(n, i)).filter(|&to| owner[to] != Some(rank));
        let mine: Vec<usize> = (0..owner.len()).filter(|&n| owner[n] == Some(rank)).collect();
        let (interface, interior): (Vec<_>, Vec<_>) = mine.iter().partition(|&&n| others(n).next().is_some());
        let mut halo: Vec<(usize, usize)> =
            interface.iter().flat_map(|&n| others(n)).map(|n| (owner[n].unwrap_or_default(), n)).collect();
        halo.sort_unstable();
        halo.dedup();
        let all: Vec<usize> = interior.iter().chain(&interface).copied().chain(halo.iter().map(|&(_, n)| n)).collect();
        let local: HashMap<usize, u32> = all.iter().copied().zip(0..).collect();
        let link = |n: usize, i| beside(n, i).map_or(Link::WALL, |to| Link::node(local[&to]));
        let mut neighbours = Vec::new();
        let mut first = mine.len();
        for group in halo.chunk_by(|a, b| a.0 == b.0) {
            neighbours.push(Neighbour { part: group[0].0, halo: first..first + group.len() });
            first += group.len();
        }
        Part {
            rank,
            parts: 3,
            interior: interior.len(),
            own: mine.len(),
            id: all.iter().map(|&n| NodeId(n as u64)).collect(),
            position: all.iter().map(|&n| at(n)).collect(),
            links: (1..set.q()).map(|i| all[..mine.len()].iter().map(|&n| link(n, i)).collect()).collect(),
            neighbours,
            openings: Vec::new(),
        }
    }

    /// After an odd step each part knows the populations that its own nodes sent; a refill has to bring all others of its own
    /// nodes and of its halo's, each once.
    #[test]
    fn a_refill_brings_every_population_once() {
        for (set, extent) in [(VelocitySet::D2Q9, [11, 9, 1]), (VelocitySet::D3Q19, [7, 6, 5])] {
            let mut state = 5_u64;
            let mut draw = |below: u64| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) % below
            };
            // Owners in patches of two and at random, so that three parts meet in many nodes.
            let owner: Vec<Option<usize>> = (0..extent.iter().product::<i32>())
                .map(|n| (draw(8) > 0).then(|| if draw(4) > 0 { (n / 2 % 3) as usize } else { draw(3) as usize }))
                .collect();
            let told = std::thread::scope(|scope| {
                let ranks: Vec<_> =
                    threads(3).into_iter().map(|comm| scope.spawn(|| on_rank(set, extent, &owner, comm))).collect();
                ranks.into_iter().map(|rank| rank.join().expect("settles")).sum::<usize>()
            });
            assert!(told > 50, "three parts meet {told} times only");
        }
    }

    /// Gives how often it told a neighbour of another.
    fn on_rank(set: VelocitySet, extent: [i32; 3], owner: &[Option<usize>], comm: hematite_comm::Threads) -> usize {
        let part = part(set, extent, owner, comm.rank());
        let name = |n: usize, i: usize| part.id[n].0 * 32 + i as u64;
        let at = |n: usize, i| {
            let place = place(i, n as u32, STRIDE);
            (place.pair, place.index)
        };
        // What stands where: populations of walls and those from own nodes.
        let mut known = HashMap::new();
        for n in 0..part.own {
            known.insert(at(n, 0), name(n, 0));
            for i in 1..set.q() {
                match part.links[i - 1][n].target() {
                    Target::Node(to) => known.insert(at(to as usize, i), name(to as usize, i)),
                    _ => {
                        let back = VelocitySet::opposite(i);
                        known.insert(at(n, back), name(n, back))
                    }
                };
            }
        }
        let draft = Draft::of(set, &part, STRIDE);
        let told = draft.told.iter().map(|(_, told)| told.len()).sum();
        let Refill { out, into, going, coming } = draft.settle(&comm).expect("settles");
        let message: Vec<u64> = out.iter().map(|place| known[&(place.pair, place.index)]).collect();
        let mut came = vec![0_u64; into.len()];
        let bytes =
            |pieces: &[(usize, usize)]| pieces.iter().map(|&(rank, slots)| (rank, 8 * slots)).collect::<Vec<_>>();
        let (going, coming) = (bytes(&going), bytes(&coming));
        let sides = ((&*going, bytemuck::cast_slice(&message)), (&*coming, bytemuck::cast_slice_mut(&mut came)));
        exchange_unequal(&comm, sides.0, sides.1).expect("arrives");
        for (place, name) in into.iter().zip(came) {
            assert_eq!(
                known.insert((place.pair, place.index), name),
                None,
                "rank {}: {place:?} came twice",
                comm.rank()
            );
        }
        for n in 0..part.id.len() {
            for i in 0..set.q() {
                assert_eq!(known.get(&at(n, i)), Some(&name(n, i)), "rank {}: population {i} of node {n}", comm.rank());
            }
        }
        told
    }
}
