//! Links that pass between two wall sites which touch only at an edge, in 2-D at a corner.

use rayon::prelude::*;

use crate::domain::{Domain, Site};

/// How far beyond a link another way is sought, sites.
const REACH: i32 = 2;

/// What to say of such links between fluid nodes that no other way joins nearby: a diagonal wall one site thin does not
/// hold the fluid back. Nothing where there are none.
pub(crate) fn gaps(domain: &Domain) -> Option<String> {
    let diagonals: Vec<[i32; 3]> = [[1, 1, 0], [-1, 1, 0], [1, 0, 1], [-1, 0, 1], [0, 1, 1], [0, -1, 1]]
        .into_iter()
        .filter(|c| domain.dimension == 3 || c[2] == 0)
        .collect();
    let [nx, ny, _] = domain.extent;
    let place = |index: usize| [index % nx, index / nx % ny, index / (nx * ny)];
    let of_site = |index: usize| {
        if domain.sites[index] != Site::FLUID {
            return 0;
        }
        diagonals.iter().filter(|&&c| is_gap(domain, place(index), c)).count()
    };
    let (count, first) = (0..domain.sites.len())
        .into_par_iter()
        .map(|index| (of_site(index), index))
        .filter(|&(count, _)| count > 0)
        .reduce(|| (0, usize::MAX), |a, b| (a.0 + b.0, a.1.min(b.1)));
    if count == 0 {
        return None;
    }
    let at = place(first);
    let at = (0..domain.dimension).map(|axis| domain.origin[axis] + (at[axis] as f64 + 0.5) * domain.spacing);
    let at: Vec<String> = at.map(|x| format!("{x:.4e}")).collect();
    Some(format!(
        "{count} link{} between wall sites that touch only at {}, the first near ({}) m: fluid flows through a diagonal wall \
         one site thin; draw it two sites thick where a wall is meant",
        if count == 1 { " between fluid nodes passes" } else { "s between fluid nodes pass" },
        if domain.dimension == 2 { "a corner" } else { "an edge" },
        at.join(", ")
    ))
}

/// Whether a diagonal link from a fluid site leads to another one between two wall sites, and no way leads there from
/// side to side within reach.
fn is_gap(domain: &Domain, at: [usize; 3], c: [i32; 3]) -> bool {
    let site = |c: [i32; 3]| domain.neighbour(at, c).map_or(Site::WALL, |there| domain.sites[domain.index(there)]);
    let along = |axis: usize| {
        let mut step = [0; 3];
        step[axis] = c[axis];
        step
    };
    if site(c) != Site::FLUID || (0..3).any(|axis| c[axis] != 0 && !site(along(axis)).is_wall()) {
        return false;
    }
    let low = c.map(|c| c.min(0) - REACH);
    let high = c.map(|c| c.max(0) + REACH);
    let mut seen = vec![[0; 3]];
    let mut next = 0;
    while let Some(&from) = seen.get(next) {
        next += 1;
        for (axis, step) in (0..domain.dimension).flat_map(|axis| [(axis, -1), (axis, 1)]) {
            let mut to = from;
            to[axis] += step;
            let is_near = (low[axis]..=high[axis]).contains(&to[axis]);
            if is_near && !seen.contains(&to) && !site(to).is_wall() {
                if to == c {
                    return false;
                }
                seen.push(to);
            }
        }
    }
    true
}
