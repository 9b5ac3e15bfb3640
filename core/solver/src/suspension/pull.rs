//! Constant forces on some vertices of each cell of a population, as optical tweezers pull.

use hematite_config::Result;
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, Recorder};

use super::shaders::{Shader, Span, Variant, kernel};
use super::vertices::{Range, Vertices};
use crate::Precision;

/// A pull on each cell of a population.
#[derive(Clone, Debug, PartialEq)]
pub struct Pull {
    /// The population.
    pub kind: usize,
    /// The vertices that are pulled, as the shape numbers them.
    pub vertices: Vec<u32>,
    /// Force on each of them, lattice units.
    pub force: [f64; 3],
}

/// All pulls on the cells of one population.
pub(super) struct Pulls {
    kernel: Kernel,
    bound: Bound,
    /// `array<real>` [D * vertices]: force on each vertex of the shape.
    table: Buffer,
}

impl Pulls {
    /// Those of `pulls` that act on population `kind`, whose cells stand in `range`; `None` where none does.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn new(
        gpu: &Gpu,
        precision: Precision,
        dimension: usize,
        pulls: &[Pull],
        kind: usize,
        vertices: &Vertices,
        range: &Range,
    ) -> Result<Option<Self>> {
        let count = range.vertices as usize;
        let mut forces = vec![0.0; dimension * count];
        for pull in pulls.iter().filter(|pull| pull.kind == kind) {
            for (axis, force) in pull.force.iter().enumerate().take(dimension) {
                pull.vertices.iter().for_each(|&v| forces[axis * count + v as usize] += force);
            }
        }
        if forces.iter().all(|&force| force == 0.0) {
            return Ok(None);
        }
        let bytes = precision.pack_real(&forces);
        let table = gpu.buffer("pulls on vertices", bytes.len() as u64)?;
        gpu.upload(&table, 0, &bytes)?;
        let kernel = kernel(gpu, Shader::Pull, &Variant { precision, ..Variant::of_dimension(dimension) })?;
        let bound = kernel.bind(gpu, &buffers(vertices, &table));
        Ok(Some(Self { kernel, bound, table }))
    }

    /// Takes other arrays of vertices.
    pub fn rebind(&mut self, gpu: &Gpu, vertices: &Vertices) {
        self.bound = self.kernel.bind(gpu, &buffers(vertices, &self.table));
    }

    /// Adds the pulls to the forces on the vertices of the population, which stands in `range` of arrays with `stride`.
    pub fn record(&self, recorder: &mut Recorder, range: &Range, stride: u32) {
        let count = range.cells * range.vertices;
        let span = Span { stride, first: range.first_vertex, vertices: range.vertices, ..Span::default() };
        recorder.dispatch(&self.kernel, &self.bound, count, &span.words(count, None));
    }
}

fn buffers<'a>(vertices: &'a Vertices, table: &'a Buffer) -> Vec<(&'a str, &'a Buffer)> {
    let mut buffers = vertices.table();
    buffers.push(("pull", table));
    buffers
}
