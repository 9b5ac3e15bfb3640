//! Parts made better after METIS: nodes at the cuts change sides, loads come within 2 % of the mean.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::Lattice;

/// Passes over the nodes at the cuts, while they gain.
const PASSES: usize = 40;

/// The loads a part may have.
#[derive(Clone, Copy)]
struct Bounds {
    low: u64,
    high: u64,
}

/// What each node costs.
#[derive(Clone, Copy)]
struct Loads<'l>(Option<&'l [u32]>);

impl Loads<'_> {
    fn of(self, n: usize) -> u64 {
        self.0.map_or(1, |loads| u64::from(loads[n]))
    }
}

/// Moves nodes between parts, one at a time and in the same order at every call, such that fewer links are cut and every
/// part has a load within 2 % of the mean (or as near to it as the heaviest node allows), unless the `pinned` nodes, which stay, are in
/// the way. There are at least as many nodes as parts.
pub(crate) fn balance(
    lattice: &Lattice,
    loads: Option<&[u32]>,
    owner: &mut [u32],
    parts: usize,
    pinned: &BTreeSet<u32>,
) {
    let loads = Loads(loads);
    let all: u64 = (0..owner.len()).map(|n| loads.of(n)).sum();
    let heaviest = (0..owner.len()).map(|n| loads.of(n)).max().unwrap_or(1);
    let mean = all as f64 / parts as f64;
    let bounds = Bounds {
        low: ((0.98 * mean).ceil() as u64).min((mean.floor() as u64).saturating_sub(heaviest - 1)),
        high: ((1.02 * mean).floor() as u64).max(mean.ceil() as u64 + heaviest - 1),
    };
    let mut sizes = vec![0_u64; parts];
    owner.iter().enumerate().for_each(|(n, &p)| sizes[p as usize] += loads.of(n));
    for pass in 0..PASSES {
        let moved = sweep(lattice, loads, owner, &mut sizes, bounds, pinned);
        let settled = sizes.iter().all(|size| (bounds.low..=bounds.high).contains(size));
        if moved == 0 || (settled && (pass >= 4 || moved * 100_000 < owner.len())) {
            break;
        }
    }
    force(loads, owner, &mut sizes, bounds, pinned);
}

/// One pass over the nodes at the cuts; the number of nodes moved.
fn sweep(
    lattice: &Lattice,
    loads: Loads,
    owner: &mut [u32],
    sizes: &mut [u64],
    bounds: Bounds,
    pinned: &BTreeSet<u32>,
) -> usize {
    let at_cut = |&n: &u32| lattice.neighbours(n as usize).any(|m| owner[m as usize] != owner[n as usize]);
    let cut: Vec<u32> = (0..owner.len() as u32).into_par_iter().filter(at_cut).collect();
    let mut moved = 0;
    let mut counts: Vec<(u32, usize)> = Vec::new();
    for n in cut.into_iter().filter(|n| !pinned.contains(n)) {
        let from = owner[n as usize];
        counts.clear();
        for m in lattice.neighbours(n as usize) {
            let part = owner[m as usize];
            match counts.iter_mut().find(|count| count.0 == part) {
                Some(count) => count.1 += 1,
                None => counts.push((part, 1)),
            }
        }
        let load = loads.of(n as usize);
        let links = |part: u32| counts.iter().find(|count| count.0 == part).map_or(0, |count| count.1);
        let size = |part: u32| sizes[part as usize];
        let allowed = |to: u32| {
            let (fewer, more) = (size(from) - load, size(to) + load);
            let keeps = fewer >= bounds.low && more <= bounds.high;
            let mends = more <= fewer && (size(from) > bounds.high || size(to) < bounds.low);
            let gains = links(to) > links(from) || (links(to) == links(from) && more < fewer);
            mends || (keeps && gains)
        };
        let candidates = counts.iter().map(|count| count.0).filter(|&to| to != from && allowed(to));
        let best = candidates.max_by_key(|&to| (links(to), std::cmp::Reverse((size(to), to))));
        if let Some(to) = best {
            owner[n as usize] = to;
            sizes[from as usize] -= load;
            sizes[to as usize] += load;
            moved += 1;
        }
    }
    moved
}

/// Brings loads within the bounds where moves along the cuts cannot, as between parts that do not touch: the last nodes
/// of the large parts go to the small ones.
fn force(loads: Loads, owner: &mut [u32], sizes: &mut [u64], bounds: Bounds, pinned: &BTreeSet<u32>) {
    let free = |n: usize| !pinned.contains(&(n as u32));
    if sizes.iter().any(|&size| size > bounds.high) {
        for (n, part) in owner.iter_mut().enumerate().rev().filter(|(n, _)| free(*n)) {
            let from = *part as usize;
            let smallest = || (0..sizes.len()).min_by_key(|&p| sizes[p]);
            if let Some(to) = Some(from).filter(|&p| sizes[p] > bounds.high).and_then(|_| smallest()) {
                *part = to as u32;
                sizes[from] -= loads.of(n);
                sizes[to] += loads.of(n);
            }
        }
    }
    let mut small: Vec<usize> = (0..sizes.len()).filter(|&p| sizes[p] < bounds.low).collect();
    for (n, part) in owner.iter_mut().enumerate().rev().filter(|(n, _)| free(*n)) {
        let Some(&to) = small.last() else { return };
        let from = *part as usize;
        if sizes[from] >= bounds.low + loads.of(n) {
            *part = to as u32;
            sizes[from] -= loads.of(n);
            sizes[to] += loads.of(n);
            if sizes[to] >= bounds.low {
                small.pop();
            }
        }
    }
}
