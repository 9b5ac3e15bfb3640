//! Tiles: the blocks of a [`SiteMap`](super::SiteMap) cut into cubes, each with a list of the vertices in it; and how long
//! lists of neighbours hold.

use hematite_config::{Fault, Result};
use minijinja::{Value, context};

use super::map::{EDGE, SiteMap};

/// Cubes of 1, 2, 4 or 8 sites along the edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// The edge is 2 to this power.
    bits: u32,
}

/// Lists of neighbours that hold for a while (Verlet, Phys. Rev. 159, 98, 1967): whatever is within `range` plus `skin` is
/// listed, so that lists hold until a vertex has moved by half the skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listing {
    /// Tiles in which neighbours are looked for.
    pub tiling: Tiling,
    /// How much farther than forces reach, lattice units.
    pub skin: f64,
}

/// The longest skin: with more, lists grow faster than they keep.
pub(super) const MOST_SKIN: f64 = 0.6;

/// The shortest skin, as a share of the range, for which larger tiles are worth it.
const LEAST_SKIN: f64 = 0.25;

impl Listing {
    /// Lists for forces that reach over `range`.
    ///
    /// # Errors
    /// A usage fault where the range is too long for tiles.
    pub fn reaching(range: f64) -> Result<Self> {
        let least = Tiling::reaching(range)?;
        let tiling = Tiling::reaching((1.0 + LEAST_SKIN) * range).unwrap_or(least);
        Ok(Self { tiling, skin: (f64::from(tiling.edge()) - range).min(MOST_SKIN) })
    }

    /// The same, for the periods of a map: tiles as small as must be where larger ones do not fit.
    ///
    /// # Errors
    /// A usage fault where the range is too long for tiles or for a period.
    pub(super) fn fitting(range: f64, map: &SiteMap) -> Result<Self> {
        let wide = Self::reaching(range)?;
        if wide.tiling.check(map).is_ok() {
            return Ok(wide);
        }
        let tiling = Tiling::reaching(range)?;
        tiling.check(map)?;
        Ok(Self { tiling, skin: (f64::from(tiling.edge()) - range).min(MOST_SKIN) })
    }
}

impl Tiling {
    /// Tiles of 2 to the power of `bits` sites along the edge.
    pub(super) const fn of_bits(bits: u32) -> Self {
        Self { bits }
    }

    /// The smallest tiles such that whatever is within `range` of a vertex is in its tile or the next ones.
    ///
    /// # Errors
    /// A usage fault where the range is too long.
    pub fn reaching(range: f64) -> Result<Self> {
        let fits = |bits: &u32| f64::from(1 << bits) >= range;
        (0..=3).find(fits).map(|bits| Self { bits }).ok_or_else(|| {
            Fault::usage(format!(
                "forces between cells reach over {range:.2} lattice spacings, at most {EDGE} can be: take a smaller \
                 cells.contact.range or cells.contact.adhesion.distance (which counts 2.5 times)"
            ))
        })
    }

    /// Sites along the edge.
    pub fn edge(self) -> i32 {
        1 << self.bits
    }

    /// The last site of the last whole tile of a period; the sites after belong to that tile, too.
    pub(super) fn last_whole(self, extent: i32) -> i32 {
        extent / self.edge() * self.edge() - 1
    }

    /// Refuses periods so short that a tile would be next to another on both sides.
    ///
    /// # Errors
    /// A usage fault with the axis.
    pub(super) fn check(self, map: &SiteMap) -> Result<()> {
        let needed = 3 * self.edge();
        for (axis, name) in ["x", "y", "z"].iter().enumerate().take(map.dimension) {
            let extent = map.extent[axis];
            if map.periodic[axis] && extent < needed {
                return Err(Fault::usage(format!(
                    "the domain is periodic along {name} over {extent} sites; forces between cells reach so far that it must \
                     be at least {needed}: make it longer, or cells.contact.range shorter"
                )));
            }
        }
        Ok(())
    }

    /// Number of tiles in a map.
    pub(super) fn tiles(self, map: &SiteMap) -> u32 {
        map.blocks() << (self.bits_of_block(map.dimension))
    }

    /// Number of the tile that holds `site`, which lies in the domain; none where the map has no block there.
    pub(super) fn tile(self, map: &SiteMap, site: [i32; 3]) -> Option<u32> {
        let block = map.numbers.get(&site.map(|s| s.div_euclid(EDGE)))?;
        let local = (0..map.dimension)
            .map(|axis| ((site[axis].rem_euclid(EDGE) >> self.bits) as u32) << (axis as u32 * (3 - self.bits)));
        Some(block << self.bits_of_block(map.dimension) | local.sum::<u32>())
    }

    /// Bits of a tile's number in its block.
    fn bits_of_block(self, dimension: usize) -> u32 {
        dimension as u32 * (3 - self.bits)
    }

    /// What templates know of it.
    pub(super) fn context(self, dimension: usize) -> Value {
        context! {
            bits => self.bits,
            edge => self.edge(),
            block_bits => self.bits_of_block(dimension),
            // Of an axis, the bits of a tile's number that the axes before take.
            axis_bits => (0..dimension as u32).map(|axis| axis * (3 - self.bits)).collect::<Vec<_>>(),
        }
    }
}
