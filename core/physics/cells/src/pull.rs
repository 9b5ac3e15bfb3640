//! Constant forces on some vertices of each cell of a population, as optical tweezers pull.

use hematite_cells::Surface;
use hematite_config::Result;
use hematite_engine::Precision;
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, Recorder};
use hematite_membrane::{Range, Vertices};

use super::shaders::{Shader, Span, Variant, kernel};

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

impl Pull {
    /// Both ends of each cell of population `kind` pulled apart along x, y or z with `force` at each end, lattice units,
    /// shared by `count` vertices: those farthest out along the `axis` of the shape, and the ones opposite to them through
    /// its middle.
    pub fn apart(kind: usize, surface: &Surface, axis: usize, count: usize, force: f64) -> [Self; 2] {
        let x = &surface.vertices;
        let mut order: Vec<u32> = (0..x.len() as u32).collect();
        order.sort_by(|&a, &b| x[b as usize][axis].total_cmp(&x[a as usize][axis]));
        order.truncate(count);
        let opposite = |&v: &u32| {
            let away = |n: &u32| (0..3).map(|a| (x[*n as usize][a] + x[v as usize][a]).powi(2)).sum::<f64>();
            (0..x.len() as u32).min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(v)
        };
        let far = order.iter().map(opposite).collect();
        let pull = |vertices: Vec<u32>, force: f64| {
            let each = force / vertices.len().max(1) as f64;
            Self { kind, vertices, force: [0, 1, 2].map(|a| if a == axis { each } else { 0.0 }) }
        };
        [pull(far, -force), pull(order, force)]
    }
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
