//! Hematocrit and fluxes of cells and fluid at one time.

use super::Cell;
use super::shape::Shape;
use crate::lookup::Nodes;

/// A stretch of the domain along an axis. It holds cells whose centroid, and nodes whose centre, lies in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The axis.
    pub axis: usize,
    /// Where the stretch starts, m.
    pub from: f64,
    /// Where it ends, m.
    pub to: f64,
}

impl Window {
    /// The whole domain.
    pub fn everything(axis: usize) -> Self {
        Self { axis, from: f64::NEG_INFINITY, to: f64::INFINITY }
    }

    /// Whether a point lies inside.
    pub fn holds(&self, point: [f64; 3]) -> bool {
        (self.from..self.to).contains(&point[self.axis])
    }
}

/// The cells of one population inside a window, in SI. In 2-D volumes are areas.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellSum {
    /// Cells.
    pub number: usize,
    /// Their enclosed volume.
    pub volume: f64,
    /// Volume times velocity along the axis, summed: `sum V_c u_c . axis`.
    pub flux: f64,
}

/// The fluid inside a window, cells included, in SI. In 2-D volumes are areas.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FluidSum {
    /// Volume of its nodes.
    pub volume: f64,
    /// `sum u . axis dV` over its nodes.
    pub flux: f64,
    /// `sum |u . axis| dV` over its nodes.
    pub moved: f64,
}

/// Share of the fluid's motion along the axis that has to be net for a discharge hematocrit.
const LEAST_NET: f64 = 0.02;

/// Sums the cells in the window, one sum for each population. `shapes` holds the shape of each cell.
pub fn cell_sums(cells: &[Cell], shapes: &[Shape], populations: usize, window: &Window) -> Vec<CellSum> {
    let mut sums = vec![CellSum::default(); populations];
    for (cell, shape) in cells.iter().zip(shapes).filter(|(_, shape)| window.holds(shape.centroid)) {
        let sum = &mut sums[cell.kind];
        sum.number += 1;
        sum.volume += shape.volume;
        sum.flux += shape.flux[window.axis];
    }
    sums
}

/// Sums the fluid in the window. `velocity` holds x, y, z a node in m/s, where known.
pub fn fluid_sum(nodes: &Nodes, velocity: Option<&[f64]>, window: &Window) -> FluidSum {
    let each = nodes.grid().spacing.powi(nodes.grid().dimension as i32);
    let mut sum = FluidSum::default();
    for n in (0..nodes.grid().position.len()).filter(|&n| window.holds(nodes.centre(n))) {
        sum.volume += each;
        let flux = velocity.map_or(0.0, |u| each * u[3 * n + window.axis]);
        sum.flux += flux;
        sum.moved += flux.abs();
    }
    sum
}

impl FluidSum {
    /// Tube hematocrit: the share of the lumen's volume inside cells.
    pub fn tube_hematocrit(&self, cells: &[CellSum]) -> f64 {
        cells.iter().map(|c| c.volume).sum::<f64>() / self.volume
    }

    /// Discharge hematocrit: the share of the volume flux that cells carry. `None` where the fluid goes to and fro instead
    /// of along: less than 2 % of what moves is net.
    pub fn discharge_hematocrit(&self, cells: &[CellSum]) -> Option<f64> {
        (self.flux.abs() > LEAST_NET * self.moved).then(|| cells.iter().map(|c| c.flux).sum::<f64>() / self.flux)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::cells;
    use crate::cells::testing::{frame, ring};
    use crate::testing::channel;

    #[test]
    fn hematocrits_of_plug_and_parabola() {
        // Two squares of area 4 on the axis of a channel 10 high and 20 long; the fluid moves at 1, the squares at 1.5.
        let grid = channel(20, 10, 1.0);
        let nodes = Nodes::new(&grid).expect("nodes");
        let square = |x: f64| vec![[x, 5.0, 0.0], [x + 2.0, 5.0, 0.0], [x + 2.0, 7.0, 0.0], [x, 7.0, 0.0]];
        let (kinds, mut f) = frame(&[("s", &[], vec![square(1.0), square(12.0)]), ("none", &[], vec![])]);
        f.velocity = vec![[1.5, 0.1, 0.0]; 8];
        let found = cells(&kinds, &f).expect("sound");
        let shapes: Vec<Shape> = found.iter().map(Shape::of).collect();
        let velocity: Vec<f64> = grid.position.iter().flat_map(|_| [1.0, 0.0, 0.0]).collect();
        let all = Window::everything(0);
        let (sums, fluid) = (cell_sums(&found, &shapes, 2, &all), fluid_sum(&nodes, Some(&velocity), &all));
        assert_eq!((sums[0].number, sums[1].number, fluid.volume), (2, 0, 200.0));
        assert!((fluid.tube_hematocrit(&sums) - 0.04).abs() < 1e-12);
        assert!(fluid.discharge_hematocrit(&sums).is_some_and(|share| (share - 0.06).abs() < 1e-12));
        let still: Vec<f64> =
            grid.position.iter().flat_map(|at| [if at[1] % 2 == 0 { 1.0 } else { -1.0 }, 0.0, 0.0]).collect();
        assert_eq!(fluid_sum(&nodes, Some(&still), &all).discharge_hematocrit(&sums), None);
        let half = Window { axis: 0, from: 0.0, to: 5.0 };
        let (sums, fluid) = (cell_sums(&found, &shapes, 2, &half), fluid_sum(&nodes, None, &half));
        assert!((fluid.tube_hematocrit(&sums) - 0.08).abs() < 1e-12);
    }

    #[test]
    fn shear_moves_a_cell_with_its_centroid() {
        // In the flow u = y the body moves at the velocity at its centroid, however its vertices are spread.
        let mut body = ring([0.0, 3.0], [2.0, 1.0], 0.2, 60);
        body.drain(3..9);
        let (kinds, mut f) = frame(&[("e", &[], vec![body])]);
        for (u, p) in f.velocity.iter_mut().zip(&f.position) {
            *u = [p[1] as f32, 0.0, 0.0];
        }
        let found = cells(&kinds, &f).expect("sound");
        let shape = Shape::of(&found[0]);
        assert!((shape.velocity()[0] - shape.centroid[1]).abs() < 1e-6);
    }
}
