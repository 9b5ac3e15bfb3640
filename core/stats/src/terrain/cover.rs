//! What lava covers, how far it goes, and how well that fits what was observed.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use hematite_dump::Grid;

/// What lava covers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cover {
    /// Area with any lava, m2.
    pub area: f64,
    /// The farthest covered cell from the nearest cell of a vent in a straight line, m.
    pub distance: f64,
    /// The same along covered cells: the length of the longest flow, m.
    pub length: f64,
}

/// What the cells cover for which `covered` holds; `vents` are numbers of cells.
pub fn reach(grid: &Grid, covered: &[bool], vents: &[usize]) -> Cover {
    let metres = |steps: f64| steps * grid.spacing;
    let area = covered.iter().filter(|&&is| is).count() as f64 * grid.spacing * grid.spacing;
    let straight = |n: usize| {
        let off = |vent: &usize| {
            let [x, y] = [0, 1].map(|a| f64::from(grid.position[n][a] - grid.position[*vent][a]));
            x.hypot(y)
        };
        vents.iter().map(off).fold(f64::INFINITY, f64::min)
    };
    let distance = (0..covered.len()).filter(|&n| covered[n]).map(straight).fold(0.0, f64::max);
    let distance = if vents.is_empty() { 0.0 } else { distance };
    Cover { area, distance: metres(distance), length: metres(longest(grid, covered, vents)) }
}

/// The longest of the shortest ways from vents to covered cells over neighbouring covered cells, in spacings; cells that no way
/// leads to do not count.
fn longest(grid: &Grid, covered: &[bool], vents: &[usize]) -> f64 {
    let place = |n: usize| [grid.position[n][0], grid.position[n][1]];
    let numbers: HashMap<[i32; 2], usize> = (0..covered.len()).filter(|&n| covered[n]).map(|n| (place(n), n)).collect();
    // Ways in millionths of a spacing, which are whole numbers with an order.
    let mut ways: HashMap<usize, u64> = HashMap::new();
    let mut open: BinaryHeap<Reverse<(u64, usize)>> =
        vents.iter().filter(|&&n| covered[n]).map(|&n| Reverse((0, n))).collect();
    let mut most = 0;
    while let Some(Reverse((way, n))) = open.pop() {
        if ways.get(&n).is_some_and(|&known| known <= way) {
            continue;
        }
        ways.insert(n, way);
        most = most.max(way);
        let [x, y] = place(n);
        for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)] {
            let step = if dx * dy == 0 { 1_000_000 } else { 1_414_214 };
            if let Some(&next) = numbers.get(&[x + dx, y + dy])
                && !ways.contains_key(&next)
            {
                open.push(Reverse((way + step, next)));
            }
        }
    }
    most as f64 / 1e6
}

/// How well what is covered fits what was observed: the area of both over that of either; `None` where both are empty.
pub fn fit(covered: &[bool], observed: &[bool]) -> Option<f64> {
    let both = covered.iter().zip(observed).filter(|&(&a, &b)| a && b).count();
    let either = covered.iter().zip(observed).filter(|&(&a, &b)| a || b).count();
    (either > 0).then(|| both as f64 / either as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::grid_of;

    #[test]
    fn a_hook_is_longer_than_it_reaches() {
        // Right by 4 from the vent, then up by 3; and a cell apart.
        let hook = [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0], [4, 1], [4, 2], [4, 3], [9, 9], [0, 1]];
        let grid = grid_of(2, 10.0, hook.into_iter().map(|[x, y]| [x, y, 0]));
        let mut covered = vec![true; hook.len()];
        covered[8] = false;
        covered[9] = false;
        let found = reach(&grid, &covered, &[0]);
        assert_eq!((found.area, found.distance), (800.0, 50.0));
        // The corner is cut.
        assert!((found.length - 10.0 * (5.0 + std::f64::consts::SQRT_2)).abs() < 1e-4, "{found:?}");
        covered[8] = true;
        assert_eq!(reach(&grid, &covered, &[0]).length, found.length, "no way leads to the cell apart");
        assert_eq!(reach(&grid, &[false; 10], &[0]), Cover::default());
    }

    #[test]
    fn the_fit_is_intersection_over_union() {
        assert_eq!(fit(&[true, true, false, false], &[true, false, true, false]), Some(1.0 / 3.0));
        assert_eq!(fit(&[false], &[false]), None);
    }
}
