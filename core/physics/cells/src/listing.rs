//! How far lists of neighbours reach, and how long they hold.

use hematite_config::Result;
use hematite_engine::sites::{SiteMap, Tiling};

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
        if wide.tiling.check(map, 1).is_ok() {
            return Ok(wide);
        }
        let tiling = Tiling::reaching(range)?;
        tiling.check(map, 1)?;
        Ok(Self { tiling, skin: (f64::from(tiling.edge()) - range).min(MOST_SKIN) })
    }
}
