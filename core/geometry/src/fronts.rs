//! Fronts of sites as far from one place as each other, and the branches that they make.

use crate::end::width_of;
use crate::fluid::{Fluid, STEPS};

/// Thickness of a front, in the same units: more than a step.
const FRONT: u32 = 4;
/// Spacings of a front.
pub(crate) const FRONT_SPACINGS: f64 = FRONT as f64 / STEPS[0] as f64;
/// A branch is a vessel when it is this many times longer than wide,
pub(crate) const LONG: f64 = 1.5;
/// and at least that many fronts.
const FRONTS: u32 = 3;

/// The connected pieces of fronts, and which of them touch.
pub(crate) struct Fronts {
    /// Sites of each piece.
    pub sites: Vec<Vec<u32>>,
    /// Number of its front, from the roots on.
    pub front: Vec<u32>,
    /// Pieces of the fronts before and behind.
    pub touching: Vec<Vec<u32>>,
}

impl Fronts {
    pub fn of(fluid: &Fluid, distance: &[u32]) -> Self {
        let front_of = |n: u32| distance[n as usize] / FRONT;
        let reached = |n: &u32| distance[*n as usize] != u32::MAX;
        let mut piece = vec![u32::MAX; distance.len()];
        let mut fronts = Self { sites: Vec::new(), front: Vec::new(), touching: Vec::new() };
        for seed in (0..distance.len() as u32).filter(reached) {
            if piece[seed as usize] != u32::MAX {
                continue;
            }
            let (number, front) = (fronts.sites.len() as u32, front_of(seed));
            let (mut sites, mut next) = (vec![seed], 0);
            piece[seed as usize] = number;
            while next < sites.len() {
                for (to, _) in fluid.beside(sites[next]) {
                    if front_of(to) == front && piece[to as usize] == u32::MAX {
                        piece[to as usize] = number;
                        sites.push(to);
                    }
                }
                next += 1;
            }
            fronts.sites.push(sites);
            fronts.front.push(front);
        }
        for (k, sites) in fronts.sites.iter().enumerate() {
            let beside = sites.iter().flat_map(|&n| fluid.beside(n)).map(|(to, _)| piece[to as usize]);
            let mut touching: Vec<u32> = beside.filter(|&other| other != k as u32).collect();
            touching.sort_unstable();
            touching.dedup();
            fronts.touching.push(touching);
        }
        fronts
    }

    /// The branches of fronts from each tip back to where a longer one joins; the longest of a piece goes back to its
    /// root.
    pub fn branches(&self) -> Vec<Branch> {
        let mut order: Vec<u32> = (0..self.sites.len() as u32).collect();
        order.sort_by_key(|&k| (std::cmp::Reverse(self.front[k as usize]), k));
        // The branch of each piece, which may have joined another.
        let mut of = vec![usize::MAX; self.sites.len()];
        let mut joined: Vec<Option<usize>> = Vec::new();
        let mut branches: Vec<Branch> = Vec::new();
        for k in order {
            let front = self.front[k as usize];
            let mut above = Vec::new();
            for &other in self.touching[k as usize].iter().filter(|&&other| self.front[other as usize] > front) {
                let mut branch = of[other as usize];
                while let Some(longer) = joined[branch] {
                    branch = longer;
                }
                above.push(branch);
            }
            above
                .sort_unstable_by_key(|&branch| (std::cmp::Reverse(self.front[branches[branch].tip as usize]), branch));
            above.dedup();
            let branch = above.first().copied().unwrap_or_else(|| {
                branches.push(Branch { tip: k, fronts: 0, is_whole: true });
                joined.push(None);
                branches.len() - 1
            });
            for &shorter in above.iter().skip(1) {
                joined[shorter] = Some(branch);
                branches[shorter].is_whole = false;
            }
            of[k as usize] = branch;
            let tip = self.front[branches[branch].tip as usize];
            branches[branch].fronts = tip - front;
        }
        branches
    }
}

/// A stretch of fronts from a tip on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branch {
    /// The piece at the tip.
    pub tip: u32,
    /// Fronts between the tip and the other end.
    pub fronts: u32,
    /// Whether it goes back to a root.
    pub is_whole: bool,
}

/// The pieces from a tip on to some depth, which are one vessel there.
pub(crate) struct Stretch {
    pub sites: Vec<u32>,
    /// Those of the last front, and of the one behind it.
    pub last: Vec<u32>,
    pub behind: Vec<u32>,
}

impl Branch {
    /// From its other end, the root.
    pub fn reversed(&self, fronts: &Fronts) -> Self {
        let before = |at: u32| {
            fronts.touching[at as usize].iter().copied().find(|&k| fronts.front[k as usize] < fronts.front[at as usize])
        };
        let root = std::iter::successors(Some(self.tip), |&at| before(at)).last();
        Self { tip: root.unwrap_or(self.tip), ..*self }
    }

    /// The width of the vessel at the tip, spacings: that of the shortest stretch that is long enough for a vessel; none where the
    /// branch is too short or not one vessel.
    pub fn width(&self, fronts: &Fronts, dimension: usize) -> Option<f64> {
        for depth in FRONTS..self.fronts {
            // Just behind a flat tip there may be a front in each of its corners.
            let Some(stretch) = self.stretch(fronts, depth) else { continue };
            let length = FRONT_SPACINGS * f64::from(depth + 1);
            let width = width_of(stretch.sites.len() as f64 / length, dimension);
            if length >= LONG * width {
                return Some(width);
            }
        }
        None
    }

    /// The stretch up to `depth` fronts behind the tip; none where it is several pieces there.
    pub fn stretch(&self, fronts: &Fronts, depth: u32) -> Option<Stretch> {
        let tip = fronts.front[self.tip as usize];
        let away = |k: u32| tip.abs_diff(fronts.front[k as usize]);
        let (mut pieces, mut next) = (vec![self.tip], 0);
        while next < pieces.len() {
            for &k in &fronts.touching[pieces[next] as usize] {
                if away(k) <= depth + 1 && !pieces.contains(&k) {
                    pieces.push(k);
                }
            }
            next += 1;
        }
        let only = |depth: u32| {
            let mut there = pieces.iter().filter(|&&k| away(k) == depth);
            let piece = there.next().filter(|_| there.next().is_none());
            piece.map(|&k| fronts.sites[k as usize].clone())
        };
        let within = pieces.iter().filter(|&&k| away(k) <= depth);
        let sites = within.flat_map(|&k| fronts.sites[k as usize].iter().copied()).collect();
        Some(Stretch { sites, last: only(depth)?, behind: only(depth + 1)? })
    }
}
