//! Contact: forces between the vertices of different cells, and from walls on vertices, below a distance.
//!
//! A pair of vertices at distance r repels with pressure times the mean of their areas, see `repulsion.wgsl`; beyond
//! may follow Morse's attraction, `morse.wgsl`. A wall is a set of points with normals: around a vertex they say how
//! far away it is and where it points, and it repels by the same law, with a pressure of its own.

use hematite_case::WallNode;
use hematite_config::{Fault, Result};
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, Recorder};

use super::NONE;
use super::coupling::Support;
use super::map::SiteMap;
use super::shaders::{Shader, Span, Variant, kernel};
use super::tiling::Tiling;
use super::vertices::Vertices;
use crate::Precision;

/// Fixed point of the force of pairs on one vertex: 2^30 for one lattice unit.
pub(super) const SCALE: f64 = 1_073_741_824.0;

/// The largest force of one pair, lattice units; sound cells stay far below.
pub(super) const LARGEST_PAIR: f64 = 1.0 / 32.0;

/// Bits of a word for a vertex; the others are for one of the 27 tiles around.
pub(super) const VERTEX_BITS: u32 = 27;

/// Tiles of the lists of wall points.
pub(super) const WALL_TILING: Tiling = Tiling::of_bits(1);

/// Contact in lattice units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactParameters {
    /// Distance at which repulsion begins.
    pub range: f64,
    /// Pressure between cells that touch.
    pub strength: f64,
    /// Pressure of a wall that a vertex touches.
    pub wall_strength: f64,
    /// Attraction between cells.
    pub morse: Option<Morse>,
}

/// Morse's potential between membranes, `energy (e^2 - 2 e)` an area with `e = exp(-(r - distance) / width)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Morse {
    /// Depth of the potential, energy an area.
    pub energy: f64,
    /// Distance of its minimum.
    pub distance: f64,
    /// Length over which it falls off.
    pub width: f64,
}

impl ContactParameters {
    /// The largest distance at which vertices act on each other.
    pub fn range(&self) -> f64 {
        self.morse.map_or(self.range, |morse| self.range.max(morse.cut()))
    }

    /// The largest distance of wall points that count for a vertex: at the range, some to each side do.
    pub fn wall_reach(&self) -> f64 {
        self.range + 1.0
    }
}

impl Morse {
    /// Distance at which the force ends.
    pub fn cut(&self) -> f64 {
        2.5 * self.distance
    }

    /// Distance from which on it fades.
    pub(super) fn fades(&self) -> f64 {
        2.0 * self.distance
    }
}

/// A point of a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallPoint {
    /// A site close by.
    pub site: [i32; 3],
    /// From there to the point, lattice units.
    pub offset: [f32; 3],
    /// Unit normal into the fluid.
    pub normal: [f32; 3],
}

impl WallPoint {
    /// The point of the smoothed wall next to a node at the wall, whose site is `site`.
    pub fn of(site: [i32; 3], wall: &WallNode) -> Self {
        Self { site, offset: wall.normal.map(|n| -wall.distance * n), normal: wall.normal }
    }
}

/// The kernels of contact on one rank.
pub struct Contact {
    tiles: u32,
    clear: (Kernel, Bound),
    bin: (Kernel, Bound),
    contact: (Kernel, Bound),
    map: SiteMap,
    slot_area: Buffer,
    wall_lists: Buffer,
    wall_points: Buffer,
    stride: u32,
}

impl Contact {
    /// Contact between `vertices`, and with the walls through `walls`, the points on them near the sites of `map`.
    ///
    /// # Errors
    /// A usage fault where the range is too long for tiles or for a period, or the device lacks room.
    pub fn new(
        gpu: &Gpu,
        precision: Precision,
        parameters: &ContactParameters,
        map: &SiteMap,
        vertices: &Vertices,
        walls: &[WallPoint],
    ) -> Result<Self> {
        let tiling = Tiling::reaching(parameters.range())?;
        tiling.check(map)?;
        let variant = Variant {
            dimension: map.dimension,
            precision,
            extent: map.extent,
            periodic: map.periodic,
            support: Support::Two,
            contact: Some((*parameters, tiling)),
        };
        let tiles = tiling.tiles(map);
        let points = sorted(map, walls);
        let lists = lists(map, &points, parameters.wall_reach());
        let words = packed(map.dimension, &points);
        let (links, cells) = lists_of(gpu, vertices, tiles)?;
        let slot_area = gpu.buffer("areas of vertices", 4 * u64::from(vertices.slots))?;
        let wall_lists = gpu.buffer("wall points of tiles", 4 * lists.len() as u64)?;
        let wall_points = gpu.buffer("wall points", 4 * words.len() as u64)?;
        gpu.upload(&wall_lists, 0, &lists)?;
        gpu.upload(&wall_points, 0, &words)?;
        let mut buffers = vertices.table();
        buffers.extend([("directory", &map.directory), ("links", &links), ("words", &links), ("cells", &cells)]);
        buffers.extend([("slot_area", &slot_area), ("wall_lists", &wall_lists), ("wall_points", &wall_points)]);
        let made = |shader: Shader| -> Result<(Kernel, Bound)> {
            let kernel = kernel(gpu, shader, &variant)?;
            let bound = kernel.bind(gpu, &buffers);
            Ok((kernel, bound))
        };
        let (clear, bin, contact) = (made(Shader::Fill)?, made(Shader::Bin)?, made(Shader::Contact)?);
        let (map, stride) = (map.clone(), vertices.stride);
        Ok(Self { tiles, clear, bin, contact, map, slot_area, wall_lists, wall_points, stride })
    }

    /// Takes other arrays of vertices; areas have to be written anew.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn rebind(&mut self, gpu: &Gpu, vertices: &Vertices) -> Result<()> {
        let (links, cells) = lists_of(gpu, vertices, self.tiles)?;
        self.slot_area = gpu.buffer("areas of vertices", 4 * u64::from(vertices.slots))?;
        self.stride = vertices.stride;
        let mut buffers = vertices.table();
        buffers.extend([("directory", &self.map.directory), ("links", &links), ("words", &links), ("cells", &cells)]);
        buffers.extend([
            ("slot_area", &self.slot_area),
            ("wall_lists", &self.wall_lists),
            ("wall_points", &self.wall_points),
        ]);
        for (kernel, bound) in [&mut self.clear, &mut self.bin, &mut self.contact] {
            *bound = kernel.bind(gpu, &buffers);
        }
        Ok(())
    }

    /// Writes the mean area of a vertex (2-D: length) of each slot's cell, lattice units.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn write_areas(&self, gpu: &Gpu, areas: &[f32]) -> Result<()> {
        gpu.upload(&self.slot_area, 0, areas)
    }

    /// Adds contact forces to those on the vertices.
    pub fn record(&self, recorder: &mut Recorder, step: u32) {
        let span = Span { stride: self.stride, step, ..Span::default() }.words(self.stride, Some(&self.map));
        recorder.dispatch(&self.clear.0, &self.clear.1, self.tiles, &[self.tiles, NONE, self.stride]);
        recorder.dispatch(&self.bin.0, &self.bin.1, self.stride, &span);
        recorder.dispatch(&self.contact.0, &self.contact.1, self.stride, &span);
    }
}

/// Lists of vertices: for each vertex the next one of its tile, then for each tile its first one. And the first and last
/// vertex of each slot's cell.
fn lists_of(gpu: &Gpu, vertices: &Vertices, tiles: u32) -> Result<(Buffer, Buffer)> {
    if vertices.stride > 1 << VERTEX_BITS {
        return Err(Fault::usage(format!(
            "{} vertices of cells on one rank, at most {} can be: use more ranks",
            vertices.stride,
            1_u32 << VERTEX_BITS
        )));
    }
    let links = gpu.buffer("lists of vertices", 4 * (u64::from(vertices.stride) + u64::from(tiles)))?;
    Ok((links, gpu.buffer("vertices of slots", 8 * u64::from(vertices.slots))?))
}

/// Wall points in the domain, in an order that every rank finds.
fn sorted(map: &SiteMap, walls: &[WallPoint]) -> Vec<WallPoint> {
    let mut points: Vec<WallPoint> =
        walls.iter().map(|point| WallPoint { site: map.wrapped(point.site), ..*point }).collect();
    points.sort_by_key(|point| {
        let bits = |v: [f32; 3]| v.map(f32::to_bits);
        ([point.site[2], point.site[1], point.site[0]], bits(point.offset), bits(point.normal))
    });
    points
}

/// For each tile where its list is, 0 for none; then the lists: the number of points within `reach` of the tile, and the
/// points.
fn lists(map: &SiteMap, points: &[WallPoint], reach: f64) -> Vec<u32> {
    let tiles = WALL_TILING.tiles(map);
    let mut entries: Vec<(u32, u32)> = Vec::new();
    let mut near = Vec::new();
    for (point, n) in points.iter().zip(0..) {
        let x = [0, 1, 2].map(|a| f64::from(point.site[a]) + f64::from(point.offset[a]));
        let around = |a: usize| {
            let (low, high) = ((x[a] - reach).floor() as i32, (x[a] + reach).floor() as i32);
            if a < map.dimension { low..=high } else { 0..=0 }
        };
        // Of the part of a site's unit cube that is nearest to the point.
        let squared = |a: usize, s: i32| {
            let s = f64::from(s);
            if a < map.dimension { (s - x[a]).max(x[a] - s - 1.0).max(0.0).powi(2) } else { 0.0 }
        };
        near.clear();
        for sz in around(2) {
            for sy in around(1) {
                for sx in around(0) {
                    if squared(0, sx) + squared(1, sy) + squared(2, sz) < reach * reach {
                        near.extend(WALL_TILING.tile(map, map.wrapped([sx, sy, sz])));
                    }
                }
            }
        }
        near.sort_unstable();
        near.dedup();
        entries.extend(near.iter().map(|&tile| (tile, n)));
    }
    entries.sort_unstable();
    let mut lists = vec![0; tiles as usize];
    for of_tile in entries.chunk_by(|a, b| a.0 == b.0) {
        lists[of_tile[0].0 as usize] = lists.len() as u32;
        lists.push(of_tile.len() as u32);
        lists.extend(of_tile.iter().map(|&(_, point)| point));
    }
    lists
}

/// The points as the kernel reads them: site, offset, normal, along each axis.
fn packed(dimension: usize, points: &[WallPoint]) -> Vec<i32> {
    let bits = |v: [f32; 3]| v.map(|component| component.to_bits() as i32);
    let words = |point: &WallPoint| {
        [point.site, bits(point.offset), bits(point.normal)]
            .map(|v| v.into_iter().take(dimension))
            .into_iter()
            .flatten()
    };
    points.iter().flat_map(words).collect()
}
