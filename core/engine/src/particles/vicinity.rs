//! A coarse map of the surroundings of tiles, to skip tiles that are far from all of them.

use std::collections::HashSet;

/// Sites along the edge of a cube.
const EDGE: i32 = 32;

/// The cubes of sites near a set of tiles.
pub(super) struct Vicinity {
    cubes: HashSet<[i32; 3]>,
}

impl Vicinity {
    /// The cubes within `reach` sites along each axis of `tiles`, which are given by their first sites, in a domain of
    /// `extent` sites.
    pub fn of(
        (extent, periodic): ([i32; 3], [bool; 3]),
        reach: i32,
        tiles: impl IntoIterator<Item = [i32; 3]>,
    ) -> Self {
        let held: HashSet<[i32; 3]> = tiles.into_iter().map(cube).collect();
        let along = |axis: usize, cube: i32| {
            let sites = cube * EDGE - reach..(cube + 1) * EDGE + reach;
            let wrapped = |site: i32| if periodic[axis] { site.rem_euclid(extent[axis]) } else { site };
            let mut cubes: Vec<i32> = sites.map(|site| wrapped(site).div_euclid(EDGE)).collect();
            cubes.sort_unstable();
            cubes.dedup();
            cubes
        };
        let mut cubes = HashSet::new();
        for cube in held {
            let [xs, ys, zs] = [0, 1, 2].map(|axis| along(axis, cube[axis]));
            for &z in &zs {
                for &y in &ys {
                    cubes.extend(xs.iter().map(|&x| [x, y, z]));
                }
            }
        }
        Self { cubes }
    }

    /// Whether a tile, given by its first site, may be within reach.
    pub fn holds(&self, tile: [i32; 3]) -> bool {
        self.cubes.contains(&cube(tile))
    }
}

fn cube(site: [i32; 3]) -> [i32; 3] {
    site.map(|s| s.div_euclid(EDGE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_within_reach_is_held() {
        let (extent, reach) = ([70, 130, 200], 13);
        for periodic in [[true, true, true], [false, true, false]] {
            let vicinity = Vicinity::of((extent, periodic), reach, [[68, 4, 100]]);
            let apart = |axis: usize, a: i32, b: i32| {
                let plain = (a - b).abs();
                if periodic[axis] { plain.min(extent[axis] - plain) } else { plain }
            };
            for x in 0..extent[0] {
                for y in 0..extent[1] {
                    for z in (0..extent[2]).step_by(3) {
                        let near = apart(0, x, 68).max(apart(1, y, 4)).max(apart(2, z, 100)) <= reach;
                        assert!(!near || vicinity.holds([x, y, z]), "{x} {y} {z}");
                    }
                }
            }
            assert!(!vicinity.holds([10, 64, 0]), "far away");
        }
    }
}
