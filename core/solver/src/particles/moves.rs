//! Particles into another order, into messages and out of them, one property a dispatch.

use hematite_config::Result;
use hematite_gpu::{Binding, Bound, Buffer, Gpu, Kernel, MAIN, Recorder, Template, WORKGROUP, render};
use minijinja::context;

use super::properties::Property;

/// What [`Move`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Way {
    /// Into `ordered`, as `list` says.
    Order,
    /// Those of `list` into a message.
    PackListed,
    /// Those from the first on into a message.
    Pack,
    /// Out of a message to those from the first on.
    Unpack,
    /// Integers of a message are added to those of `list`.
    Add,
}

impl Way {
    pub const ALL: [Self; 5] = [Self::Order, Self::PackListed, Self::Pack, Self::Unpack, Self::Add];

    fn mode(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::PackListed | Self::Pack => "pack",
            Self::Unpack => "unpack",
            Self::Add => "add",
        }
    }

    fn listed(self) -> bool {
        matches!(self, Self::Order | Self::PackListed | Self::Add)
    }

    fn bindings(self) -> Vec<Binding> {
        let words = match self {
            Self::Unpack => Binding::write("words", "array<u32>"),
            Self::Add => Binding::write("words", "array<atomic<i32>>"),
            _ => Binding::read("words", "array<u32>"),
        };
        let other = match self {
            Self::Order => Binding::write("ordered", "array<u32>"),
            Self::Pack | Self::PackListed => Binding::write("message", "array<u32>"),
            Self::Unpack => Binding::read("message", "array<u32>"),
            Self::Add => Binding::read("message", "array<i32>"),
        };
        let list = self.listed().then(|| Binding::read("list", "array<u32>"));
        [words, other].into_iter().chain(list).collect()
    }

    fn wgsl(self) -> String {
        let context = context! {
            mode => self.mode(),
            listed => self.listed(),
            workgroup => WORKGROUP,
            declarations => Binding::declare(&self.bindings()),
        };
        render(Template { name: "moves.wgsl", text: include_str!("moves.wgsl") }, &[MAIN], &context)
    }
}

/// Where a property stands in a message.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// Words of a particle.
    pub record: u32,
    /// The first of this property's.
    pub offset: u32,
}

/// One kernel for each [`Way`].
pub(super) struct Moves {
    kernels: Vec<Kernel>,
}

impl Moves {
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let kernel = |&way: &Way| Kernel::new(gpu, "particles", &way.wgsl(), way.bindings(), 28);
        Ok(Self { kernels: Way::ALL.iter().map(kernel).collect::<Result<_>>()? })
    }

    /// `property` with `other` (what it is ordered into, or the message) and `list` (ignored where there is none).
    pub fn bind(&self, gpu: &Gpu, way: Way, property: &Property, other: &Buffer, list: &Buffer) -> Bound {
        let buffers = [("words", &property.buffer), ("ordered", other), ("message", other), ("list", list)];
        self.kernel(way).bind(gpu, &buffers)
    }

    /// Moves `count` particles of arrays with `stride`, from `first` on where they follow each other.
    pub fn record(
        &self,
        recorder: &mut Recorder,
        (way, bound): (Way, &Bound),
        property: &Property,
        stride: u32,
        (first, count): (u32, u32),
        place: Place,
    ) {
        let words = [count, stride, property.width, property.declared.components, first, place.record, place.offset];
        recorder.dispatch(self.kernel(way), bound, count, &words);
    }

    fn kernel(&self, way: Way) -> &Kernel {
        &self.kernels[way as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_is_valid_wgsl() {
        for way in Way::ALL {
            let source = way.wgsl();
            let module =
                naga::front::wgsl::parse_str(&source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
            naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::all())
                .validate(&module)
                .unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
        }
    }
}
