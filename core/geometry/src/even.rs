//! Whether a vessel goes on behind an end as it is there: its sections are followed inwards, each across the way that
//! the ones before it go, so that a bend does not widen them.

use crate::domain::Site;
use crate::end::End;
use crate::vessel::{Plane, Tracer, around, direction};

/// A vessel is followed for this many widths,
const WALK: f64 = 2.0;
/// a section each so many widths,
const STEP: f64 = 0.25;
/// which is so many spacings thick, so that steps of the wall count little.
const THICK: f64 = 3.0;
/// The way it goes is told by this many sections.
const WAY: usize = 3;
/// Sections half a width apart may differ by this factor: a taper of 10 % a width and steps of the wall do by less.
const EVEN: f64 = 1.3;
/// Sections from one to another half a width on.
const HALF: usize = 3;
/// The line of middles at an end is told by the first section and those once and twice as many on.
const SPAN: usize = 3;
/// The direction of an end and that of the line of middles there may be so many degrees apart.
const OFF: f64 = 4.5;

impl Tracer<'_> {
    /// Whether no section within [`WALK`] widths of an end is much larger or smaller than one near it, as there is where
    /// a sac, a fork or the other end of the vessel is, and the middles of the sections go the way of the end.
    pub(crate) fn is_even(&mut self, end: &End) -> bool {
        let dimension = self.domain.dimension;
        let (areas, middles) = self.sections(end);
        let is_even = areas.windows(HALF.min(areas.len())).all(|near| {
            let least = near.iter().copied().fold(f64::INFINITY, f64::min);
            // Steps of sites at the wall.
            let steps = if dimension == 2 { 1.0 } else { 0.5 * least.sqrt() };
            near.iter().all(|&area| area <= EVEN * least + steps)
        });
        is_even && off(end, &middles).is_none_or(|degrees| degrees <= OFF)
    }

    /// Degrees between the direction of an end and the way of the vessel there; none where the vessel is too narrow or
    /// too short to tell.
    pub(crate) fn obliquity(&mut self, end: &End) -> Option<f64> {
        off(end, &self.sections(end).1)
    }

    /// The areas and the middles of the sections from an end inwards, each from the middle of the one before it on. A
    /// section without fluid is the last, with no middle.
    fn sections(&mut self, end: &End) -> (Vec<f64>, Vec<[f64; 3]>) {
        let domain = self.domain;
        let dimension = domain.dimension;
        let width = end.width(dimension) / domain.spacing;
        let sites = |at: [f64; 3]| {
            [0, 1, 2].map(|k| if k < dimension { (at[k] - domain.origin[k]) / domain.spacing - 0.5 } else { 0.0 })
        };
        let step = (STEP * width).max(2.0);
        let mut middles: Vec<[f64; 3]> = Vec::new();
        let mut way = end.normal;
        let mut areas = Vec::new();
        let mut point = sites(end.through.unwrap_or(end.centre));
        while (areas.len() as f64) * step <= WALK * width {
            let Some((area, middle)) = self.slice(&Plane { point, normal: way }, 2.0 * width) else {
                areas.push(0.0);
                break;
            };
            areas.push(area);
            middles.push(middle);
            if let Some(from) = middles.len().checked_sub(WAY + 1) {
                way = direction([0, 1, 2].map(|k| middle[k] - middles[from][k])).unwrap_or(way);
            }
            point = [0, 1, 2].map(|k| middle[k] + step * way[k]);
        }
        (areas, middles)
    }

    /// The area and the middle of the section at a plane, of what hangs together with its point there.
    fn slice(&mut self, plane: &Plane, reach: f64) -> Option<(f64, [f64; 3])> {
        let domain = self.domain;
        let away = |at: [f64; 3]| (0..3).map(|k| (at[k] - plane.point[k]).powi(2)).sum::<f64>();
        let is_within = |at: [f64; 3]| plane.height(at).abs() <= 0.5 * THICK && away(at) <= reach * reach;
        let near = |k: usize| {
            let from = (plane.point[k] - 2.0).max(0.0) as usize;
            from..((plane.point[k] + 3.0).max(0.0) as usize).min(domain.extent[k])
        };
        let mut seed: Option<(f64, [usize; 3])> = None;
        for z in near(2) {
            for (y, x) in near(1).flat_map(|y| near(0).map(move |x| (y, x))) {
                let off = away([x, y, z].map(|i| i as f64));
                let is_fluid = domain.sites[domain.index([x, y, z])] == Site::FLUID;
                if is_fluid && is_within([x, y, z].map(|i| i as f64)) && seed.is_none_or(|(least, _)| off < least) {
                    seed = Some((off, [x, y, z]));
                }
            }
        }
        let seed = seed?.1;
        let mut found = vec![seed];
        self.seen.insert(domain.index(seed));
        let (mut sum, mut next) = ([0.0; 3], 0);
        while next < found.len() {
            let at = found[next];
            next += 1;
            (0..3).for_each(|k| sum[k] += at[k] as f64);
            for there in around(domain, at) {
                let index = domain.index(there);
                let is_fluid = domain.sites[index] == Site::FLUID;
                if is_fluid && is_within(there.map(|i| i as f64)) && self.seen.insert(index) {
                    found.push(there);
                }
            }
        }
        self.seen.clear();
        let count = found.len() as f64;
        Some((count / THICK, sum.map(|sum| sum / count)))
    }
}

/// Degrees between the direction of an end and the line of `middles` of sections from it on, where there are enough.
fn off(end: &End, middles: &[[f64; 3]]) -> Option<f64> {
    let [Some(first), Some(next), Some(last)] = [0, SPAN, 2 * SPAN].map(|k| middles.get(k)) else { return None };
    // The way at the first of three middles, of the parabola through them.
    let way = direction([0, 1, 2].map(|k| 4.0 * next[k] - 3.0 * first[k] - last[k]))?;
    Some((0..3).map(|k| way[k] * end.normal[k]).sum::<f64>().clamp(-1.0, 1.0).acos().to_degrees())
}
