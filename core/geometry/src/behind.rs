//! What lies behind an opening, which tells whether it lies across its vessel and opens all of it.

use std::collections::HashSet;

use crate::domain::{Domain, Site};
use crate::end::width_of;
use crate::vessel::{Line, Patch, Plane, Slab, Tracer, around};

/// The vessel is followed for this share of the opening's width,
const DEPTH: f64 = 0.5;
/// for so many spacings at least: fewer sections tell no direction,
const LEAST: usize = 6;
/// and at most.
const MOST: usize = 128;
/// Pieces of an opening count as those of different vessels from this share of it.
const PIECE: f64 = 0.1;
/// A section is taken over so many spacings: fewer hold very different numbers of the lattice's planes in some directions.
const THICK: usize = 4;
/// Sections tell the direction while they are this many times larger or smaller than the first one at most.
const ALIKE: f64 = 1.25;
/// A bend is told from so many spacings of width on; in thinner vessels steps of the wall look like one.
const WIDE: f64 = 10.0;
/// Another opening is reached where this share of a section leads to it.
const REACHED: f64 = 0.3;
/// Where the fluid goes back towards an opening of so many sites the vessel splits; less may be steps of a wall.
const COUNTED: f64 = 12.0;

/// The fluid behind an opening.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Behind {
    /// How many vessels begin there; what follows is known of a single one.
    pub vessels: usize,
    /// Areas of the sections behind it that are parallel to it, one spacing after the other and each the mean over a
    /// few spacings, m2; in 2-D their widths, m.
    /// The last one is zero where the vessel ends.
    pub areas: Vec<f64>,
    /// How many spacings behind it the fluid has come apart, or goes back towards it: a fork or a sac begins.
    pub splits: Option<usize>,
    /// The unit vector along the vessel at the opening, by the middles of the first sections; none where there
    /// are too few.
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
        let followed = Followed { domain: self, opening, origin, start: top + 0.5, slabs };
        let slabs = &followed.slabs;
        let other = slabs.iter().position(|slab| followed.reaches_other(&tracer, slab));
        let is_short = other.is_none() && slabs.len() < depth;
        let goes_back = is_short && followed.goes_on(&tracer);
        // Sections close to an oblique opening are not whole.
        let whole = &slabs[..other.map_or(slabs.len(), |k| k.saturating_sub(2))];
        let unit = self.spacing.powi(self.dimension as i32 - 1);
        let areas = sections(whole).map(|area| area * unit).chain((is_short && !goes_back).then_some(0.0)).collect();
        let is_counted = slabs.first().is_some_and(|slab| slab.area() >= COUNTED);
        let splits = goes_back || whole.last().is_some_and(|slab| tracer.pieces(slab).len() > 1);
        let splits = (is_counted && splits).then_some(whole.len());
        Some(Behind { vessels, areas, splits, direction: along(slabs, &origin, top, self.dimension) })
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

/// A vessel that was followed from an opening.
struct Followed<'d> {
    domain: &'d Domain,
    opening: usize,
    origin: Plane,
    /// The height over `origin` at which the first slab begins.
    start: f64,
    slabs: Vec<Slab>,
}

impl Followed<'_> {
    /// Whether links of this site lead to a site that `is_open`, `from` spacings or more behind the start.
    fn leads_to(&self, at: [usize; 3], from: f64, is_open: impl Fn(Site) -> bool) -> bool {
        let is_beyond = |there: [usize; 3]| self.origin.height(there.map(|i| i as f64)) >= self.start + from;
        let domain = self.domain;
        around(domain, at).any(|there| is_beyond(there) && is_open(domain.sites[domain.index(there)]))
    }

    /// Whether a good part of a slab leads to another opening.
    fn reaches_other(&self, tracer: &Tracer, slab: &Slab) -> bool {
        let is_other = |site: Site| site.as_opening().is_some_and(|k| k != self.opening);
        let reaching = slab.sites.iter().filter(|&&site| self.leads_to(tracer.place(site), 0.0, is_other)).count();
        reaching as f64 >= REACHED * slab.area()
    }

    /// Whether fluid goes on behind the last slab.
    fn goes_on(&self, tracer: &Tracer) -> bool {
        let goes_on =
            |site: usize| self.leads_to(tracer.place(site), self.slabs.len() as f64, |site| site == Site::FLUID);
        self.slabs.last().is_some_and(|slab| slab.sites.iter().any(|&site| goes_on(site)))
    }
}

/// The areas of sections of [`THICK`] slabs.
fn sections(slabs: &[Slab]) -> impl Iterator<Item = f64> {
    slabs.windows(THICK).map(|slabs| slabs.iter().map(Slab::area).sum::<f64>() / THICK as f64)
}

/// The direction of the line through the middles of the first slabs, which lie across the normal of `plane` one after the
/// other: at the height `top` before them where the vessel is wide enough to tell a bend, else in their midst.
fn along(slabs: &[Slab], plane: &Plane, top: f64, dimension: usize) -> Option<[f64; 3]> {
    let first = sections(slabs).next()?;
    let alike = sections(slabs).take_while(|&area| (first / ALIKE..=first * ALIKE).contains(&area)).count();
    let line = Line::through(&slabs[..alike + THICK - 1], plane, dimension);
    line.direction_at(if width_of(first, dimension) >= WIDE { top } else { line.height })
}
