//! A lattice divided into parts, with the halo of each.

use std::cmp::Reverse;
use std::ops::Range;

use hematite_config::{Fault, Result};
use std::collections::{BTreeMap, BTreeSet};

use hematite_geometry::OpeningKind;
use rayon::prelude::*;

use crate::extract::Share;
use crate::relabel::relabel;
use crate::{Lattice, PartitionReport, balance, coarse, metis, slices};

/// A division of the lattice into parts, in global node numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    /// Number of parts.
    pub parts: usize,
    /// Node numbers grouped by part: interior ascending, then interface ascending. A node is interface when any of its
    /// links leads to another part.
    pub order: Vec<u32>,
    /// Where each part lies in `order`.
    pub ranges: Vec<PartRange>,
    /// Halo node numbers, grouped by part and then by the part that owns them, ascending.
    pub halo: Vec<u32>,
    /// The groups of `halo`, ascending by part and owner.
    pub halos: Vec<HaloRange>,
    /// How good the partition is.
    pub report: PartitionReport,
}

/// Where one part lies in [`Partition::order`]: interior `start..interface`, interface `interface..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartRange {
    /// First interior node.
    pub start: usize,
    /// First interface node.
    pub interface: usize,
    /// Behind the last node.
    pub end: usize,
}

/// The nodes that `owner` owns and `part` links to, in [`Partition::halo`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HaloRange {
    /// The part whose halo it is.
    pub part: usize,
    /// The part that owns the nodes.
    pub owner: usize,
    /// Where they lie.
    pub range: Range<usize>,
}

/// What METIS is given at most.
#[derive(Clone, Copy, Debug)]
pub struct MetisLimits {
    /// Lattices of more nodes are drawn together into blocks first.
    pub nodes: usize,
    /// Adjacency entries METIS can number; its indices have 32 bits.
    pub entries: usize,
}

impl Default for MetisLimits {
    fn default() -> Self {
        Self { nodes: 2_000_000, entries: i32::MAX as usize - 1 }
    }
}

impl Partition {
    /// Divides a lattice into parts of nearly equal size (within 2 % of the mean) with few links between them. The same
    /// lattice gives the same partition at every call, on any number of threads, and on every machine with the same C
    /// library, whose `rand` METIS draws from. Results of a run do not depend on the partition.
    ///
    /// # Errors
    /// A usage fault for no part, or more parts than nodes.
    pub fn make(lattice: &Lattice, parts: usize) -> Result<Self> {
        Self::make_loaded(lattice, None, parts)
    }

    /// As [`Partition::make`], into parts of nearly equal load: `loads` says what each node costs, see [`loads`](crate::loads);
    /// without them all cost the same. Parts come within 2 % of the mean, or as near as the heaviest node allows.
    ///
    /// # Errors
    /// As [`Partition::make`].
    pub fn make_loaded(lattice: &Lattice, loads: Option<&[u32]>, parts: usize) -> Result<Self> {
        Self::make_within(lattice, loads, parts, MetisLimits::default())
    }

    /// As [`Partition::make_loaded`], giving METIS no more than `limits`.
    ///
    /// # Errors
    /// As [`Partition::make`], and when the limits leave no graph to divide.
    pub fn make_within(lattice: &Lattice, loads: Option<&[u32]>, parts: usize, limits: MetisLimits) -> Result<Self> {
        let nodes = lattice.nodes();
        if parts == 0 || parts > nodes {
            return Err(Fault::usage(format!(
                "{parts} parts of a lattice of {nodes} nodes: ask for 1 to {nodes} parts"
            )));
        }
        let owner = if parts == 1 { vec![0; nodes] } else { divide(lattice, loads, parts, limits)? };
        Ok(Self::of_owners(lattice, loads, parts, &owner))
    }

    /// As [`Partition::make_loaded`], with parts numbered such that few nodes leave the part that owned them `before`.
    ///
    /// # Errors
    /// As [`Partition::make`].
    pub fn make_again(lattice: &Lattice, loads: &[u32], parts: usize, before: &[u32]) -> Result<Self> {
        let mut owner = Self::make_loaded(lattice, Some(loads), parts)?.owners();
        relabel(&mut owner, before, loads, parts);
        Ok(Self::of_owners(lattice, Some(loads), parts, &owner))
    }

    /// The part that owns each node.
    pub fn owners(&self) -> Vec<u32> {
        let mut owner = vec![0; self.order.len()];
        for (part, range) in (0..).zip(&self.ranges) {
            self.order[range.start..range.end].iter().for_each(|&n| owner[n as usize] = part);
        }
        owner
    }

    /// The partition in which `owner[n]` owns node n.
    fn of_owners(lattice: &Lattice, loads: Option<&[u32]>, parts: usize, owner: &[u32]) -> Self {
        let part_of = |n: u32| owner[n as usize] as usize;
        let crossings = |n: u32| lattice.neighbours(n as usize).filter(|&m| part_of(m) != part_of(n)).count();
        let interface: Vec<bool> = (0..owner.len() as u32).into_par_iter().map(|n| crossings(n) > 0).collect();

        let mut counts = vec![[0_usize; 2]; parts];
        for (&p, &interface) in owner.iter().zip(&interface) {
            counts[p as usize][usize::from(interface)] += 1;
        }
        let mut ranges = Vec::with_capacity(parts);
        let mut start = 0;
        for [interior, at_cut] in counts {
            ranges.push(PartRange { start, interface: start + interior, end: start + interior + at_cut });
            start += interior + at_cut;
        }
        let mut next: Vec<[usize; 2]> = ranges.iter().map(|range| [range.start, range.interface]).collect();
        let mut order = vec![0; owner.len()];
        for (n, (&p, &interface)) in owner.iter().zip(&interface).enumerate() {
            let slot = &mut next[p as usize][usize::from(interface)];
            order[*slot] = n as u32;
            *slot += 1;
        }

        // Links return, so a node is in the halo of exactly the parts that it links to.
        let at_cut = |n: &u32| interface[*n as usize];
        let mut copies: Vec<(u32, u32, u32)> = (0..owner.len() as u32)
            .into_par_iter()
            .filter(at_cut)
            .flat_map_iter(|n| {
                let mut others: Vec<u32> = lattice.neighbours(n as usize).map(|m| owner[m as usize]).collect();
                others.retain(|&part| part != owner[n as usize]);
                others.sort_unstable();
                others.dedup();
                others.into_iter().map(move |part| (part, owner[n as usize], n))
            })
            .collect();
        copies.par_sort_unstable();
        let mut halos = Vec::new();
        let mut start = 0;
        for group in copies.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let range = start..start + group.len();
            start = range.end;
            halos.push(HaloRange { part: group[0].0 as usize, owner: group[0].1 as usize, range });
        }
        let both_ways: usize = (0..owner.len() as u32).into_par_iter().filter(at_cut).map(crossings).sum();
        let mut part_loads = vec![0; parts];
        for (n, &part) in owner.iter().enumerate() {
            part_loads[part as usize] += u64::from(loads.map_or(1, |loads| loads[n]));
        }
        let report = PartitionReport::new(&ranges, &part_loads, &halos, both_ways / 2);
        Self { parts, order, ranges, halo: copies.into_iter().map(|copy| copy.2).collect(), halos, report }
    }

    /// What one part is made of.
    pub(crate) fn share(&self, rank: usize) -> Share {
        let PartRange { start, interface, end } = self.ranges[rank];
        let halos = self.halos.iter().filter(|halo| halo.part == rank);
        Share {
            rank,
            parts: self.parts,
            interior: interface - start,
            own: self.order[start..end].to_vec(),
            halos: halos.map(|halo| (halo.owner, self.halo[halo.range.clone()].to_vec())).collect(),
        }
    }
}

/// The part of each node.
fn divide(lattice: &Lattice, loads: Option<&[u32]>, parts: usize, limits: MetisLimits) -> Result<Vec<u32>> {
    let mut owner = smaller_cut(lattice, loads, parts, limits)?;
    let pinned = keep_openings_whole(lattice, &mut owner);
    balance::balance(lattice, loads, &mut owner, parts, &pinned);
    let mut empty: BTreeSet<u32> = (0..parts as u32).collect();
    owner.iter().for_each(|part| _ = empty.remove(part));
    if !empty.is_empty() {
        return Err(Fault::usage(format!(
            "{parts} parts of a lattice of {} nodes: too few nodes lie away from the openings; ask for fewer parts",
            lattice.nodes()
        )));
    }
    Ok(owner)
}

/// The part of each node, by METIS or by slices, whichever cuts fewer links. Slices win where both cut as many: their nodes at the cuts
/// have fewer listed links.
fn smaller_cut(lattice: &Lattice, loads: Option<&[u32]>, parts: usize, limits: MetisLimits) -> Result<Vec<u32>> {
    let owner = divide_graph(lattice, loads, parts, limits)?;
    match slices::best(lattice, loads, parts) {
        Some((sliced, cut)) if cut <= slices::cut_links(lattice, &owner) => Ok(sliced),
        _ => Ok(owner),
    }
}

/// The part of each node, by METIS.
fn divide_graph(lattice: &Lattice, loads: Option<&[u32]>, parts: usize, limits: MetisLimits) -> Result<Vec<u32>> {
    let fine = if lattice.nodes() <= limits.nodes { metis::link_graph(lattice, limits.entries) } else { None };
    match fine {
        Some(mut graph) => {
            graph.node_weights = loads.unwrap_or_default().iter().map(|&load| load as i32).collect();
            metis::divide(&graph, parts)
        }
        None => divide_blocks(lattice, loads, parts, limits),
    }
}

/// Gives all nodes of an opening that fluid passes to one part, that which has most of them, for what comes in at a node
/// depends on the others: the flow rate is that of all together, and pressure openings look at the nodes beside. Openings
/// that share a node go together. Says which nodes those are.
fn keep_openings_whole(lattice: &Lattice, owner: &mut [u32]) -> BTreeSet<u32> {
    let mut groups: Vec<BTreeSet<u32>> = Vec::new();
    for opening in lattice.openings.iter().filter(|opening| opening.kind != OpeningKind::Wall) {
        let mut group: BTreeSet<u32> = opening.nodes.iter().map(|site| site.node.0 as u32).collect();
        let (meet, apart) = groups.into_iter().partition(|other: &BTreeSet<u32>| !other.is_disjoint(&group));
        let meet: Vec<BTreeSet<u32>> = meet;
        group.extend(meet.into_iter().flatten());
        groups = apart;
        groups.push(group);
    }
    for group in &groups {
        let mut shares: BTreeMap<u32, usize> = BTreeMap::new();
        group.iter().for_each(|&n| *shares.entry(owner[n as usize]).or_default() += 1);
        // The lowest part of those with as many.
        let most = shares.iter().max_by_key(|&(&part, &nodes)| (nodes, Reverse(part)));
        let Some((&part, _)) = most else { continue };
        group.iter().for_each(|&n| owner[n as usize] = part);
    }
    groups.into_iter().flatten().collect()
}

/// As [`divide_graph`], by way of blocks: small ones, so that parts keep smooth borders, and larger ones where those are still
/// more than METIS is given.
fn divide_blocks(lattice: &Lattice, loads: Option<&[u32]>, parts: usize, limits: MetisLimits) -> Result<Vec<u32>> {
    let mut coarsest = None;
    for side in [2, 4, 8, 16, 32] {
        let Some(coarse) = coarse::coarsen(lattice, loads, side, limits.entries) else { continue };
        let pieces = coarse.graph.node_weights.len();
        if coarsest.is_some() && pieces < 50 * parts {
            break;
        }
        coarsest = Some(coarse);
        if pieces <= limits.nodes {
            break;
        }
    }
    let Some(coarse) = coarsest else {
        return Err(Fault::usage(format!(
            "a lattice of {} nodes has more links than METIS can number, even in blocks; coarsen the lattice",
            lattice.nodes()
        )));
    };
    let of_piece = metis::divide(&coarse.graph, parts)?;
    Ok(coarse.of.into_iter().map(|piece| of_piece[piece as usize]).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::fixture;

    fn owners(partition: &Partition) -> Vec<usize> {
        let mut owner = vec![usize::MAX; partition.order.len()];
        for (p, range) in partition.ranges.iter().enumerate() {
            for &n in &partition.order[range.start..range.end] {
                assert_eq!(owner[n as usize], usize::MAX, "node {n} twice");
                owner[n as usize] = p;
            }
        }
        owner
    }

    fn check(lattice: &Lattice, partition: &Partition) {
        let owner = owners(partition);
        assert!(owner.iter().all(|&p| p < partition.parts), "every node has a part");
        let mean = lattice.nodes() as f64 / partition.parts as f64;
        // A part that has to keep a large opening whole is larger than the others.
        let passed = lattice.openings.iter().filter(|opening| opening.kind != OpeningKind::Wall);
        let balanced = passed.map(|opening| opening.nodes.len() as f64).fold(0.0, f64::max) <= mean;
        let mut halo: BTreeMap<(usize, usize), BTreeSet<u32>> = BTreeMap::new();
        let mut cut = 0;
        for (p, range) in partition.ranges.iter().enumerate() {
            let size = (range.end - range.start) as f64;
            assert!(
                !balanced || size <= (1.02 * mean).max(mean.ceil()) && size >= (0.98 * mean).min(mean.floor()),
                "{size} of {mean}"
            );
            for (at, &n) in (range.start..).zip(&partition.order[range.start..range.end]) {
                let foreign: Vec<u32> = lattice.neighbours(n as usize).filter(|&m| owner[m as usize] != p).collect();
                assert_eq!(foreign.is_empty(), at < range.interface, "interior nodes have no links out, others have");
                cut += foreign.len();
                foreign.into_iter().for_each(|m| {
                    halo.entry((p, owner[m as usize])).or_default().insert(m);
                });
            }
            assert!(partition.order[range.start..range.interface].is_sorted());
            assert!(partition.order[range.interface..range.end].is_sorted());
        }
        assert_eq!(partition.report.cut * 2, cut);
        let listed: Vec<_> =
            partition.halos.iter().map(|h| ((h.part, h.owner), partition.halo[h.range.clone()].to_vec())).collect();
        let wanted: Vec<_> = halo.into_iter().map(|(key, set)| (key, set.into_iter().collect::<Vec<_>>())).collect();
        assert_eq!(listed, wanted);
    }

    #[test]
    fn parts_cover_the_lattice_and_know_their_halos() {
        for seed in 0..40 {
            let lattice = Lattice::build(&fixture::random(seed)).expect("builds");
            for parts in [1, 2, 3, 7] {
                for limits in [MetisLimits::default(), MetisLimits { nodes: 40, entries: 4000 }] {
                    if parts > lattice.nodes() {
                        let fault = Partition::make(&lattice, parts).expect_err("refused");
                        assert!(fault.message.contains("parts of a lattice"), "{fault}");
                        continue;
                    }
                    let partition = Partition::make_within(&lattice, None, parts, limits).expect("divides");
                    check(&lattice, &partition);
                    assert_eq!(partition, Partition::make_within(&lattice, None, parts, limits).expect("again"));
                }
            }
        }
    }

    #[test]
    fn loads_are_balanced_where_nodes_are_not() {
        let lattice = Lattice::build(&fixture::channel(400, 20)).expect("builds");
        // The first quarter of the channel is as heavy as the rest of it.
        let loads: Vec<u32> = lattice.position.iter().map(|at| if at[0] <= 100 { 30 } else { 10 }).collect();
        for limits in [MetisLimits::default(), MetisLimits { nodes: 1000, entries: 1 << 20 }] {
            let partition = Partition::make_within(&lattice, Some(&loads), 2, limits).expect("divides");
            let of_part = |range: &PartRange| -> u32 {
                partition.order[range.start..range.end].iter().map(|&n| loads[n as usize]).sum()
            };
            let [a, b] = [0, 1].map(|p| f64::from(of_part(&partition.ranges[p])));
            assert!((a - b).abs() <= 0.02 * (a + b), "{a} and {b}");
            assert!(partition.report.load_max <= 1.02, "{:?}", partition.report);
            assert!(partition.report.nodes_max as f64 > 1.3 * partition.report.nodes_mean, "{:?}", partition.report);
            assert!(partition.report.cut < 58 * 3 / 2, "{:?}", partition.report);
        }
    }

    #[test]
    fn a_channel_is_cut_across() {
        let lattice = Lattice::build(&fixture::channel(400, 20)).expect("builds");
        for limits in [MetisLimits::default(), MetisLimits { nodes: 1000, entries: 1 << 20 }] {
            let partition = Partition::make_within(&lattice, None, 4, limits).expect("divides");
            check(&lattice, &partition);
            // Three straight cuts of 20 axis links and 38 diagonals each.
            assert!(partition.report.cut < 3 * 58 * 3 / 2, "{:?}", partition.report);
            assert!(partition.report.interface_share < 0.03, "{:?}", partition.report);
        }
    }

    #[test]
    fn lattices_in_pieces_are_balanced_too() {
        let mut domain = fixture::solid(2, [120, 13, 1], [false; 3]);
        for y in (1..12).step_by(2) {
            (1..119).for_each(|x| fixture::set(&mut domain, [x, y, 0], hematite_geometry::Site::FLUID));
        }
        let lattice = Lattice::build(&domain).expect("builds");
        for parts in [2, 4, 5, 50, 118 * 6] {
            check(&lattice, &Partition::make(&lattice, parts).expect("divides"));
        }
    }
}
