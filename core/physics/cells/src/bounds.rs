//! The box of whole sites around each cell, read by the host.

use hematite_config::Result;
use hematite_engine::CameIn;
use hematite_engine::sites::Bounds;
use hematite_gpu::{Bound, Buffer, Elements, Gpu, Kernel, Recorder};
use hematite_membrane::Vertices;

use super::shaders::{Shader, Span, Variant, kernel};

/// What a look sees of cells; that of an empty slot means nothing.
pub struct Seen {
    /// The box around the cell in each slot.
    pub boxes: Vec<Bounds>,
    /// The word in each slot that says whether the cell is broken.
    pub broken: Vec<u32>,
    /// The largest way of a vertex in a step since the last look, lattice spacings.
    pub pace: f64,
    /// This rank's counts of what came in through each opening, where they were asked for.
    pub came_in: Vec<i64>,
}

/// The kernels that find the boxes around cells.
pub struct BoundingBoxes {
    dimension: usize,
    clear: (Kernel, Bound),
    bounds: (Kernel, Bound),
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

    /// Finds and reads what a look needs, and `came_in` with it.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn look(&self, gpu: &Gpu, vertices: &Vertices, came_in: Option<&CameIn>) -> Result<Seen> {
        let words = 2 * self.dimension as u32 * self.slots;
        let mut recorder = Recorder::new(gpu);
        recorder.dispatch(&self.clear.0, &self.clear.1, words, &[words, i32::MAX as u32, 0]);
        let span = Span { stride: self.stride, ..Span::default() };
        recorder.dispatch(&self.bounds.0, &self.bounds.1, self.stride, &span.words(self.stride, None));
        recorder.submit();
        let mut ranges = vec![
            Elements { buffer: &self.boxes, at: 0, count: words as usize },
            Elements { buffer: &vertices.broken, at: 0, count: self.slots as usize },
            Elements { buffer: &vertices.pace, at: Vertices::PACE_OF_LOOK, count: 1 },
        ];
        ranges.extend(came_in.map(CameIn::words));
        // One wait for the device.
        let read: Vec<i32> = gpu.download_all(&ranges)?;
        let (ends, rest) = read.split_at(words as usize);
        let (broken, rest) = rest.split_at(self.slots as usize);
        let (pace, counts) = rest.split_at(1);
        let bounds = |ends: &[i32]| {
            let mut bounds = Bounds::default();
            let (low, high) = ends.split_at(ends.len() / 2);
            bounds.low[..low.len()].copy_from_slice(low);
            bounds.high[..high.len()].copy_from_slice(high);
            bounds.high = bounds.high.map(i32::saturating_neg);
            bounds
        };
        Ok(Seen {
            boxes: ends.chunks(2 * self.dimension).map(bounds).collect(),
            broken: broken.iter().map(|&word| word as u32).collect(),
            pace: f32::from_bits(pace[0] as u32).into(),
            came_in: came_in.map(|came_in| came_in.counts(counts)).unwrap_or_default(),
        })
    }
}

/// Lower and negative upper ends, slot after slot.
fn buffer(gpu: &Gpu, dimension: usize, vertices: &Vertices) -> Result<Buffer> {
    gpu.buffer("boxes of cells", 8 * dimension as u64 * u64::from(vertices.slots))
}

fn bind(gpu: &Gpu, kernel: &Kernel, vertices: &Vertices, boxes: &Buffer) -> Bound {
    let mut buffers = vertices.table();
    buffers.extend([("boxes", boxes), ("words", boxes)]);
    kernel.bind(gpu, &buffers)
}
