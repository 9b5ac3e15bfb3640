//! Ends of vessels within a picture, a volume or a surface: tips, where the fluid goes no farther.
//!
//! A front of sites as far from one place as each other, along the fluid, runs through all vessels (Lazarus and
//! Verroust, Shape Modeling International 1999, 62: level sets of the distance). Where it comes to an end a vessel may
//! end. Such a branch of fronts counts when it is longer than the vessel is wide, so that bumps of the wall do not; and
//! when it is one vessel behind its tip, not two that meet half-way round a loop.

use std::collections::HashMap;

use crate::components::Components;
use crate::domain::Domain;
use crate::end::{End, number};
use crate::fluid::Fluid;
use crate::fronts::{Branch, FRONT_SPACINGS, Fronts, LONG};
use crate::surface::{count, metres};
use crate::vessel::{Patch, Plane, Tracer, direction};

/// The section of a vessel may be this many times wider or narrower than its tip.
const ALIKE: f64 = 1.8;
/// Where the vessel is followed from, in widths behind the tip: the first that gives a direction.
const BEHIND: [f64; 3] = [0.75, 1.25, 2.0];
/// Then it is followed again from this many widths behind the tip on, where rounded tips have their full width,
const AHEAD: f64 = 0.6;
/// and what is within so many widths of the tip counts,
const REACH: f64 = 2.0;
/// in so many rounds,
const ROUNDS: usize = 5;
/// until the direction changes by less than half a degree, as a cosine.
const SETTLED: f64 = 0.99996;

/// So many tips are listed by their places.
const PLACES: usize = 5;

/// Adds the tips of a domain that wraps in no direction to its `ends`, and numbers all of them anew; those of the largest
/// connected piece of the fluid alone, where `of_largest`. Warns of tips that have no clear direction. Tips of pictures
/// and volumes at the border are left out: see [`border::ends`](crate::border::ends).
pub fn add(domain: &mut Domain, of_largest: bool, ends: &mut Vec<End>) {
    let (found, unclear) = tips(domain, of_largest, ends);
    ends.extend(found);
    number(ends, domain.size());
    domain.report.warnings.extend(warning(&unclear));
}

/// What to say of tips that are no ends, by their places in metres.
fn warning(unclear: &[[f64; 3]]) -> Option<String> {
    (!unclear.is_empty()).then(|| {
        format!(
            "the vessel bends or splits behind {}, so that no direction is clear and no end is listed: at {}; where it \
             is to be open, give an opening with a \"section\" or a \"box\" there",
            count(unclear.len(), "tip"),
            places(unclear),
        )
    })
}

/// The first of these places, in metres.
pub(crate) fn places(at: &[[f64; 3]]) -> String {
    let places: Vec<String> = at.iter().take(PLACES).map(|&at| metres(at, 1.0)).collect();
    places.join(", ") + if at.len() > PLACES { " and more" } else { "" }
}

/// The tips with a direction, but those within a width of one of the `others`, which are ends already; and the places of
/// tips without, in metres.
pub(crate) fn tips(domain: &Domain, of_largest: bool, others: &[End]) -> (Vec<End>, Vec<[f64; 3]>) {
    let fluid = Fluid::of(domain);
    let pieces = Components::find(&domain.sites, domain.extent, domain.periodic, domain.dimension);
    let mut tracer = Tracer::new(domain);
    let mut seeds: Vec<Option<u32>> = vec![None; pieces.sizes.len()];
    for (n, &site) in fluid.sites.iter().enumerate() {
        if let Some(piece) = pieces.at(tracer.place(site)) {
            seeds[piece].get_or_insert(n as u32);
        }
    }
    if of_largest && let Some(largest) = pieces.largest() {
        seeds = vec![seeds[largest]];
    }
    let seeds: Vec<u32> = seeds.into_iter().flatten().collect();
    // The site that is farthest from any one is at a tip, where the piece has any.
    let first = fluid.distances(&seeds);
    let mut farthest: HashMap<usize, u32> = HashMap::new();
    for (n, &distance) in first.iter().enumerate().filter(|(_, distance)| **distance != u32::MAX) {
        let piece = pieces.at(tracer.place(fluid.sites[n])).unwrap_or_default();
        let far = farthest.entry(piece).or_insert(n as u32);
        if distance > first[*far as usize] {
            *far = n as u32;
        }
    }
    let mut roots: Vec<u32> = farthest.into_values().collect();
    roots.sort_unstable();
    let fronts = Fronts::of(&fluid, &fluid.distances(&roots));

    let (mut found, mut unclear) = (Vec::new(), Vec::new());
    let branches = fronts.branches();
    let reversed = branches.iter().filter(|branch| branch.is_whole).map(|branch| branch.reversed(&fronts));
    for branch in branches.iter().copied().chain(reversed) {
        let tip = tracer.metres(fluid.middle(&fronts.sites[branch.tip as usize]));
        let is_at_other = |width: f64| {
            let away = |other: &End| (0..3).map(|k| (tip[k] - other.centre[k]).powi(2)).sum::<f64>().sqrt();
            others.iter().any(|other| away(other) <= width.max(other.width(domain.dimension)))
        };
        // Following a wide vessel takes long.
        if is_at_other(0.0) {
            continue;
        }
        match branch.tip(&fluid, &fronts, &mut tracer) {
            Tip::End(end) if !is_at_other(end.width(domain.dimension)) => {
                found.push(End { is_sure: end.is_sure && tracer.is_even(&end), is_tip: true, ..end });
            }
            Tip::Unclear { width } if !is_at_other(width * domain.spacing) => unclear.push(tip),
            _ => {}
        }
    }
    (found, unclear)
}

/// What is at the tip of a branch.
enum Tip {
    /// No vessel, or one that the border cuts.
    Nothing,
    /// A vessel of this width, spacings, without a direction.
    Unclear {
        /// Spacings.
        width: f64,
    },
    /// An end of a vessel.
    End(End),
}

impl Branch {
    /// The end of its vessel, where it has a direction behind the tip and does not reach the border.
    fn tip(&self, fluid: &Fluid, fronts: &Fronts, tracer: &mut Tracer) -> Tip {
        let dimension = fluid.domain.dimension;
        let Some(width) = self.width(fronts, dimension) else { return Tip::Nothing };
        for behind in BEHIND {
            let depth = ((behind * width / FRONT_SPACINGS).ceil() as u32).max(1);
            if depth + 1 > self.fronts {
                break;
            }
            let Some(stretch) = self.stretch(fronts, depth) else { continue };
            if stretch.sites.iter().any(|&n| fluid.is_at_border(n)) {
                return Tip::Nothing;
            }
            let [from, to] = [&stretch.last, &stretch.behind].map(|sites| fluid.middle(sites));
            let Some(inward) = direction([0, 1, 2].map(|k| to[k] - from[k])) else { break };
            let plane = Plane { point: from, normal: inward };
            let sites: Vec<usize> = stretch.last.iter().map(|&n| fluid.sites[n as usize]).collect();
            let lowest = sites.iter().map(|&site| plane.height(tracer.point(site))).fold(f64::INFINITY, f64::min);
            let mut ends = Vec::new();
            tracer.follow(&Patch { sites, inward }, Some((plane, lowest - 0.5)), &mut ends);
            let is_vessel = |end: &End| {
                let found = end.width(dimension) / fluid.domain.spacing;
                let is_long = FRONT_SPACINGS * f64::from(self.fronts) >= LONG * found;
                end.odd.is_none() && is_long && (1.0 / ALIKE..ALIKE).contains(&(found / width))
            };
            if let Some(end) = ends.pop().filter(is_vessel) {
                let better = [inward, end.normal].map(|normal| self.nearer(fluid, fronts, tracer, width, normal));
                let smallest = better.into_iter().flatten().filter(is_vessel).min_by(|a, b| a.area.total_cmp(&b.area));
                return Tip::End(smallest.unwrap_or(End { is_sure: false, ..end }));
            }
        }
        Tip::Unclear { width }
    }

    /// The end of its vessel by sections from [`AHEAD`] widths behind the tip on, across `normal` at first and then across
    /// the direction that they tell.
    fn nearer(
        &self,
        fluid: &Fluid,
        fronts: &Fronts,
        tracer: &mut Tracer,
        width: f64,
        mut normal: [f64; 3],
    ) -> Option<End> {
        let tip: Vec<usize> = fronts.sites[self.tip as usize].iter().map(|&n| fluid.sites[n as usize]).collect();
        let mut found = None;
        for _ in 0..ROUNDS {
            let origin = Plane { point: [0.0; 3], normal };
            let height = |site: usize| origin.height(tracer.point(site));
            let seed = tip.iter().copied().min_by(|&a, &b| height(a).total_cmp(&height(b)).then(a.cmp(&b)))?;
            // The lowest site may be beside the tip's own.
            let near = tracer.section(seed, &origin, f64::NEG_INFINITY..f64::INFINITY, 0.5 * width);
            let lowest = near.iter().map(|&site| origin.height(tracer.point(site))).fold(f64::INFINITY, f64::min);
            let from = lowest + AHEAD * width;
            let sites = tracer.section(seed, &origin, from..from + 1.0, REACH * width);
            if sites.is_empty() {
                break;
            }
            let mut ends = Vec::new();
            tracer.follow(&Patch { sites, inward: normal }, Some((origin, from)), &mut ends);
            let Some(end) = ends.pop().filter(|end| end.odd.is_none()) else { break };
            let is_settled = (0..3).map(|k| end.normal[k] * normal[k]).sum::<f64>() > SETTLED;
            normal = end.normal;
            found = Some(end);
            if is_settled {
                break;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Report, Site};

    fn ends(domain: &Domain, of_largest: bool) -> Vec<End> {
        tips(domain, of_largest, &[]).0
    }

    fn domain(extent: [usize; 3], inside: impl Fn([f64; 3]) -> bool) -> Domain {
        let [nx, ny, nz] = extent;
        let site = |i: usize| {
            let at = [i % nx, i / nx % ny, i / (nx * ny)].map(|k| k as f64 + 0.5);
            if inside(at) { Site::FLUID } else { Site::WALL }
        };
        Domain {
            dimension: if nz == 1 { 2 } else { 3 },
            extent,
            spacing: 1.0,
            origin: [0.0; 3],
            periodic: [false; 3],
            sites: (0..nx * ny * nz).map(site).collect(),
            openings: Vec::new(),
            wall_parts: Vec::new(),
            surface: None,
            report: Report::default(),
        }
    }

    /// Distance from a stretch of a line.
    fn away(at: [f64; 3], from: [f64; 3], to: [f64; 3]) -> f64 {
        let (along, off) = ([0, 1, 2].map(|k| to[k] - from[k]), [0, 1, 2].map(|k| at[k] - from[k]));
        let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| a[k] * b[k]).sum::<f64>();
        let t = (dot(off, along) / dot(along, along)).clamp(0.0, 1.0);
        (0..3).map(|k| (off[k] - t * along[k]).powi(2)).sum::<f64>().sqrt()
    }

    fn check(end: &End, tip: [f64; 3], inwards: [f64; 3], width: f64, dimension: usize) {
        let cosine: f64 = (0..3).map(|k| end.normal[k] * inwards[k]).sum();
        assert!(cosine > 3_f64.to_radians().cos(), "{end:?} along {inwards:?}");
        assert!((end.width(dimension) - width).abs() < 1_f64.max(0.03 * width), "{end:?}, {width} wide");
        let off = (0..3).map(|k| (end.centre[k] - tip[k]).powi(2)).sum::<f64>().sqrt();
        assert!(off < 3.0 * width + 4.0, "{end:?} from {tip:?}");
    }

    #[test]
    fn rounded_tips_at_any_angle_are_found() {
        for degrees in (0..180).step_by(7) {
            let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
            for (nz, radius) in [(1, 4.3), (1, 8.2), (33, 6.4)] {
                let middle = [80.0, 80.0, if nz == 1 { 0.5 } else { 16.3 }];
                let tip = |way: f64| [middle[0] + way * 60.0 * cos, middle[1] + way * 60.0 * sin, middle[2]];
                let made = domain([160, 160, nz], |at| away(at, tip(-1.0), tip(1.0)) < radius);
                let found = ends(&made, false);
                assert_eq!(found.len(), 2, "{degrees} degrees, radius {radius}: {found:?}");
                for end in &found {
                    let way = if end.normal[0] * cos + end.normal[1] * sin < 0.0 { 1.0 } else { -1.0 };
                    check(end, tip(way), [-way * cos, -way * sin, 0.0], 2.0 * radius, made.dimension);
                }
            }
        }
    }

    #[test]
    fn forks_have_three_tips_rings_and_blobs_none() {
        let arms = [[20.0, 75.0, 0.5], [130.0, 30.0, 0.5], [125.0, 128.0, 0.5]];
        let fork = domain([150, 150, 1], |at| arms.iter().any(|&tip| away(at, [70.0, 75.0, 0.5], tip) < 6.0));
        let found = ends(&fork, true);
        assert_eq!(found.len(), 3, "{found:?}");
        let ring = domain([150, 150, 1], |[x, y, _]| ((x - 75.0).hypot(y - 75.0) - 50.0).abs() < 6.0);
        assert_eq!(ends(&ring, false), []);
        let blob = domain([60, 60, 60], |at| away(at, [30.0; 3], [31.0, 30.0, 30.0]) < 20.0);
        assert_eq!(ends(&blob, false), []);
        // A bump of a wall is no vessel.
        let bumpy = domain([150, 60, 1], |at| {
            away(at, [15.0, 30.0, 0.5], [135.0, 30.0, 0.5]) < 8.0
                || away(at, [75.0, 38.0, 0.5], [75.0, 40.0, 0.5]) < 6.0
        });
        assert_eq!(ends(&bumpy, false).len(), 2);
    }

    /// What the border cuts is an end of the border.
    #[test]
    fn tips_at_the_border_are_left_out() {
        let cut = domain([100, 40, 1], |[x, y, _]| x > 1.0 && x < 80.0 && (y - 20.3).abs() < 6.0);
        let found = ends(&cut, false);
        assert_eq!(found.len(), 1, "{found:?}");
        check(&found[0], [80.0, 20.3, 0.5], [-1.0, 0.0, 0.0], 12.0, 2);
    }
}
