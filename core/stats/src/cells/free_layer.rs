//! The layer next to the wall that holds no cells.

use super::Cell;
use super::flow::Window;
use crate::lookup::Nodes;
use crate::suspension::straight::{Kind, Straight};

/// The cell-free layer at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeLayer {
    /// Mean thickness over axial positions and sides, m.
    pub thickness: f64,
    /// Its standard deviation over axial positions and sides, m.
    pub deviation: f64,
    /// Share of axial positions that cells cross.
    pub covered: f64,
}

/// The cell-free layer of a straight channel or tube, seen from the side as under a microscope. At each axial position
/// (one lattice spacing long) it is the distance between the wall and the outermost point of any cell's surface: for
/// both walls of a channel; for a tube at both edges of its views along the two transverse axes. Positions outside the
/// window or without cells do not count. `None` for other cross-sections and without cells.
pub fn free_layer(nodes: &Nodes, straight: &Straight, cells: &[Cell], window: &Window) -> Option<FreeLayer> {
    let dx = nodes.grid().spacing;
    let axis = straight.axis;
    let views: Vec<(usize, f64, f64)> = match straight.kind {
        Kind::Channel { across, low, high } => vec![(across, low, high)],
        Kind::Tube { centre, radius } => {
            let view = |k: usize| (straight.transverse()[k], centre[k] - radius, centre[k] + radius);
            vec![view(0), view(1)]
        }
        Kind::Duct { .. } | Kind::Other => return None,
    };
    let start = nodes.bounds().0[axis];
    let bins = (straight.length / dx).round() as usize;
    let around = nodes.period()[axis].is_some();
    let mut reach = vec![vec![[f64::INFINITY, f64::NEG_INFINITY]; bins]; views.len()];
    for cell in cells {
        for [i, j] in cell.edges() {
            let (p, q) = (cell.position[i], cell.position[j]);
            let length = (0..3).map(|a| (q[a] - p[a]).powi(2)).sum::<f64>().sqrt();
            let pieces = (2.0 * length / dx).ceil().max(1.0);
            for piece in 0..=pieces as usize {
                let t = piece as f64 / pieces;
                let at = |a: usize| p[a] + t * (q[a] - p[a]);
                let bin = ((at(axis) - start) / dx).floor() as i64;
                let bin = if around { bin.rem_euclid(bins as i64) } else { bin };
                let Some(bin) = usize::try_from(bin).ok().filter(|&bin| bin < bins) else { continue };
                for (view, &(across, ..)) in reach.iter_mut().zip(&views) {
                    let [low, high] = &mut view[bin];
                    *low = low.min(at(across));
                    *high = high.max(at(across));
                }
            }
        }
    }
    let counts: Vec<bool> = (0..bins).map(|bin| window.holds([start + (bin as f64 + 0.5) * dx; 3])).collect();
    let gaps: Vec<f64> = reach
        .iter()
        .zip(&views)
        .flat_map(|(view, &(_, wall, far))| view.iter().map(move |&[low, high]| [low - wall, far - high]).zip(&counts))
        .filter_map(|(gaps, counts)| counts.then_some(gaps))
        .filter(|gaps| gaps[0].is_finite())
        .flatten()
        .collect();
    let number = gaps.len() as f64;
    let thickness = gaps.iter().sum::<f64>() / number;
    let variance = gaps.iter().map(|g| (g - thickness).powi(2)).sum::<f64>() / number;
    let covered = number / (2 * views.len() * counts.iter().filter(|counts| **counts).count()) as f64;
    (!gaps.is_empty()).then(|| FreeLayer { thickness, deviation: variance.sqrt(), covered })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::cells;
    use crate::cells::testing::{frame, ring, sphere};
    use crate::testing::{channel, grid_of};

    #[test]
    fn a_band_of_cells_leaves_its_margins() {
        // A rectangle over the whole length, from y = 3 to 9, between walls at 1 and 13.
        let grid = channel(16, 12, 1.0);
        let nodes = Nodes::new(&grid).expect("nodes").wrapped([16, 14, 1], [true, false, false]);
        let straight = Straight::find(&nodes, 0).expect("straight");
        let band = vec![[0.0, 3.0, 0.0], [15.9, 3.0, 0.0], [15.9, 9.0, 0.0], [0.0, 9.0, 0.0]];
        let (kinds, f) = frame(&[("b", &[], vec![band])]);
        let layer =
            free_layer(&nodes, &straight, &cells(&kinds, &f).expect("sound"), &Window::everything(straight.axis))
                .expect("cells");
        assert!((layer.thickness - 3.0).abs() < 1e-12 && (layer.deviation - 1.0).abs() < 1e-12, "{layer:?}");
        assert_eq!(layer.covered, 1.0);
        // A disc covers no more than its own length, also across the periodic face.
        let (kinds, f) = frame(&[("d", &[], vec![ring([16.0, 7.0], [1.9, 1.9], 0.0, 400)])]);
        let layer =
            free_layer(&nodes, &straight, &cells(&kinds, &f).expect("sound"), &Window::everything(straight.axis))
                .expect("cells");
        let gaps = [6.0 - 1.9, 6.0 - (1.9f64 * 1.9 - 1.0).sqrt()];
        assert_eq!(layer.covered, 0.25);
        assert!((layer.thickness - 0.5 * (gaps[0] + gaps[1])).abs() < 1e-2, "{layer:?}");
        assert_eq!(free_layer(&nodes, &straight, &[], &Window::everything(0)), None);
    }

    #[test]
    fn a_ball_on_the_axis_of_a_tube() {
        let inside = |x: i32, y: i32| f64::from(2 * x - 19).hypot(f64::from(2 * y - 19)) < 20.0;
        let section = (0..20).flat_map(|y| (0..20).map(move |x| (x, y))).filter(|&(x, y)| inside(x, y));
        let grid = grid_of(3, 1.0, section.flat_map(|(x, y)| (0..4).map(move |z| [x, y, z])));
        let nodes = Nodes::new(&grid).expect("nodes");
        let straight = Straight::find(&nodes, 2).expect("straight");
        let Kind::Tube { radius, .. } = straight.kind else { panic!("a tube") };
        let (unit, triangles) = sphere(4);
        // So long that its sides are parallel to the axis inside the domain.
        let body: Vec<[f64; 3]> =
            unit.iter().map(|v| [10.0 + 6.0 * v[0], 10.0 + 6.0 * v[1], 2.0 + 400.0 * v[2]]).collect();
        let (kinds, f) = frame(&[("b", &triangles, vec![body])]);
        let layer =
            free_layer(&nodes, &straight, &cells(&kinds, &f).expect("sound"), &Window::everything(straight.axis))
                .expect("cells");
        assert!((layer.thickness - (radius - 6.0)).abs() < 0.02, "{layer:?}");
    }
}
