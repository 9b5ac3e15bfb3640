//! Closed rings in the plane with vertices equidistant in arc length.

use std::f64::consts::TAU;

use crate::Surface;

/// Sides, for each vertex, of the fine polygon that measures arc length; its error is about 1e-6 of a side.
const FINE: usize = 512;

/// A ring of `count` vertices on the image of the unit circle under `map`, counter-clockwise, equidistant in arc
/// length.
pub(crate) fn ring(count: usize, map: impl Fn([f64; 2]) -> [f64; 2]) -> Surface {
    let fine = FINE * count;
    let at = |turns: f64| map([(TAU * turns).cos(), (TAU * turns).sin()]);
    let mut travelled = vec![0.0; fine + 1];
    let mut previous = at(0.0);
    for k in 0..fine {
        let next = at((k + 1) as f64 / fine as f64);
        travelled[k + 1] = travelled[k] + (next[0] - previous[0]).hypot(next[1] - previous[1]);
        previous = next;
    }
    let vertices = (0..count).map(|k| {
        let wanted = travelled[fine] * k as f64 / count as f64;
        let side = travelled.partition_point(|&s| s <= wanted).clamp(1, fine) - 1;
        let share = (wanted - travelled[side]) / (travelled[side + 1] - travelled[side]);
        let [x, y] = at((side as f64 + share) / fine as f64);
        [x, y, 0.0]
    });
    Surface { dimension: 2, vertices: vertices.collect(), triangles: Vec::new() }.centred()
}
