//! Where cells begin: even over the lumen, at random within that, and clear of the wall.

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
/// Number of the first draw of a try, and of tries from one to the next.
const DRAWS: u64 = 1 << 20;

/// Nodes at which a cell may begin.
pub(super) struct Places<'a> {
    lattice: &'a Lattice,
    nodes: Vec<u32>,
}

impl<'a> Places<'a> {
    /// The nodes at least `clear` from the wall; all where there are none.
    pub fn new<const D: usize>(lattice: &'a Lattice, lumen: &Lumen, clear: f64) -> Self {
        let clear = clear.min(lumen.reach - 0.5);
        let far = |node: &u32| f64::from(lumen.site::<D>(lattice.position[*node as usize].map(i64::from))) >= clear;
        let all = 0..lattice.nodes() as u32;
        let mut nodes: Vec<u32> = all.clone().into_par_iter().filter(far).collect();
        if nodes.is_empty() {
            nodes = all.collect();
        }
        Self { lattice, nodes }
    }

    /// The same in the order of a curve that keeps neighbours together (Morton's).
    pub fn along_curve(mut self) -> Self {
        let curve = if self.lattice.set.dimension() == 2 { morton::<2> } else { morton::<3> };
        let mut keyed: Vec<(u64, u32)> =
            self.nodes.par_iter().map(|&node| (curve(self.lattice.position[node as usize]), node)).collect();
        keyed.par_sort_unstable();
        self.nodes = keyed.into_iter().map(|(_, node)| node).collect();
        self
    }

    /// The place at a share of the curve, 0 to 1, and within its node.
    fn at(&self, share: f64, draws: Draws, draw: u64) -> [f64; 3] {
        let node = ((share * self.nodes.len() as f64) as usize).min(self.nodes.len() - 1);
        let at = self.lattice.position[self.nodes[node] as usize];
        let dimension = self.lattice.set.dimension();
        [0, 1, 2].map(|k| f64::from(at[k]) + if k < dimension { draws.unit(draw + k as u64) - 0.5 } else { 0.0 })
    }
}

/// Puts `counts[k]` cells of each kind into the lumen, in an order that keeps neighbours together. Every cell gets a
/// stretch of the curve as long as it is large, so that the lumen fills evenly. A cell that does not fit between the
/// walls where it begins tries other places; one that fits nowhere is left out.
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
        let share = (before + draws.unit(1) * (ends[k] - before)) / end;
        fitted(packing, places, draws, kind, Some(share)).map(|body| Body { id: draws.bits(2), ..body })
    };
    (0..order.len()).into_par_iter().with_min_len(16).filter_map(begin).collect()
}

/// A cell of a kind clear of the walls: first at `share` of the curve, then anywhere.
pub(super) fn fitted<const D: usize>(
    packing: &Packing<D>,
    places: &Places,
    draws: Draws,
    kind: u32,
    share: Option<f64>,
) -> Option<Body> {
    (0..TRIES).find_map(|attempt| {
        let draw = (attempt + 1) * DRAWS;
        let share = share.filter(|_| attempt == 0).unwrap_or_else(|| draws.unit(draw));
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
