//! What tests of kernels share: WGSL is parsed and validated without a GPU.

use std::fmt::Debug;

use naga::front::wgsl::parse_str;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// Where the members of a struct lie, and its size, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Name and offset of each member.
    pub members: Vec<(String, usize)>,
    /// Bytes of the struct.
    pub size: usize,
}

/// Parses and validates the WGSL of `kernel`.
///
/// # Panics
/// Where it is not valid; the message holds what naga says, `kernel`, and `wgsl`.
pub fn validate(kernel: impl Debug, wgsl: &str) {
    let module = parse(&kernel, wgsl);
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(&module).unwrap_or_else(|error| panic!("{}\n{kernel:?}\n{wgsl}", error.emit_to_string(wgsl)));
}

/// The layout of the struct `name` that `wgsl` declares.
///
/// # Panics
/// Where `wgsl` does not parse or declares no such struct.
pub fn layout(wgsl: &str, name: &str) -> Layout {
    let module = parse(name, wgsl);
    let declared = module.types.iter().find(|(_, declared)| declared.name.as_deref() == Some(name));
    let Some(naga::TypeInner::Struct { members, span }) = declared.map(|(_, declared)| &declared.inner) else {
        panic!("no struct {name} in\n{wgsl}")
    };
    let member = |member: &naga::StructMember| (member.name.clone().unwrap_or_default(), member.offset as usize);
    Layout { members: members.iter().map(member).collect(), size: *span as usize }
}

fn parse(kernel: impl Debug, wgsl: &str) -> naga::Module {
    parse_str(wgsl).unwrap_or_else(|error| panic!("{}\n{kernel:?}\n{wgsl}", error.emit_to_string(wgsl)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_lie_where_wgsl_puts_them() {
        let layout = layout("struct Pair { a: u32, b: vec3<f32> }", "Pair");
        assert_eq!(layout, Layout { members: vec![("a".into(), 0), ("b".into(), 16)], size: 32 });
    }

    #[test]
    #[should_panic(expected = "unknown")]
    fn a_name_that_nothing_declares_is_refused() {
        validate("f", "fn f() -> u32 { return unknown; }");
    }

    #[test]
    #[should_panic(expected = "storage")]
    fn what_parses_must_also_be_valid() {
        validate("a", "var<storage, read> a: array<u32>;");
    }
}
