//! Grids and analytic flows for tests.

use hematite_case::NodeId;
use hematite_dump::Grid;

/// A 2-D channel along x: `nx` by `height` fluid nodes, one layer of wall below and above (fluid from y = 1).
pub fn channel(nx: i32, height: i32, spacing: f64) -> Grid {
    grid_of(2, spacing, (1..=height).flat_map(|y| (0..nx).map(move |x| [x, y, 0])))
}

/// A box of fluid nodes from (1, 1, 1).
pub fn duct(nx: i32, ny: i32, nz: i32, spacing: f64) -> Grid {
    grid_of(3, spacing, (1..=nz).flat_map(|z| (1..=ny).flat_map(move |y| (1..=nx).map(move |x| [x, y, z]))))
}

/// The grid with nodes at the given positions.
pub fn grid_of(dimension: usize, spacing: f64, positions: impl Iterator<Item = [i32; 3]>) -> Grid {
    let position: Vec<[i32; 3]> = positions.collect();
    let id = (0..position.len() as u64).map(NodeId).collect();
    Grid { dimension, spacing, origin: [0.0; 3], id, position }
}

/// Plane Poiseuille flow along x between walls at `wall` and `wall + height`: velocity at height `y`, for a pressure
/// gradient `g` (Pa/m) and a dynamic viscosity `mu`.
pub fn poiseuille(y: f64, wall: f64, height: f64, g: f64, mu: f64) -> f64 {
    g / (2.0 * mu) * (y - wall) * (height - (y - wall))
}

/// Numbers and texts that look random, always the same of a seed.
pub struct Random(u64);

impl Random {
    /// Begins with a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A whole number below `end`.
    pub fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % end
    }

    /// A text of at most `longest` letters, some of them special or not latin.
    pub fn text(&mut self, longest: u32) -> String {
        const LETTERS: &str =
            "abcdefghijklmnopqrstuvwxyz  MW.,-_0123456789<&>\"'\u{b5}\u{e9}\u{3b1}\u{436}\u{4e2d}\u{6587}";
        let letters: Vec<char> = LETTERS.chars().collect();
        (0..self.below(longest + 1)).map(|_| letters[self.below(letters.len() as u32) as usize]).collect()
    }
}
