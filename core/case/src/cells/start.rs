//! Where cells begin: evenly over the fluid, at random within that, and clear of the wall.
//!
//! A place is a node where a cell's centre may be. Centres keep off the wall, so that a narrow vessel has few places for its volume.
//! To fill vessels evenly, each place has a weight: the fluid around it over the number of places around it. "Around" is a block of
//! [`BLOCK`] sites along each axis and the blocks beside it. A block takes the least weight of those beside it, which is that of the
//! middle of the vessel: with its own, cells would prefer the vessel's sides. No weight is above [`MOST`] times the mean, because
//! in narrow vessels cells can only follow each other in a row. A hematocrit does not count the fluid above that limit, nor fluid
//! without places around it.

use rayon::prelude::*;

use super::kind::Kind;
use super::lumen::Lumen;
use super::packing::{Body, Found, Pace, Packing};
use super::random::Draws;
use crate::{Lattice, morton};

/// Steps in which a cell at the wall finds its place.
const STEPS: u64 = 40;
/// Places that are tried for a cell.
const TRIES: u64 = 24;
/// So many of these, after the first, are near it.
const NEAR_TRIES: u64 = 8;
/// They are at most so many stretches of a cell away from it.
const NEAR: f64 = 4.0;
/// The largest weight of a place, over the mean.
const MOST: f64 = 1.5;
/// Edge of a block, in sites.
const BLOCK: usize = 8;
/// Number of the first draw of a try, and of tries from one to the next.
const DRAWS: u64 = 1 << 20;

/// Nodes at which a cell may begin.
pub(super) struct Places<'a> {
    lattice: &'a Lattice,
    nodes: Vec<u32>,
    /// Of each node: the weights up to its own, added up.
    ends: Vec<f64>,
    /// The fluid that a hematocrit counts, lattice units.
    pub room: f64,
}

impl<'a> Places<'a> {
    /// The nodes at least `clear` from the wall, all where there are none, in the order of a curve that keeps neighbours together
    /// (Morton's).
    pub fn new<const D: usize>(lattice: &'a Lattice, lumen: &Lumen, clear: f64) -> Self {
        let clear = clear.min(lumen.reach - 0.5);
        let far = |node: &u32| f64::from(lumen.site::<D>(lattice.position[*node as usize].map(i64::from))) >= clear;
        let all = 0..lattice.nodes() as u32;
        let mut nodes: Vec<u32> = all.clone().into_par_iter().filter(far).collect();
        if nodes.is_empty() {
            nodes = all.clone().collect();
        }
        let mut keyed: Vec<(u64, u32)> =
            nodes.par_iter().map(|&node| (morton::<D>(lattice.position[node as usize]), node)).collect();
        keyed.par_sort_unstable();
        let nodes: Vec<u32> = keyed.into_iter().map(|(_, node)| node).collect();

        let blocks = Blocks::of(lattice);
        let (fluid, places) = (blocks.count(all), blocks.count(nodes.iter().copied()));
        let sum = |counts: &[f64]| blocks.around(counts, |a, b| a + b);
        // Not finite where there are no places.
        let weights: Vec<f64> = sum(&fluid).iter().zip(sum(&places)).map(|(fluid, places)| fluid / places).collect();
        let reached = || fluid.iter().zip(&weights).filter(|(_, weight)| weight.is_finite());
        let most = MOST * reached().map(|(fluid, _)| fluid).sum::<f64>() / nodes.len() as f64;
        let room = reached().map(|(fluid, weight)| fluid * (most / weight).min(1.0)).sum();
        let least = blocks.around(&weights, f64::min);
        let mut end = 0.0;
        let ends = nodes.iter().map(|&node| {
            end += least[blocks.holding(node)].min(most);
            end
        });
        let ends = ends.collect();
        Self { lattice, nodes, ends, room }
    }

    /// The place at a share of all weights, 0 to 1, and within its node.
    fn at(&self, share: f64, draws: Draws, draw: u64) -> [f64; 3] {
        let wanted = share * self.ends.last().copied().unwrap_or_default();
        let place = self.ends.partition_point(|&end| end < wanted).min(self.nodes.len() - 1);
        let at = self.lattice.position[self.nodes[place] as usize];
        let dimension = self.lattice.set.dimension();
        [0, 1, 2].map(|k| f64::from(at[k]) + if k < dimension { draws.unit(draw + k as u64) - 0.5 } else { 0.0 })
    }
}

/// The box of a lattice in blocks.
struct Blocks<'a> {
    lattice: &'a Lattice,
    size: [usize; 3],
}

impl<'a> Blocks<'a> {
    fn of(lattice: &'a Lattice) -> Self {
        Self { lattice, size: lattice.extent.map(|sites| sites.div_ceil(BLOCK)) }
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.size[1] + y) * self.size[0] + x
    }

    /// The block of a node.
    fn holding(&self, node: u32) -> usize {
        self.number(self.lattice.position[node as usize].map(|site| site as usize / BLOCK))
    }

    /// How many of `nodes` each block holds.
    fn count(&self, nodes: impl Iterator<Item = u32>) -> Vec<f64> {
        let mut counts = vec![0.0; self.size.iter().product()];
        nodes.for_each(|node| counts[self.holding(node)] += 1.0);
        counts
    }

    /// The values of each block and those beside it, joined.
    fn around(&self, values: &[f64], join: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let mut joined = values.to_vec();
        for axis in 0..3 {
            let (size, periodic) = (self.size[axis], self.lattice.periodic[axis]);
            let stride: usize = self.size[..axis].iter().product();
            for first in (0..joined.len()).filter(|block| (block / stride).is_multiple_of(size)) {
                let line: Vec<f64> = (0..size).map(|k| joined[first + k * stride]).collect();
                for k in 0..size {
                    let below = if k > 0 { Some(k - 1) } else { periodic.then_some(size - 1) };
                    let above = if k + 1 < size { Some(k + 1) } else { periodic.then_some(0) };
                    // Where a period has one block or two, no block counts twice.
                    let beside = [below, above.filter(|&above| Some(above) != below)];
                    let others = beside.into_iter().flatten().filter(|&other| other != k).map(|other| line[other]);
                    joined[first + k * stride] = others.fold(line[k], &join);
                }
            }
        }
        joined
    }
}

/// Puts `counts[k]` cells of each kind into the lumen, in an order that keeps neighbours together. Every cell gets a
/// stretch of the curve as long as it is large, so that the lumen fills evenly. A cell that does not fit between the
/// walls where it begins tries places near that, then others; one that fits nowhere is left out.
pub(super) fn bodies<const D: usize>(packing: &Packing<D>, places: &Places, counts: &[u64], seed: u64) -> Vec<Body> {
    let mut order: Vec<(u64, u32)> = counts
        .iter()
        .enumerate()
        .flat_map(|(kind, &count)| (0..count).map(move |_| kind as u32))
        .enumerate()
        .map(|(id, kind)| (id as u64, kind))
        .collect();
    order.par_sort_by_key(|&(id, _)| (Draws::of(seed, id).bits(0), id));
    let mut ends = Vec::with_capacity(order.len());
    let mut end = 0.0;
    for &(_, kind) in &order {
        end += packing.kinds[kind as usize].distance.hull;
        ends.push(end);
    }
    let begin = |k: usize| {
        let (id, kind) = order[k];
        let before = if k == 0 { 0.0 } else { ends[k - 1] };
        let draws = Draws::of(seed, id);
        let stretch = (ends[k] - before) / end;
        fitted(packing, places, draws, kind, Some((before / end + draws.unit(1) * stretch, stretch)))
            .map(|body| Body { id: draws.bits(2), ..body })
    };
    (0..order.len()).into_par_iter().with_min_len(16).filter_map(begin).collect()
}

/// A cell of a kind clear of the walls. With `first`, a share of all weights and how long the cell's stretch of them is, it is tried
/// at that share, then near it, then anywhere.
pub(super) fn fitted<const D: usize>(
    packing: &Packing<D>,
    places: &Places,
    draws: Draws,
    kind: u32,
    first: Option<(f64, f64)>,
) -> Option<Body> {
    (0..TRIES).find_map(|attempt| {
        let draw = (attempt + 1) * DRAWS;
        let share = match first {
            Some((share, _)) if attempt == 0 => share,
            Some((share, stretch)) if attempt <= NEAR_TRIES => share + NEAR * stretch * (2.0 * draws.unit(draw) - 1.0),
            _ => draws.unit(draw),
        };
        let mut body = [Body {
            id: 0,
            kind,
            fixed: false,
            centre: places.at(share, draws, draw + 1),
            orientation: draws.rotation(draw + 4, D),
            scale: 1.0,
            velocity: [0.0; 3],
            spin: [0.0; 3],
            awake: true,
        }];
        settle(packing, &mut body).then_some(body[0])
    })
}

/// Moves a lone cell clear of the walls; tells whether it is.
fn settle<const D: usize>(packing: &Packing<D>, body: &mut [Body; 1]) -> bool {
    let mut found = [Found::default()];
    for step in 0..STEPS {
        let old = *body;
        let pace = Pace { points: 128, momentum: 0.5, noise: 0.0, step };
        packing.step(&old, body, &mut found, None, pace);
        if found[0].worst == 0.0 {
            *body = old;
            break;
        }
    }
    body[0].velocity = [0.0; 3];
    body[0].spin = [0.0; 3];
    found[0].worst < 0.1
}

/// The smallest inner radius of `kinds`: no centre is nearer to the wall.
pub(super) fn clearance(kinds: &[Kind]) -> f64 {
    kinds.iter().map(|kind| kind.distance.inradius).fold(f64::INFINITY, f64::min)
}
