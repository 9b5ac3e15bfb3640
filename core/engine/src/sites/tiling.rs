//! Tiles: the cubes into which blocks of a [`SiteMap`] are divided.

use hematite_config::{Fault, Result};
use minijinja::{Value, context};

use super::map::{EDGE, SiteMap};

/// Tiles with edges of 1, 2, 4 or 8 sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// The edge is 2 to this power.
    bits: u32,
}

impl Tiling {
    /// The possible edges, in sites, ascending.
    pub fn edges() -> impl Iterator<Item = i32> {
        (0..=3).map(|bits| Self { bits }.edge())
    }

    /// The smallest tiles for which all vertices within `range` of a vertex are in its tile or in adjacent tiles.
    ///
    /// # Errors
    /// A usage fault where the range is too long.
    pub fn reaching(range: f64) -> Result<Self> {
        let fits = |bits: &u32| f64::from(1 << bits) >= range;
        (0..=3).find(fits).map(|bits| Self { bits }).ok_or_else(|| {
            Fault::usage(format!(
                "forces between cells reach over {range:.2} lattice spacings, at most {EDGE} are possible: take a smaller \
                 cells.contact.range or cells.contact.adhesion.distance (which counts 2.5 times)"
            ))
        })
    }

    /// How many tiles to each side of a vertex's tile hold all vertices within `range`.
    pub fn steps(self, range: f64) -> u32 {
        (range / f64::from(self.edge())).ceil() as u32
    }

    /// Sites along the edge.
    pub fn edge(self) -> i32 {
        1 << self.bits
    }

    /// The last site of the last whole tile of a period; the sites after it belong to that tile too.
    pub fn last_whole(self, extent: i32) -> i32 {
        extent / self.edge() * self.edge() - 1
    }

    /// Refuses periods so short that two tiles would be neighbours on both sides.
    ///
    /// # Errors
    /// A usage fault with the axis.
    pub fn check(self, map: &SiteMap, steps: u32) -> Result<()> {
        let needed = (2 * steps as i32 + 1) * self.edge();
        for (axis, name) in ["x", "y", "z"].iter().enumerate().take(map.dimension) {
            let extent = map.extent[axis];
            if map.periodic[axis] && extent < needed {
                return Err(Fault::usage(format!(
                    "the domain is periodic along {name} over {extent} sites; forces between cells reach so far that it must \
                     be at least {needed}: make it longer, or their range shorter"
                )));
            }
        }
        Ok(())
    }

    /// Number of tiles in a map.
    pub fn tiles(self, map: &SiteMap) -> u32 {
        map.blocks() << (self.bits_of_block(map.dimension))
    }

    /// Number of the tile that holds `site` of the domain; `None` if the map has no block there.
    pub fn tile(self, map: &SiteMap, site: [i32; 3]) -> Option<u32> {
        let block = map.numbers.get(&site.map(|s| s.div_euclid(EDGE)))?;
        let local = (0..map.dimension)
            .map(|axis| ((site[axis].rem_euclid(EDGE) >> self.bits) as u32) << (axis as u32 * (3 - self.bits)));
        Some(block << self.bits_of_block(map.dimension) | local.sum::<u32>())
    }

    /// The first sites along an axis of the tile before that of `site` of the domain, of its tile, and of the tile
    /// after; `None` beyond the domain.
    pub fn around(self, map: &SiteMap, axis: usize, site: i32) -> [Option<i32>; 3] {
        if axis >= map.dimension {
            return [None, Some(0), None];
        }
        let (extent, edge) = (map.extent[axis], self.edge());
        let low = self.first(map, axis, site);
        if !map.periodic[axis] {
            return [Some(low - edge), Some(low), Some(low + edge)];
        }
        let end = if low + 2 * edge > extent { 0 } else { low + edge };
        [Some(self.first(map, axis, (low - 1).rem_euclid(extent))), Some(low), Some(end)]
    }

    /// The first site along an axis of the tile that holds `site` of the domain.
    pub fn first(self, map: &SiteMap, axis: usize, site: i32) -> i32 {
        let last = if map.periodic[axis] { self.last_whole(map.extent[axis]) } else { i32::MAX };
        site.min(last).div_euclid(self.edge()) * self.edge()
    }

    /// Number of bits of a tile's number within its block.
    fn bits_of_block(self, dimension: usize) -> u32 {
        dimension as u32 * (3 - self.bits)
    }

    /// Context for templates.
    pub fn context(self, dimension: usize) -> Value {
        context! {
            bits => self.bits,
            edge => self.edge(),
            block_bits => self.bits_of_block(dimension),
            // For each axis, how many bits of a tile's number the axes before it take.
            axis_bits => (0..dimension as u32).map(|axis| axis * (3 - self.bits)).collect::<Vec<_>>(),
        }
    }
}
