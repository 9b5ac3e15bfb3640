//! Sparse nodes binned into the pixels of a figure. Memory follows the pixels, never the bounding box of the nodes.

use image::{Rgb, RgbImage};

use hematite_drawing::colour::SOLID;
use hematite_drawing::scale::ColourScale;

/// Pixels a lattice spacing, as a fraction: `pixels / nodes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zoom {
    pixels: u64,
    nodes: u64,
}

impl Zoom {
    /// The zoom that brings `extent` lattice spacings to at most `longest` pixels: a whole number of pixels a node
    /// where that many fit, else several nodes a pixel.
    pub fn fit(extent: u64, longest: u32) -> Self {
        let (extent, longest) = (extent.max(1), u64::from(longest.max(1)));
        if extent <= longest {
            Self { pixels: longest / extent, nodes: 1 }
        } else {
            Self { pixels: longest, nodes: extent }
        }
    }

    /// Pixels a lattice spacing.
    pub fn factor(self) -> f64 {
        self.pixels as f64 / self.nodes as f64
    }

    /// Pixels that `extent` lattice spacings cover.
    pub fn pixels(self, extent: u64) -> u32 {
        self.span(extent.max(1) - 1).1
    }

    /// The first pixel of lattice spacing `i`, and the pixel after its last.
    fn span(self, i: u64) -> (u32, u32) {
        let start = |i: u64| (u128::from(i) * u128::from(self.pixels) / u128::from(self.nodes)) as u32;
        (start(i), start(i + 1).max(start(i) + 1))
    }

    /// Lattice spacings that start in pixel `p` of an extent.
    fn spacings(self, p: u32, extent: u64) -> u64 {
        if self.nodes == 1 {
            return 1;
        }
        let first = |p: u64| (p * self.nodes).div_ceil(self.pixels).min(extent);
        first(u64::from(p) + 1) - first(u64::from(p))
    }
}

/// How several nodes of one pixel become one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// Their mean.
    Mean,
    /// The largest.
    Max,
}

/// A raster of values. Pixel rows run downwards, the second lattice axis runs up.
pub struct Raster {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    zoom: Zoom,
    merge: Merge,
    low: [i64; 2],
    extent: [u64; 2],
    value: Vec<f64>,
    count: Vec<u32>,
}

impl Raster {
    /// An empty raster of the lattice positions `low..=high` in its two axes.
    pub fn new(low: [i64; 2], high: [i64; 2], zoom: Zoom, merge: Merge) -> Self {
        let extent = [0, 1].map(|a| (high[a] - low[a]).max(0) as u64 + 1);
        let [width, height] = extent.map(|e| zoom.pixels(e));
        let size = width as usize * height as usize;
        Self { width, height, zoom, merge, low, extent, value: vec![0.0; size], count: vec![0; size] }
    }

    /// Pixels a lattice spacing.
    pub fn factor(&self) -> f64 {
        self.zoom.factor()
    }

    /// Adds the value of the node at a lattice position inside.
    pub fn add(&mut self, at: [i64; 2], value: f64) {
        let i = [0, 1].map(|a| (at[a] - self.low[a]).clamp(0, self.extent[a] as i64 - 1) as u64);
        let (left, right) = self.zoom.span(i[0]);
        let (bottom, top) = self.zoom.span(i[1]);
        for up in bottom..top.min(self.height) {
            for column in left..right.min(self.width) {
                let pixel = self.index(column, self.height - 1 - up);
                self.value[pixel] = match self.merge {
                    Merge::Mean => self.value[pixel] + value,
                    Merge::Max if self.count[pixel] == 0 => value,
                    Merge::Max => self.value[pixel].max(value),
                };
                self.count[pixel] = self.count[pixel].saturating_add(1);
            }
        }
    }

    /// The merged value of a pixel; `None` where no node is.
    pub fn value(&self, column: u32, row: u32) -> Option<f64> {
        let pixel = self.index(column, row);
        let count = self.count[pixel];
        (count > 0).then(|| match self.merge {
            Merge::Mean => self.value[pixel] / f64::from(count),
            Merge::Max => self.value[pixel],
        })
    }

    /// Share of a pixel that nodes cover.
    pub fn coverage(&self, column: u32, row: u32) -> f64 {
        let full =
            self.zoom.spacings(column, self.extent[0]) * self.zoom.spacings(self.height - 1 - row, self.extent[1]);
        (f64::from(self.count[self.index(column, row)]) / full.max(1) as f64).min(1.0)
    }

    /// The centre of a point given as a lattice coordinate (whole at node centres), in pixels from the upper left.
    pub fn pixel(&self, at: [f64; 2]) -> [f64; 2] {
        let along = [0, 1].map(|a| (at[a] - self.low[a] as f64 + 0.5) * self.zoom.factor());
        [along[0], f64::from(self.height) - along[1]]
    }

    /// The picture: every covered pixel in the colour of its value, blended with the colour of solids by coverage.
    pub fn paint(&self, scale: &ColourScale) -> RgbImage {
        self.paint_by(|value| scale.colour(value))
    }

    /// The picture with all covered pixels in one colour.
    pub fn paint_flat(&self, colour: [u8; 3]) -> RgbImage {
        self.paint_by(|_| colour)
    }

    /// The picture of a raster with one value a node, at `zoom`, whole pixels a node: linear between neighbours with
    /// values. The outline of the solid follows the squares of the nodes.
    pub fn paint_smooth(&self, scale: &ColourScale, zoom: Zoom) -> RgbImage {
        let factor = zoom.factor();
        let [width, height] = self.extent.map(|e| zoom.pixels(e));
        let node = |column: i64, row: i64| -> Option<f64> {
            let inside = |i: i64, n: u32| u32::try_from(i).ok().filter(|&i| i < n);
            self.value(inside(column, self.width)?, inside(row, self.height)?)
        };
        RgbImage::from_fn(width, height, |column, row| {
            let at = [column, row].map(|p| (f64::from(p) + 0.5) / factor - 0.5);
            let [x, y] = at.map(|p| p.round() as i64);
            if node(x, y).is_none() {
                return Rgb(SOLID);
            }
            let base = at.map(|p| p.floor());
            let (mut sum, mut weights) = (0.0, 0.0);
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let along = |k: usize, d: i64| if d == 1 { at[k] - base[k] } else { 1.0 - (at[k] - base[k]) };
                if let Some(value) = node(base[0] as i64 + dx, base[1] as i64 + dy) {
                    let weight = along(0, dx) * along(1, dy);
                    sum += weight * value;
                    weights += weight;
                }
            }
            Rgb(scale.colour(sum / weights))
        })
    }

    fn paint_by(&self, colour: impl Fn(f64) -> [u8; 3]) -> RgbImage {
        RgbImage::from_fn(self.width, self.height, |column, row| {
            let Some(value) = self.value(column, row) else { return Rgb(SOLID) };
            let covered = if self.merge == Merge::Max { 1.0 } else { self.coverage(column, row) };
            let colour = colour(value);
            Rgb(std::array::from_fn(|c| {
                (covered * f64::from(colour[c]) + (1.0 - covered) * f64::from(SOLID[c])).round() as u8
            }))
        })
    }

    fn index(&self, column: u32, row: u32) -> usize {
        row as usize * self.width as usize + column as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_lands_on_its_pixels_with_y_up() {
        let mut raster = Raster::new([1, 1], [10, 5], Zoom::fit(10, 40), Merge::Mean);
        assert_eq!((raster.width, raster.height), (40, 20));
        raster.add([3, 4], 9.0);
        for row in 0..20 {
            for column in 0..40 {
                let hit = (8..12).contains(&column) && (4..8).contains(&row);
                assert_eq!(raster.value(column, row), hit.then_some(9.0), "{column} {row}");
            }
        }
        assert_eq!(raster.pixel([3.0, 4.0]), [10.0, 6.0]);
    }

    #[test]
    fn large_domains_average_into_pixels() {
        // 4000 x 1000 nodes in 100 x 25 pixels; one node in sixteen hundred is hot.
        let mut raster = Raster::new([0, 0], [3999, 999], Zoom::fit(4000, 100), Merge::Mean);
        assert_eq!((raster.width, raster.height), (100, 25));
        for y in 0..40 {
            for x in 40..80 {
                raster.add([x, y], if (x, y) == (50, 7) { 1600.0 } else { 0.0 });
            }
        }
        assert_eq!(raster.value(1, 24), Some(1.0));
        assert!((raster.coverage(1, 24) - 1.0).abs() < 1e-12);
        assert_eq!(raster.value(0, 24), None);
        assert_eq!(raster.value(1, 23), None);
    }

    #[test]
    fn fractional_zoom_covers_every_pixel_once() {
        let mut raster = Raster::new([0, 0], [1700, 3], Zoom::fit(1701, 1400), Merge::Mean);
        for y in 0..4 {
            for x in 0..=1700 {
                raster.add([x, y], 2.0);
            }
        }
        for column in 0..raster.width {
            for row in 0..raster.height {
                assert_eq!(raster.value(column, row), Some(2.0));
                assert!((raster.coverage(column, row) - 1.0).abs() < 1e-12, "{column} {row}");
            }
        }
    }

    #[test]
    fn smooth_pictures_are_linear_between_nodes() {
        let mut raster = Raster::new([0, 0], [9, 0], Zoom::fit(1, 1), Merge::Mean);
        for x in 0..9 {
            raster.add([x, 0], x as f64);
        }
        let scale = ColourScale::sequential([8.0]);
        let image = raster.paint_smooth(&scale, Zoom::fit(10, 100));
        assert_eq!((image.width(), image.height()), (100, 10));
        for column in 5..85 {
            assert_eq!(image.get_pixel(column, 3).0, scale.colour((f64::from(column) + 0.5) / 10.0 - 0.5));
        }
        assert_eq!(image.get_pixel(89, 3).0, scale.colour(8.0), "the last node's square");
        assert_eq!(image.get_pixel(90, 3).0, SOLID);
    }

    #[test]
    fn the_largest_domain_needs_few_pixels() {
        let raster = Raster::new([0, 0], [2_000_000_000, 1_000_000], Zoom::fit(2_000_000_001, 1400), Merge::Max);
        assert_eq!((raster.width, raster.height), (1400, 1));
    }
}
