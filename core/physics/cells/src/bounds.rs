//! The box of whole sites around each cell.

use hematite_config::Result;
use hematite_engine::sites::Bounds;
use hematite_gpu::{Bound, Buffer, Elements, Gpu, Kernel, Recorder};
use hematite_membrane::Vertices;

use super::shaders::{Shader, Span, Variant, kernel};

/// The kernels that find the boxes around cells.
pub struct BoundingBoxes {
    dimension: usize,
    clear: (Kernel, Bound),
    bounds: (Kernel, Bound),
    /// For each slot its lower ends, then its negative upper ends.
    boxes: Buffer,
    slots: u32,
    stride: u32,
}

impl BoundingBoxes {
    /// Kernels for `vertices`.
    ///
    /// # Errors
    /// Where the device lacks room or refuses a kernel.
    pub fn new(gpu: &Gpu, dimension: usize, vertices: &Vertices) -> Result<Self> {
        let variant = Variant::of_dimension(dimension);
        let boxes = buffer(gpu, dimension, vertices)?;
        let made = |shader: Shader| -> Result<(Kernel, Bound)> {
            let kernel = kernel(gpu, shader, &variant)?;
            let bound = bind(gpu, &kernel, vertices, &boxes);
            Ok((kernel, bound))
        };
        let (clear, bounds) = (made(Shader::Fill)?, made(Shader::Bounds)?);
        Ok(Self { dimension, clear, bounds, slots: vertices.slots, stride: vertices.stride, boxes })
    }

    /// Takes other arrays of vertices.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn rebind(&mut self, gpu: &Gpu, vertices: &Vertices) -> Result<()> {
        self.boxes = buffer(gpu, self.dimension, vertices)?;
        for (kernel, bound) in [&mut self.clear, &mut self.bounds] {
            *bound = bind(gpu, kernel, vertices, &self.boxes);
        }
        (self.slots, self.stride) = (vertices.slots, vertices.stride);
        Ok(())
    }

    /// Finds the boxes.
    pub fn record(&self, recorder: &mut Recorder) {
        let words = self.elements().count as u32;
        recorder.dispatch(&self.clear.0, &self.clear.1, words, &[words, i32::MAX as u32, 0]);
        let span = Span { stride: self.stride, ..Span::default() };
        recorder.dispatch(&self.bounds.0, &self.bounds.1, self.stride, &span.words(self.stride, None));
    }

    /// Finds and reads the box around the cell in each slot; that of an empty slot means nothing.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn read(&self, gpu: &Gpu) -> Result<Vec<Bounds>> {
        let mut recorder = Recorder::new(gpu);
        self.record(&mut recorder);
        recorder.submit();
        let words: Vec<i32> = gpu.download_all(&[self.elements()])?;
        Ok(self.boxes_in(&words))
    }

    /// The boxes on the device, to be read together with other buffers.
    pub fn elements(&self) -> Elements<'_> {
        Elements { buffer: &self.boxes, at: 0, count: 2 * self.dimension * self.slots as usize }
    }

    /// The boxes in [`BoundingBoxes::elements`] as they were read.
    pub fn boxes_in(&self, words: &[i32]) -> Vec<Bounds> {
        words.chunks(2 * self.dimension).map(bounds_in).collect()
    }

    /// The array of boxes.
    pub fn buffer(&self) -> &Buffer {
        &self.boxes
    }
}

/// The box with these lower and negative upper ends.
pub fn bounds_in(ends: &[i32]) -> Bounds {
    let mut bounds = Bounds::default();
    let (low, high) = ends.split_at(ends.len() / 2);
    bounds.low[..low.len()].copy_from_slice(low);
    bounds.high[..high.len()].copy_from_slice(high);
    bounds.high = bounds.high.map(i32::saturating_neg);
    bounds
}

fn buffer(gpu: &Gpu, dimension: usize, vertices: &Vertices) -> Result<Buffer> {
    gpu.buffer("boxes of cells", 8 * dimension as u64 * u64::from(vertices.slots))
}

fn bind(gpu: &Gpu, kernel: &Kernel, vertices: &Vertices, boxes: &Buffer) -> Bound {
    let mut buffers = vertices.table();
    buffers.extend([("boxes", boxes), ("words", boxes)]);
    kernel.bind(gpu, &buffers)
}
