//! One rank's part, put together from its share of a partition and the arrays of the lattice.

use std::borrow::Cow;
use std::ops::Range;

use hematite_config::{Fault, Result};
use hematite_geometry::OpeningKind;
use rayon::prelude::*;

use crate::{GlobalLink, Lattice, Link, Neighbour, NodeId, Opening, OpeningNode, Part, Partition};

/// What one part is made of, in global node numbers.
pub(crate) struct Share {
    pub rank: usize,
    pub parts: usize,
    pub interior: usize,
    /// Own nodes: interior ascending, then interface ascending.
    pub own: Vec<u32>,
    /// Halo nodes ascending, by the part that owns them, ascending.
    pub halos: Vec<(usize, Vec<u32>)>,
}

impl Share {
    /// The whole lattice as one part.
    pub fn whole(nodes: usize) -> Self {
        Self { rank: 0, parts: 1, interior: nodes, own: (0..nodes as u32).collect(), halos: Vec::new() }
    }
}

/// Where the arrays of the lattice come from.
pub(crate) trait Source: Sync {
    /// Number of nodes.
    fn nodes(&self) -> usize;
    /// Number of directions, rest included.
    fn q(&self) -> usize;
    /// Nodes to ask for at once.
    fn slab(&self) -> usize;
    /// Positions of some nodes.
    fn positions(&self, nodes: Range<usize>) -> Result<Cow<'_, [[i32; 3]]>>;
    /// Links of some nodes along c_i.
    fn links(&self, i: usize, nodes: Range<usize>) -> Result<Cow<'_, [GlobalLink]>>;
}

impl Source for Lattice {
    fn nodes(&self) -> usize {
        self.position.len()
    }

    fn q(&self) -> usize {
        self.set.q()
    }

    fn slab(&self) -> usize {
        self.position.len()
    }

    fn positions(&self, nodes: Range<usize>) -> Result<Cow<'_, [[i32; 3]]>> {
        Ok(Cow::Borrowed(&self.position[nodes]))
    }

    fn links(&self, i: usize, nodes: Range<usize>) -> Result<Cow<'_, [GlobalLink]>> {
        Ok(Cow::Borrowed(&self.links[i - 1][nodes]))
    }
}

impl Part {
    /// The part of one rank, of a lattice in memory.
    ///
    /// # Errors
    /// A usage fault when the partition has no such rank or is of another lattice.
    pub fn of(lattice: &Lattice, partition: &Partition, rank: usize) -> Result<Self> {
        if rank >= partition.parts {
            return Err(Fault::usage(format!("rank {rank} of a partition into {} parts", partition.parts)));
        }
        assemble(partition.share(rank), lattice, &lattice.openings)
    }
}

/// Puts a part together. Beyond the part itself it holds 12 bytes a node, and one slab of the source a direction.
pub(crate) fn assemble(share: Share, source: &impl Source, openings: &[Opening]) -> Result<Part> {
    let Share { rank, parts, interior, own, halos } = share;
    let owned = own.len();
    let held = owned + halos.iter().map(|(_, nodes)| nodes.len()).sum::<usize>();
    if held > Link::MAX_NODES || interior > owned {
        return Err(Fault::usage(format!(
            "part {rank} of {parts} has {held} nodes, at most {} fit; use more ranks",
            Link::MAX_NODES
        )));
    }
    let mut neighbours = Vec::with_capacity(halos.len());
    let mut id = Vec::with_capacity(held);
    id.extend(own.into_iter().map(|n| NodeId(u64::from(n))));
    for (part, nodes) in halos {
        neighbours.push(Neighbour { part, halo: id.len()..id.len() + nodes.len() });
        id.extend(nodes.into_iter().map(|n| NodeId(u64::from(n))));
    }
    let locals = Locals::new(&id, source)?;

    let mut position = vec![[0; 3]; held];
    for entries in locals.slabs(source.slab()) {
        let nodes = span(entries);
        let from = source.positions(nodes.clone())?;
        for &(global, local) in entries {
            position[local as usize] = from[global as usize - nodes.start];
        }
    }
    let links = (1..source.q()).into_par_iter().map(|i| translate(&locals, source, i, owned)).collect::<Result<_>>()?;
    let openings = openings.iter().map(|opening| own_nodes(opening, &locals, owned)).collect::<Result<_>>()?;
    Ok(Part { rank, parts, interior, own: owned, id, position, links, neighbours, openings })
}

/// The links of the own nodes along c_i, in local numbers.
fn translate(locals: &Locals, source: &impl Source, i: usize, owned: usize) -> Result<Vec<Link>> {
    let mut links = vec![Link::WALL; owned];
    let mut hint = 0;
    for entries in locals.slabs(source.slab()) {
        let nodes = span(entries);
        let from = source.links(i, nodes.clone())?;
        for &(global, local) in entries.iter().filter(|entry| (entry.1 as usize) < owned) {
            let link = from[global as usize - nodes.start];
            links[local as usize] = match (link.node(), link.opening()) {
                (Some(to), _) => {
                    let to = locals.find(to, &mut hint).ok_or_else(|| {
                        Fault::usage(format!(
                            "the partition does not fit the lattice: node {global} links to node {to}, which its part does \
                             not hold; make the case again with mkcase"
                        ))
                    })?;
                    Link::node(to)
                }
                (None, Some(k)) => Link::opening(k),
                (None, None) => Link::WALL,
            };
        }
    }
    Ok(links)
}

/// The own nodes of an opening.
fn own_nodes(opening: &Opening, locals: &Locals, owned: usize) -> Result<Vec<OpeningNode>> {
    let mut hint = 0;
    let mut nodes = Vec::new();
    for site in &opening.nodes {
        let found = u32::try_from(site.node.0).ok().and_then(|global| locals.find(global, &mut hint));
        let Some(node) = found.filter(|&n| (n as usize) < owned) else { continue };
        nodes.push(OpeningNode { node, links: site.links, developed: site.developed });
    }
    if opening.kind != OpeningKind::Wall && !nodes.is_empty() && nodes.len() < opening.nodes.len() {
        return Err(Fault::usage(format!(
            "the partition divides opening \"{}\" between parts; make the case again with mkcase",
            opening.name
        )));
    }
    Ok(nodes)
}

/// The global numbers that some entries span.
fn span(entries: &[(u32, u32)]) -> Range<usize> {
    entries[0].0 as usize..entries[entries.len() - 1].0 as usize + 1
}

/// (global, local) number of every node of a part, ascending by global number.
struct Locals(Vec<(u32, u32)>);

impl Locals {
    fn new(id: &[NodeId], source: &impl Source) -> Result<Self> {
        let mut sorted: Vec<_> = id.iter().enumerate().map(|(local, global)| (global.0 as u32, local as u32)).collect();
        sorted.par_sort_unstable();
        let twice = sorted.windows(2).any(|pair| pair[0].0 == pair[1].0);
        if twice || sorted.last().is_none_or(|last| last.0 as usize >= source.nodes()) {
            return Err(Fault::usage("the partition does not fit the lattice; make the case again with mkcase"));
        }
        Ok(Self(sorted))
    }

    /// Its entries, cut at multiples of `slab`; none empty.
    fn slabs(&self, slab: usize) -> impl Iterator<Item = &[(u32, u32)]> {
        self.0.chunk_by(move |a, b| a.0 as usize / slab == b.0 as usize / slab)
    }

    /// The local number of a global one. Consecutive searches lie close together, for links keep the scan order of
    /// nodes: the search widens from where the last one ended.
    fn find(&self, global: u32, hint: &mut usize) -> Option<u32> {
        let sorted = &self.0;
        let (mut low, mut high, mut step) = (*hint, *hint + 1, 1);
        while low > 0 && sorted[low].0 > global {
            low = low.saturating_sub(step);
            step *= 2;
        }
        while high < sorted.len() && sorted[high].0 <= global {
            high = (high + step).min(sorted.len());
            step *= 2;
        }
        let at = low + sorted[low..high].partition_point(|entry| entry.0 < global);
        *hint = at.min(sorted.len() - 1);
        sorted.get(at).filter(|entry| entry.0 == global).map(|entry| entry.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Target, fixture};

    #[test]
    fn local_links_are_the_global_ones() {
        for seed in 0..24 {
            let lattice = Lattice::build(&fixture::random(seed)).expect("builds");
            for parts in [1, 2, 3, 7].into_iter().filter(|&parts| parts <= lattice.nodes()) {
                let partition = Partition::make(&lattice, parts).expect("divides");
                let all: Vec<Part> =
                    (0..parts).map(|rank| Part::of(&lattice, &partition, rank).expect("extracts")).collect();
                for part in &all {
                    check(&lattice, part, &all);
                }
            }
        }
    }

    fn check(lattice: &Lattice, part: &Part, all: &[Part]) {
        for (n, id) in part.id.iter().enumerate() {
            assert_eq!(part.position[n], lattice.position[id.0 as usize]);
        }
        for (local, global) in part.links.iter().zip(&lattice.links) {
            assert_eq!(local.len(), part.own);
            for (n, link) in local.iter().enumerate() {
                let global = global[part.id[n].0 as usize];
                match link.target() {
                    Target::Node(to) => {
                        assert_eq!(global.node().map(u64::from), Some(part.id[to as usize].0));
                        assert!(
                            n >= part.interior || (to as usize) < part.own,
                            "interior nodes link to own nodes only"
                        );
                    }
                    Target::Wall => assert!(global.is_wall()),
                    Target::Opening(k) => assert_eq!(global.opening(), Some(k)),
                }
            }
        }
        assert_eq!(
            part.neighbours.iter().map(|neighbour| neighbour.halo.len()).sum::<usize>(),
            part.id.len() - part.own
        );
        for neighbour in &part.neighbours {
            let other = &all[neighbour.part];
            let interface = &other.id[other.interior..other.own];
            assert!(part.id[neighbour.halo.clone()].iter().all(|id| interface.binary_search(id).is_ok()));
            assert!(other.neighbours.iter().any(|back| back.part == part.rank));
        }
        for (own, opening) in part.openings.iter().zip(&lattice.openings) {
            let wanted = opening.nodes.iter().filter(|site| part.id[..part.own].contains(&site.node));
            let wanted: Vec<_> = wanted.map(|site| (site.node, site.links, site.developed)).collect();
            let found: Vec<_> = own.iter().map(|o| (part.id[o.node as usize], o.links, o.developed)).collect();
            assert_eq!(found, wanted);
        }
    }
}
