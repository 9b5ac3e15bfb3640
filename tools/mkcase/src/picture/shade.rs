//! From depths to the light on a surface.

use rayon::prelude::*;

use super::depth::DepthBuffer;

/// Where light comes from: right, up, towards the viewer; of unit length.
const LIGHT: [f64; 3] = [-0.42, 0.52, 0.744];
/// Light in the shade.
const AMBIENT: f64 = 0.5;
/// What is left of the light at edges.
const EDGE: f64 = 0.55;
/// Samples on each side of a pixel by which the surface there is known.
const SAMPLES: i64 = 4;

/// A pixel by which the surface at another one is known.
struct Sample {
    /// Pixels to the right of the other one.
    column: i64,
    /// Pixels below it.
    row: i64,
    /// Sites to the right.
    x: f64,
    /// Sites up.
    y: f64,
    /// Sites by which depths may differ on the same surface.
    farthest: f64,
}

/// The colour at each pixel, row by row; none where nothing is seen. The surface is smoothed over `reach` pixels. Depths are in
/// sites, of which each is `zoom` pixels.
pub fn shade(
    buffer: &DepthBuffer,
    zoom: f64,
    reach: f64,
    colour_of: impl Fn(u32) -> [u8; 3] + Sync,
) -> Vec<Option<[u8; 3]>> {
    let stride = (reach / SAMPLES as f64).ceil().max(1.0) as i64;
    let samples = ((reach / stride as f64).round() as i64).clamp(1, SAMPLES);
    let depth = |column: i64, row: i64| {
        let inside = (0..buffer.width as i64).contains(&column) && (0..buffer.height as i64).contains(&row);
        if inside { buffer.at(column as usize, row as usize).map(|(depth, _)| depth) } else { None }
    };
    let side = (-samples..=samples).map(|k| k * stride);
    let samples: Vec<Sample> = side
        .clone()
        .flat_map(|row| side.clone().map(move |column| (column, row)))
        .map(|(column, row)| {
            let (x, y) = (column as f64 / zoom, -row as f64 / zoom);
            Sample { column, row, x, y, farthest: 2.5 + 1.5 * x.hypot(y) }
        })
        .collect();
    let pixel = |i: usize| {
        let (column, row) = (i % buffer.width, i / buffer.width);
        let (here, mark) = buffer.at(column, row)?;
        let (column, row) = (column as i64, row as i64);
        let mut fit = Fit::default();
        for sample in &samples {
            let other = depth(column + sample.column, row + sample.row).map(|other| other - here);
            if let Some(deeper) = other.filter(|deeper| deeper.abs() < sample.farthest) {
                fit.add(sample.x, sample.y, deeper);
            }
        }
        let [right, up] = fit.slope();
        let length = (right * right + up * up + 1.0).sqrt();
        let light = (LIGHT[0] * right + LIGHT[1] * up + LIGHT[2]) / length;
        let around = [(1, 0), (-1, 0), (0, 1), (0, -1)].map(|(i, j)| depth(column + i, row + j));
        let is_edge = around.iter().any(|other| other.is_none_or(|other| other - here > 4.0 + 3.0 / zoom));
        let share = (AMBIENT + (1.0 - AMBIENT) * light.max(0.0)) * if is_edge { EDGE } else { 1.0 };
        Some(colour_of(mark).map(|c| (f64::from(c) * (share * 1.08).min(1.0)).round() as u8))
    };
    (0..buffer.width * buffer.height).into_par_iter().map(pixel).collect()
}

/// The plane through points by least squares.
#[derive(Default)]
struct Fit {
    count: f64,
    x: f64,
    y: f64,
    z: f64,
    xx: f64,
    xy: f64,
    yy: f64,
    xz: f64,
    yz: f64,
}

impl Fit {
    fn add(&mut self, x: f64, y: f64, z: f64) {
        self.count += 1.0;
        (self.x, self.y, self.z) = (self.x + x, self.y + y, self.z + z);
        (self.xx, self.xy, self.yy) = (self.xx + x * x, self.xy + x * y, self.yy + y * y);
        (self.xz, self.yz) = (self.xz + x * z, self.yz + y * z);
    }

    /// How much depth grows to the right and up; none where that is not known.
    fn slope(&self) -> [f64; 2] {
        let n = self.count.max(1.0);
        let (xx, xy, yy) =
            (self.xx - self.x * self.x / n, self.xy - self.x * self.y / n, self.yy - self.y * self.y / n);
        let (xz, yz) = (self.xz - self.x * self.z / n, self.yz - self.y * self.z / n);
        let det = xx * yy - xy * xy;
        if det <= 1e-9 * xx * yy || det <= 0.0 {
            return [0.0; 2];
        }
        [(xz * yy - yz * xy) / det, (yz * xx - xz * xy) / det]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_is_found_and_what_faces_the_light_is_lighter() {
        let mut fit = Fit::default();
        for (x, y) in (-3..4).flat_map(|x| (-3..4).map(move |y| (f64::from(x), f64::from(y)))) {
            fit.add(x, y, 0.5 * x - 2.0 * y + 7.0);
        }
        let [right, up] = fit.slope();
        assert!((right - 0.5).abs() < 1e-9 && (up + 2.0).abs() < 1e-9);
        assert_eq!(Fit::default().slope(), [0.0; 2]);
        // Depth grows to the right in one half, to the left in the other: a ridge, lit from the left.
        let buffer = DepthBuffer::new(40, 20, [0.0, 100.0]);
        for (column, row) in (0..40).flat_map(|x| (0..20).map(move |y| (x, y))) {
            buffer.put(column, row, 10.0 + (column as f64 - 19.5).abs(), 0);
        }
        let lit = shade(&buffer, 1.0, 3.0, |_| [200; 3]);
        let at = |column: usize| lit[10 * 40 + column].expect("seen")[0];
        assert!(at(8) > at(31) + 20, "{} {}", at(8), at(31));
    }
}
