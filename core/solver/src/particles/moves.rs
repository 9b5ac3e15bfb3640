//! Particles into another order, one property a dispatch.

use hematite_config::Result;
use hematite_gpu::{Binding, Buffer, Gpu, Kernel, MAIN, Recorder, Template, WORKGROUP, render};
use minijinja::context;

use super::properties::Property;

/// Orders any property.
pub(super) struct Moves {
    kernel: Kernel,
}

fn bindings() -> Vec<Binding> {
    let words = "array<u32>";
    vec![Binding::read("words", words), Binding::write("ordered", words), Binding::read("order", words)]
}

fn wgsl() -> String {
    let context = context! { workgroup => WORKGROUP, declarations => Binding::declare(&bindings()) };
    render(Template { name: "moves.wgsl", text: include_str!("moves.wgsl") }, &[MAIN], &context)
}

impl Moves {
    pub fn new(gpu: &Gpu) -> Result<Self> {
        Ok(Self { kernel: Kernel::new(gpu, "order of particles", &wgsl(), bindings(), 16)? })
    }

    /// Orders `property` of the first `count` particles by `order`, on the way through `ordered`.
    pub fn record(
        &self,
        gpu: &Gpu,
        recorder: &mut Recorder,
        (property, stride): (&Property, u32),
        (order, ordered): (&Buffer, &Buffer),
        count: u32,
    ) {
        let bound = self.kernel.bind(gpu, &[("words", &property.buffer), ("ordered", ordered), ("order", order)]);
        let words = [count, stride, property.width, property.declared.components];
        recorder.dispatch(&self.kernel, &bound, count, &words);
        recorder.copy(ordered, &property.buffer, property.buffer.bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_valid_wgsl() {
        let source = wgsl();
        let module = naga::front::wgsl::parse_str(&source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::all())
            .validate(&module)
            .unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
    }
}
