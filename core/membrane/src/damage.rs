//! Why a cell is broken: kernels mark it by step and reason in one word. The least word, so the first step, stays.

use std::fmt;

/// Largest speed of a vertex, lattice spacings a step; beyond it the cell is broken.
pub const FASTEST: f64 = 0.25;

/// Largest component of the force on a vertex, lattice units; beyond it the cell is broken. Such a force would
/// accelerate the fluid at a node to this velocity in one step.
pub const LARGEST_FORCE: f64 = 7.0 / 16.0;
/// Ranges of area and volume (2-D: perimeter and area) of a sound cell over those at rest. Outside them the cell is
/// torn or inside out.
pub(crate) const SOUND: [[f64; 2]; 2] = [[0.25, 4.0], [0.1, 8.0]];
/// Largest force component, lattice units, where forces are capped before they act: the square of a larger force
/// overflows f32. A vertex at which a ring folds completely comes near it.
pub const CAPPED_LIMIT: f64 = 1e18;

/// Largest component of the strong forces of all vertices on a node, lattice units; beyond it a cell there is broken. A
/// node can hold twice as much, so no sum wraps unseen: vertices with strong forces check their sum, rounded to
/// 1/256, and only hundreds of vertices could exceed it at one node, by weaker forces or by what is rounded off.
pub const LARGEST_NODE_FORCE: f64 = 1.0;

/// Least share of a vertex's kernel that must be in the fluid; below it the cell is broken.
pub const LEAST_WEIGHT: f64 = 1.0 / 64.0;

/// Reason why a cell broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// A vertex moved faster than [`FASTEST`].
    Speed,
    /// The membrane's force on a vertex exceeds [`LARGEST_FORCE`].
    Membrane,
    /// The force of membrane and contact together exceeds [`LARGEST_FORCE`].
    Contact,
    /// A vertex is so deep in the wall that less than [`LEAST_WEIGHT`] of its kernel is fluid.
    Wall,
    /// Forces of vertices on one node add up to more than [`LARGEST_NODE_FORCE`].
    Crowd,
    /// Area or volume are far from those at rest.
    Shape,
}

impl Damage {
    const ALL: [Self; 6] = [Self::Speed, Self::Membrane, Self::Contact, Self::Wall, Self::Crowd, Self::Shape];

    /// Bits of a word for the reason; the other bits hold the step.
    pub const BITS: u32 = 3;

    /// The reason's code in a word.
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// The step and the reason in a word that a kernel wrote; `None` while the cell is sound.
    pub fn read(word: u32) -> Option<(u32, Self)> {
        let reason = || Self::ALL.get((word & ((1 << Self::BITS) - 1)) as usize).copied();
        if word == u32::MAX { None } else { reason().map(|reason| (word >> Self::BITS, reason)) }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Speed => write!(f, "a vertex moved faster than {FASTEST} lattice spacings a step"),
            Self::Membrane => {
                write!(f, "its membrane pulled at a vertex with more than {LARGEST_FORCE} in lattice units")
            }
            Self::Contact => {
                write!(f, "membrane and contact pushed a vertex with more than {LARGEST_FORCE} in lattice units")
            }
            Self::Wall => write!(f, "a vertex is in the wall"),
            Self::Crowd => {
                write!(f, "vertices push a node with more than {LARGEST_NODE_FORCE} in lattice units together")
            }
            Self::Shape => write!(f, "its area or volume is far from that at rest"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read() {
        assert_eq!(Damage::read(u32::MAX), None);
        for damage in Damage::ALL {
            assert_eq!(Damage::read(7 << Damage::BITS | damage.code()), Some((7, damage)));
        }
    }
}
