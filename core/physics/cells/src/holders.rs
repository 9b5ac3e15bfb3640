//! Which ranks hold which cells: every rank holds the whole of each cell that comes near its nodes.
//!
//! Every rank knows, tile by tile, which ranks own nodes there. A cell's bounding box, widened by what its vertices may
//! reach before the next look, then names its holders; all of them find the same answer.

use std::collections::HashMap;

use hematite_comm::{Comm, gather_all};
use hematite_config::Result;
use hematite_engine::sites::Bounds;

/// Sites along the edge of a tile, and of blocks of tiles.
const TILE: i32 = 8;
const BLOCKS: [i32; 2] = [128, 32];

/// The ranks that own nodes in each tile of the domain.
#[derive(Clone, Debug)]
pub struct Holders {
    tiles: Ranks,
    /// The same by blocks of tiles, the largest first: most boxes are in blocks of one rank, and stay there longer than in
    /// their tiles.
    blocks: [Ranks; BLOCKS.len()],
    extent: [i32; 3],
    periodic: [bool; 3],
}

/// The ranks that own nodes in cubes of some edge.
#[derive(Clone, Debug)]
struct Ranks {
    /// Sites.
    edge: i32,
    /// Ranks, ascending, by cube.
    of: HashMap<[i32; 3], Vec<u32>>,
}

/// The range of boxes that touch the same tiles: each end of such a box lies between two sites, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steady {
    /// First and last site of the lower end, by axis.
    pub low: [[i32; 2]; 3],
    /// Those of the upper end.
    pub high: [[i32; 2]; 3],
}

impl Steady {
    /// For each axis: between which sites the lower end may be, then the upper end.
    pub fn words(&self, dimension: usize) -> Vec<i32> {
        (0..dimension).flat_map(|axis| [self.low[axis], self.high[axis]].concat()).collect()
    }
}

impl Ranks {
    /// Those in cubes that hold these smaller ones.
    fn around(&self, edge: i32) -> Self {
        let mut of: HashMap<[i32; 3], Vec<u32>> = HashMap::new();
        for (cube, ranks) in &self.of {
            of.entry(cube.map(|c| (c * self.edge).div_euclid(edge))).or_default().extend(ranks);
        }
        for ranks in of.values_mut() {
            ranks.sort_unstable();
            ranks.dedup();
        }
        Self { edge, of }
    }
}

impl Holders {
    /// Collects the tiles of all ranks; `own` are the positions of this rank's own nodes. Collective.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn collect(comm: &dyn Comm, own: &[[i32; 3]], extent: [usize; 3], periodic: [bool; 3]) -> Result<Self> {
        let mut tiles: Vec<[i32; 3]> = own.iter().map(|site| site.map(|x| x.div_euclid(TILE))).collect();
        tiles.sort_unstable();
        tiles.dedup();
        let mut of: HashMap<[i32; 3], Vec<u32>> = HashMap::new();
        for (rank, tiles) in gather_all(comm, bytemuck::cast_slice(&tiles))?.into_iter().enumerate() {
            for tile in bytemuck::pod_collect_to_vec::<u8, [i32; 3]>(&tiles) {
                of.entry(tile).or_default().push(rank as u32);
            }
        }
        let tiles = Ranks { edge: TILE, of };
        Ok(Self { blocks: BLOCKS.map(|edge| tiles.around(edge)), tiles, extent: extent.map(|n| n as i32), periodic })
    }

    /// The ranks that hold a cell whose box comes near these sites, ascending, and boxes with the same holders. None hold it
    /// where there is no fluid.
    pub fn of(&self, bounds: Bounds) -> (Vec<u32>, Steady) {
        let mut by_blocks = self.blocks.iter().map(|blocks| (self.near(blocks, bounds), blocks.edge));
        let alone = by_blocks.find(|(ranks, _)| ranks.len() == 1);
        let (ranks, edge) = alone.unwrap_or_else(|| (self.near(&self.tiles, bounds), TILE));
        (ranks, self.steady(edge, bounds))
    }

    /// The ranks with nodes in the cubes that the box touches, ascending.
    fn near(&self, cubes: &Ranks, bounds: Bounds) -> Vec<u32> {
        let mut found: Vec<u32> = Vec::new();
        let [xs, ys, zs] = [0, 1, 2].map(|axis| self.touched(cubes.edge, axis, bounds.low[axis], bounds.high[axis]));
        for &z in &zs {
            for &y in &ys {
                for &x in &xs {
                    found.extend(cubes.of.get(&[x, y, z]).into_iter().flatten());
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Boxes that touch the same cubes as this one.
    fn steady(&self, edge: i32, bounds: Bounds) -> Steady {
        let cube = |axis: usize, site: i32| -> [i32; 2] {
            let period = if self.periodic[axis] { self.extent[axis] } else { i32::MAX };
            let start = if self.periodic[axis] { site.div_euclid(period) * period } else { 0 };
            let low = (site - start).div_euclid(edge) * edge;
            [start + low, start + (low + edge - 1).min(period - 1)]
        };
        Steady {
            low: [0, 1, 2].map(|axis| cube(axis, bounds.low[axis])),
            high: [0, 1, 2].map(|axis| cube(axis, bounds.high[axis])),
        }
    }

    /// The cubes along an axis that the sites from `low` to `high` touch.
    fn touched(&self, edge: i32, axis: usize, low: i32, high: i32) -> Vec<i32> {
        let extent = self.extent[axis];
        let mut cubes: Vec<i32> = if self.periodic[axis] {
            let high = high.min(low + extent - 1);
            (low..=high).map(|site| site.rem_euclid(extent).div_euclid(edge)).collect()
        } else {
            (low.div_euclid(edge)..=high.div_euclid(edge)).collect()
        };
        cubes.sort_unstable();
        cubes.dedup();
        cubes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hematite_comm::Solo;

    /// Whether the box is one of those with the same holders.
    fn holds(steady: &Steady, bounds: Bounds) -> bool {
        let within = |site: i32, [first, last]: [i32; 2]| (first..=last).contains(&site);
        (0..3).all(|k| within(bounds.low[k], steady.low[k]) && within(bounds.high[k], steady.high[k]))
    }

    #[test]
    fn a_box_finds_its_tiles_across_periodic_faces() {
        let own = [[0, 0, 0], [19, 3, 0]];
        let holders = Holders::collect(&Solo, &own, [20, 10, 1], [true, false, true]).expect("solo");
        let at = |low: [i32; 3], high: [i32; 3]| !holders.near(&holders.tiles, Bounds { low, high }).is_empty();
        assert!(at([-3, 0, 0], [-2, 1, 0]));
        assert!(at([39, 0, 0], [41, 1, 0]));
        assert!(!at([8, 0, 0], [15, 7, 0]));
        assert!(!at([0, 8, 0], [19, 9, 0]));
        assert!(at([-100, 0, 5], [100, 0, 5]));
    }

    #[test]
    fn boxes_that_touch_the_same_tiles_have_the_same_holders() {
        let extent = [43, 24, 21];
        let own: Vec<[i32; 3]> =
            (0..6).flat_map(|x| (0..3).map(move |y| [8 * x, 8 * y, 0])).filter(|[x, y, _]| (x + y) % 3 > 0).collect();
        let mut holders = Holders::collect(&Solo, &own, extent, [true, false, true]).expect("solo");
        // Each tile has a rank of its own.
        for (rank, ranks) in holders.tiles.of.values_mut().enumerate() {
            *ranks = vec![rank as u32];
        }
        holders.blocks = BLOCKS.map(|edge| holders.tiles.around(edge));
        let mut state = 7_u32;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) % below) as i32
        };
        let mut same = 0;
        for _ in 0..20_000 {
            let low = [0; 3].map(|_| draw(140) - 70);
            let high = low.map(|x| x + draw(60));
            let one = Bounds { low, high };
            let other = Bounds { low: low.map(|x| x + draw(5) - 2), high: high.map(|x| x + draw(5) - 2) };
            let (ranks, steady) = holders.of(one);
            if (0..3).all(|a| other.low[a] <= other.high[a]) && holds(&steady, other) {
                assert_eq!(ranks, holders.of(other).0, "{one:?} {other:?}");
                same += 1;
            }
        }
        assert!((2000..15_000).contains(&same), "{same}");
    }
}
