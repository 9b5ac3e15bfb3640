//! What lies behind an opening, which tells whether it lies across its vessel and opens all of it.

use std::collections::HashSet;

use crate::domain::{Domain, Site};
use crate::vessel::{Patch, Plane, Slab, Tracer, around, direction};

/// The vessel is followed for this share of the opening's width,
const DEPTH: f64 = 0.5;
/// for so many spacings at least: fewer sections tell no direction,
const LEAST: usize = 6;
/// and at most.
const MOST: usize = 128;
/// Pieces of an opening count as those of different vessels from this share of it.
const PIECE: f64 = 0.1;
/// Sections tell the direction while they are this many times larger or smaller than the first one at most,
const ALIKE: f64 = 1.25;
/// where there are so many.
const FEW: usize = 4;

/// The fluid behind an opening.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Behind {
    /// How many vessels begin there; what follows is known of a single one.
    pub vessels: usize,
    /// Areas of the sections behind it that are parallel to it, one spacing after the other, m2; in 2-D their widths, m.
    /// The last one is zero where the vessel ends.
    pub areas: Vec<f64>,
    /// The unit vector along the vessel, by the middles of the first sections; none where these are unlike.
    pub direction: Option<[f64; 3]>,
}

impl Domain {
    /// What lies behind the opening of number `opening`, with the unit normal `normal` into the fluid: from the fluid
    /// sites `sites` beside it on, for half of `width`, in metres. `None` where the domain wraps.
    pub fn behind(&self, opening: usize, sites: &[[i32; 3]], normal: [f64; 3], width: f64) -> Option<Behind> {
        if self.periodic.contains(&true) {
            return None;
        }
        let mut pieces = self.pieces_of(sites);
        pieces.retain(|piece| piece.len() as f64 >= PIECE * sites.len() as f64);
        let vessels = pieces.len();
        let Some(sites) = pieces.pop().filter(|_| vessels == 1) else {
            return Some(Behind { vessels, ..Behind::default() });
        };
        let mut tracer = Tracer::new(self);
        let origin = Plane { point: [0.0; 3], normal };
        let top = sites.iter().map(|&site| origin.height(tracer.point(site))).fold(f64::NEG_INFINITY, f64::max);
        let depth = ((DEPTH * width / self.spacing).ceil() as usize).clamp(LEAST, MOST);
        let slabs = tracer.slabs(&Patch { sites, inward: normal }, &origin, top + 0.5, depth, None);
        let unit = self.spacing.powi(self.dimension as i32 - 1);
        let mut areas: Vec<f64> = slabs.iter().map(|slab| slab.area() * unit).collect();
        let leads_on = |at: [usize; 3]| {
            let is_beyond =
                |there: [usize; 3]| origin.height(there.map(|i| i as f64)) >= top + 0.5 + slabs.len() as f64;
            let is_open = |site: Site| site == Site::FLUID || site.as_opening().is_some_and(|k| k != opening);
            around(self, at).any(|there| is_beyond(there) && is_open(self.sites[self.index(there)]))
        };
        let ends = |slab: &Slab| !slab.sites.iter().any(|&site| leads_on(tracer.place(site)));
        if slabs.len() < depth && slabs.last().is_some_and(ends) {
            areas.push(0.0);
        }
        Some(Behind { vessels, areas, direction: along(&slabs, normal) })
    }

    /// The pieces of `sites` that hang together, as indices.
    fn pieces_of(&self, sites: &[[i32; 3]]) -> Vec<Vec<usize>> {
        let place = |site: [i32; 3]| site.map(|i| i.max(0) as usize);
        let mut left: HashSet<usize> = sites.iter().map(|&site| self.index(place(site))).collect();
        let mut pieces = Vec::new();
        for &seed in sites {
            let mut queue = vec![place(seed)];
            let mut piece = Vec::new();
            while let Some(at) = queue.pop() {
                if left.remove(&self.index(at)) {
                    piece.push(self.index(at));
                    queue.extend(around(self, at));
                }
            }
            if !piece.is_empty() {
                pieces.push(piece);
            }
        }
        pieces
    }
}

/// The direction of the line through the middles of the first slabs, which lie across `normal` one after the other.
fn along(slabs: &[Slab], normal: [f64; 3]) -> Option<[f64; 3]> {
    let first = slabs.first()?.area();
    let is_alike = |slab: &&Slab| (first / ALIKE..=first * ALIKE).contains(&slab.area());
    let middles: Vec<[f64; 3]> = slabs.iter().take_while(is_alike).map(Slab::middle).collect();
    if middles.len() < FEW {
        return None;
    }
    let centre = 0.5 * (middles.len() - 1) as f64;
    let (mut spread, mut shift) = (0.0, [0.0; 3]);
    for (k, middle) in middles.iter().enumerate() {
        let rise = k as f64 - centre;
        spread += rise * rise;
        (0..3).for_each(|axis| shift[axis] += rise * middle[axis]);
    }
    let slope = shift.map(|s| s / spread);
    // Middles of slabs of whole sites are not all one spacing apart.
    let rise: f64 = (0..3).map(|axis| slope[axis] * normal[axis]).sum();
    direction([0, 1, 2].map(|axis| slope[axis] + (1.0 - rise) * normal[axis]))
}
