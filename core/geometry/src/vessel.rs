//! Follows a vessel inwards from where it ends: its direction, width and section there.
//!
//! Which way the vessel runs is told by the line of the middles of its sections: sections are taken across the direction
//! known so far, from a patch of sites inwards, until that direction no longer changes. Those parallel to a border are
//! all alike in a straight vessel, so that even the first line is along it.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::domain::{Domain, Site};
use crate::end::{End, width_of};

/// How far behind the last site of the patch the opening is cut, spacings along the vessel: its layer and the sites
/// that close it are then all within the vessel.
const INSET: f64 = 2.0;
/// Rounds in which the direction is sought.
const ROUNDS: usize = 8;
/// A direction that changes by less is found, as a cosine: 0.2 degrees.
const SETTLED: f64 = 6.1e-6;
/// Sections are taken over this many widths of the vessel, in the first round over a third of it.
const RUN: f64 = 1.5;
/// Sections that are taken at least. In 2-D a step of both walls at the middle one of N sections gives their line of
/// middles a slope of 1.5/N: 2.9 degrees.
const LEAST: usize = 30;
/// and at most, so that time does not grow with the cube of the width.
const MOST: usize = 128;
/// The line of middles is a bent one where that explains this share of what a straight one leaves,
const BENT: f64 = 0.5;
/// and more than steps of one site would: their mean square.
const STEPS: f64 = 1.0 / 12.0;
/// and in 3-D, where they are all around the wall.
const ROUND_STEPS: f64 = 0.003;
/// A vessel tapers where its width changes by this many spacings, more than steps of the wall: in 2-D,
const TAPER: f64 = 1.0;
/// and in 3-D.
const ROUND_TAPER: f64 = 0.3;
/// A vessel runs straight in as long as its sections, three together, are this many times smaller than the first ones
/// at most,
const ALIKE: f64 = 1.6;
/// or larger: a sac or a branch begins there.
const WIDER: f64 = 4.0 / 3.0;
/// Such a place begins behind the last section that is this many times larger than the first ones at most.
const BEGIN: f64 = 1.05;
/// A direction is sure where the vessel runs straight in for this share of its width before it widens or narrows.
const SURE: f64 = 0.5;
/// It must do so for this share of its width, and for [`FEW`] sections.
const STRAIGHT: f64 = 0.25;
/// A vessel is followed until so much fluid goes back towards its end, as a share of its first section.
const BACK: f64 = 0.25;
/// Sections that tell a direction.
const FEW: usize = 4;
/// A direction within this many degrees of an axis is along it, so that the opening has no steps.
const SNAP: f64 = 1.0;
/// Pieces of a section count as vessels of their own from this share of it.
const PIECE: f64 = 0.1;

const ALL_AROUND: &str =
    "fluid reaches the border on opposite sides; crop along a wall, or make the direction periodic";
const CROOKED: &str = "the vessel is not straight there: it runs along the border, widens or ends";

/// Sites from which a vessel is followed inwards.
pub(crate) struct Patch {
    pub sites: Vec<usize>,
    /// The sum of the inward normals of their faces; a direction for those of a section.
    pub inward: [f64; 3],
}

/// The sites that links of D2Q9 or D3Q19 lead to.
pub(crate) fn around(domain: &Domain, at: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let offsets = (0..27).map(|i| [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1]);
    let links = offsets.filter(|c| (1..=2).contains(&c.iter().map(|x: &i32| x * x).sum::<i32>()));
    let dimension = domain.dimension;
    links.filter(move |c| dimension == 3 || c[2] == 0).filter_map(move |c| domain.neighbour(at, c))
}

/// Marks on sites that are cheap to take back.
pub(crate) struct Seen {
    bits: Vec<u64>,
    marked: Vec<usize>,
}

impl Seen {
    fn of(sites: usize) -> Self {
        Self { bits: vec![0; sites.div_ceil(64)], marked: Vec::new() }
    }

    /// Marks a site; whether it was not marked.
    pub fn insert(&mut self, site: usize) -> bool {
        let (word, bit) = (site / 64, 1 << (site % 64));
        let is_new = self.bits[word] & bit == 0;
        if is_new {
            self.bits[word] |= bit;
            self.marked.push(site);
        }
        is_new
    }

    pub fn clear(&mut self) {
        for site in self.marked.drain(..) {
            self.bits[site / 64] = 0;
        }
    }
}

/// A plane through a point, in units of sites, with heights along its normal.
#[derive(Clone, Copy)]
pub(crate) struct Plane {
    pub point: [f64; 3],
    pub normal: [f64; 3],
}

impl Plane {
    pub fn height(&self, at: [f64; 3]) -> f64 {
        (0..3).map(|k| self.normal[k] * (at[k] - self.point[k])).sum()
    }
}

/// A slice of a vessel, one spacing thick.
#[derive(Clone, Default)]
pub(crate) struct Slab {
    pub sites: Vec<usize>,
    sum: [i64; 3],
}

impl Slab {
    fn insert(&mut self, site: usize, at: [usize; 3]) {
        self.sites.push(site);
        (0..3).for_each(|k| self.sum[k] += at[k] as i64);
    }

    pub fn area(&self) -> f64 {
        self.sites.len() as f64
    }

    pub fn middle(&self) -> [f64; 3] {
        self.sum.map(|sum| sum as f64 / self.area())
    }
}

/// The line through the middles of slabs, straight or with one bend, and their areas, by height.
pub(crate) struct Line {
    /// The mean height.
    pub height: f64,
    middle: [f64; 3],
    slope: [f64; 3],
    /// How much of the bow it has; none of a straight line.
    bend: [f64; 3],
    /// The bow of a rise `t` from the mean height is t^2 - skew t - spread: its mean and its slope are zero.
    skew: f64,
    spread: f64,
    area: f64,
    widening: f64,
}

impl Line {
    pub fn through(slabs: &[Slab], plane: &Plane, dimension: usize) -> Self {
        let middles: Vec<[f64; 3]> = slabs.iter().map(Slab::middle).collect();
        let heights: Vec<f64> = middles.iter().map(|&middle| plane.height(middle)).collect();
        let total = slabs.iter().map(Slab::area).sum::<f64>();
        // Each site counts the same.
        let mean =
            |value: &dyn Fn(usize) -> f64| (0..slabs.len()).map(|i| slabs[i].area() * value(i)).sum::<f64>() / total;
        let height = mean(&|i| heights[i]);
        let rise = |i: usize| heights[i] - height;
        let spread = mean(&|i| rise(i).powi(2)).max(f64::MIN_POSITIVE);
        let skew = mean(&|i| rise(i).powi(3)) / spread;
        let middle = [0, 1, 2].map(|k| mean(&|i| middles[i][k]));
        let slope = [0, 1, 2].map(|k| mean(&|i| rise(i) * (middles[i][k] - middle[k])) / spread);
        let bow = |i: usize| rise(i).powi(2) - skew * rise(i) - spread;
        let bows = mean(&|i| bow(i).powi(2)).max(f64::MIN_POSITIVE);
        let bend = [0, 1, 2].map(|k| mean(&|i| bow(i) * (middles[i][k] - middle[k])) / bows);
        let off = |i: usize, k: usize| middles[i][k] - middle[k] - rise(i) * slope[k];
        let left = mean(&|i| (0..3).map(|k| off(i, k).powi(2)).sum::<f64>());
        // Steps of the wall of a tube are all around it, and count less.
        let steps = if dimension == 2 { STEPS } else { ROUND_STEPS };
        let explained = bows * bend.iter().map(|x| x * x).sum::<f64>();
        let bend = if explained > steps.max(BENT * left) { bend } else { [0.0; 3] };
        let area = total / slabs.len() as f64;
        let even = (0..slabs.len()).map(|i| rise(i).powi(2)).sum::<f64>().max(f64::MIN_POSITIVE);
        let widening = (0..slabs.len()).map(|i| rise(i) * (slabs[i].area() - area)).sum::<f64>() / even;
        Self { height, middle, slope, bend, skew, spread, area, widening }
    }

    fn middle_at(&self, height: f64) -> [f64; 3] {
        let rise = height - self.height;
        let bow = rise * rise - self.skew * rise - self.spread;
        [0, 1, 2].map(|k| self.middle[k] + rise * self.slope[k] + bow * self.bend[k])
    }

    pub fn direction_at(&self, height: f64) -> Option<[f64; 3]> {
        let steeper = 2.0 * (height - self.height) - self.skew;
        direction([0, 1, 2].map(|k| self.slope[k] + steeper * self.bend[k]))
    }
}

pub(crate) struct Tracer<'d> {
    pub domain: &'d Domain,
    pub seen: Seen,
}

impl<'d> Tracer<'d> {
    pub fn new(domain: &'d Domain) -> Self {
        Self { domain, seen: Seen::of(domain.sites.len()) }
    }

    pub fn place(&self, site: usize) -> [usize; 3] {
        let [nx, ny, _] = self.domain.extent;
        [site % nx, site / nx % ny, site / (nx * ny)]
    }

    pub fn point(&self, site: usize) -> [f64; 3] {
        self.place(site).map(|i| i as f64)
    }

    /// Width of a section of this many sites.
    pub fn width(&self, area: f64) -> f64 {
        width_of(area, self.domain.dimension)
    }

    /// Follows the vessel from `patch` inwards, never below `floor`, and puts the end, or those of vessels that meet
    /// at the patch, into `found`.
    pub fn follow(&mut self, patch: &Patch, floor: Option<(Plane, f64)>, found: &mut Vec<End>) {
        let count = patch.sites.len() as f64;
        let mut point = [0.0; 3];
        for &site in &patch.sites {
            let at = self.point(site);
            (0..3).for_each(|k| point[k] += at[k] / count);
        }
        let length = norm(patch.inward);
        // A patch at opposite faces has no inside.
        let Some(mut normal) = direction(patch.inward).filter(|_| floor.is_some() || length > 0.3 * count) else {
            found.push(self.odd(patch, point, ALL_AROUND));
            return;
        };
        let mut width = self.width(count);
        let mut known = None;
        for round in 0..ROUNDS {
            let run = if round == 0 { RUN / 3.0 } else { RUN };
            let plane = Plane { point, normal };
            let top = patch.sites.iter().map(|&site| plane.height(self.point(site))).fold(0.0, f64::max);
            let count = ((run * width).ceil() as usize).clamp(LEAST, MOST);
            let slabs = self.slabs(patch, &plane, top + 0.5, count, floor);
            if slabs.len() < FEW {
                known = None;
                break;
            }
            let [straight, like] = self.straight(&slabs);
            let needed = FEW.max((STRAIGHT * self.width(slabs[0].area())) as usize).min(count);
            let sure = FEW.max((SURE * self.width(slabs[0].area())) as usize).min(count);
            let (straight, is_sure) = (straight.max(needed.min(like)), straight >= sure);
            if straight < needed {
                known = None;
                break;
            }
            let line = Line::through(&slabs[..straight], &plane, self.domain.dimension);
            width = self.width(line.area);
            let Some(next) = line.direction_at(top + INSET).map(snapped) else { break };
            let is_settled = (0..3).map(|k| next[k] * normal[k]).sum::<f64>() > 1.0 - SETTLED;
            // The slab around the height at which the opening is cut is the second one.
            known = Some((plane, line, slabs[1].clone(), top + INSET, is_sure));
            if is_settled && round > 0 {
                break;
            }
            normal = next;
        }
        let Some((plane, line, slab, height, is_sure)) = known else {
            found.push(self.odd(patch, point, CROOKED));
            return;
        };
        let pieces = self.pieces(&slab);
        if floor.is_none() && pieces.len() > 1 {
            for sites in pieces {
                self.follow(&Patch { sites, inward: plane.normal }, Some((plane, height - 0.5)), found);
            }
            return;
        }
        let middle = line.middle_at(height);
        let area = (line.area + (height - line.height) * line.widening).max(1.0);
        let least = if self.domain.dimension == 2 { TAPER } else { ROUND_TAPER };
        let is_taper = (self.width(area) - self.width(line.area)).abs() >= least;
        let area = if is_taper { area } else { line.area };
        let through = self.within(&slab, &plane, height, middle);
        found.push(End {
            centre: self.metres(middle),
            normal: plane.normal,
            area: area * self.domain.spacing.powi(self.domain.dimension as i32 - 1),
            perimeter: None,
            through: Some(self.metres(through)),
            is_sure,
            is_tip: false,
            odd: None,
        });
    }

    /// An end without a direction.
    fn odd(&self, patch: &Patch, point: [f64; 3], why: &'static str) -> End {
        End {
            centre: self.metres(point),
            normal: direction(patch.inward).unwrap_or([1.0, 0.0, 0.0]),
            area: patch.sites.len() as f64 * self.domain.spacing.powi(self.domain.dimension as i32 - 1),
            perimeter: None,
            through: None,
            is_sure: true,
            is_tip: false,
            odd: Some(why),
        }
    }

    /// The fluid that hangs together with `patch`, in up to `count` slabs from the height `start` on. There are fewer
    /// where fluid goes back towards the patch: another branch of a fork, or a sac, begins there.
    pub fn slabs(
        &mut self,
        patch: &Patch,
        plane: &Plane,
        start: f64,
        count: usize,
        floor: Option<(Plane, f64)>,
    ) -> Vec<Slab> {
        let slab_of = |point: [f64; 3]| (plane.height(point) - start).floor() as isize;
        // Sites that are reached by the slab from which they go on; those below the first slab go with it.
        let mut reached: Vec<Vec<usize>> = vec![Vec::new(); count];
        for &site in &patch.sites {
            self.seen.insert(site);
            reached[0].push(site);
        }
        let mut slabs: Vec<Slab> = Vec::new();
        while let Some(mut queue) = reached.get_mut(slabs.len()).map(std::mem::take).filter(|sites| !sites.is_empty()) {
            let last = slabs.len() as isize;
            let (mut slab, mut behind) = (Slab::default(), Vec::new());
            while let Some(site) = queue.pop() {
                let at = self.place(site);
                match slab_of(self.point(site)).cmp(&last) {
                    Ordering::Less => behind.push(site),
                    _ => slab.insert(site, at),
                }
                for there in around(self.domain, at) {
                    let index = self.domain.index(there);
                    let point = there.map(|i| i as f64);
                    let level = slab_of(point).max(last);
                    let is_above = floor.is_none_or(|(floor, height)| floor.height(point) >= height);
                    let is_new = || self.domain.sites[index] == Site::FLUID && is_above && level < count as isize;
                    if is_new() && self.seen.insert(index) {
                        if level == last { queue.push(index) } else { reached[level as usize].push(index) }
                    }
                }
            }
            if last > 0 && behind.len() as f64 > BACK * slabs[0].area() {
                break;
            }
            for site in behind {
                if let Ok(n) = usize::try_from(slab_of(self.point(site))) {
                    slabs[n].insert(site, self.place(site));
                }
            }
            slabs.push(slab);
        }
        self.seen.clear();
        slabs
    }

    /// How many slabs from the first on are like the first ones up to where the vessel begins to widen, and up to where
    /// it is too wide or too narrow.
    fn straight(&self, slabs: &[Slab]) -> [usize; 2] {
        let mean = |slabs: &[Slab]| slabs.iter().map(Slab::area).sum::<f64>() / slabs.len() as f64;
        let first = mean(&slabs[..FEW.min(slabs.len())]);
        let around = |i: usize| mean(&slabs[i.saturating_sub(1)..(i + 2).min(slabs.len())]);
        // Steps of sites at the wall.
        let steps = if self.domain.dimension == 2 { 1.0 } else { 0.5 * first.sqrt() };
        let is_alike =
            |i: usize| !slabs[i].sites.is_empty() && around(i) >= first / ALIKE && around(i) <= first * WIDER + steps;
        let like = (0..slabs.len()).position(|i| !is_alike(i)).unwrap_or(slabs.len());
        if like == slabs.len() || around(like) < first {
            return [like; 2];
        }
        let last = (0..like).rev().find(|&i| around(i) <= first * BEGIN + 0.5 * steps);
        [last.map_or(0, |i| i + 1), like]
    }

    /// The fluid at some heights over `plane` that hangs together with `seed` below their end, within `reach` spacings
    /// of that site.
    pub fn section(&mut self, seed: usize, plane: &Plane, heights: std::ops::Range<f64>, reach: f64) -> Vec<usize> {
        let start = self.point(seed);
        let away = |at: [f64; 3]| (0..3).map(|k| (at[k] - start[k]).powi(2)).sum::<f64>().sqrt();
        let (mut queue, mut found) = (vec![seed], Vec::new());
        self.seen.insert(seed);
        while let Some(site) = queue.pop() {
            if plane.height(self.point(site)) >= heights.start {
                found.push(site);
            }
            for there in around(self.domain, self.place(site)) {
                let index = self.domain.index(there);
                let point = there.map(|i| i as f64);
                let is_within = plane.height(point) < heights.end && away(point) <= reach;
                if self.domain.sites[index] == Site::FLUID && is_within && self.seen.insert(index) {
                    queue.push(index);
                }
            }
        }
        self.seen.clear();
        found
    }

    /// The connected pieces of a slab that count, in the order of their first sites.
    pub fn pieces(&mut self, slab: &Slab) -> Vec<Vec<usize>> {
        let members: HashSet<usize> = slab.sites.iter().copied().collect();
        let mut sorted = slab.sites.clone();
        sorted.sort_unstable();
        let mut pieces = Vec::new();
        for seed in sorted {
            if !self.seen.insert(seed) {
                continue;
            }
            let (mut piece, mut next) = (vec![seed], 0);
            while next < piece.len() {
                let at = self.place(piece[next]);
                next += 1;
                for there in around(self.domain, at) {
                    let index = self.domain.index(there);
                    if members.contains(&index) && self.seen.insert(index) {
                        piece.push(index);
                    }
                }
            }
            pieces.push(piece);
        }
        self.seen.clear();
        pieces.retain(|piece| piece.len() as f64 >= PIECE * slab.area());
        pieces
    }

    /// The point at `height` over `plane` at which a section is to begin: `middle`, or beside the site of the slab
    /// nearest to it where the middle is not in the vessel.
    fn within(&self, slab: &Slab, plane: &Plane, height: f64, middle: [f64; 3]) -> [f64; 3] {
        let away = |site: &usize| (0..3).map(|k| (self.point(*site)[k] - middle[k]).powi(2)).sum::<f64>();
        let nearest = slab.sites.iter().min_by(|a, b| away(a).total_cmp(&away(b)).then(a.cmp(b)));
        match nearest {
            Some(site) if away(site) > 2.0 => {
                let at = self.point(*site);
                let rise = height - plane.height(at);
                [0, 1, 2].map(|k| at[k] + rise * plane.normal[k])
            }
            _ => middle,
        }
    }

    /// A place in metres.
    pub fn metres(&self, at: [f64; 3]) -> [f64; 3] {
        let domain = self.domain;
        [0, 1, 2].map(|k| if k < domain.dimension { domain.origin[k] + (at[k] + 0.5) * domain.spacing } else { 0.0 })
    }
}

fn norm(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The axis within [`SNAP`] of a unit vector, or the vector.
fn snapped(v: [f64; 3]) -> [f64; 3] {
    if v.iter().any(|x| x.abs() >= SNAP.to_radians().cos()) { v.map(|x| x.round() + 0.0) } else { v }
}

/// `v` at unit length; components that are none but for rounding are none.
pub(crate) fn direction(v: [f64; 3]) -> Option<[f64; 3]> {
    let length = norm(v);
    if length <= 1e-9 {
        return None;
    }
    let tidy = v.map(|x| if x.abs() < 1e-9 * length { 0.0 } else { x });
    Some(tidy.map(|x| x / norm(tidy)))
}
