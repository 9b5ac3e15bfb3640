//! What is nearest to the viewer at each pixel, found by many threads at once with the same outcome.

use std::sync::atomic::{AtomicU64, Ordering};

/// Nothing is seen.
const EMPTY: u64 = u64::MAX;
/// How far beyond its edges a quad holds pixels, as a share of its half edge: neighbours leave no gap.
const SEAM: f64 = 1e-3;
/// The largest depth as it is kept.
const STEPS: f64 = 4_294_967_000.0;

/// Depth and mark of what is nearest at each pixel. The nearest wins, of equals the lowest mark, so that the order does not matter.
pub struct DepthBuffer {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    range: [f64; 2],
    pixels: Vec<AtomicU64>,
}

/// A parallelogram in pixels, with depth.
pub struct Quad {
    /// Its middle: column, row, depth.
    pub centre: [f64; 3],
    /// From there to the middles of two edges.
    pub halves: [[f64; 3]; 2],
}

impl DepthBuffer {
    /// One that shows nothing yet; depths are within `range`.
    pub fn new(width: usize, height: usize, range: [f64; 2]) -> Self {
        let pixels = (0..width * height).map(|_| AtomicU64::new(EMPTY)).collect();
        Self { width, height, range, pixels }
    }

    /// Puts a point there.
    pub fn put(&self, column: i64, row: i64, depth: f64, mark: u32) {
        if (0..self.width as i64).contains(&column) && (0..self.height as i64).contains(&row) {
            let [near, far] = self.range;
            let step = ((depth - near) / (far - near)).clamp(0.0, 1.0) * STEPS;
            let word = (step as u64) << 32 | u64::from(mark);
            self.pixels[row as usize * self.width + column as usize].fetch_min(word, Ordering::Relaxed);
        }
    }

    /// Puts a quad there: at least the pixel of its middle.
    pub fn put_quad(&self, quad: &Quad, mark: u32) {
        let [x, y, depth] = quad.centre;
        self.put(x.floor() as i64, y.floor() as i64, depth, mark);
        let [a, b] = quad.halves;
        let det = a[0] * b[1] - a[1] * b[0];
        if det.abs() < 1e-9 {
            return;
        }
        let reach = |k: usize| (1.0 + SEAM) * (a[k].abs() + b[k].abs());
        let span =
            |middle: f64, reach: f64| (middle - reach - 0.5).ceil() as i64..=(middle + reach - 0.5).floor() as i64;
        for row in span(y, reach(1)) {
            for column in span(x, reach(0)) {
                let [dx, dy] = [column as f64 + 0.5 - x, row as f64 + 0.5 - y];
                let [s, t] = [(dx * b[1] - dy * b[0]) / det, (a[0] * dy - a[1] * dx) / det];
                if s.abs().max(t.abs()) <= 1.0 + SEAM {
                    self.put(column, row, depth + s * a[2] + t * b[2], mark);
                }
            }
        }
    }

    /// Puts a triangle of corners (column, row, depth) there.
    pub fn put_triangle(&self, [p, q, r]: [[f64; 3]; 3], mark: u32) {
        let [a, b] = [q, r].map(|corner| [0, 1, 2].map(|k| corner[k] - p[k]));
        let det = a[0] * b[1] - a[1] * b[0];
        if det.abs() < 1e-9 {
            return;
        }
        let span = |k: usize| {
            let (low, high) = (p[k].min(q[k]).min(r[k]), p[k].max(q[k]).max(r[k]));
            (low - 0.5 - SEAM).ceil() as i64..=(high - 0.5 + SEAM).floor() as i64
        };
        for row in span(1) {
            for column in span(0) {
                let [dx, dy] = [column as f64 + 0.5 - p[0], row as f64 + 0.5 - p[1]];
                let [s, t] = [(dx * b[1] - dy * b[0]) / det, (a[0] * dy - a[1] * dx) / det];
                if s >= -SEAM && t >= -SEAM && s + t <= 1.0 + SEAM {
                    self.put(column, row, p[2] + s * a[2] + t * b[2], mark);
                }
            }
        }
    }

    /// Puts a ball there: middle (column, row, depth) and radius in pixels, and its radius in depth.
    pub fn put_ball(&self, [x, y, depth]: [f64; 3], radius: f64, deep: f64, mark: u32) {
        let span = |middle: f64| (middle - radius - 0.5).ceil() as i64..=(middle + radius - 0.5).floor() as i64;
        self.put(x.floor() as i64, y.floor() as i64, depth - deep, mark);
        for row in span(y) {
            for column in span(x) {
                let [dx, dy] = [column as f64 + 0.5 - x, row as f64 + 0.5 - y];
                let left = 1.0 - (dx * dx + dy * dy) / (radius * radius);
                if left >= 0.0 {
                    self.put(column, row, depth - deep * left.sqrt(), mark);
                }
            }
        }
    }

    /// Depth and mark at a pixel; none where nothing is.
    pub fn at(&self, column: usize, row: usize) -> Option<(f64, u32)> {
        let word = self.pixels[row * self.width + column].load(Ordering::Relaxed);
        let [near, far] = self.range;
        (word != EMPTY).then(|| (near + (far - near) * ((word >> 32) as f64 / STEPS), word as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_is_seen_and_quads_side_by_side_leave_no_gap() {
        let buffer = DepthBuffer::new(40, 40, [0.0, 10.0]);
        // Quads of 0.9 x 0.9 pixels, turned, side by side.
        let (a, b) = ([0.36, 0.27], [-0.27, 0.36]);
        for (i, j) in (-40..40).flat_map(|i| (-40..40).map(move |j| (f64::from(i), f64::from(j)))) {
            let at = [0, 1].map(|k| 20.3 + 2.0 * (i * a[k] + j * b[k]));
            let halves = [[a[0], a[1], 0.0], [b[0], b[1], 0.0]];
            buffer.put_quad(&Quad { centre: [at[0], at[1], 5.0], halves }, 7);
        }
        for (column, row) in (0..40).flat_map(|x| (0..40).map(move |y| (x, y))) {
            let (depth, mark) = buffer.at(column, row).expect("no gap");
            assert!((depth - 5.0).abs() < 1e-6 && mark == 7);
        }
        buffer.put(3, 4, 2.0, 9);
        buffer.put(3, 4, 6.0, 1);
        assert_eq!(buffer.at(3, 4).map(|(_, mark)| mark), Some(9));
        buffer.put(-1, 4, 2.0, 9);
    }
}
