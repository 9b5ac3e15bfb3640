//! Which nodes are inside cells, where viscosities inside and outside differ.

use hematite_cells::Surface;
use hematite_config::Result;
use hematite_engine::sites::SiteMap;
use hematite_engine::{Precision, Support};
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, Recorder};
use hematite_membrane::{Range, Vertices};

use super::shaders::{Shader, Span, Variant, kernel};

/// The kernels that mark nodes.
pub struct Inside {
    clear: (Kernel, Bound),
    mark: Kernel,
    populations: Vec<Population>,
    map: SiteMap,
    marks: Buffer,
    stride: u32,
}

struct Population {
    /// The bit that its cells flip.
    bit: u32,
    corners: Buffer,
    faces: u32,
    bound: Bound,
}

impl Inside {
    /// Kernels that mark the own nodes of `map` in `marks`, `array<u32>` over nodes. `surfaces` are the shapes of the populations, of
    /// which the faces count, each with the bit that is set inside its cells; those without one mark nothing.
    ///
    /// # Errors
    /// Where the device lacks room or refuses a kernel.
    pub fn new(
        gpu: &Gpu,
        map: &SiteMap,
        vertices: &Vertices,
        marks: &Buffer,
        surfaces: &[(&Surface, Option<u32>)],
    ) -> Result<Self> {
        let (extent, periodic) = (map.extent, map.periodic);
        let (precision, support) = (Precision::F32, Support::Two);
        let variant = Variant {
            dimension: map.dimension,
            precision,
            extent,
            periodic,
            support,
            contact: None,
            splits: false,
            pushed: false,
            joins: false,
            wide: false,
        };
        let mark = kernel(gpu, Shader::Inside, &variant)?;
        let fill = kernel(gpu, Shader::Fill, &variant)?;
        let filled = fill.bind(gpu, &[("words", marks)]);
        let mut populations = Vec::with_capacity(surfaces.len());
        for &(surface, bit) in surfaces {
            let list = corners(surface);
            let corners = gpu.buffer("faces of cells", 4 * list.len() as u64)?;
            gpu.upload(&corners, 0, &list)?;
            let bound = bind(gpu, &mark, map, vertices, marks, &corners);
            let bit = bit.map_or(0, |bit| 1 << bit);
            populations.push(Population { bit, corners, faces: (list.len() / surface.dimension) as u32, bound });
        }
        let (map, marks, stride) = (map.clone(), marks.clone(), vertices.stride);
        Ok(Self { clear: (fill, filled), mark, populations, map, marks, stride })
    }

    /// Takes other arrays of vertices.
    pub fn rebind(&mut self, gpu: &Gpu, vertices: &Vertices) {
        for population in &mut self.populations {
            population.bound = bind(gpu, &self.mark, &self.map, vertices, &self.marks, &population.corners);
        }
        self.stride = vertices.stride;
    }

    /// Marks the nodes anew; `ranges` say where each population's cells stand.
    pub fn record<'a>(&self, recorder: &mut Recorder, ranges: impl IntoIterator<Item = &'a Range>) {
        let nodes = (self.marks.bytes() / 4) as u32;
        recorder.dispatch(&self.clear.0, &self.clear.1, nodes, &[nodes, 0, 0]);
        for (population, range) in self.populations.iter().zip(ranges).filter(|(population, _)| population.bit != 0) {
            let (first, vertices, faces) = (range.first_vertex, range.vertices, population.faces);
            let span = Span { stride: self.stride, first, vertices, faces, mark: population.bit, ..Span::default() };
            let items = range.cells * faces;
            recorder.dispatch(&self.mark, &population.bound, items, &span.words(items, Some(&self.map)));
        }
    }
}

/// The corners of each face: sides in 2-D, triangles in 3-D.
fn corners(surface: &Surface) -> Vec<u32> {
    let count = surface.vertices.len() as u32;
    match surface.dimension {
        2 => (0..count).flat_map(|k| [k, (k + 1) % count]).collect(),
        _ => surface.triangles.as_flattened().to_vec(),
    }
}

fn bind(gpu: &Gpu, kernel: &Kernel, map: &SiteMap, vertices: &Vertices, marks: &Buffer, corners: &Buffer) -> Bound {
    let mut buffers = vertices.table();
    buffers.extend([("directory", &map.directory), ("sites", &map.sites), ("inside", marks), ("corners", corners)]);
    kernel.bind(gpu, &buffers)
}
