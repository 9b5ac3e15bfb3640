//! The state of one cell as whole numbers, for migration and checkpoints.
//!
//! Word 0: bits of the scale at which it was seeded. Words 1 to 3: number of the gate whose column carries it, -1 where none
//! does, and bits of how far it has been carried and how far it is, as f64. Then for each axis, for each vertex: the position,
//! its whole part in the upper and its fraction in the lower 32 bits; then likewise the drift.

use hematite_engine::sites::{Bounds, Coordinate};

/// Words before the vertices.
const FIRST: usize = 4;

/// What carries a cell that comes in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carried {
    /// Number of the gate whose column does.
    pub gate: u32,
    /// How far it has been carried, lattice units.
    pub gone: f64,
    /// How far it is to be carried, lattice units.
    pub until: f64,
}

/// A cell's state. Arrays have axis a of vertex v at `a * vertices + v`.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Size over full size when it was seeded.
    pub seeded_scale: f32,
    /// What carries it in, if it comes in now.
    pub carried: Option<Carried>,
    /// Positions, lattice units.
    pub position: Vec<Coordinate>,
    /// Velocity of each vertex in its last move, in 1 / DRIFT_SCALE.
    pub drift: Vec<i32>,
}

impl Record {
    /// The whole sites around a cell's vertices.
    pub fn bounds(&self, dimension: usize) -> Bounds {
        let vertices = self.position.len() / dimension;
        let mut bounds = Bounds::default();
        for (axis, coordinates) in self.position.chunks(vertices).enumerate() {
            bounds.low[axis] = coordinates.iter().map(|x| x.site).min().unwrap_or(0);
            bounds.high[axis] = coordinates.iter().map(|x| x.site + i32::from(x.fraction > 0)).max().unwrap_or(0);
        }
        bounds
    }

    /// Positions of the vertices, lattice units.
    pub fn points(&self, dimension: usize) -> Vec<[f64; 3]> {
        let vertices = self.position.len() / dimension;
        let along = |a: usize, v: usize| if a < dimension { self.position[a * vertices + v].value() } else { 0.0 };
        (0..vertices).map(|v| [0, 1, 2].map(|a| along(a, v))).collect()
    }

    /// Number of words of a cell with so many vertices.
    pub fn width(dimension: usize, vertices: usize) -> usize {
        FIRST + 2 * dimension * vertices
    }

    /// The words.
    pub fn words(&self) -> Vec<i64> {
        let mut words = vec![i64::from(self.seeded_scale.to_bits())];
        words.extend(match self.carried {
            None => [-1, 0, 0],
            Some(by) => [i64::from(by.gate), by.gone.to_bits() as i64, by.until.to_bits() as i64],
        });
        words.extend(self.position.iter().map(|x| x.word()));
        words.extend(self.drift.iter().map(|&u| i64::from(u)));
        words
    }

    /// From words; `None` where they are no record.
    pub fn from_words(words: &[i64]) -> Option<Self> {
        let (&[scale, gate, gone, until], rest) = words.split_first_chunk()?;
        let (position, drift) = rest.split_at(rest.len() / 2);
        let drift = drift.iter().map(|&u| i32::try_from(u).ok()).collect::<Option<_>>()?;
        (position.len() * 2 == rest.len()).then_some(())?;
        let seeded_scale = f32::from_bits(u32::try_from(scale).ok()?);
        let carried = match gate {
            -1 => None,
            _ => Some(Carried {
                gate: u32::try_from(gate).ok()?,
                gone: f64::from_bits(gone as u64),
                until: f64::from_bits(until as u64),
            }),
        };
        Some(Self {
            seeded_scale,
            carried,
            position: position.iter().map(|&x| Coordinate::from_word(x)).collect(),
            drift,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_every_bit() {
        let position = [-3.75, 0.0, 1e-9, 70_000.123_456_789, -0.000_000_1, 12.5].map(Coordinate::of).to_vec();
        let record = Record {
            seeded_scale: 0.83,
            carried: Some(Carried { gate: 3, gone: -0.0, until: 1.0 / 3.0 }),
            position,
            drift: vec![i32::MIN, -1, 0, 1, 7, i32::MAX],
        };
        let words = record.words();
        assert_eq!(words.len(), Record::width(2, 3));
        assert_eq!(Record::from_words(&words), Some(record.clone()));
        assert_eq!((record.position[0].site, record.position[0].value()), (-4, -3.75));
        assert_eq!(Record::from_words(&words[..5]), None);
        let free = Record { carried: None, ..record };
        assert_eq!(Record::from_words(&free.words()), Some(free));
    }
}
