//! Which share of lattice cubes lies inside a body.

use super::Body;
use crate::lookup::Nodes;

/// About how many lines cut the shortest semi-axis, and at most how many an edge of a cube.
const LINES: [f64; 2] = [8.0, 16.0];

/// Calls `take` with each lattice position of whose cube the body fills a part, and with the share that it fills, row
/// by row. The share is exact along x; across x, a square of lines cuts each cube, more lines where bodies are thin.
pub(super) fn fill(nodes: &Nodes, body: &Body, take: &mut dyn FnMut([i64; 3], f64)) {
    let dx = nodes.grid().spacing;
    // Lattice units with whole numbers at the faces of cubes.
    let centre = nodes.coordinate(body.position).map(|x| x + 0.5);
    let form = body.form().map(|row| row.map(|x| x * dx * dx));
    let half = body.half_box().map(|x| x / dx);
    let thinnest = body.semi_axes.into_iter().fold(f64::INFINITY, f64::min) / dx;
    let lines = (LINES[0] / thinnest).ceil().clamp(2.0, LINES[1]);
    let range = |a: usize| {
        let first = ((centre[a] - half[a]) * lines - 0.5).ceil() as i64;
        first..=((centre[a] + half[a]) * lines - 0.5).floor() as i64
    };
    let place = |line: i64| (line as f64 + 0.5) / lines;
    for up in range(2) {
        for side in range(1) {
            let (y, z) = (place(side) - centre[1], place(up) - centre[2]);
            // form[0][0] x^2 + 2 b x + c = 0 at the surface.
            let b = form[0][1] * y + form[0][2] * z;
            let c = form[1][1] * y * y + 2.0 * form[1][2] * y * z + form[2][2] * z * z - 1.0;
            let square = b * b - form[0][0] * c;
            if square <= 0.0 {
                continue;
            }
            let [from, to] = [-1.0, 1.0].map(|sign| centre[0] + (sign * square.sqrt() - b) / form[0][0]);
            let [y, z] = [side, up].map(|line| (line as f64 / lines).floor() as i64);
            for x in from.floor() as i64..=to.floor() as i64 {
                let overlap = to.min(x as f64 + 1.0) - from.max(x as f64);
                take([x, y, z], overlap.max(0.0) / (lines * lines));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::bodies;
    use crate::bodies::testing::{frame, spiral, z_to};
    use crate::suspension::occupancy::occupancy;
    use crate::testing::{duct, grid_of};

    #[test]
    fn bodies_fill_their_volume_wherever_they_lie() {
        let grid = duct(20, 20, 20, 0.5);
        let grid = grid_of(3, 0.5, grid.position.iter().map(|p| [p[0], p[1], p[2] - 1]));
        let nodes = Nodes::new(&grid).expect("nodes").wrapped([22, 22, 20], [false, false, true]);
        for semi_axes in [[2.0, 2.0, 0.7], [0.6, 0.6, 0.2], [0.25; 3]] {
            for (k, n) in spiral(7).into_iter().enumerate() {
                // Through the periodic face, too.
                let centre = [5.1 + 0.1 * k as f64, 5.3, 0.4 + 1.1 * k as f64];
                let (kinds, f) = frame(semi_axes, &[(centre, z_to(n))]);
                let all = bodies(&kinds, &f).expect("sound");
                let filled = occupancy(&nodes, &all, 1);
                let volume = filled.share[0].iter().map(|&v| f64::from(v)).sum::<f64>() * 0.125;
                assert!((volume / all[0].volume() - 1.0).abs() < 0.02, "{semi_axes:?} {k}: {volume}");
                assert!(filled.outside < 1e-12 && filled.share[0].iter().all(|&v| v < 1.001));
            }
        }
        // Half of a ball beyond the wall at x = 0.5.
        let (kinds, f) = frame([2.0; 3], &[([0.5, 5.0, 5.0], [1.0, 0.0, 0.0, 0.0])]);
        let filled = occupancy(&nodes, &bodies(&kinds, &f).expect("sound"), 1);
        assert!((filled.outside - 0.5).abs() < 1e-3, "{}", filled.outside);
    }
}
