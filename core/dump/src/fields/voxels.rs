//! Finds and numbers the corners that voxels of lattice nodes share.

use hematite_config::{Fault, Result};
use rayon::prelude::*;

use crate::Grid;

/// Number of voxels whose corners a thread looks up at a time.
const PIECE: usize = 1 << 12;

/// The corners of a grid's voxels, each once, ordered by z, y, x.
pub(super) struct Corners {
    /// Corner (x, y, z) as `(z * extent[1] + y) * extent[0] + x`, relative to `low`, ascending.
    keys: Vec<u64>,
    low: [i32; 3],
    extent: [u64; 3],
    dimension: usize,
}

impl Corners {
    /// Finds the corners, one layer of nodes at a time along the slowest axis. Memory holds only the corners and the
    /// duplicates of one layer.
    pub(super) fn of(grid: &Grid) -> Result<Self> {
        let mut low = [i32::MAX; 3];
        let mut high = [i32::MIN; 3];
        for position in &grid.position {
            for axis in 0..3 {
                low[axis] = low[axis].min(position[axis]);
                high[axis] = high[axis].max(position[axis]);
            }
        }
        if grid.position.is_empty() {
            return Ok(Self { keys: Vec::new(), low: [0; 3], extent: [1; 3], dimension: grid.dimension });
        }
        let span = |axis: usize| (i64::from(high[axis]) - i64::from(low[axis])).unsigned_abs();
        let mut extent = [span(0) + 2, span(1) + 2, span(2) + 2];
        if grid.dimension == 2 {
            if span(2) > 0 {
                return Err(Fault::usage("a 2-D dump holds nodes of different z"));
            }
            extent[2] = 1;
        }
        if extent[0].checked_mul(extent[1]).and_then(|area| area.checked_mul(extent[2])).is_none() {
            return Err(Fault::usage(format!(
                "a dump spans {extent:?} lattice sites; their product must be below 2^64"
            )));
        }
        let mut corners = Self { keys: Vec::new(), low, extent, dimension: grid.dimension };
        corners.collect(&grid.position);
        Ok(corners)
    }

    fn collect(&mut self, positions: &[[i32; 3]]) {
        let slow = self.dimension - 1;
        let layer = |n: usize| positions[n][slow];
        let mut order: Vec<usize> = (0..positions.len()).collect();
        order.sort_unstable_by_key(|&n| layer(n));
        let mut upper: Vec<u64> = Vec::new();
        let mut upper_of = None;
        let mut rest = order.as_slice();
        while let Some(&first) = rest.first() {
            let here = layer(first);
            let (nodes, others) = rest.split_at(rest.partition_point(|&n| layer(n) == here));
            rest = others;
            if upper_of != Some(here) {
                self.absorb(&mut upper);
            }
            let mut lower = std::mem::take(&mut upper);
            for &n in nodes {
                let rows = self.rows(positions[n]);
                let (bottom, top) = rows[..self.row_count()].split_at(self.row_count() / 2);
                lower.extend(bottom.iter().flat_map(|&key| [key, key + 1]));
                upper.extend(top.iter().flat_map(|&key| [key, key + 1]));
            }
            self.absorb(&mut lower);
            upper_of = here.checked_add(1);
        }
        self.absorb(&mut upper);
    }

    fn absorb(&mut self, keys: &mut Vec<u64>) {
        keys.par_sort_unstable();
        keys.dedup();
        self.keys.append(keys);
    }

    /// Number of rows of corners along x of one voxel: 4, in 2-D 2.
    fn row_count(&self) -> usize {
        1 << (self.dimension - 1)
    }

    /// Keys of the lower-x corners of a voxel, in the order of VTK_VOXEL and VTK_PIXEL; only the first two in 2-D.
    fn rows(&self, position: [i32; 3]) -> [u64; 4] {
        let offset = |axis: usize| (i64::from(position[axis]) - i64::from(self.low[axis])).unsigned_abs();
        let key = |y: u64, z: u64| ((offset(2) + z) * self.extent[1] + offset(1) + y) * self.extent[0] + offset(0);
        match self.dimension {
            2 => [key(0, 0), key(1, 0), 0, 0],
            _ => [key(0, 0), key(1, 0), key(0, 1), key(1, 1)],
        }
    }

    /// Number of corners.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Number of corners of a voxel.
    pub(super) fn per_voxel(&self) -> usize {
        1 << self.dimension
    }

    /// The position of corner `n` in metres; z = 0 in 2-D.
    pub(super) fn point(&self, n: usize, grid: &Grid) -> [f64; 3] {
        let key = self.keys[n];
        let site = [key % self.extent[0], key / self.extent[0] % self.extent[1], key / self.extent[0] / self.extent[1]];
        let mut place = [0.0; 3];
        for axis in 0..self.dimension {
            place[axis] = grid.origin[axis] + (f64::from(self.low[axis]) + site[axis] as f64) * grid.spacing;
        }
        place
    }

    /// Corner numbers of the voxels at these positions.
    pub(super) fn connectivity(&self, positions: &[[i32; 3]]) -> Vec<i64> {
        let connected = |positions: &[[i32; 3]]| {
            let (mut near, mut numbers) = ([0; 4], Vec::with_capacity(positions.len() * self.per_voxel()));
            positions.iter().for_each(|&position| self.connect(position, &mut near, &mut numbers));
            numbers
        };
        positions.par_chunks(PIECE).flat_map_iter(connected).collect()
    }

    /// Appends the corner numbers of the voxel at `position`. `near` holds the indices of the last voxel's rows: nodes
    /// that follow each other along x need no search.
    fn connect(&self, position: [i32; 3], near: &mut [usize; 4], out: &mut Vec<i64>) {
        let rows = self.rows(position);
        for (key, near) in rows.iter().zip(near).take(self.row_count()) {
            if self.keys.get(*near + 1) == Some(key) {
                *near += 1;
            } else {
                *near = self.keys.partition_point(|known| known < key);
            }
            out.extend([*near as i64, *near as i64 + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hematite_case::NodeId;
    use proptest::prelude::*;

    use super::*;

    fn grid(dimension: usize, position: Vec<[i32; 3]>) -> Grid {
        let id = (0..position.len() as u64).map(NodeId).collect();
        Grid { dimension, spacing: 0.5, origin: [1.0, -2.0, 3.0], id, position }
    }

    fn check(grid: &Grid) {
        let corners = Corners::of(grid).expect("small");
        let connectivity = corners.connectivity(&grid.position);
        let mut used = BTreeSet::new();
        let steps: &[i32] = if grid.dimension == 3 { &[0, 1] } else { &[0] };
        for (position, numbers) in grid.position.iter().zip(connectivity.chunks(corners.per_voxel())) {
            let mut expected = Vec::new();
            for z in steps {
                for y in [0, 1] {
                    for x in [0, 1] {
                        let z = if grid.dimension == 3 { 3.0 + 0.5 * f64::from(position[2] + z) } else { 0.0 };
                        let (x, y) = (f64::from(position[0] + x), f64::from(position[1] + y));
                        expected.push([1.0 + 0.5 * x, -2.0 + 0.5 * y, z]);
                    }
                }
            }
            let found: Vec<_> = numbers.iter().map(|&n| corners.point(n as usize, grid)).collect();
            assert_eq!(found, expected);
            used.extend(numbers.iter().copied());
        }
        assert_eq!(used.len(), corners.len(), "every corner is used, none twice");
        let places: BTreeSet<_> = (0..corners.len()).map(|n| corners.point(n, grid).map(f64::to_bits)).collect();
        assert_eq!(places.len(), corners.len());
    }

    proptest! {
        #[test]
        fn corners_are_shared_and_in_place(
            sites in prop::collection::hash_set((-3i32..4, -3i32..4, -3i32..4), 0..60),
            flat in any::<bool>(),
        ) {
            let flatten = |(x, y, z): (i32, i32, i32)| [x, y, if flat { 0 } else { z }];
            let unique: std::collections::HashSet<_> = sites.into_iter().map(flatten).collect();
            check(&grid(if flat { 2 } else { 3 }, unique.into_iter().collect()));
        }
    }

    #[test]
    fn more_voxels_than_a_thread_looks_up_at_a_time() {
        let side = 17;
        assert!(side * side * side > PIECE as i32);
        let sites = (0..side * side * side).map(|n| [n % side, n / side % side, n / side / side]);
        check(&grid(3, sites.collect()));
    }

    #[test]
    fn a_span_past_64_bits_is_refused() {
        let far = vec![[i32::MIN, i32::MIN, i32::MIN], [i32::MAX, i32::MAX, i32::MAX]];
        assert!(Corners::of(&grid(3, far)).is_err());
    }
}
