//! Kernels of the immersed boundary method, between vertices and nodes.

use hematite_config::{Fault, Result};

/// The kernel between vertices and nodes, a product over the axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Support {
    /// Linear hat, 2 points along each axis.
    #[default]
    Two,
    /// Roma, Peskin and Berger (J. Comput. Phys. 153, 509, 1999), 3 points.
    Three,
    /// Peskin (Acta Numerica 11, 479, 2002), 4 points.
    Four,
}

impl Support {
    /// The kernel of `points` points along each axis, the key `cells.kernel` of a run.
    ///
    /// # Errors
    /// A usage fault where there is no such kernel.
    pub fn of(points: u8) -> Result<Self> {
        match points {
            2 => Ok(Self::Two),
            3 => Ok(Self::Three),
            4 => Ok(Self::Four),
            _ => Err(Fault::usage(format!("cells.kernel {points} must be 2, 3 or 4 points"))),
        }
    }

    /// Number of points along each axis.
    pub fn points(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Three => 3,
            Self::Four => 4,
        }
    }

    /// The largest distance along an axis between a vertex and a node of its kernel, lattice units.
    pub fn reach(self) -> f64 {
        0.5 * self.points() as f64
    }
}
