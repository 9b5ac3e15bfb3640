//! Boxes of sites.

use hematite_case::morton;

/// A bounding box in whole sites, both ends included; not wrapped along periodic axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Lowest site along each axis.
    pub low: [i32; 3],
    /// Highest site along each axis.
    pub high: [i32; 3],
}

impl Bounds {
    /// Whether the boxes have a site in common.
    pub fn meets(self, other: Self) -> bool {
        (0..3).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis])
    }

    /// Position of the middle on Morton's curve, in units of 4 sites: successive cells on it share nodes.
    pub fn place(self) -> u64 {
        // The offset keeps numbers positive: cells may be some periods below the domain.
        morton::<3>([0, 1, 2].map(|axis| (1 << 20) + ((self.low[axis] + self.high[axis]) >> 3)))
    }

    /// The box widened by `margin` sites on every side.
    pub fn widened(self, margin: i32) -> Self {
        Self { low: self.low.map(|x| x - margin), high: self.high.map(|x| x + margin) }
    }
}
