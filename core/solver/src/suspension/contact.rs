//! Contact: forces between the vertices of different cells, and from walls on vertices, below a distance.
//!
//! A pair of vertices at distance r repels with pressure times the mean of their areas, see `repulsion.wgsl`; beyond
//! may follow Morse's attraction, `morse.wgsl`. A wall is a set of points with normals: around a vertex they say how
//! far away it is and where it points, and it repels by the same law, with a pressure of its own.

use hematite_case::WallNode;
use hematite_config::Result;
use hematite_gpu::{Arguments, Bound, Buffer, Gpu, Kernel, Recorder};

use super::NONE;
use super::coupling::Support;
use super::listing::Listing;
use super::shaders::{MOST_NEIGHBOURS, Shader, Span, Variant, kernel};
use super::vertices::Vertices;
use crate::Precision;
use crate::sites::SiteMap;
use crate::sites::Tiling;

/// Fixed point of the force of pairs on one vertex: 2^30 for one lattice unit.
pub(super) const SCALE: f64 = 1_073_741_824.0;

/// The largest force of one pair, lattice units; sound cells stay far below.
pub(super) const LARGEST_PAIR: f64 = 1.0 / 32.0;

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
    due: (Kernel, Bound),
    clear: (Kernel, Bound),
    bin: (Kernel, Bound),
    neighbours: (Kernel, Bound),
    contact: (Kernel, Bound),
    map: SiteMap,
    every: u32,
    arrays: Arrays,
    wall_lists: Buffer,
    wall_points: Buffer,
    stride: u32,
}

/// What depends on the number of vertices.
struct Arrays {
    /// For each vertex the next one of its tile, then for each tile its first one.
    links: Buffer,
    /// First and last vertex of each slot's cell.
    cells: Buffer,
    slot_area: Buffer,
    /// Whether the lists hold, how far vertices have moved since they were made, and their length.
    listing: Buffer,
    /// The vertices that may touch, and what is near them.
    listed: Buffer,
    /// Neighbours of each vertex.
    neighbours: Buffer,
    /// Sizes of the dispatches that make lists: over tiles, over vertices.
    listing_size: Arguments,
    /// Size of the dispatch over the vertices listed.
    contact_size: Arguments,
}

impl Contact {
    /// Contact between `vertices` each `every` steps, and with the walls through `walls`, the points on them near the sites
    /// of `map`.
    ///
    /// # Errors
    /// A usage fault where the range is too long for tiles or for a period, or the device lacks room.
    pub fn new(
        gpu: &Gpu,
        precision: Precision,
        parameters: &ContactParameters,
        every: u64,
        map: &SiteMap,
        vertices: &Vertices,
        walls: &[WallPoint],
    ) -> Result<Self> {
        let listing = Listing::fitting(parameters.range(), map)?;
        let variant = Variant {
            dimension: map.dimension,
            precision,
            extent: map.extent,
            periodic: map.periodic,
            support: Support::Two,
            contact: Some((*parameters, listing)),
        };
        let tiles = listing.tiling.tiles(map);
        let points = sorted(map, walls);
        let lists = lists(map, &points, parameters.wall_reach() + 0.5 * listing.skin);
        let words = packed(map.dimension, &points);
        let wall_lists = gpu.buffer("wall points of tiles", 4 * lists.len() as u64)?;
        let wall_points = gpu.buffer("wall points", 4 * words.len() as u64)?;
        gpu.upload(&wall_lists, 0, &lists)?;
        gpu.upload(&wall_points, 0, &words)?;
        let arrays = Arrays::new(gpu, vertices, map.dimension, tiles)?;
        let buffers = table(map, vertices, &arrays, &wall_lists, &wall_points);
        let made = |shader: Shader| -> Result<(Kernel, Bound)> {
            let kernel = kernel(gpu, shader, &variant)?;
            let bound = kernel.bind(gpu, &buffers);
            Ok((kernel, bound))
        };
        Ok(Self {
            tiles,
            due: made(Shader::Due)?,
            clear: made(Shader::Fill)?,
            bin: made(Shader::Bin)?,
            neighbours: made(Shader::Neighbours)?,
            contact: made(Shader::Contact)?,
            map: map.clone(),
            every: every as u32,
            arrays,
            wall_lists,
            wall_points,
            stride: vertices.stride,
        })
    }

    /// Takes other arrays of vertices; areas have to be written anew.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn rebind(&mut self, gpu: &Gpu, vertices: &Vertices) -> Result<()> {
        self.arrays = Arrays::new(gpu, vertices, self.map.dimension, self.tiles)?;
        self.stride = vertices.stride;
        let buffers = table(&self.map, vertices, &self.arrays, &self.wall_lists, &self.wall_points);
        for (kernel, bound) in [&mut self.due, &mut self.clear, &mut self.bin, &mut self.neighbours, &mut self.contact]
        {
            *bound = kernel.bind(gpu, &buffers);
        }
        Ok(())
    }

    /// Has the lists of neighbours made anew before they are next used: cells were put in or taken out.
    pub fn forget(&self, gpu: &Gpu) {
        gpu.write(&self.arrays.listing, 0, &[0_u32]);
    }

    /// Writes the mean area of a vertex (2-D: length) of each slot's cell, lattice units.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn write_areas(&self, gpu: &Gpu, areas: &[f32]) -> Result<()> {
        gpu.upload(&self.arrays.slot_area, 0, areas)
    }

    /// Adds contact forces to those on the vertices.
    pub fn record(&self, recorder: &mut Recorder, step: u32) {
        let Arrays { listing_size, contact_size, .. } = &self.arrays;
        let span = Span { stride: self.stride, step, steps: self.every, vertices: self.tiles, ..Span::default() };
        let over = |count: u32| span.words(count, Some(&self.map));
        recorder.phase("neighbours");
        recorder.dispatch(&self.due.0, &self.due.1, 1, &over(1));
        let fill = [self.tiles, NONE, self.stride];
        recorder.dispatch_indirect(&self.clear.0, &self.clear.1, listing_size, 0, &fill);
        let all = over(self.stride);
        for (kernel, bound) in [&self.bin, &self.neighbours] {
            recorder.dispatch_indirect(kernel, bound, listing_size, 1, &all);
        }
        recorder.phase("contact");
        recorder.dispatch_indirect(&self.contact.0, &self.contact.1, contact_size, 0, &all);
    }
}

impl Arrays {
    fn new(gpu: &Gpu, vertices: &Vertices, dimension: usize, tiles: u32) -> Result<Self> {
        let (stride, slots) = (u64::from(vertices.stride), u64::from(vertices.slots));
        Ok(Self {
            links: gpu.buffer("lists of vertices", 4 * (stride + u64::from(tiles)))?,
            cells: gpu.buffer("vertices of slots", 8 * slots)?,
            slot_area: gpu.buffer("areas of vertices", 4 * slots)?,
            listing: gpu.buffer("state of lists", 12)?,
            listed: gpu.buffer("vertices that may touch", 4 * (2 + dimension as u64) * stride)?,
            neighbours: gpu.buffer("neighbours", 4 * u64::from(MOST_NEIGHBOURS[dimension - 2]) * stride)?,
            listing_size: gpu.arguments("sizes of lists", 2)?,
            contact_size: gpu.arguments("size of contact", 1)?,
        })
    }
}

/// The buffers by name, for kernels to bind.
fn table<'a>(
    map: &'a SiteMap,
    vertices: &'a Vertices,
    arrays: &'a Arrays,
    wall_lists: &'a Buffer,
    wall_points: &'a Buffer,
) -> Vec<(&'a str, &'a Buffer)> {
    let mut table = vertices.table();
    table.extend([
        ("directory", &map.directory),
        ("links", &arrays.links),
        ("words", &arrays.links),
        ("cells", &arrays.cells),
        ("slot_area", &arrays.slot_area),
        ("listing", &arrays.listing),
        ("listed", &arrays.listed),
        ("neighbours", &arrays.neighbours),
        ("listing_size", &arrays.listing_size.buffer),
        ("contact_size", &arrays.contact_size.buffer),
        ("wall_lists", wall_lists),
        ("wall_points", wall_points),
    ]);
    table
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
