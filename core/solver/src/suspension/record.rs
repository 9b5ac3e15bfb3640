//! The state of one cell as whole numbers, for migration and checkpoints.
//!
//! Word 0: bits of the scale at which it was seeded. Then for each axis, for each vertex: the position, its whole part
//! in the upper and its fraction in the lower 32 bits; then likewise the drift.

use crate::sites::Coordinate;

/// A cell's state. Arrays have axis a of vertex v at `a * vertices + v`.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Size over full size when it was seeded.
    pub seeded_scale: f32,
    /// Positions, lattice units.
    pub position: Vec<Coordinate>,
    /// Velocity of each vertex in its last move, in 1 / DRIFT_SCALE.
    pub drift: Vec<i32>,
}

impl Record {
    /// Positions of the vertices, lattice units.
    pub fn points(&self, dimension: usize) -> Vec<[f64; 3]> {
        let vertices = self.position.len() / dimension;
        let along = |a: usize, v: usize| if a < dimension { self.position[a * vertices + v].value() } else { 0.0 };
        (0..vertices).map(|v| [0, 1, 2].map(|a| along(a, v))).collect()
    }

    /// Number of words of a cell with so many vertices.
    pub fn width(dimension: usize, vertices: usize) -> usize {
        1 + 2 * dimension * vertices
    }

    /// The words.
    pub fn words(&self) -> Vec<i64> {
        let mut words = vec![i64::from(self.seeded_scale.to_bits())];
        words.extend(self.position.iter().map(|x| x.word()));
        words.extend(self.drift.iter().map(|&u| i64::from(u)));
        words
    }

    /// From words; `None` where they are no record.
    pub fn from_words(words: &[i64]) -> Option<Self> {
        let (&scale, rest) = words.split_first()?;
        let (position, drift) = rest.split_at(rest.len() / 2);
        let drift = drift.iter().map(|&u| i32::try_from(u).ok()).collect::<Option<_>>()?;
        (position.len() * 2 == rest.len()).then_some(())?;
        let seeded_scale = f32::from_bits(u32::try_from(scale).ok()?);
        Some(Self { seeded_scale, position: position.iter().map(|&x| Coordinate::from_word(x)).collect(), drift })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_every_bit() {
        let position = [-3.75, 0.0, 1e-9, 70_000.123_456_789, -0.000_000_1, 12.5].map(Coordinate::of).to_vec();
        let record = Record { seeded_scale: 0.83, position, drift: vec![i32::MIN, -1, 0, 1, 7, i32::MAX] };
        let words = record.words();
        assert_eq!(words.len(), Record::width(2, 3));
        assert_eq!(Record::from_words(&words), Some(record.clone()));
        assert_eq!((record.position[0].site, record.position[0].value()), (-4, -3.75));
        assert_eq!(Record::from_words(&words[..4]), None);
    }
}
