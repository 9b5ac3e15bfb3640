//! Repulsion of ellipsoids from walls.

use hematite_cells::vector::{Point, dot};
use hematite_gpu::literal;
use minijinja::{Value, context};

use super::gay_berne::tensor;
use super::wca;

/// What all bodies share; the formula stands in `wall.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// Energy at contact.
    pub epsilon: f64,
    /// Width of the soft layer: repulsion ends at a gap of (2^(1/6) - 1) sigma.
    pub sigma: f64,
    /// Where the force would exceed this, it stays this.
    pub largest: f64,
}

impl Wall {
    /// Gap at which repulsion ends.
    pub fn reach(&self) -> f64 {
        (wca::CUT - 1.0) * self.sigma
    }

    /// The energy of a body with semi-axes `axes` at distance `d` from a wall with unit normal `n`; rows of `e` are its axes
    /// in space.
    pub fn energy(&self, d: f64, n: Point, e: &[Point; 3], axes: [f64; 3]) -> f64 {
        let extent = tensor(e, axes.map(|a| a * a)).map(|row| dot(row, n));
        let gap = d - dot(extent, n).sqrt();
        self.epsilon * wca::energy(gap / self.sigma + 1.0, self.least())
    }

    fn least(&self) -> f64 {
        wca::least(self.largest * self.sigma / self.epsilon)
    }

    /// What templates with `wall.wgsl` call `wall`.
    pub fn context(&self) -> Value {
        context! {
            epsilon => literal(self.epsilon),
            per_sigma => literal(1.0 / self.sigma),
            least => literal(self.least()),
        }
    }
}
