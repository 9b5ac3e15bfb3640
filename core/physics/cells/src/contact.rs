//! Contact: forces between the vertices of different cells, and from walls on vertices, below a distance. In 2-D also between
//! vertices of one ring that are far apart along it: no fluid that the lattice resolves keeps the sides of a fold apart.
//!
//! A pair of vertices at distance r repels with pressure times the mean of their areas, see `repulsion.wgsl`; beyond
//! may follow Morse's attraction, `morse.wgsl`. A wall repels by the same law, with a pressure of its own, along the
//! gradient of the distance from it, see [`WallDistance`].

use bytemuck::{Pod, Zeroable};
use hematite_config::Result;
use hematite_engine::sites::SiteMap;
use hematite_engine::{Precision, Support};
use hematite_gpu::{Arguments, Bound, Buffer, Gpu, Kernel, Recorder};
use hematite_membrane::{NONE, Vertices};

use super::contact_parameters::ContactParameters;
use super::listing::Listing;
use super::shaders::{MOST_NEIGHBOURS, Shader, Span, Variant, kernel};
use super::wall_distance::WallDistance;

/// What contact is to know of the cell in a slot.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct SlotContact {
    /// Mean area of a vertex (2-D: length), lattice units.
    pub area: f32,
    /// 2-D: two vertices of the ring with at most so many sides between them do not touch.
    pub beside: f32,
}

/// The kernels of contact on one rank.
pub struct Contact {
    tiles: u32,
    due: (Kernel, Bound),
    clear: (Kernel, Bound),
    bin: (Kernel, Bound),
    neighbours: (Kernel, Bound),
    contact: (Kernel, Bound),
    few: Option<(Kernel, Bound)>,
    map: SiteMap,
    every: u32,
    arrays: Arrays,
    wall: WallDistance,
    stride: u32,
}

/// What depends on the number of vertices.
struct Arrays {
    /// For each vertex the next one of its tile, then for each tile its first one.
    links: Buffer,
    /// First and last vertex of each slot's cell.
    cells: Buffer,
    slot_contact: Buffer,
    /// Whether the lists hold, how far vertices have moved since they were made, and the lengths of both.
    listing: Buffer,
    /// The vertices that may touch, and what is near them.
    listed: Buffer,
    /// Neighbours of each vertex.
    neighbours: Buffer,
    /// Sizes of the dispatches that make lists: over tiles, over vertices.
    listing_size: Arguments,
    /// Sizes of the dispatches over the vertices listed.
    contact_size: Arguments,
}

impl Contact {
    /// Contact between `vertices` each `every` steps, and with the walls at the distance `wall` from the sites of `map`.
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
        wall: &WallDistance,
    ) -> Result<Self> {
        let listing = Listing::fitting(parameters.range(), map)?;
        let variant = Variant {
            dimension: map.dimension,
            precision,
            extent: map.extent,
            periodic: map.periodic,
            support: Support::Two,
            contact: Some((*parameters, listing)),
            splits: gpu.goes_by_lanes(),
            pushed: false,
            joins: false,
            wide: false,
        };
        let tiles = listing.tiling.tiles(map);
        let arrays = Arrays::new(gpu, vertices, map.dimension, tiles)?;
        let buffers = table(map, vertices, &arrays, wall);
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
            few: variant.splits.then(|| made(Shader::FewContacts)).transpose()?,
            map: map.clone(),
            every: every as u32,
            arrays,
            wall: wall.clone(),
            stride: vertices.stride,
        })
    }

    /// Takes other arrays of vertices; slots have to be written anew.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn rebind(&mut self, gpu: &Gpu, vertices: &Vertices) -> Result<()> {
        self.arrays = Arrays::new(gpu, vertices, self.map.dimension, self.tiles)?;
        self.stride = vertices.stride;
        let buffers = table(&self.map, vertices, &self.arrays, &self.wall);
        let Self { due, clear, bin, neighbours, few, contact, .. } = self;
        for (kernel, bound) in [due, clear, bin, neighbours, contact].into_iter().chain(few) {
            *bound = kernel.bind(gpu, &buffers);
        }
        Ok(())
    }

    /// Has the lists of neighbours made anew before they are next used: cells were put in or taken out.
    pub fn forget(&self, gpu: &Gpu) {
        gpu.write(&self.arrays.listing, 0, &[0_u32]);
    }

    /// What contact is to know of each slot's cell, a [`SlotContact`] each.
    pub fn slots(&self) -> &Buffer {
        &self.arrays.slot_contact
    }

    /// Writes what contact is to know of each slot's cell.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn write_slots(&self, gpu: &Gpu, slots: &[SlotContact]) -> Result<()> {
        gpu.upload(&self.arrays.slot_contact, 0, slots)
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
        if let Some((kernel, bound)) = &self.few {
            recorder.dispatch_indirect(kernel, bound, contact_size, 1, &all);
        }
    }
}

impl Arrays {
    fn new(gpu: &Gpu, vertices: &Vertices, dimension: usize, tiles: u32) -> Result<Self> {
        let (stride, slots) = (u64::from(vertices.stride), u64::from(vertices.slots));
        Ok(Self {
            links: gpu.buffer("lists of vertices", 4 * (stride + u64::from(tiles)))?,
            cells: gpu.buffer("vertices of slots", 8 * slots)?,
            slot_contact: gpu.buffer("contact of slots", 8 * slots)?,
            listing: gpu.buffer("state of lists", 16)?,
            listed: gpu.buffer("vertices that may touch", 4 * (2 + dimension as u64) * stride)?,
            neighbours: gpu.buffer("neighbours", 4 * u64::from(MOST_NEIGHBOURS[dimension - 2]) * stride)?,
            listing_size: gpu.arguments("sizes of lists", 2)?,
            contact_size: gpu.arguments("sizes of contact", 2)?,
        })
    }
}

/// The buffers by name, for kernels to bind.
fn table<'a>(
    map: &'a SiteMap,
    vertices: &'a Vertices,
    arrays: &'a Arrays,
    wall: &'a WallDistance,
) -> Vec<(&'a str, &'a Buffer)> {
    let mut table = vertices.table();
    table.extend([
        ("directory", &map.directory),
        ("links", &arrays.links),
        ("words", &arrays.links),
        ("cells", &arrays.cells),
        ("slot_contact", &arrays.slot_contact),
        ("listing", &arrays.listing),
        ("listed", &arrays.listed),
        ("neighbours", &arrays.neighbours),
        ("listing_size", &arrays.listing_size.buffer),
        ("contact_size", &arrays.contact_size.buffer),
        ("wall_distance", &wall.0),
    ]);
    table
}
