//! The largest force on a vertex while cells grow.
//!
//! A cell that was seeded small has its full size as its rest state, a step of the ramp ahead: where neighbours or walls
//! are in the way, membranes and contact push harder than the time step bears.

use hematite_config::Result;
use hematite_engine::Precision;
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, Recorder};
use hematite_membrane::Vertices;

use super::shaders::{Shader, Span, Variant, kernel};

/// Caps the forces on all vertices of a rank.
pub struct Cap {
    kernel: Kernel,
    bound: Bound,
    /// `array<real>[1]`: the largest force, lattice units.
    largest: Buffer,
    stride: u32,
}

impl Cap {
    /// A cap at `largest`, lattice units, of the length of the force vector.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn new(gpu: &Gpu, precision: Precision, dimension: usize, largest: f64, vertices: &Vertices) -> Result<Self> {
        let bytes = precision.pack_real(&[largest]);
        let largest = gpu.buffer("the largest force on a vertex", bytes.len() as u64)?;
        gpu.upload(&largest, 0, &bytes)?;
        let kernel = kernel(gpu, Shader::Cap, &Variant { precision, ..Variant::of_dimension(dimension) })?;
        let bound = kernel.bind(gpu, &buffers(vertices, &largest));
        Ok(Self { kernel, bound, largest, stride: vertices.stride })
    }

    /// Takes other arrays of vertices.
    pub fn rebind(&mut self, gpu: &Gpu, vertices: &Vertices) {
        self.bound = self.kernel.bind(gpu, &buffers(vertices, &self.largest));
        self.stride = vertices.stride;
    }

    /// Shortens the forces that are larger. To be done once all of them are added up.
    pub fn record(&self, recorder: &mut Recorder) {
        let span = Span { stride: self.stride, ..Span::default() };
        recorder.dispatch(&self.kernel, &self.bound, self.stride, &span.words(self.stride, None));
    }
}

fn buffers<'a>(vertices: &'a Vertices, largest: &'a Buffer) -> Vec<(&'a str, &'a Buffer)> {
    let mut buffers = vertices.table();
    buffers.push(("cap", largest));
    buffers
}
