//! The fluid of a 3-D case as a solid seen from outside, with the cells in it.

use hematite_cells::vector::{cross, dot};
use hematite_drawing::colour::of_population;
use hematite_drawing::shapes::PAPER;
use image::{Rgb, RgbImage};
use rayon::prelude::*;

use super::depth::{DepthBuffer, Quad};
use super::scene::{FLUID, Scene, of_part};
use super::shade::shade;

/// Marks from here on are those of openings.
const OPENING: u32 = 1 << 24;
/// How much of the fluid's own colour hides the cells in it.
const VEIL: f64 = 0.34;
/// Cells of a smaller radius, in pixels, are drawn as balls.
const SHAPED: f64 = 4.0;
/// The light on the fluid is that of a surface smoothed over so many sites.
const SMOOTHED: f64 = 1.8;
/// Pixels over which it is smoothed at least and at most.
const WINDOW: [f64; 2] = [2.0, 24.0];
/// Nodes that a thread takes at once.
const BATCH: usize = 1 << 14;

/// A direction to look from, without perspective.
pub struct View {
    /// Unit vectors to the right, up, and away from the viewer.
    axes: [[f64; 3]; 3],
    low: [f64; 3],
    high: [f64; 3],
}

/// What a view shows.
pub struct Seen {
    /// Its picture.
    pub image: RgbImage,
    /// Which openings are seen, not hidden behind the fluid.
    pub openings: Vec<bool>,
}

impl View {
    /// The view of a scene from a direction, in degrees: the azimuth counts from x to y, the elevation from there to z.
    pub fn new(scene: &Scene, azimuth: f64, elevation: f64) -> Self {
        let ((sin, cos), (rise, flat)) = (azimuth.to_radians().sin_cos(), elevation.to_radians().sin_cos());
        let (right, toward) = ([-sin, cos, 0.0], [cos * flat, sin * flat, rise]);
        let axes = [right, cross(toward, right), toward.map(|x| -x)];
        // From the middle of a site to what it covers along each axis of the view.
        let half = axes.map(|axis| 0.5 * axis.iter().map(|x| x.abs()).sum::<f64>());
        let nothing = || ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        let covers = |at: &[i32; 3]| {
            let middle = axes.map(|axis| dot(at.map(|i| f64::from(i) + 0.5), axis));
            ([0, 1, 2].map(|k| middle[k] - half[k]), [0, 1, 2].map(|k| middle[k] + half[k]))
        };
        let join = |(a, b): ([f64; 3], [f64; 3]), (c, d): ([f64; 3], [f64; 3])| {
            ([0, 1, 2].map(|k| a[k].min(c[k])), [0, 1, 2].map(|k| b[k].max(d[k])))
        };
        let (low, high) = scene.lattice.position.par_iter().map(covers).reduce(nothing, join);
        Self { axes, low, high }
    }

    /// Sites to the right and up.
    pub fn size(&self) -> [f64; 2] {
        [0, 1].map(|k| self.high[k] - self.low[k])
    }

    /// A direction: to the right and down.
    pub fn direction(&self, v: [f64; 3]) -> [f64; 2] {
        [dot(v, self.axes[0]), -dot(v, self.axes[1])]
    }

    /// Column and row of a place, and its depth in sites.
    pub fn pixel(&self, at: [f64; 3], zoom: f64) -> [f64; 3] {
        let [right, up, away] = self.axes.map(|axis| dot(at, axis));
        [(right - self.low[0]) * zoom, (self.high[1] - up) * zoom, away]
    }

    /// Draws a scene at `zoom` pixels a site.
    pub fn paint(&self, scene: &Scene, zoom: f64) -> Seen {
        let [width, height] = self.size().map(|sites| (sites * zoom).ceil().max(1.0) as usize);
        let slack = 0.1 * (self.high[2] - self.low[2]) + 10.0;
        let buffer = || DepthBuffer::new(width, height, [self.low[2] - slack, self.high[2] + slack]);
        let (fluid, members) = (buffer(), buffer());
        self.put_fluid(scene, zoom, &fluid);
        let mut openings = vec![false; scene.mouths.len()];
        for (column, row) in (0..height).flat_map(|row| (0..width).map(move |column| (column, row))) {
            if let Some((_, mark)) = fluid.at(column, row).filter(|(_, mark)| *mark >= OPENING) {
                openings[(mark - OPENING) as usize] = true;
            }
        }
        let colour = |mark: u32| match mark {
            OPENING.. => scene.mouths[(mark - OPENING) as usize].colour,
            part if scene.owners.is_some() => of_part(part as usize),
            _ => FLUID,
        };
        let outside = shade(&fluid, zoom, (SMOOTHED * zoom).clamp(WINDOW[0], WINDOW[1]), colour);
        let shows_members = scene.owners.is_none() && !scene.populations.is_empty();
        let inside = if shows_members {
            self.put_members(scene, zoom, &members);
            shade(&members, zoom, WINDOW[0], |mark| of_population(mark as usize))
        } else {
            Vec::new()
        };
        let veil = if shows_members { VEIL } else { 1.0 };
        let mixed = |i: usize| {
            let under = inside.get(i).copied().flatten();
            match (outside[i], under) {
                (Some(over), under) => {
                    let under = under.unwrap_or(if shows_members { FLUID } else { PAPER });
                    [0, 1, 2].map(|c| (veil * f64::from(over[c]) + (1.0 - veil) * f64::from(under[c])).round() as u8)
                }
                (None, Some(under)) => under,
                (None, None) => PAPER,
            }
        };
        let image = RgbImage::from_fn(width as u32, height as u32, |column, row| {
            Rgb(mixed(row as usize * width + column as usize))
        });
        Seen { image, openings }
    }

    /// The faces of nodes that look at the viewer and at something other than fluid.
    fn put_fluid(&self, scene: &Scene, zoom: f64, buffer: &DepthBuffer) {
        let lattice = scene.lattice;
        let half = |axis: usize, size: f64| {
            let v: [f64; 3] = std::array::from_fn(|k| if k == axis { size } else { 0.0 });
            let [right, down] = self.direction(v);
            [right * zoom, down * zoom, dot(v, self.axes[2])]
        };
        let faces = [0, 1, 2].map(|axis| {
            let side = -self.axes[2][axis].signum();
            let normal: [f64; 3] = std::array::from_fn(|k| if k == axis { side } else { 0.0 });
            let across = [(axis + 1) % 3, (axis + 2) % 3].map(|k| half(k, 0.5));
            (axis, side, lattice.set.straight(normal), across)
        });
        let put = |n: usize| {
            let at = lattice.position[n];
            for (axis, side, direction, halves) in faces {
                let link = lattice.links[direction - 1][n];
                let last = if side > 0.0 { lattice.extent[axis] as i32 - 1 } else { 0 };
                // Periodic faces are cut open.
                if link.node().is_some() && at[axis] != last {
                    continue;
                }
                let mark = match link.opening() {
                    Some(k) => OPENING + k as u32,
                    None => scene.owners.as_ref().map_or(0, |owners| owners[n]),
                };
                let centre = std::array::from_fn(|k| f64::from(at[k]) + 0.5 + if k == axis { 0.5 * side } else { 0.0 });
                buffer.put_quad(&Quad { centre: self.pixel(centre, zoom), halves }, mark);
            }
        };
        (0..lattice.nodes()).into_par_iter().with_min_len(BATCH).for_each(put);
    }

    fn put_members(&self, scene: &Scene, zoom: f64, buffer: &DepthBuffer) {
        for (mark, population) in (0..).zip(scene.populations) {
            let triangles = &population.surface.triangles;
            population.cells.par_iter().for_each(|cell| {
                let radius = population.surface.radius() * cell.scale / scene.lattice.spacing;
                if radius * zoom < SHAPED {
                    // As wide as a ball of its volume.
                    let ball = (0.75 * population.surface.volume() / std::f64::consts::PI).cbrt();
                    let ball = ball * cell.scale / scene.lattice.spacing;
                    let centre = self.pixel(scene.site_of(cell.centre), zoom);
                    buffer.put_ball(centre, ball * zoom, ball, mark);
                    return;
                }
                let vertices: Vec<[f64; 3]> =
                    cell.vertices(&population.surface).map(|vertex| self.pixel(scene.site_of(vertex), zoom)).collect();
                for corners in triangles {
                    buffer.put_triangle(corners.map(|v| vertices[v as usize]), mark);
                }
            });
        }
    }
}
