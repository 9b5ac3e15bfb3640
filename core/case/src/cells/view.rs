//! The vertices of one cell at the surface of another, by that surface's table of distances.

use super::distance::Distance;
use super::turn::{Matrix, apply_back, back_times};
use hematite_cells::vector::Point;

/// How the vertices of one cell are seen in the frame of another: `q = turn v + from`, unscaled.
pub(super) struct View {
    turn: [[f32; 3]; 3],
    pub from: [f32; 3],
    scale: f32,
    ratio: f32,
}

/// Sums over vertices that are too near, in the frame of the surface.
#[derive(Default)]
pub(super) struct Touches {
    pub force: [f32; 3],
    pub torque: [f32; 3],
    pub count: f32,
    pub levers: f32,
    pub worst: f32,
    pub shrink: f32,
}

impl View {
    /// The frame of a surface turned by `frame` and scaled by `scale`, and a cell at `apart` from it.
    pub fn new(frame: &Matrix, scale: f64, turn: &Matrix, size: f64, apart: Point) -> Self {
        let ratio = size / scale;
        Self {
            turn: back_times(frame, turn).map(|row| row.map(|x| (ratio * x) as f32)),
            from: apply_back(frame, apart).map(|x| (x / scale) as f32),
            scale: scale as f32,
            ratio: ratio as f32,
        }
    }

    #[inline]
    fn see<const D: usize>(&self, v: &[f32; 3]) -> [f32; 3] {
        let mut q = self.from;
        for (q, row) in q.iter_mut().zip(&self.turn).take(D) {
            *q += (0..D).map(|j| row[j] * v[j]).sum::<f32>();
        }
        q
    }

    /// Sums over the `points` nearer than `gap` to the surface; levers from the centre of the points' cell (`own`) or
    /// of the surface.
    pub fn touches<const D: usize>(&self, points: &[[f32; 3]], surface: &Distance, gap: f64, own: bool) -> Touches {
        let gap = gap as f32;
        let origin = if own { self.from } else { [0.0; 3] };
        let size = if own { self.scale * self.ratio } else { self.scale };
        let mut sums = Touches::default();
        for point in points {
            let q = self.see::<D>(point);
            let Some((distance, n)) = surface.at::<D>(q) else { continue };
            let depth = gap - self.scale * distance;
            if depth <= 0.0 {
                continue;
            }
            let r = [0, 1, 2].map(|k| self.scale * (q[k] - origin[k]));
            let torque = [r[1] * n[2] - r[2] * n[1], r[2] * n[0] - r[0] * n[2], r[0] * n[1] - r[1] * n[0]];
            let mut along = 0.0;
            for k in 0..3 {
                sums.force[k] += depth * n[k];
                sums.torque[k] += depth * torque[k];
                sums.levers += torque[k] * torque[k];
                along += r[k] * n[k];
            }
            sums.count += 1.0;
            sums.worst = sums.worst.max(depth);
            sums.shrink = sums.shrink.max(depth * size / along.abs().max(0.5 * size));
        }
        sums
    }
}

impl Distance {
    /// The least distance of `points`, in lattice units; infinite where all are off the grid.
    pub fn closest<const D: usize>(&self, points: &[[f32; 3]], view: &View) -> f64 {
        let seen = points.iter().filter_map(|point| self.at::<D>(view.see::<D>(point)));
        f64::from(seen.map(|(distance, _)| distance).fold(f32::INFINITY, f32::min) * view.scale)
    }
}
