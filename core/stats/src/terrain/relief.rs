//! Maps of values upon a terrain: its relief in shades of grey with contour lines, values in colours where there are some.

use hematite_drawing::scale::ColourScale;
use hematite_drawing::shapes::Shapes;
use hematite_units::number::{ticks, with_unit};
use image::{Rgb, RgbImage};

use crate::figure::{Figure, LONGEST, Panel, remark_on};
use crate::lookup::Nodes;
use crate::raster::{Merge, Raster, Zoom};

/// Colour of sites without a cell.
const BEYOND: [u8; 3] = [255, 255, 255];
/// Grey of ground that faces the light, and how much of it is left of what faces away.
const LIT: f64 = 235.0;
const SHADE: f64 = 0.45;
/// Direction to the light: from the upper left, halfway up.
const LIGHT: [f64; 3] = [-0.5, 0.5, std::f64::consts::FRAC_1_SQRT_2];
/// Share of a contour line that is black.
const LINE: f64 = 0.45;
/// Contour lines that a map has at most.
const LINES: usize = 12;

/// Values upon a terrain.
pub struct Layer {
    /// What they are, e.g. "thickness of lava".
    pub what: &'static str,
    /// A value for each cell; `None` where there is none.
    pub values: Vec<Option<f64>>,
    /// Their unit.
    pub unit: &'static str,
    /// Whether colours begin with 0.
    pub from_zero: bool,
}

/// The map of `layer` over the relief of `elevation`, m, at each cell.
pub fn map(nodes: &Nodes, elevation: &[f64], layer: &Layer) -> Figure {
    let (low, high) = (nodes.low(), nodes.high());
    let ([x0, y0], [x1, y1]) = ([low[0], low[1]], [high[0], high[1]]);
    let zoom = Zoom::fit((x1 - x0).max(y1 - y0) as u64 + 1, LONGEST);
    let raster = || Raster::new([x0, y0], [x1, y1], zoom, Merge::Mean);
    let (mut ground, mut coloured) = (raster(), raster());
    for (n, p) in nodes.grid().position.iter().enumerate() {
        let at = [i64::from(p[0]), i64::from(p[1])];
        ground.add(at, elevation[n]);
        if let Some(value) = layer.values[n] {
            coloured.add(at, value);
        }
    }
    let shown = || layer.values.iter().flatten().copied();
    let scale = if layer.from_zero { ColourScale::sequential(shown()) } else { ColourScale::ranging(shown()) };
    let metres = nodes.grid().spacing / zoom.factor();
    let interval = interval(elevation);
    let image = paint(&ground, &coloured, &scale, (metres, zoom.factor()), interval);
    Figure {
        what: layer.what.to_owned(),
        panels: vec![Panel {
            caption: format!("x to the right, y up; contour lines each {}", with_unit(interval, "m")),
            image,
            shapes: Shapes::default(),
        }],
        stacked: false,
        metres_per_pixel: metres,
        scale,
        quantity: layer.what.to_owned(),
        unit: layer.unit,
        remark: remark_on(shown()),
        legend: Vec::new(),
    }
}

/// A round height between contour lines, m.
fn interval(elevation: &[f64]) -> f64 {
    let (low, high) = elevation.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &z| (a.min(z), b.max(z)));
    if low >= high {
        return 1.0;
    }
    let (marks, _) = ticks(low, high, LINES);
    marks.windows(2).map(|pair| pair[1] - pair[0]).next().unwrap_or(high - low)
}

fn paint(
    ground: &Raster,
    coloured: &Raster,
    scale: &ColourScale,
    (metres, factor): (f64, f64),
    interval: f64,
) -> RgbImage {
    // Slopes over a cell where a cell has several pixels.
    let reach = factor.round().max(1.0) as u32;
    RgbImage::from_fn(ground.width, ground.height, |column, row| {
        let Some(z) = ground.value(column, row) else { return Rgb(BEYOND) };
        let at = |dx: i64, dy: i64| {
            let inside =
                |i: u32, d: i64, n: u32| u32::try_from(i64::from(i) + d * i64::from(reach)).ok().filter(|&i| i < n);
            ground.value(inside(column, dx, ground.width)?, inside(row, dy, ground.height)?)
        };
        let slope = |before: Option<f64>, after: Option<f64>| {
            let sides = f64::from(u32::from(before.is_some()) + u32::from(after.is_some()));
            let rise = after.unwrap_or(z) - before.unwrap_or(z);
            if sides > 0.0 { rise / (sides * f64::from(reach) * metres) } else { 0.0 }
        };
        // Rows run downwards, y up.
        let (east, north) = (slope(at(-1, 0), at(1, 0)), slope(at(0, 1), at(0, -1)));
        let facing = (LIGHT[2] - LIGHT[0] * east - LIGHT[1] * north) / (1.0 + east * east + north * north).sqrt();
        let light = SHADE + (1.0 - SHADE) * facing.clamp(0.0, 1.0) / LIGHT[2].max(facing);
        let is_line = [at(1, 0), at(0, 1)].into_iter().flatten().any(|other| crosses(z, other, interval));
        let base = match coloured.value(column, row) {
            Some(value) => scale.colour(value).map(f64::from),
            None => [LIT; 3],
        };
        let ink = if is_line { 1.0 - LINE } else { 1.0 };
        Rgb(base.map(|c| (c * light * ink).clamp(0.0, 255.0).round() as u8))
    })
}

/// Whether a contour line runs between two heights.
fn crosses(a: f64, b: f64, interval: f64) -> bool {
    (a / interval).floor() != (b / interval).floor()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::grid_of;

    #[test]
    fn slopes_to_the_light_are_bright_and_lava_is_coloured() {
        // A ridge along y: its left side faces the light.
        let grid = grid_of(2, 10.0, (0..40).flat_map(|x| (0..20).map(move |y| [x, y, 0])));
        let nodes = Nodes::new(&grid).expect("nodes");
        let elevation: Vec<f64> = grid.position.iter().map(|p| 200.0 - 6.0 * (f64::from(p[0]) - 19.5).abs()).collect();
        let values: Vec<Option<f64>> = grid.position.iter().map(|p| (p[0] == 30 && p[1] == 5).then_some(2.0)).collect();
        let layer = Layer { what: "thickness", values, unit: "m", from_zero: true };
        let figure = map(&nodes, &elevation, &layer);
        let image = &figure.panels[0].image;
        let pixel = |x: f64, y: f64| {
            let size = 1400.0 / 40.0;
            image.get_pixel(((x + 0.5) * size) as u32, image.height() - 1 - ((y + 0.5) * size) as u32).0
        };
        let (left, right) = (pixel(10.3, 10.3), pixel(30.3, 10.3));
        assert!(left[0] > right[0] + 20 && left[0] == left[1], "{left:?}, {right:?}");
        let lava = pixel(30.0, 5.0);
        assert!(lava[0] != lava[2], "{lava:?}");
        assert!(figure.panels[0].caption.contains("each 10 m"), "{}", figure.panels[0].caption);
    }

    #[test]
    fn flat_ground_has_no_lines() {
        let grid = grid_of(2, 1.0, (0..9).flat_map(|x| (0..9).map(move |y| [x, y, 0])));
        let nodes = Nodes::new(&grid).expect("nodes");
        let layer = Layer { what: "thickness", values: vec![None; 81], unit: "m", from_zero: true };
        let figure = map(&nodes, &[100.0; 81], &layer);
        let first = *figure.panels[0].image.get_pixel(0, 0);
        assert!(figure.panels[0].image.pixels().all(|pixel| *pixel == first));
    }
}
