//! Why a body is broken, as kernels mark it: the step and the reason in one word.

use std::fmt;

use super::parameters::{FASTEST, LEAST_WEIGHT};

/// What broke a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// It moved faster than [`FASTEST`], or is nowhere.
    Speed = 1,
    /// Less than `LEAST_WEIGHT` of its region is in the fluid.
    Wall,
    /// More contacts push it than sums hold.
    Crowd,
}

impl Damage {
    /// Bits of a word for the reason; the others are the step's.
    pub(super) const BITS: u32 = 2;

    /// The step and the reason that a kernel marked; none while the body is sound.
    pub fn read(word: u32) -> Option<(u32, Self)> {
        let why = match word & 3 {
            1 => Self::Speed,
            2 => Self::Wall,
            3 => Self::Crowd,
            _ => return None,
        };
        Some((word >> Self::BITS, why))
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Speed => write!(f, "it moved faster than {FASTEST} lattice spacings a step"),
            Self::Wall => write!(f, "less than {LEAST_WEIGHT} of its region is in the fluid: it is in the wall"),
            Self::Crowd => write!(f, "bodies pile up on it: their contacts add up to more than can be"),
        }
    }
}
