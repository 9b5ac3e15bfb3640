//! Means over nodes with the same coordinate across a vessel.

use super::straight::{Kind, Straight};
use crate::lookup::Nodes;

/// Nodes in bins by their coordinate across the vessel.
#[derive(Clone, Debug, PartialEq)]
pub struct Bins {
    /// Which coordinate it is.
    pub across: Across,
    /// Coordinate of each bin: the mean of its nodes, m.
    pub coordinate: Vec<f64>,
    /// Number of nodes in each bin.
    pub nodes: Vec<usize>,
    bin: Vec<u32>,
}

/// Bin of nodes that do not count.
const NONE: u32 = u32::MAX;

/// A coordinate across a vessel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    /// From the middle of a channel towards its upper wall.
    Middle,
    /// From the axis of a tube.
    Axis,
    /// From the nearest wall.
    Wall,
}

impl Across {
    /// Its name in file names and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Middle => "offset",
            Self::Axis => "radius",
            Self::Wall => "wall_distance",
        }
    }

    /// Label for the axis of a chart.
    pub fn label(self) -> &'static str {
        match self {
            Self::Middle => "offset from the middle",
            Self::Axis => "distance from the axis",
            Self::Wall => "distance from the wall",
        }
    }
}

impl Bins {
    /// Bins one lattice spacing wide by `distance` (m), that of each node from the nearest wall.
    pub fn by_wall(nodes: &Nodes, distance: &[f64]) -> Self {
        let dx = nodes.grid().spacing;
        Self::new(Across::Wall, distance, |d| d / dx)
    }

    /// Bins across a straight channel, one for each layer of nodes, or across a tube, rings one lattice spacing wide.
    /// `None` for other cross-sections.
    pub fn across(nodes: &Nodes, straight: &Straight) -> Option<Self> {
        let dx = nodes.grid().spacing;
        let all = 0..nodes.grid().position.len();
        match straight.kind {
            Kind::Channel { across, low, high } => {
                let middle = 0.5 * (low + high);
                let offset: Vec<f64> = all.map(|n| nodes.centre(n)[across] - middle).collect();
                Some(Self::new(Across::Middle, &offset, |s| (s + 0.5 * (high - low)) / dx))
            }
            Kind::Tube { centre, .. } => {
                let [a, b] = straight.transverse();
                let radius: Vec<f64> =
                    all.map(|n| nodes.centre(n)).map(|x| (x[a] - centre[0]).hypot(x[b] - centre[1])).collect();
                Some(Self::new(Across::Axis, &radius, |r| r / dx))
            }
            Kind::Duct { .. } | Kind::Other => None,
        }
    }

    fn new(across: Across, place: &[f64], number: impl Fn(f64) -> f64) -> Self {
        let bin: Vec<u32> = place.iter().map(|&p| number(p).max(0.0) as u32).collect();
        let count = bin.iter().max().map_or(0, |&last| last as usize + 1);
        let mut bins = Self { across, coordinate: Vec::new(), nodes: vec![0; count], bin };
        for &b in &bins.bin {
            bins.nodes[b as usize] += 1;
        }
        bins.coordinate = bins.means(place.iter().copied());
        bins
    }

    /// Keeps only the nodes for which `keep` is true.
    #[must_use]
    pub fn only(mut self, keep: impl Fn(usize) -> bool) -> Self {
        for (_, bin) in self.bin.iter_mut().enumerate().filter(|(n, _)| !keep(*n)) {
            self.nodes[*bin as usize] -= 1;
            *bin = NONE;
        }
        self
    }

    /// The bin of a node; `None` for a node that does not count.
    pub fn bin(&self, node: usize) -> Option<usize> {
        self.bin.get(node).filter(|&&bin| bin != NONE).map(|&bin| bin as usize)
    }

    /// Mean of `values`, one a node, over each bin; NaN for bins without nodes.
    pub fn means(&self, values: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut sum = vec![0.0; self.nodes.len()];
        for (value, &bin) in values.zip(&self.bin).filter(|(_, bin)| **bin != NONE) {
            sum[bin as usize] += value;
        }
        sum.iter().zip(&self.nodes).map(|(sum, &n)| sum / n as f64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{channel, poiseuille};

    #[test]
    fn a_channel_profile_has_one_bin_a_layer() {
        let (height, dx) = (12, 0.5);
        let grid = channel(5, height, dx);
        let nodes = Nodes::new(&grid).expect("nodes").wrapped([5, 14, 1], [true, false, false]);
        let straight = Straight::find(&nodes, 0).expect("straight");
        let bins = Bins::across(&nodes, &straight).expect("a channel");
        assert_eq!(bins.nodes, [5; 12]);
        assert!((bins.coordinate[0] + 2.75).abs() < 1e-12 && (bins.coordinate[11] - 2.75).abs() < 1e-12);
        let speed = |n: usize| poiseuille(nodes.centre(n)[1], dx, 6.0, 1.0, 1.0);
        let means = bins.means((0..grid.position.len()).map(speed));
        for (s, u) in bins.coordinate.iter().zip(means) {
            assert!((u - 0.5 * (9.0 - s * s)).abs() < 1e-12);
        }
        let first = bins.only(|n| grid.position[n][0] == 0);
        assert_eq!(first.nodes, [1; 12]);
        let ones = first.means(grid.position.iter().map(|p| if p[0] == 0 { 1.0 } else { 7.0 }));
        assert_eq!(ones, [1.0; 12]);
        let wall: Vec<f64> = (0..60).map(|n| 3.0 - (nodes.centre(n)[1] - 3.5).abs()).collect();
        let bins = Bins::by_wall(&nodes, &wall);
        assert_eq!(bins.nodes, [10; 6]);
        assert!((bins.coordinate[2] - 1.25).abs() < 1e-12);
    }
}
