//! Nodes by place: sparse look-up by lattice position and by global number, and interpolation between nodes.

use hematite_case::NodeId;
use hematite_config::{Fault, Result};
use hematite_dump::Grid;

/// The nodes of a grid, found by lattice position.
///
/// Memory follows the nodes, never the bounding box: one number a node.
pub struct Nodes<'a> {
    grid: &'a Grid,
    order: Vec<usize>,
    low: [i64; 3],
    high: [i64; 3],
    /// Period of the lattice in sites, along periodic axes.
    period: [Option<i64>; 3],
}

/// The nodes around a point and their weights, which sum to one.
#[derive(Clone, Debug, PartialEq)]
pub struct Stencil {
    /// Number of a node in the grid, and its weight.
    pub nodes: Vec<(usize, f64)>,
    /// Share of the weights of the full (bi- or trilinear) stencil that belongs to nodes: 1 away from walls.
    pub covered: f64,
}

impl<'a> Nodes<'a> {
    /// Sorts the nodes of `grid`.
    ///
    /// # Errors
    /// A usage fault when the grid has no nodes, or a spacing that is not a positive number.
    pub fn new(grid: &'a Grid) -> Result<Self> {
        if grid.position.is_empty() {
            return Err(Fault::usage("the dump holds no lattice nodes"));
        }
        if !(grid.spacing > 0.0 && grid.spacing.is_finite()) {
            return Err(Fault::usage(format!("the dump's lattice spacing is {} m; it must be positive", grid.spacing)));
        }
        let (mut low, mut high) = ([i64::MAX; 3], [i64::MIN; 3]);
        for p in &grid.position {
            for axis in 0..3 {
                low[axis] = low[axis].min(i64::from(p[axis]));
                high[axis] = high[axis].max(i64::from(p[axis]));
            }
        }
        let mut order: Vec<usize> = (0..grid.position.len()).collect();
        if !grid.position.is_sorted_by_key(key) {
            order.sort_unstable_by_key(|&n| key(&grid.position[n]));
        }
        Ok(Self { grid, order, low, high, period: [None; 3] })
    }

    /// Makes the axes marked in `periodic` wrap after `extent` sites: look-ups and interpolation go on across these
    /// faces.
    #[must_use]
    pub fn wrapped(self, extent: [usize; 3], periodic: [bool; 3]) -> Self {
        let axes = self.grid.dimension;
        Self { period: std::array::from_fn(|a| (periodic[a] && a < axes).then_some(extent[a] as i64)), ..self }
    }

    /// Period of the lattice in sites, along periodic axes.
    pub fn period(&self) -> [Option<i64>; 3] {
        self.period
    }

    /// Period of the lattice in metres, along periodic axes.
    pub fn period_metres(&self) -> [Option<f64>; 3] {
        self.period.map(|period| period.map(|sites| sites as f64 * self.grid.spacing))
    }

    /// The grid.
    pub fn grid(&self) -> &'a Grid {
        self.grid
    }

    /// Lowest lattice position of a node along each axis.
    pub fn low(&self) -> [i64; 3] {
        self.low
    }

    /// Highest lattice position of a node along each axis.
    pub fn high(&self) -> [i64; 3] {
        self.high
    }

    /// Lower and upper corner of the box around all nodes, in metres; its faces lie half a spacing beyond the nodes.
    pub fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        let corner = |layer: [i64; 3], shift: f64| {
            std::array::from_fn(|axis| self.grid.origin[axis] + (layer[axis] as f64 + shift) * self.grid.spacing)
        };
        (corner(self.low, 0.0), corner(self.high, 1.0))
    }

    /// Centre of node `n`, in metres.
    pub fn centre(&self, n: usize) -> [f64; 3] {
        std::array::from_fn(|axis| {
            self.grid.origin[axis] + (f64::from(self.grid.position[n][axis]) + 0.5) * self.grid.spacing
        })
    }

    /// A point in metres as a lattice coordinate, whole at node centres.
    pub fn coordinate(&self, point: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| (point[axis] - self.grid.origin[axis]) / self.grid.spacing - 0.5)
    }

    /// The node at a lattice position, or at the one it wraps to.
    pub fn at(&self, position: [i64; 3]) -> Option<usize> {
        let position: [i64; 3] =
            std::array::from_fn(|a| self.period[a].map_or(position[a], |period| position[a].rem_euclid(period)));
        let wanted = (position[2], position[1], position[0]);
        self.order
            .binary_search_by_key(&wanted, |&n| {
                let [x, y, z] = self.grid.position[n];
                (i64::from(z), i64::from(y), i64::from(x))
            })
            .ok()
            .map(|place| self.order[place])
    }

    /// The (bi- or trilinear) stencil of the nodes around lattice coordinate `x`. Shares the weights of missing nodes
    /// among those present, in proportion. `None` where no node is near.
    pub fn stencil(&self, x: [f64; 3]) -> Option<Stencil> {
        const NEGLIGIBLE: f64 = 1e-9;
        let axes = self.grid.dimension.clamp(2, 3);
        if x[..axes].iter().any(|c| c.is_nan() || c.abs() > 4e9) {
            return None;
        }
        let base: [i64; 3] = std::array::from_fn(|a| if a < axes { x[a].floor() as i64 } else { self.low[2] });
        let part: [f64; 3] = std::array::from_fn(|a| if a < axes { x[a] - x[a].floor() } else { 0.0 });
        let mut nodes = Vec::with_capacity(1 << axes);
        let mut covered = 0.0;
        for corner in 0..1usize << axes {
            let upper: [bool; 3] = std::array::from_fn(|a| corner >> a & 1 == 1);
            let weight: f64 = (0..axes).map(|a| if upper[a] { part[a] } else { 1.0 - part[a] }).product();
            if weight <= NEGLIGIBLE {
                continue;
            }
            if let Some(n) = self.at(std::array::from_fn(|a| base[a] + i64::from(upper[a]))) {
                nodes.push((n, weight));
                covered += weight;
            }
        }
        if nodes.is_empty() {
            return None;
        }
        for (_, weight) in &mut nodes {
            *weight /= covered;
        }
        Some(Stencil { nodes, covered })
    }
}

impl Stencil {
    /// The value of component `c` of `components` a node.
    pub fn value(&self, values: &[f64], components: usize, c: usize) -> f64 {
        self.nodes.iter().map(|&(n, weight)| weight * values[n * components + c]).sum()
    }
}

/// The index in `grid` of each node in `wanted`, in order; `None` for a node that the grid lacks.
pub fn find(grid: &Grid, wanted: impl IntoIterator<Item = NodeId>) -> Vec<Option<usize>> {
    let mut order: Vec<usize> = (0..grid.id.len()).collect();
    if !grid.id.is_sorted() {
        order.sort_unstable_by_key(|&n| grid.id[n]);
    }
    wanted
        .into_iter()
        .map(|id| order.binary_search_by_key(&id, |&n| grid.id[n]).ok().map(|place| order[place]))
        .collect()
}

/// Refuses values that do not fit the grid.
///
/// # Errors
/// A usage fault that names the field and both lengths.
pub fn fits(grid: &Grid, what: &str, values: &[f64], components: usize) -> Result<()> {
    if grid.position.len().checked_mul(components) == Some(values.len()) {
        return Ok(());
    }
    Err(Fault::usage(format!(
        "{what}: {} values for {} nodes of {components} components",
        values.len(),
        grid.position.len()
    )))
}

fn key(position: &[i32; 3]) -> (i32, i32, i32) {
    (position[2], position[1], position[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{channel, duct};

    #[test]
    fn finds_every_node_whatever_the_order() {
        let mut grid = duct(4, 3, 5, 1e-6);
        grid.position.reverse();
        grid.id.reverse();
        let nodes = Nodes::new(&grid).expect("has nodes");
        for (n, p) in grid.position.iter().enumerate() {
            assert_eq!(nodes.at(p.map(i64::from)), Some(n));
        }
        assert_eq!(nodes.at([0, 0, 0]), None);
        assert_eq!(find(&grid, [grid.id[7], NodeId(999)]), [Some(7), None]);
    }

    #[test]
    fn interpolation_is_exact_for_linear_fields_inside() {
        let grid = duct(4, 4, 4, 0.5);
        let nodes = Nodes::new(&grid).expect("has nodes");
        let linear = |p: [f64; 3]| 3.0 + 2.0 * p[0] - p[1] + 0.5 * p[2];
        let values: Vec<f64> = (0..grid.position.len()).map(|n| linear(nodes.centre(n))).collect();
        let point = [1.1, 1.3, 1.7];
        let stencil = nodes.stencil(nodes.coordinate(point)).expect("inside");
        assert!((stencil.value(&values, 1, 0) - linear(point)).abs() < 1e-12);
        assert!((stencil.covered - 1.0).abs() < 1e-12);
    }

    #[test]
    fn periodic_faces_have_nodes_beyond() {
        let grid = channel(6, 4, 1.0);
        let values: Vec<f64> = grid.position.iter().map(|p| f64::from(p[0])).collect();
        let nodes = Nodes::new(&grid).expect("has nodes").wrapped([6, 6, 1], [true, false, true]);
        assert_eq!(nodes.at([-1, 2, 0]), nodes.at([5, 2, 0]));
        assert_eq!((nodes.period(), nodes.at([0, 6, 0])), ([Some(6), None, None], None));
        let stencil = nodes.stencil(nodes.coordinate([0.0, 2.5, 0.0])).expect("on the face");
        assert!((stencil.covered - 1.0).abs() < 1e-12);
        assert!((stencil.value(&values, 1, 0) - 2.5).abs() < 1e-12, "the mean of 0 and 5");
    }

    #[test]
    fn a_constant_stays_constant_at_walls() {
        let grid = channel(3, 4, 1.0);
        let nodes = Nodes::new(&grid).expect("has nodes");
        let values = vec![7.0; grid.position.len()];
        let stencil = nodes.stencil(nodes.coordinate([1.0, 1.1, 0.0])).expect("at the wall");
        assert!(stencil.covered < 0.7);
        assert!((stencil.value(&values, 1, 0) - 7.0).abs() < 1e-12);
    }
}
