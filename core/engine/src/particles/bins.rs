//! Sorts particles by tile, so that others can find them.

use hematite_config::Result;
use hematite_gpu::{Buffer, CountingSort, Gpu, Kernel, Recorder};

use super::shaders::{Shader, Variant};

/// The particles of a set, or a part of them, by tile.
pub(super) struct Bins {
    kernel: Kernel,
    keys: Buffer,
    pub sort: CountingSort,
}

impl Bins {
    /// Bins for up to `most` particles; `keys` has a word for each.
    ///
    /// # Errors
    /// Where the device has no room or refuses the kernels.
    pub fn new(gpu: &Gpu, variant: &Variant, keys: &Buffer, most: u32) -> Result<Self> {
        // The order within a tile does not matter.
        let sort = CountingSort::new(gpu, keys, None, most as usize, variant.tiles as usize + 1)?;
        Ok(Self { kernel: Shader::Bins.kernel(gpu, variant)?, keys: keys.clone(), sort })
    }

    /// Records that particles are sorted by tile. `words` is the `Span` of the particles (`span.wgsl`), `table` holds
    /// the buffers with their positions.
    pub fn record(&self, recorder: &mut Recorder, table: &[(&str, &Buffer)], words: &[u32]) {
        let table: Vec<_> = table.iter().copied().chain([("keys", &self.keys)]).collect();
        let (bound, count) = (self.kernel.bind(recorder.gpu(), &table), words[0]);
        recorder.dispatch(&self.kernel, &bound, count, words);
        self.sort.record(recorder, count);
    }
}
