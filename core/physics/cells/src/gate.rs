//! Openings as cells see them: where they leave, and where new ones come in from a feeder.
//!
//! A cell leaves when it comes near an opening and moves outward.

use hematite_engine::sites::Bounds;

use super::feeder::Feeder;
use super::look::WAY;

/// Nodes before an opening in which a cell that moves outward leaves: more than a vertex moves from one look to the next, and
/// the kernel.
pub const DEPTH: f64 = WAY + 2.0;

/// An opening through which cells leave.
#[derive(Clone, Debug)]
pub struct Gate {
    /// Number of the opening in the case.
    pub opening: usize,
    /// Unit normal into the fluid.
    pub normal: [f64; 3],
    /// Box of its nodes.
    pub nodes: Bounds,
    /// What comes in there.
    pub feeder: Option<Feeder>,
}

impl Gate {
    /// Whether a cell leaves that was at `before` and is at `now`.
    pub fn passes(&self, before: Bounds, now: Bounds) -> bool {
        let wide = self.nodes.widened(DEPTH.ceil() as i32);
        let near = (0..3).all(|a| now.low[a] <= wide.high[a] && now.high[a] >= wide.low[a]);
        near && self.depth(now) < DEPTH && self.along(now) < self.along(before)
    }

    /// How deep behind the opening's nodes the cell's nearest corner is.
    pub fn depth(&self, cell: Bounds) -> f64 {
        let sum = |pick: &dyn Fn(f64, f64) -> f64| -> f64 {
            (0..3)
                .map(|a| {
                    let (low, high) = (f64::from(cell.low[a]), f64::from(cell.high[a]));
                    pick(self.normal[a] * low, self.normal[a] * high)
                })
                .sum()
        };
        sum(&f64::min) - self.plane()
    }

    /// Position of the opening's nodes along its normal.
    fn plane(&self) -> f64 {
        self.along(self.nodes)
    }

    /// Position of a box's middle along the normal.
    fn along(&self, at: Bounds) -> f64 {
        (0..3).map(|a| 0.5 * self.normal[a] * (f64::from(at.low[a]) + f64::from(at.high[a]))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(normal: [f64; 3], low: [i32; 3], high: [i32; 3]) -> Gate {
        Gate { opening: 0, normal, nodes: Bounds { low, high }, feeder: None }
    }

    fn cell(x: i32, y: i32) -> Bounds {
        Bounds { low: [x, y, 0], high: [x + 8, y + 8, 0] }
    }

    #[test]
    fn a_cell_leaves_outward_and_near() {
        let outlet = gate([-1.0, 0.0, 0.0], [100, 1, 0], [100, 40, 0]);
        assert_eq!(outlet.depth(cell(80, 10)), 12.0);
        assert!(outlet.passes(cell(86, 10), cell(88, 10)));
        assert!(!outlet.passes(cell(88, 10), cell(87, 10)), "inward");
        assert!(!outlet.passes(cell(80, 10), cell(82, 10)), "far");
        assert!(!outlet.passes(cell(86, 80), cell(88, 80)), "beside");
    }
}
