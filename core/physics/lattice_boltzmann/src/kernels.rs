//! Kernels with their buffers bound.

use hematite_config::Result;
use hematite_gpu::{Bound, Buffer, Gpu, Kernel};

use super::shaders::{self, Packing, Shader, Variant};

/// A kernel with its buffers bound.
pub(crate) fn make(
    gpu: &Gpu,
    variant: &Variant,
    shader: Shader,
    odd: bool,
    buffers: &[(&str, &Buffer)],
) -> Result<(Kernel, Bound)> {
    let label = format!("{shader:?}{}", if odd { " odd" } else { "" });
    let wgsl = shaders::wgsl(shader, variant, odd);
    let pairs = if variant.immediate_force(shader) { variant.set.q() / 2 } else { 0 };
    let packing = if variant.packs(shader) { Packing::WORDS } else { 0 };
    let immediates = 16 + 4 * (packing + pairs) as u32;
    let kernel = Kernel::new(gpu, &label, &wgsl, immediates)?;
    let bound = kernel.bind(gpu, buffers);
    Ok((kernel, bound))
}
