//! Copies by a kernel.

use hematite_config::Result;
use minijinja::context;

use crate::{Bound, Buffer, Gpu, Kernel, MAIN, Template, WORKGROUP, render};

/// A kernel that copies `from` to `to`, 16 bytes an invocation. It is compiled once for each device.
pub(crate) fn copy_kernel(gpu: &Gpu, from: &Buffer, to: &Buffer) -> Result<(Kernel, Bound)> {
    let kernel = match gpu.copy.get() {
        Some(kernel) => kernel.clone(),
        None => {
            let context = context! { workgroup => WORKGROUP };
            let wgsl = render(Template { name: "copy.wgsl", text: include_str!("copy.wgsl") }, &[MAIN], &context);
            let kernel = Kernel::new(gpu, "copy", &wgsl, 4)?;
            gpu.copy.get_or_init(|| kernel).clone()
        }
    };
    let bound = kernel.bind(gpu, &[("values", from), ("to", to)]);
    Ok((kernel, bound))
}
