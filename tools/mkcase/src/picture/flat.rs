//! A section of the lattice along two of its axes, in 2-D the lattice itself, straight into pixels.

use std::ops::Range;

use hematite_geometry::RemovedRun;
use image::{Rgb, RgbImage};
use rayon::prelude::*;

use super::mouth::of_kind;
use super::scene::{FLUID_REMOVED, Scene, WALL, WALL_REMOVED};
use super::terrain::of_region;

/// The narrowest mark of an opening, pixels.
const MARK: f64 = 3.0;
/// The narrowest mark of what was removed, pixels.
const SPECK: f64 = 2.0;

/// The narrowest mark of a region of few nodes of terrain, pixels,
const SPOT: f64 = 5.0;
/// and how many nodes are few.
const FEW: u64 = 200;

/// A plane of sites.
pub struct Plane {
    /// The lattice axes to the right and up.
    pub axes: [usize; 2],
    /// The axis across, and the plane's site along it; none in 2-D.
    pub across: Option<(usize, i32)>,
    /// Its nodes in the order of rows; none where these are all.
    nodes: Option<Vec<u32>>,
}

impl Plane {
    /// The lattice of a 2-D scene.
    pub fn whole() -> Self {
        Self { axes: [0, 1], across: None, nodes: None }
    }

    /// The plane in the middle of the fluid across an axis.
    pub fn middle(scene: &Scene, axis: usize) -> Self {
        let at = (scene.fluid_low[axis] + scene.fluid_high[axis]) / 2;
        let is_here = |&n: &u32| scene.lattice.position[n as usize][axis] == at;
        let nodes = (0..scene.lattice.nodes() as u32).into_par_iter().filter(is_here).collect();
        Self { axes: [[1, 2], [0, 2], [0, 1]][axis], across: Some((axis, at)), nodes: Some(nodes) }
    }

    /// Sites to the right and up that are shown.
    pub fn size(&self, scene: &Scene) -> [f64; 2] {
        self.axes.map(|axis| f64::from(scene.high[axis] - scene.low[axis]))
    }

    /// Pixels from the upper left of a place, in sites.
    pub fn pixel(&self, scene: &Scene, at: [f64; 3], zoom: f64) -> [f64; 2] {
        let [right, up] = self.axes.map(|axis| at[axis] - f64::from(scene.low[axis]));
        [right * zoom, (self.size(scene)[1] - up) * zoom]
    }

    /// Number of the nodes.
    fn count(&self, scene: &Scene) -> usize {
        self.nodes.as_ref().map_or(scene.lattice.nodes(), Vec::len)
    }

    /// The global number of the plane's node `i`.
    fn node(&self, i: usize) -> usize {
        self.nodes.as_ref().map_or(i, |nodes| nodes[i] as usize)
    }

    /// The plane's nodes of a range of rows: nodes are in the order of rows.
    fn of_rows(&self, scene: &Scene, rows: Range<i32>) -> Range<usize> {
        let row = |i: usize| scene.lattice.position[self.node(i)][self.axes[1]];
        let first_from = |wanted: i32| {
            let (mut low, mut high) = (0, self.count(scene));
            while low < high {
                let middle = low + (high - low) / 2;
                if row(middle) < wanted { low = middle + 1 } else { high = middle }
            }
            low
        };
        first_from(rows.start)..first_from(rows.end)
    }

    fn holds(&self, at: [i32; 3]) -> bool {
        self.across.is_none_or(|(axis, wanted)| at[axis] == wanted)
    }
}

/// Draws what the sites of a plane are at `zoom` pixels a site. Where a pixel has several, their colours mix by area; openings
/// and what was removed are wide enough to be seen.
pub fn paint(scene: &Scene, plane: &Plane, zoom: f64) -> RgbImage {
    let [width, height] = plane.size(scene).map(|sites| (sites * zoom).ceil().max(1.0) as u32);
    let mut image = RgbImage::from_pixel(width, height, Rgb(WALL));
    let bytes = 3 * width as usize;
    image.par_chunks_mut(bytes).enumerate().for_each(|(line, pixels)| {
        paint_line(scene, plane, zoom, (height as usize - 1 - line) as f64, pixels);
    });
    scene.lattice.geometry.removed.iter().for_each(|run| paint_removed(scene, plane, zoom, run, &mut image));
    if scene.terrain.is_some() {
        mark_regions(scene, plane, zoom, &mut image);
    }
    for opening in &scene.lattice.openings {
        for site in &opening.nodes {
            let at = scene.lattice.position[site.node.0 as usize];
            if plane.holds(at) {
                let (low, high) = (at.map(f64::from), at.map(|i| f64::from(i) + 1.0));
                fill(scene, plane, zoom, (low, high), MARK, of_kind(opening.kind), &mut image);
            }
        }
    }
    image
}

/// Marks regions of few nodes, which would be lost in a large picture.
fn mark_regions(scene: &Scene, plane: &Plane, zoom: f64, image: &mut RgbImage) {
    let regions = scene.lattice.regions.iter().enumerate();
    for (k, region) in regions.filter(|(_, region)| region.nodes() <= FEW) {
        for node in region.runs().iter().cloned().flatten() {
            let at = scene.lattice.position[node as usize];
            let (low, high) = (at.map(f64::from), at.map(|i| f64::from(i) + 1.0));
            fill(scene, plane, zoom, (low, high), SPOT, of_region(k), image);
        }
    }
}

/// Draws the line of pixels number `up` from below.
fn paint_line(scene: &Scene, plane: &Plane, zoom: f64, up: f64, pixels: &mut [u8]) {
    let [right_axis, up_axis] = plane.axes;
    let low = plane.axes.map(|axis| scene.low[axis]);
    let width = pixels.len() / 3;
    let rows = (up / zoom).floor() as i32 + low[1]..((up + 1.0) / zoom).ceil() as i32 + low[1];
    // Covered area of each pixel, and the sum of colours.
    let mut sums = vec![[0.0_f32; 4]; width];
    for i in plane.of_rows(scene, rows) {
        let node = plane.node(i);
        let at = scene.lattice.position[node];
        let row = f64::from(at[up_axis] - low[1]) * zoom;
        let high = ((row + zoom).min(up + 1.0) - row.max(up)).max(0.0);
        let left = f64::from(at[right_axis] - low[0]) * zoom;
        let colour = scene.colour_of(node).map(f32::from);
        for (column, sum) in (left as usize..).zip(&mut sums[(left as usize).min(width)..]) {
            let from = column as f64;
            if from >= left + zoom {
                break;
            }
            let share = (high * ((left + zoom).min(from + 1.0) - left.max(from)).max(0.0)) as f32;
            sum[3] += share;
            (0..3).for_each(|c| sum[c] += share * colour[c]);
        }
    }
    for (pixel, sum) in pixels.chunks_exact_mut(3).zip(&sums) {
        let rest = (1.0 - sum[3]).max(0.0);
        let mixed = |c: usize| (sum[c] + rest * f32::from(WALL[c])) / (sum[3] + rest);
        (0..3).for_each(|c| pixel[c] = mixed(c).round() as u8);
    }
}

fn paint_removed(scene: &Scene, plane: &Plane, zoom: f64, run: &RemovedRun, image: &mut RgbImage) {
    let [low, high] = [run.low, run.high].map(|corner| scene.site_of(corner.map(f64::from)));
    let hit = |(axis, at): (usize, i32)| low[axis] <= f64::from(at) + 0.5 && high[axis] >= f64::from(at) + 0.5;
    if plane.across.is_none_or(hit) {
        let colour = if run.was_fluid { FLUID_REMOVED } else { WALL_REMOVED };
        fill(scene, plane, zoom, (low, high), SPECK, colour, image);
    }
}

/// Fills a box of sites, at least `least` pixels wide and high.
fn fill(
    scene: &Scene,
    plane: &Plane,
    zoom: f64,
    (low, high): ([f64; 3], [f64; 3]),
    least: f64,
    colour: [u8; 3],
    image: &mut RgbImage,
) {
    let [left, bottom] = plane.pixel(scene, low, zoom);
    let [right, top] = plane.pixel(scene, high, zoom);
    let span = |from: f64, to: f64| {
        let more = (0.5 * (least - (to - from))).max(0.0);
        let [from, to] = [from - more, to + more].map(|x| x.round().max(0.0) as u32);
        (from, (to - from).max(1))
    };
    let ((x, w), (y, h)) = (span(left, right), span(top, bottom));
    for row in y..(y + h).min(image.height()) {
        (x..(x + w).min(image.width())).for_each(|column| image.put_pixel(column, row, Rgb(colour)));
    }
}
