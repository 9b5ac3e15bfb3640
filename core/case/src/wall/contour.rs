//! The wall's points in 2-D: its contour is traced from face to face, smoothed, and divided by its length.

use hematite_cells::vector::{length, plus};
use rayon::prelude::*;

use super::{Index, WallPoint, directions};
use crate::VelocitySet;
use crate::opening::unit;

/// A face between a fluid node and the wall: (number of the wall node, direction into the wall).
type Face = (u32, usize);

/// Points along every contour, `spacing` apart as nearly as whole numbers of them allow.
pub fn points(index: &Index, spacing: f64) -> Vec<WallPoint> {
    let faces: Vec<Face> =
        index.sites.iter().zip(0..).flat_map(|(site, k)| directions(site.faces).map(move |i| (k, i))).collect();
    let find = |face: &Face| faces.binary_search(face).ok();
    let next: Vec<Option<(usize, [f64; 3])>> =
        faces.par_iter().map(|&face| next(index, face).and_then(|(face, step)| Some((find(&face)?, step)))).collect();
    let mut followed = vec![false; faces.len()];
    next.iter().flatten().for_each(|&(to, _)| followed[to] = true);
    // Open contours begin where none leads to; what is left then are loops.
    let mut traced = vec![false; faces.len()];
    let mut contours = Vec::new();
    for start in (0..faces.len()).filter(|&k| !followed[k]).chain(0..faces.len()) {
        if !traced[start] {
            contours.push(Contour::trace(index, &faces, &next, start, &mut traced));
        }
    }
    contours.into_par_iter().flat_map_iter(|contour| contour.divide(spacing)).collect()
}

/// The direction along the wall from a face that c_i crosses, by a quarter turn.
fn along(i: usize) -> usize {
    // c1 = x, c2 = -x, c3 = y, c4 = -y.
    [0, 3, 4, 2, 1][i]
}

/// The face after one along the wall, and how far its node is from that of this one. None at an opening.
fn next(index: &Index, (site, i): Face) -> Option<(Face, [f64; 3])> {
    let (links, c) = (&index.lattice.links, &index.c);
    let node = index.sites[site as usize].node as usize;
    let t = along(i);
    let diagonal = (5..9).find(|&d| (0..2).all(|axis| c[d][axis] == c[i][axis] + c[t][axis]))?;
    let number = |node: u32| index.sites.binary_search_by_key(&node, |site| site.node).ok().map(|k| k as u32);
    let (across, ahead) = (links[diagonal - 1][node], links[t - 1][node]);
    if let Some(node) = across.node() {
        return Some(((number(node)?, VelocitySet::opposite(t)), c[diagonal]));
    }
    if across.opening().is_some() || ahead.opening().is_some() {
        return None;
    }
    match ahead.node() {
        Some(node) => Some(((number(node)?, i), c[t])),
        None => Some(((site, t), [0.0; 3])),
    }
}

/// A smoothed piece of the wall: places along it and the normals there. A loop ends where it began, maybe periods away.
struct Contour {
    places: Vec<[f64; 3]>,
    normals: Vec<[f64; 3]>,
    closed: bool,
}

impl Contour {
    fn trace(
        index: &Index,
        faces: &[Face],
        next: &[Option<(usize, [f64; 3])>],
        start: usize,
        traced: &mut [bool],
    ) -> Self {
        let mut chain = Vec::new();
        let mut at = index.sites[faces[start].0 as usize].at.map(f64::from);
        let mut face = start;
        let closed = loop {
            chain.push((faces[face], at));
            traced[face] = true;
            let Some((to, step)) = next[face] else { break false };
            at = plus(at, step);
            if traced[to] {
                chain.push((faces[to], at));
                break true;
            }
            face = to;
        };
        let half = |i: usize| index.c[i].map(|component| 0.5 * component);
        let foot = |&((site, i), at): &(Face, [f64; 3]), beside: [f64; 3]| {
            let from = plus(half(i), beside);
            let (normal, distance) = index.fit(&index.sites[site as usize], from);
            let place = [0, 1, 2].map(|axis| at[axis] + from[axis] - distance * normal[axis]);
            (place, normal)
        };
        let mut feet: Vec<_> = chain.par_iter().map(|link| foot(link, [0.0; 3])).collect();
        if !closed && let (Some(first), Some(last)) = (chain.first(), chain.last()) {
            // The faces at the ends reach half a spacing further.
            let (before, after) = (half(VelocitySet::opposite(along(first.0.1))), half(along(last.0.1)));
            feet.insert(0, foot(first, before));
            feet.push(foot(last, after));
        }
        let (places, normals) = feet.into_iter().unzip();
        Self { places, normals, closed }
    }

    /// Points at equal lengths along it: from its beginning when it is closed, else from half a spacing behind it.
    fn divide(&self, spacing: f64) -> Vec<WallPoint> {
        let mut reached = vec![0.0];
        for pair in self.places.windows(2) {
            let step = [0, 1, 2].map(|axis| pair[1][axis] - pair[0][axis]);
            reached.push(reached[reached.len() - 1] + length(step));
        }
        let length = reached[reached.len() - 1];
        let count = (length / spacing).round().max(if self.closed { 3.0 } else { 1.0 });
        let point = |k: usize| {
            let target = (k as f64 + if self.closed { 0.0 } else { 0.5 }) / count * length;
            let after = reached.partition_point(|&reached| reached <= target).clamp(1, reached.len() - 1);
            let step = reached[after] - reached[after - 1];
            let share = if step > 0.0 { (target - reached[after - 1]) / step } else { 0.0 };
            let between =
                |of: &[[f64; 3]]| [0, 1, 2].map(|axis| (1.0 - share) * of[after - 1][axis] + share * of[after][axis]);
            let normal = unit(between(&self.normals)).unwrap_or(self.normals[after]);
            WallPoint {
                position: between(&self.places),
                normal: normal.map(|component| component as f32),
                area: (length / count) as f32,
            }
        };
        (0..count as usize).map(point).collect()
    }
}
